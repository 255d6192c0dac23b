// The widgets of ExperimentsPage and what connects them.
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/experiments/experiments_page.h"
#include "ui/text/words.h"
#include "ui/widgets/eliding_label.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_button.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

ExperimentsPage::ExperimentsPage(std::shared_ptr<ExperimentHost> host, const QString& folder, SessionSwitch& session,
                                 ExperimentFormModel::ReadMethod read_method, QWidget* parent)
    : QWidget(parent),
      session_(session),
      host_(host),
      model_(std::move(host), folder, session),
      form_model_(std::move(read_method)),
      list_(new QTableView),
      title_(new ElidingLabel),
      progress_(new ElidingLabel),
      bar_(new QProgressBar),
      tabs_(new QTabWidget),
      form_(new ExperimentForm(form_model_)),
      results_(new ExperimentResults) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setHandleWidth(1);
  splitter->addWidget(make_list());
  splitter->addWidget(make_page());
  splitter->setStretchFactor(0, 0);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({330, 650});
  column->addWidget(splitter, 1);
  lazy_ = new LazyRefresh(
      *this,
      [this] {
        tables_.make();
        show_progress();
      },
      100);
  second_.setInterval(1000);
  connect(&second_, &QTimer::timeout, this, [this] {
    if (isVisible()) show_progress();
  });
  connect_buttons();
  show_chosen();
}

QWidget* ExperimentsPage::make_list() {
  list_->setModel(&model_);
  list_->setAccessibleName(tr("Experiments"));
  list_->setToolTip(tr("Experiments, oldest first: they run one after the other"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setSelectionMode(QAbstractItemView::SingleSelection);
  list_->setMinimumWidth(180);
  show_as_rows(*list_);
  list_->horizontalHeader()->setStretchLastSection(false);
  list_->horizontalHeader()->setSectionResizeMode(ExperimentsModel::name_column, QHeaderView::Stretch);
  for (const int column :
       {ExperimentsModel::state_column, ExperimentsModel::progress_column, ExperimentsModel::left_column})
    list_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  auto* panel = new QWidget;
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 6);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  new_ = add_row_button(*row, tr("New"), tr("Show the form for another experiment"));
  row->addStretch(1);
  remove_ = add_row_button(*row, tr("Remove…"), tr("Delete this experiment and its results; recorded runs are kept"));
  column->addLayout(row);
  column->addWidget(list_, 1);
  return panel;
}

QWidget* ExperimentsPage::make_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addWidget(make_strip());
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Experiment pages"));
  tabs_->setToolTip(tr("The form for the next experiment, and the results of the selected one"));
  tabs_->addTab(form_, tr("Form"));
  tabs_->addTab(results_, tr("Results"));
  column->addWidget(tabs_, 1);
  return page;
}

QWidget* ExperimentsPage::make_strip() {
  auto* strip = new QWidget;
  auto* column = new QVBoxLayout(strip);
  column->setContentsMargins(8, 0, 8, 0);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  title_->setProperty("heading", true);
  title_->setTextFormat(Qt::PlainText);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(title_, 1);
  pause_ = add_row_button(*row, tr("Pause"), tr("Pause the queue after the cell that is being served"));
  resume_ = add_row_button(*row, tr("Resume"), tr("Serve the cells without a result; failed cells are tried again"));
  cancel_ = add_row_button(*row, tr("Cancel"), tr("Abort the cell that is being served; results so far are kept"));
  reuse_ = add_row_button(*row, tr("Use settings"), tr("Fill the form with the settings of this experiment"));
  copy_ = add_row_button(*row, tr("Copy command line"),
                         tr("Copy the command line that serves this experiment in a terminal"));
  column->addLayout(row);
  auto* below = new QHBoxLayout;
  bar_->setRange(0, 1000);
  bar_->setTextVisible(false);
  bar_->setFixedWidth(140);
  bar_->setAccessibleName(tr("Progress of the experiment"));
  progress_->setTextFormat(Qt::PlainText);
  progress_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  progress_->setAccessibleName(tr("Experiment status"));
  below->addWidget(bar_);
  below->addWidget(progress_, 1);
  column->addLayout(below);
  return strip;
}

void ExperimentsPage::connect_buttons() {
  connect(&model_, &ExperimentsModel::said, this, &ExperimentsPage::said);
  connect(results_, &ExperimentResults::said, this, &ExperimentsPage::said);
  connect(results_, &ExperimentResults::runsRequested, this, &ExperimentsPage::runsRequested);
  connect(&model_, &ExperimentsModel::experimentChanged, this, [this](const QString& id) {
    if (id == chosen() || chosen().isEmpty()) lazy_->invalidate();
  });
  connect(&model_, &ExperimentsModel::resultsChanged, this, [this](const QString& id) {
    if (id == chosen()) read_chosen();
  });
  connect(&model_, &ExperimentsModel::cellAdded, this, [this](const QString& id, const QString& cell) {
    const Experiment* one = id == chosen() ? model_.find(id) : nullptr;
    if (one == nullptr) return;
    if (const auto result = one->results.find(from_q(cell)); result != one->results.end())
      tables_.add(result->first, result->second);
  });
  connect(&tables_, &ExperimentTables::made, results_,
          [this](const std::shared_ptr<const ExperimentTable>& table) { results_->show_table(table); });
  connect(&model_, &ExperimentsModel::runningChanged, this, [this](const QString& id) {
    if (id.isEmpty())
      second_.stop();
    else
      second_.start();
    look_at_session();  // what was measured makes the next estimate
    show_progress();
  });
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
    show_chosen();
    if (!chosen().isEmpty()) tabs_->setCurrentWidget(results_);
  });
  connect(form_, &ExperimentForm::startRequested, this, &ExperimentsPage::submit);
  connect(form_, &ExperimentForm::saveRequested, this, &ExperimentsPage::ask_where_to_save_plan);
  connect(new_, &QPushButton::clicked, this, [this] {
    tabs_->setCurrentWidget(form_);
    form_->name().setFocus();
  });
  connect(pause_, &QPushButton::clicked, &model_, &ExperimentsModel::pause);
  connect(resume_, &QPushButton::clicked, this, [this] { model_.resume(chosen()); });
  connect(cancel_, &QPushButton::clicked, this, [this] { model_.cancel(chosen()); });
  connect(remove_, &QPushButton::clicked, this, &ExperimentsPage::ask_to_remove);
  connect(reuse_, &QPushButton::clicked, this, [this] { reuse(chosen()); });
  connect(copy_, &QPushButton::clicked, this, [this] {
    if (const Experiment* one = model_.find(chosen())) QApplication::clipboard()->setText(model_.command(*one));
  });
  for (QPushButton* button : {pause_, resume_, cancel_})
    connect(button, &QPushButton::clicked, this,
            &ExperimentsPage::show_progress);  // at once: it was heard
}

}  // namespace kvantage
