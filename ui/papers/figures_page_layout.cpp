// The widgets of FiguresPage and what connects them.
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "core/experiments/paper_figures.h"
#include "ui/papers/figures_page.h"
#include "ui/text/words.h"
#include "ui/widgets/eliding_label.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

QPushButton* figure_button(const QString& text, const QString& tip) {
  auto* made = new QPushButton(text);
  made->setToolTip(tip);
  made->setAccessibleName(text);
  made->setAutoDefault(false);
  return made;
}

/// Rows as high as those of the tables beside it.
class RoomyRows : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return {QStyledItemDelegate::sizeHint(option, index).width(), option.fontMetrics.height() + 7};
  }
};

}  // namespace

FiguresPage::FiguresPage(std::shared_ptr<FigureRunner> runner, const QString& results_folder, SessionSwitch& session,
                         std::vector<PaperClaim> claims, QWidget* parent)
    : QWidget(parent),
      session_(session),
      results_(results_folder),
      job_(std::move(runner), results_, session),
      queue_(job_),
      model_(results_, job_),
      theme_(theme_of(ThemeKind::light)),
      tree_(new QTreeView),
      title_(new ElidingLabel),
      back_(figure_button(tr("Back to the session"), tr("Show the Frontier and the docks again (Ctrl+1)"))),
      start_(figure_button(tr("Start"), tr("Reproduce this figure with the settings shown; pauses the live run"))),
      cancel_(figure_button(tr("Cancel"), tr("Cancel the running figure; completed runs stay recorded"))),
      standards_(figure_button(tr("Reset to defaults"), tr("Reset every setting to the figure's default"))),
      copy_(figure_button(tr("Copy command line"),
                          tr("Copy the command line that reproduces this figure in a terminal"))),
      bar_(new QProgressBar),
      progress_(plain_label()),
      session_note_(plain_label()),
      sides_(new QSplitter(Qt::Horizontal)),
      tabs_(new QTabWidget),
      about_(new QTextBrowser),
      form_(new FigureSettingsForm),
      result_(new FigureResultView(results_)) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->setSpacing(4);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setHandleWidth(1);
  splitter->addWidget(make_list());
  splitter->addWidget(make_page(std::move(claims)));
  splitter->setStretchFactor(0, 0);  // a wider page is for the figure
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({350, 630});
  column->addWidget(splitter, 1);
  lazy_ = new LazyRefresh(
      *this, [this] { show_job(); }, 100);

  connect(&results_, &FigureResults::failed, this,
          [this](const QString& message) { emit said(QStringLiteral("warning"), message); });
  connect(&job_, &FigureJob::said, this, &FiguresPage::said);
  connect(&queue_, &FigureQueue::finished, this, &FiguresPage::said);
  connect(result_, &FigureResultView::said, this, &FiguresPage::said);
  connect(result_, &FigureResultView::runsRequested, this, &FiguresPage::runsRequested);
  connect(&job_, &FigureJob::progressed, this, [this] { lazy_->invalidate(); });
  connect(&job_, &FigureJob::runningChanged, this, [this] { show_job(); });
  connect(&job_, &FigureJob::made, this, [this](const QStringList& figures) {
    if (figures.contains(chosen()))
      show_result();
    else if (!figures.isEmpty() && chosen() == QStringLiteral("evicpress/runs"))
      choose(figures.front());
  });
  connect(form_, &FigureSettingsForm::edited, this, [this] { show_job(); });
  connect(start_, &QPushButton::clicked, this, &FiguresPage::start);
  connect(back_, &QPushButton::clicked, this, &FiguresPage::backRequested);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    queue_.cancel();
    show_job();  // at once: whoever presses a button sees that it was heard
  });
  connect(standards_, &QPushButton::clicked, form_, &FigureSettingsForm::set_standards);
  connect(copy_, &QPushButton::clicked, this, [this] {
    if (const PaperFigure* figure = find_paper_figure(from_q(chosen())))
      QApplication::clipboard()->setText(job_.command(*figure, form_->options()));
  });
  choose(to_q(paper_figures().front().name));
}

QWidget* FiguresPage::make_list() {
  tree_->setModel(&model_);
  tree_->setAccessibleName(tr("Paper figures"));
  tree_->setToolTip(tr("Reproducible figures by paper, and when each was last reproduced"));
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setItemDelegate(new RoomyRows(tree_));
  tree_->setUniformRowHeights(true);
  tree_->setRootIsDecorated(true);
  tree_->setIndentation(12);
  tree_->setMinimumWidth(180);
  tree_->expandAll();
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(FiguresModel::name, QHeaderView::Stretch);
  tree_->header()->setSectionResizeMode(FiguresModel::state, QHeaderView::ResizeToContents);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] { show_figure(); });
  // Names need the room as long as nothing was reproduced.
  const auto show_runs = [this] {
    bool any = false;
    for (int paper = 0; paper < model_.rowCount(); ++paper) {
      const QModelIndex parent = model_.index(paper, 0);
      any = any || !model_.index(paper, FiguresModel::state).data().toString().isEmpty();
      for (int figure = 0; figure < model_.rowCount(parent); ++figure)
        any = any || !model_.index(figure, FiguresModel::state, parent).data().toString().isEmpty();
    }
    tree_->setColumnHidden(FiguresModel::state, !any);
  };
  connect(&model_, &QAbstractItemModel::dataChanged, this, show_runs);
  connect(&model_, &QAbstractItemModel::modelReset, this, show_runs);
  show_runs();
  auto* list = new QWidget;
  auto* column = new QVBoxLayout(list);
  column->setContentsMargins(0, 0, 0, 6);
  column->setSpacing(4);
  column->addWidget(tree_, 1);
  column->addWidget(make_list_buttons());
  return list;
}

