// The widgets of ModelLibraryPage and what connects them.
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "ui/charts/chart_table.h"
#include "ui/charts/model_table.h"
#include "ui/files/settings_file.h"
#include "ui/model_library/model_library_page.h"
#include "ui/widgets/eliding_label.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_button.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

ModelLibraryPage::ModelLibraryPage(RunModel& run, const KnownModels& known, const QString& settings_file, Today today,
                                   QWidget* parent)
    : QWidget(parent),
      run_(run),
      settings_(openable_settings_file(settings_file.isEmpty() ? default_settings_file() : settings_file),
                QSettings::IniFormat),
      library_(settings_, known),
      speeds_(settings_),
      today_(std::move(today)),
      list_(new QTableView),
      facts_view_(new QTableView),
      title_(new ElidingLabel),
      path_(new ElidingLabel),
      verdict_(plain_label()),
      context_(new QSpinBox),
      products_(new ProductsBox({})) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setHandleWidth(1);
  splitter->addWidget(make_list());
  splitter->addWidget(make_page());
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({560, 420});
  column->addWidget(splitter, 1);
  lazy_ = new LazyRefresh(
      *this, [this] { show_chosen(); }, 200);
  memory_timer_.setInterval(memory_ms);
  connect_parts();
  chosen_ = library_.index(0, 0).data(ModelLibrary::path_role).toString();
  choose(chosen_);
  show_chosen();
}

QWidget* ModelLibraryPage::make_list() {
  list_->setModel(&library_);
  list_->setAccessibleName(tr("Models"));
  list_->setToolTip(
      tr("The loaded model, the included ones, recent ones and those found in folders. Enter opens one."));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setMinimumWidth(180);
  show_as_rows(*list_);
  QHeaderView* header = list_->horizontalHeader();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(ModelLibrary::name_column, QHeaderView::Stretch);
  for (const int one : {ModelLibrary::source_column, ModelLibrary::size_column, ModelLibrary::memory_column})
    header->setSectionResizeMode(one, QHeaderView::ResizeToContents);
  empty_ = new EmptyNote(*list_, [] { return tr("No models. Add a folder that holds some, or drop one here."); });
  install_chart_menu(*list_, {list_, tr("Models"), [this] { return table_of(library_); }});
  auto* panel = new QWidget;
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 6);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  open_ = add_row_button(*row, tr("Open"), tr("Serve this workload with the selected model; the window asks first"));
  row->addStretch(1);
  QPushButton* add =
      add_row_button(*row, tr("Add folder…"), tr("Look for models in this folder and the folders below it"));
  folders_ = add_row_button(*row, tr("Folders"), tr("Searched folders; choosing one removes it"));
  folders_->setMenu(new QMenu(folders_));
  refresh_ = add_row_button(*row, tr("Refresh"), tr("Read all models again"));
  connect(add, &QPushButton::clicked, this, &ModelLibraryPage::ask_for_folder);
  column->addLayout(row);
  column->addWidget(list_, 1);
  return panel;
}

QWidget* ModelLibraryPage::make_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(8, 0, 8, 6);
  column->setSpacing(4);
  title_->setProperty("heading", true);
  path_->setProperty("muted", true);
  for (QLabel* label : {title_, path_}) label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  verdict_->setWordWrap(true);
  verdict_->setAccessibleName(tr("Whether the model fits"));
  column->addWidget(title_);
  column->addWidget(path_);
  column->addWidget(verdict_);
  auto* row = new QHBoxLayout;
  auto* label = plain_label(tr("Context"));
  context_->setRange(1, ModelLibrary::default_context_tokens);
  context_->setValue(ModelLibrary::default_context_tokens);
  context_->setSingleStep(256);
  context_->setSuffix(tr(" tokens"));
  context_->setKeyboardTracking(false);
  context_->setAccessibleName(tr("Context length"));
  context_->setToolTip(tr("Tokens of the context whose KV cache is part of the estimate"));
  label->setBuddy(context_);
  row->addWidget(label);
  row->addWidget(context_);
  row->addStretch(1);
  row->addWidget(products_);
  products_->hide();
  column->addLayout(row);
  facts_view_->setModel(&facts_);
  facts_view_->setAccessibleName(tr("Facts of the model"));
  facts_view_->setToolTip(tr("What the selected model is, what it needs, and how fast it is here"));
  facts_view_->setFrameShape(QFrame::NoFrame);
  show_as_rows(*facts_view_);
  facts_view_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  install_chart_menu(*facts_view_, {facts_view_, tr("Facts of the model"), [this] { return table_of(facts_); }});
  column->addWidget(facts_view_, 1);
  return page;
}

void ModelLibraryPage::connect_parts() {
  connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (!now.isValid()) return;  // the list is filled again
    chosen_ = now.data(ModelLibrary::path_role).toString();
    library_.want(chosen_);
    show_chosen();
  });
  // A list that is filled again keeps what was selected; at first that is the loaded model.
  connect(&library_, &QAbstractItemModel::modelReset, this, [this] {
    if (library_.row_of(chosen_) < 0) chosen_ = library_.index(0, 0).data(ModelLibrary::path_role).toString();
    choose(chosen_);
    lazy_->invalidate();
  });
  connect(list_, &QTableView::activated, this, [this] { open_chosen(); });
  connect(open_, &QPushButton::clicked, this, &ModelLibraryPage::open_chosen);
  connect(refresh_, &QPushButton::clicked, this, [this] {
    library_.reader().forget();
    library_.refresh();
    show_chosen();
  });
  connect(folders_->menu(), &QMenu::aboutToShow, this, &ModelLibraryPage::show_folders);
  connect(context_, &QSpinBox::valueChanged, this, [this](int tokens) {
    library_.set_context_tokens(tokens);
    show_chosen();
  });
  connect(products_, &QComboBox::currentIndexChanged, this, &ModelLibraryPage::show_chosen);
  connect(&library_, &QAbstractItemModel::dataChanged, lazy_, [this] { lazy_->invalidate(); });
  connect(&library_.reader(), &ModelReader::factsRead, this, [this](const QString& path) {
    if (const LibraryEntry* loaded = library_.loaded(); loaded != nullptr && loaded->path == path) keep_speed();
  });
  connect(&memory_timer_, &QTimer::timeout, this, [this] { library_.reader().read_memory(); });
  connect(&run_, &RunModel::servedChanged, this, [this] {
    lazy_->invalidate();
    if (run_.served() >= worth_keeping) library_.read_loaded();
  });
  connect(&run_, &RunModel::stateChanged, this, [this] { keep_speed(); });
}

}  // namespace kvantage
