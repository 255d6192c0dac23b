#include "ui/window/parts/window_opening.h"

#include <QFileInfo>
#include <algorithm>

#include "ui/experiments/experiments_page.h"
#include "ui/live/controls/controls_dock.h"
#include "ui/papers/figures_page.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/work_line.h"

namespace kvantage {

WindowOpening::WindowOpening(QMainWindow& window, const WindowOptions& options, QSettings& kept, WindowViews& views,
                             const DockContext& context)
    : QObject(&window),
      question_(new FigureQuestion(window, &views.body<FiguresPage>(QStringLiteral("papers"))->job())),
      files_(new WindowFiles(&window, options, kept)) {
  if (auto* page = views.body<ExperimentsPage>(QStringLiteral("experiments"))) {
    ExperimentsModel& experiments = page->model();
    question_->set_experiments([&experiments] { return experiments.loss(); });
    connect(&experiments, &ExperimentsModel::experimentChanged, question_, &FigureQuestion::follow);
    connect(&experiments, &ExperimentsModel::runningChanged, question_, &FigureQuestion::follow);
  }
  for (WorkloadOpener* opener : {files_->workloads(), files_->models()})
    if (opener) opener->set_also_ends([this] { return question_->loss(); });
  if (ServingOpener* opener = files_->serving()) opener->set_also_ends([this] { return question_->loss(); });
  show_reading(*window.statusBar());
  const auto warn = [say = context.say](const QString& text) { say(QStringLiteral("warning"), text); };
  connect(files_, &WindowFiles::refused, this, warn);
  // Their question has mentioned the figure that ends as well.
  connect(files_, &WindowFiles::workloadChosen, this,
          [this](const QString& path) { question_->without([this, path] { emit openRequested(path); }); });
  connect(files_, &WindowFiles::modelChosen, this,
          [this](const QString& path) { question_->without([this, path] { emit modelRequested(path); }); });
  connect(files_, &WindowFiles::servingChosen, this,
          [this](const QString& path) { question_->without([this, path] { emit servingRequested(path); }); });
  connect(files_, &WindowFiles::layoutChosen, this, [&views, warn](const QString& path) {
    if (const auto name = views.import_layout(path); !name) warn(core_text(name.error().message));
  });
  connect(files_, &WindowFiles::methodChosen, this,
          [&views, &settings = context.settings, say = context.say](const QString& method, const QString& summary) {
            if (auto* controls = views.body<ControlsDock>(QStringLiteral("controls")))
              controls->offer_method(method, summary);
            SessionSettings changed = settings.committed();
            if (std::ranges::find(changed.methods, from_q(method)) == changed.methods.end())
              changed.methods.push_back(from_q(method));
            settings.commit(changed, tr("candidate method %1").arg(method), QString());
            say(QStringLiteral("info"), tr("%1 is a candidate now; its quality is measured first.").arg(method));
          });
  connect(files_, &WindowFiles::runChosen, &context.links, &ViewLinks::runFileWanted);
  connect(&context.links, &ViewLinks::pathWanted, files_, &WindowFiles::open);
  connect(&context.links, &ViewLinks::modelWanted, files_, &WindowFiles::open_model);
}

void WindowOpening::show_reading(QStatusBar& bar) {
  auto* line = new WorkLine(tr("opening"));
  bar.insertPermanentWidget(0, line);
  line->hide();  // a status bar shows what it is given
  connect(files_, &WindowFiles::reading, this,
          [line](const QString& path) { line->show_work(tr("Reading %1").arg(QFileInfo(path).fileName())); });
  connect(files_, &WindowFiles::ended, this, [this, line] { line->setVisible(files_->busy()); });
  connect(line, &WorkLine::cancelled, files_, &WindowFiles::cancel);
}

void WindowOpening::retry(bool separate_store) {
  question_->before(tr("Open the session again"), [this, separate_store] { emit retryRequested(separate_store); });
}

void WindowOpening::reopen(const QString& workload, const WindowBeginning& begin) {
  question_->before(tr("Reopen the window for the lesson"),
                    [this, workload, begin] { emit reopenRequested(workload, begin); });
}

}  // namespace kvantage
