#include "ui/docks/reproduce_dock.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/dock_registry.h"
#include "ui/models/core_text.h"
#include "ui/models/words.h"
#include "ui/widgets/eliding_label.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

QPushButton* figure_button(const QString& text, const QString& tip) {
  auto* made = new QPushButton(text);
  made->setToolTip(tip);
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

ReproduceDock::ReproduceDock(std::shared_ptr<FigureRunner> runner, const QString& results_folder,
                             SessionSwitch& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      results_(results_folder),
      job_(std::move(runner), results_, session),
      model_(results_, job_),
      theme_(theme_of(ThemeKind::light)),
      tree_(new QTreeView),
      title_(new ElidingLabel),
      start_(figure_button(tr("Start"), tr("Reproduce this figure with the settings shown; pauses the live run"))),
      cancel_(figure_button(tr("Cancel"), tr("Cancel the running figure; completed runs stay recorded"))),
      standards_(figure_button(tr("Reset to defaults"), tr("Reset every setting to the figure's default"))),
      copy_(figure_button(tr("Copy command line"),
                          tr("Copy the command line that reproduces this figure in a terminal"))),
      bar_(new QProgressBar),
      progress_(plain_label()),
      session_note_(plain_label()),
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
  splitter->addWidget(make_page());
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 3);
  splitter->setSizes({350, 630});
  column->addWidget(splitter, 1);
  lazy_ = new LazyRefresh(
      *this, [this] { show_job(); }, 100);

  connect(&results_, &FigureResults::failed, this,
          [this](const QString& message) { emit said(QStringLiteral("warning"), message); });
  connect(&job_, &FigureJob::said, this, &ReproduceDock::said);
  connect(result_, &FigureResultView::said, this, &ReproduceDock::said);
  connect(result_, &FigureResultView::runsRequested, this, &ReproduceDock::runsRequested);
  connect(&job_, &FigureJob::progressed, this, [this] { lazy_->invalidate(); });
  connect(&job_, &FigureJob::runningChanged, this, [this] { show_job(); });
  connect(&job_, &FigureJob::made, this, [this](const QStringList& figures) {
    if (figures.contains(chosen()))
      tabs_->setCurrentWidget(result_);
    else if (!figures.isEmpty() && chosen() == QStringLiteral("evicpress/runs"))
      choose(figures.front());
  });
  connect(form_, &FigureSettingsForm::edited, this, [this] { show_job(); });
  connect(start_, &QPushButton::clicked, this, &ReproduceDock::start);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    job_.cancel();
    show_job();  // at once: whoever presses a button sees that it was heard
  });
  connect(standards_, &QPushButton::clicked, form_, &FigureSettingsForm::set_standards);
  connect(copy_, &QPushButton::clicked, this, [this] {
    if (const PaperFigure* figure = find_paper_figure(from_q(chosen())))
      QApplication::clipboard()->setText(job_.command(*figure, form_->options()));
  });
  choose(to_q(paper_figures().front().name));
}

QWidget* ReproduceDock::make_list() {
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
  return tree_;
}

QWidget* ReproduceDock::make_page() {
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
  column->addWidget(tabs_, 1);
  return page;
}

QWidget* ReproduceDock::make_strip() {
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

QString ReproduceDock::chosen() const { return tree_->currentIndex().data(FiguresModel::figure_role).toString(); }

void ReproduceDock::choose(const QString& figure) {
  const QModelIndex at = model_.index_of(figure);
  if (at.isValid()) tree_->setCurrentIndex(at);
}

void ReproduceDock::start() {
  const PaperFigure* figure = find_paper_figure(from_q(chosen()));
  if (figure != nullptr) job_.start(*figure, form_->options());
}

void ReproduceDock::show_figure() {
  const PaperFigure* figure = find_paper_figure(from_q(chosen()));
  const auto part = [this](const QString& name, const std::string& text) {
    return text.empty() ? QString()
                        : QStringLiteral("<p style='margin:0 0 8px 0'><span style='color:%1'>%2</span><br>%3</p>")
                              .arg(theme_.muted.name(), name, core_text(text).toHtmlEscaped());
  };
  for (int page = 1; page < tabs_->count(); ++page) tabs_->setTabEnabled(page, figure != nullptr);
  if (figure == nullptr) {
    const QModelIndex paper = tree_->currentIndex();
    if (!paper.isValid()) return;
    const Paper& shown = papers()[static_cast<std::size_t>(paper.row())];
    title_->setText(core_text(shown.name));
    about_->setHtml(part(tr("Paper %1").arg(to_q(shown.id)),
                         shown.missing.empty() ? from_q(tr("Select one of its figures.")) : shown.missing));
    tabs_->setCurrentIndex(0);
  } else {
    title_->setText(QStringLiteral("%1: %2").arg(to_q(figure->name), core_text(figure->title)));
    about_->setHtml(part(tr("Setup on this machine"), figure->does) + part(tr("Expected shape"), figure->expected) +
                    part(tr("Reported in the paper"), figure->published));
    form_->show_figure(*figure);
    result_->show_figure(to_q(figure->name));
  }
  title_->setToolTip(title_->text());
  show_job();
}

void ReproduceDock::show_job() {
  const bool figure = !chosen().isEmpty();
  const QString why = job_.why_not();
  start_->setEnabled(figure && why.isEmpty());
  start_->setToolTip(why.isEmpty() ? tr("Reproduce this figure with the settings shown; pauses the live run")
                                   : tr("Not available: %1").arg(why));
  standards_->setEnabled(figure && form_->changed());
  copy_->setEnabled(figure && !job_.command(paper_figures().front(), {}).isEmpty());
  strip_->setVisible(job_.running());
  if (!job_.running()) return;
  cancel_->setEnabled(!job_.cancelling());
  const double fraction = job_.fraction();
  bar_->setRange(0, fraction < 0 ? 0 : 1000);
  if (fraction >= 0) bar_->setValue(static_cast<int>(1000 * fraction));
  const QString text = QStringLiteral("%1: %2 · %3").arg(to_q(job_.figure()->name), job_.progress_text(), job_.what());
  progress_->setText(text);
  progress_->setToolTip(text);
  look_at_session();
}

void ReproduceDock::look_at_session() {
  if (!job_.running()) return;
  session_note_->setText(
      session_.live_runs_anyway()
          ? tr("The live run is running as well, so both compete for the CPU and the figure's times are inflated.")
          : tr("The live run is paused until the figure finishes."));
}

void ReproduceDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  results_.load();
  show_figure();
}

void ReproduceDock::set_theme(const Theme& theme) {
  theme_ = theme;
  result_->set_theme(theme);
  show_figure();
}

QWidget* make_reproduce_dock(const DockContext& context) {
  auto* dock = new ReproduceDock(context.options.figures, context.options.figure_results, context.session);
  QObject::connect(dock, &ReproduceDock::said, dock, context.say);
  QObject::connect(dock, &ReproduceDock::runsRequested, dock, context.show_runs);
  QObject::connect(&context.run, &RunModel::stateChanged, dock, &ReproduceDock::look_at_session);
  return dock;
}

}  // namespace kvantage