QWidget* FiguresPage::make_list_buttons() {
  auto* row = new QWidget;
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(8, 0, 8, 0);
  const auto add = [line](const QString& text, const QString& tip) {
    QPushButton* button = figure_button(text, tip);
    auto* menu = new QMenu(button);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    line->addWidget(button);
    return menu;
  };
  several_ =
      add(tr("Reproduce several"), tr("Reproduce many figures one after the other, with their default settings"));
  connect(several_, &QMenu::aboutToShow, this, [this] {
    for (QAction* action : several_->actions()) action->setEnabled(job_.why_not().isEmpty());
  });
  several_->addAction(tr("Figures of &this paper"), this, [this] { start_several(paper_of_choice(), false); });
  several_->addAction(tr("Figures &without a result"), this, [this] { start_several({}, true); });
  several_->addAction(tr("&All figures"), this, [this] { start_several({}, false); });
  QMenu* imports = add(tr("Import results"), tr("Take over results that kvantage-cli reproduced"));
  const auto import_what = [this, imports](const QString& text, const QString& tip, bool folder) {
    QAction* action = imports->addAction(text);
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [this, folder] { ask_to_import(folder); });
  };
  import_what(tr("&File…"), tr("A file that reproduce --json printed"), false);
  import_what(tr("F&older…"), tr("The folder of reproduce all"), true);
  line->addStretch(1);
  return row;
}

QWidget* FiguresPage::make_page(std::vector<PaperClaim> claims) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  title_->setProperty("heading", true);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(title_, 1);
  row->addWidget(start_);
  row->addWidget(back_);
  column->addLayout(row);
  column->addWidget(make_strip());

  about_->setAccessibleName(tr("About the figure"));
  about_->setToolTip(tr("Setup on this machine, expected shape, and what the paper reports"));
  about_->setOpenLinks(false);
  auto* settings = new QWidget;
  auto* settings_column = new QVBoxLayout(settings);
  settings_column->setContentsMargins(0, 0, 0, 4);
  settings_column->setSpacing(4);
  settings_column->addWidget(form_, 1);
  auto* below = new QHBoxLayout;
  below->setContentsMargins(8, 0, 8, 0);
  below->addWidget(standards_);
  below->addWidget(copy_);
  below->addStretch(1);
  settings_column->addLayout(below);
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Figure pages"));
  tabs_->setToolTip(tr("Description, settings and results of the figure"));
  tabs_->addTab(about_, tr("About"));
  tabs_->addTab(settings, tr("Settings"));
  tabs_->addTab(result_, tr("Result"));
  tabs_->addTab(make_claims(std::move(claims)), tr("Claims"));
  sides_->setHandleWidth(1);
  sides_->addWidget(tabs_);
  column->addWidget(sides_, 1);
  return page;
}

QWidget* FiguresPage::make_strip() {
  strip_ = new QWidget;
  auto* column = new QVBoxLayout(strip_);
  column->setContentsMargins(8, 0, 8, 0);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  bar_->setTextVisible(false);
  bar_->setFixedWidth(140);
  bar_->setAccessibleName(tr("Progress of the figure"));
  progress_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  progress_->setAccessibleName(tr("Figure status"));
  row->addWidget(bar_);
  row->addWidget(progress_, 1);
  row->addWidget(cancel_);
  column->addLayout(row);
  session_note_->setProperty("muted", true);
  session_note_->setWordWrap(true);
  column->addWidget(session_note_);
  strip_->hide();
  return strip_;
}

QWidget* FiguresPage::make_claims(std::vector<PaperClaim> claims) {
  claims_ = new ClaimsModel(std::move(claims), results_, this);
  claims_view_ = new QTableView;
  claims_view_->setModel(claims_);
  claims_view_->setAccessibleName(tr("Claims of the paper"));
  claims_view_->setToolTip(claims_view_->accessibleName());
  claims_view_->setFrameShape(QFrame::NoFrame);
  claims_view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  claims_view_->setSelectionMode(QAbstractItemView::SingleSelection);
  claims_view_->setWordWrap(false);
  claims_view_->setTabKeyNavigation(false);  // Tab moves on to the next control
  claims_view_->setTextElideMode(Qt::ElideRight);
  claims_view_->verticalHeader()->hide();
  claims_view_->verticalHeader()->setDefaultSectionSize(claims_view_->fontMetrics().height() + 7);
  claims_view_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  claims_view_->horizontalHeader()->setSectionResizeMode(ClaimsModel::says, QHeaderView::Stretch);
  for (const int column :
       {ClaimsModel::paper, ClaimsModel::here, ClaimsModel::interval, ClaimsModel::verdict, ClaimsModel::figure})
    claims_view_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Interactive);
  connect(claims_view_, &QTableView::activated, this, [this](const QModelIndex& at) {
    if (const QString figure = claims_->figure_of(at.row()); !figure.isEmpty()) choose(figure);
  });
  return claims_view_;
}

}  // namespace kvantage
