#include "ui/learn/lesson_tools.h"

#include <QAbstractItemView>
#include <QClipboard>
#include <QGuiApplication>
#include <QTimer>
#include <QToolButton>

#include "core/base/files.h"
#include "ui/charts/table_plot.h"
#include "ui/learn/model/lesson_facts.h"
#include "ui/learn/model/lesson_link.h"
#include "ui/learn/model/lesson_slide.h"
#include "ui/learn/predict_step.h"
#include "ui/text/core_text.h"
#include "ui/text/language.h"
#include "ui/text/words.h"
#include "ui/widgets/save_question.h"

namespace kvantage {
namespace {

QToolButton* card_button(const QString& sign, const QString& name, const QString& tip) {
  auto* button = new QToolButton;
  button->setText(sign);
  button->setAccessibleName(name);
  button->setToolTip(tip);
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

}  // namespace

LessonTools::LessonTools(const LessonSurroundings& surroundings, Lessons& lessons, const LessonStage& stage)
    : QObject(&lessons), around_(surroundings), lessons_(lessons), stage_(stage) {
  slide_ = make(tr("S&lide"), tr("Full screen with one chart and one control in large type; Esc leaves"),
                QStringLiteral("Shift+F11"));
  reset_ = make(tr("&Reset this step"), tr("Settings and controls as they were when this step of the lesson began"),
                QStringLiteral("Ctrl+Shift+R"));
  copy_link_ = make(tr("&Copy link to this step"), tr("A link that starts this lesson at this step"), {});
  print_ = make(tr("Print &handout…"), tr("Printable lesson with its charts as they are now, as PDF or HTML"), {});
  connect(slide_, &QAction::triggered, this, [this] { page_ ? leave_slide() : show_slide(); });
  connect(reset_, &QAction::triggered, this, [this] { lessons_.go_to_step(lessons_.step()); });
  connect(copy_link_, &QAction::triggered, this, [this] { QGuiApplication::clipboard()->setText(lessons_.link()); });
  connect(print_, &QAction::triggered, this, [this] {
    if (const Lesson* lesson = lessons_.lesson()) ask_and_print(lesson->path);
  });
  make_card_buttons();
  connect(&lessons_, &Walkthrough::stepShown, this, &LessonTools::follow_lesson);
  connect(&lessons_, &Walkthrough::ended, this, &LessonTools::follow_lesson);
  connect(&lessons_.predictions(), &LessonPredictions::changed, this, &LessonTools::update_slide);
  follow_lesson();
}

LessonTools::~LessonTools() = default;

QAction* LessonTools::make(const QString& text, const QString& tip, const QString& key) {
  const QKeySequence sequence(key);
  auto* made = new QAction(text, &around_.window);
  made->setToolTip(key.isEmpty() ? tip
                                 : QStringLiteral("%1 (%2)").arg(tip, sequence.toString(QKeySequence::NativeText)));
  made->setStatusTip(tip);
  made->setShortcut(sequence);
  around_.window.addAction(made);  // its key works while the menu bar is hidden, too
  return made;
}

void LessonTools::make_card_buttons() {
  auto* again = card_button(QStringLiteral("↺"), tr("Reset this step"), reset_->toolTip());
  connect(again, &QToolButton::clicked, reset_, &QAction::trigger);
  auto* more = card_button(QStringLiteral("⋯"), tr("More about this step"),
                           tr("Link, handout, slide, and the steps that were shown"));
  auto* menu = new QMenu(more);
  menu->addActions({reset_, copy_link_, slide_, print_});
  menu->addSeparator();
  QMenu* steps = menu->addMenu(tr("&Go back to a step"));
  connect(steps, &QMenu::aboutToShow, this, [this, steps] { fill_steps(*steps); });
  more->setMenu(menu);
  more->setPopupMode(QToolButton::InstantPopup);
  lessons_.card().add_tool(again);
  lessons_.card().add_tool(more);
}

void LessonTools::fill_steps(QMenu& menu) {
  menu.clear();
  const Lesson* lesson = lessons_.lesson();
  if (!lesson) return;
  for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
    const int step = static_cast<int>(i);
    if (!lessons_.was_shown(step)) continue;
    const QString title = QString(lesson->steps[i].title).replace('&', QStringLiteral("&&"));
    QAction* entry = menu.addAction(QStringLiteral("%1. %2").arg(step + 1).arg(title));
    connect(entry, &QAction::triggered, this, [this, step] { lessons_.go_to_step(step); });
  }
}

void LessonTools::follow_lesson() {
  const Lesson* lesson = lessons_.lesson();
  const bool on_step = lesson && lessons_.step() < static_cast<int>(lesson->steps.size());
  reset_->setEnabled(on_step);
  copy_link_->setEnabled(lesson != nullptr);
  print_->setEnabled(lesson != nullptr);
  if (page_) show_on_slide(lessons_.step());
}

void LessonTools::show_slide() {
  if (page_) return;
  page_ = std::make_unique<SlidePage>(SlideParts{around_.models.run, around_.models.settings},
                                      around_.pages.frontier().chart().theme());
  connect(page_.get(), &SlidePage::left, this, &LessonTools::leave_slide);
  connect(page_.get(), &SlidePage::nextAsked, this, [this] {
    if (lessons_.running() && lessons_.step() + 1 < lessons_.count()) lessons_.go_to(lessons_.step() + 1);
  });
  connect(page_.get(), &SlidePage::previousAsked, this, [this] {
    if (lessons_.running()) lessons_.go_to(lessons_.step() - 1);
  });
  auto* refresh = new QTimer(page_.get());  // facts of the text follow the run
  connect(refresh, &QTimer::timeout, this, &LessonTools::update_slide);
  refresh->start(Walkthrough::refresh_ms);
  show_on_slide(lessons_.step());
  page_->showFullScreen();
}

void LessonTools::leave_slide() {
  if (!page_) return;
  page_->hide();
  page_.release()->deleteLater();  // it may be what asks for it
}

void LessonTools::show_on_slide(int step) {
  page_->set_panel(nullptr);
  const Lesson* lesson = lessons_.lesson();
  if (!lesson) {
    page_->show_step({});
    page_->set_held(false);
    return;
  }
  page_->show_step({lessons_.card().title(), lessons_.card().text(), step + 1, lessons_.count()});
  if (step < static_cast<int>(lesson->steps.size())) {
    const LessonStep& shown = lesson->steps[static_cast<std::size_t>(step)];
    page_->choose(slide_of(shown));
    if (shown.guess.asked)
      page_->set_panel(make_prediction_panel(shown, step, lessons_.predictions(), around_.models.run,
                                             qobject_cast<FrontierChart*>(page_->chart_view())));
  }
  update_slide();
}

// What follows the run, and what a prediction holds back.
void LessonTools::update_slide() {
  const Lesson* lesson = lessons_.lesson();
  if (!page_ || !lesson) return;
  page_->set_text(lessons_.card().text());
  const auto step = static_cast<std::size_t>(lessons_.step());
  page_->set_held(step < lesson->steps.size() && !lesson->steps[step].guess.hidden.isEmpty() &&
                  lessons_.predictions().is_open(lessons_.step()));
}

std::optional<ReportPlot> LessonTools::chart_of(const LessonStep& step) const {
  // What a control changes is seen on the curve.
  const bool on_curve = step.target.dock == QStringLiteral("controls");
  const QWidget* root = stage_.find({on_curve ? QStringLiteral("frontier") : step.target.dock, {}, 0});
  if (!root) return std::nullopt;
  for (const ChartExport& chart : charts_of(*root)) {
    if (qobject_cast<QAbstractItemView*>(chart.picture) || !chart.table) continue;
    ReportPlot plot = plot_of(chart.table(), chart.name);
    if (!plot.series.empty()) return plot;
  }
  return std::nullopt;
}

Handout LessonTools::handout(const Lesson& lesson) const {
  HandoutSource source;
  RunModel& run = around_.models.run;
  source.with_facts = [&run](const QString& text) { return with_facts(text, run); };
  source.chart = [this](const LessonStep& step) { return chart_of(step); };
  const Lesson* running = lessons_.lesson();
  source.predictions = running && running->path == lesson.path ? &lessons_.predictions() : nullptr;
  return handout_of(lesson, source);
}

Status LessonTools::write_handout(const Lesson& lesson, const QString& path) const {
  const Handout made = handout(lesson);
  if (path.endsWith(QStringLiteral(".html"), Qt::CaseInsensitive))
    return write_text_file(from_q(path), handout_html(made));
  KV_ASSIGN(const auto bytes, handout_pdf(made));
  return write_text_file(from_q(path), bytes);
}

void LessonTools::ask_and_print(const QString& path) {
  const auto lesson = read_lesson(path, installed_language());
  if (!lesson) {
    emit lessons_.refused(core_text(lesson.error().message));
    return;
  }
  ask_where_to_save(&around_.window,
                    {tr("Print handout"), lesson_name(path) + QStringLiteral(".pdf"), QStringLiteral("pdf"),
                     tr("Handouts (*.pdf *.html)")},
                    [this, lesson = *lesson](const QString& file) {
                      const Status written = write_handout(lesson, file);
                      if (!written) say_not_saved(&around_.window, file, core_text(written.error().message));
                    });
}

}  // namespace kvantage
