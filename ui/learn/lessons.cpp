#include "ui/learn/lessons.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "ui/learn/lesson_tools.h"
#include "ui/learn/model/lesson_facts.h"
#include "ui/learn/model/lesson_link.h"
#include "ui/learn/predict_step.h"
#include "ui/text/core_text.h"
#include "ui/text/language.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr const char* link_scheme = "kvantage";
const Lessons* linked_lessons = nullptr;  // that links lead to: those of the newest window

// A lesson is about what happens.
void serve_for_lesson(RunModel& run) {
  if (run.state() == RunState::paused || run.state() == RunState::ready || run.state() == RunState::finished)
    run.session().start();
}

}  // namespace

Lessons::Lessons(const LessonSurroundings& surroundings)
    : Walkthrough(surroundings.window, {tr("Lesson"), tr("&Leave lesson"),
                                        tr("Leave the lesson and restore your layout, settings and workload")}),
      around_(surroundings),
      stage_(surroundings.pages.frontier(), surroundings.views, surroundings.models.run.log),
      starts_(surroundings.models.settings, stage_),
      lessons_(read_lessons(surroundings.options.lessons_folder, errors_, installed_language())),
      back_(surroundings.options.begin.back) {
  connect(this, &Walkthrough::aboutToLeave, this, [this](int from, int to) {
    for (int step = from; step < to; ++step) predictions_.skip(step);
  });
  connect(this, &Walkthrough::stepShown, this, [this](int step) {
    if (step < static_cast<int>(lesson_.steps.size())) starts_.note(step);
    hide_results();
  });
  connect(this, &Walkthrough::ended, this, &Lessons::hide_results);
  connect(&predictions_, &LessonPredictions::changed, this, [this] {
    update_step();
    hide_results();
  });
  tools_ = new LessonTools(surroundings, *this, stage_);  // they hear of a change after the card has it
  QDesktopServices::setUrlHandler(QLatin1String(link_scheme), this, "open_link");
  linked_lessons = this;
}

Lessons::~Lessons() {
  if (linked_lessons != this) return;
  QDesktopServices::unsetUrlHandler(QLatin1String(link_scheme));
  linked_lessons = nullptr;
}

bool Lessons::wants_another_workload(const Lesson& lesson) const {
  // Workloads that ship are named by their folder; what is open has a path, or only a name.
  const QString open = around_.options.workload_path;
  return lesson.workload != QStringLiteral("any") && QFileInfo(open).fileName() != lesson.workload &&
         to_q(around_.models.run.info().workload_name) != lesson.workload;
}

void Lessons::start(const QString& place) {
  const LessonPlace at = split_lesson_place(place);
  if (around_.models.replay.active()) around_.models.replay.close();
  if (running()) {
    Walkthrough::close();
    give_back();
  }
  auto lesson = read_lesson(at.path, installed_language());
  if (!lesson) {
    emit refused(core_text(lesson.error().message));
    return;
  }
  if (wants_another_workload(*lesson)) {
    WindowBeginning begin{.lesson = place,
                          .back = LessonReturn{around_.options.workload_path, around_.models.settings.committed()},
                          .settings = {}};
    if (back_ &&
        QFileInfo(back_->workload).fileName() == lesson->workload) {  // that is where the first lesson was begun
      begin.back.reset();
      begin.settings = back_->settings;
    } else if (back_) {
      begin.back = back_;
    }
    emit reopen(lesson->workload, begin);
    return;
  }
  around_.views.modes().leave();
  if (around_.pages.shows_start()) {
    waiting_ = place;
    return;
  }
  begin_here(*lesson, at.step);
}

void Lessons::open_link(const QUrl& link) {
  const std::vector<KnownLesson> known = known_lessons(lessons_);
  const auto found = parse_lesson_url(link.toString(QUrl::FullyEncoded), known);
  if (!found) {
    emit refused(core_text(found.error().message));
    return;
  }
  const auto lesson = std::ranges::find(known, found->name, &KnownLesson::name);
  around_.window.window()->raise();  // the documentation may be in front
  around_.window.window()->activateWindow();
  start(lesson_place({lesson->path, found->step}));
}

QString Lessons::link() const {
  if (!running()) return {};
  const int last = static_cast<int>(lesson_.steps.size());
  return lesson_url(lesson_name(lesson_.path), std::min(step() + 1, last));
}

void Lessons::go_to_step(int step) {
  if (!running() || step < 0 || step >= static_cast<int>(lesson_.steps.size())) return;
  if (starts_.knows(step)) {
    starts_.restore(step);
  } else {
    const bool back = this->step() > step;  // over steps that a link has left out: from the beginning
    const int first = back ? 0 : this->step();
    QUndoStack& undo = around_.models.settings.undo_stack();
    const bool acts = std::any_of(lesson_.steps.begin() + first, lesson_.steps.begin() + step,
                                  [](const LessonStep& one) { return one.act.kind != LessonAct::Kind::none; });
    if (acts || back) undo.beginMacro(tr("lesson “%1” up to step %2").arg(lesson_.title).arg(step + 1));
    if (back) starts_.restore(0);
    for (int at = first; at < step; ++at)
      if (back || at != first || !card().says_done()) stage_.perform(lesson_.steps[static_cast<std::size_t>(at)]);
    if (acts || back) undo.endMacro();
  }
  serve_for_lesson(around_.models.run);
  predictions_.reopen(step);
  go_to(step);
}

void Lessons::hide_results() {
  std::vector<QWidget*> views;
  if (running() && predictions_.is_open(step()))
    for (const QString& hidden : lesson_.steps[static_cast<std::size_t>(step())].guess.hidden)
      views.push_back(stage_.find({hidden, {}, 0}));
  covers_.cover(views, tr("Hidden until you commit your prediction"));
}

bool Lessons::begin_as_asked() {
  const WindowBeginning& begin = around_.options.begin;
  if (begin.settings) around_.models.settings.commit(*begin.settings, tr("settings before the lesson"), {});
  QString path = std::exchange(waiting_, QString());
  if (path.isEmpty()) path = begin.lesson;
  if (path.isEmpty()) return false;
  QTimer::singleShot(0, this, [this, path] {  // when everything else has heard that it is ready
    const LessonPlace at = split_lesson_place(path);
    const auto lesson = read_lesson(at.path, installed_language());
    if (lesson)
      begin_here(*lesson, at.step);
    else
      emit refused(core_text(lesson.error().message));
  });
  return true;
}

void Lessons::begin_here(const Lesson& lesson, int first_step) {
  settings_before_ = around_.models.settings.committed();
  const auto settings = with_lesson_settings(lesson, settings_before_, balanced_bandwidth(around_.models.run));
  if (!settings) {
    emit refused(core_text(settings.error().message));
    return;
  }
  if (around_.tour.running()) around_.tour.close();
  around_.views.modes().leave();
  around_.presenter.leave();
  layout_before_ = around_.views.layouts().state();
  explained_before_ = around_.pages.frontier().explain_button().isChecked();
  around_.models.settings.commit(*settings, tr("lesson “%1”").arg(lesson.title), {});
  if (const Status sound = stage_.check(lesson); !sound) {
    around_.models.settings.commit(settings_before_, tr("settings before the lesson"), {});
    emit refused(core_text(sound.error().message));
    return;
  }
  around_.views.keeper().suspend(true);
  around_.views.layouts().begin_with(lesson.layout);
  for (const LessonTarget& dock : lesson.docks) around_.views.show(dock.dock);
  lesson_ = lesson;
  starts_.begin(lesson_);
  predictions_.begin(lesson_.steps);
  serve_for_lesson(around_.models.run);
  std::vector<WalkStep> steps;
  steps.reserve(lesson_.steps.size() + 1);
  for (int number = 0; number < static_cast<int>(lesson_.steps.size()); ++number) steps.push_back(walk_step(number));
  if (predictions_.score().asked > 0) {
    const auto summary = [this] { return predictions_.summary(); };
    steps.push_back({.title = tr("Your predictions"), .text = summary(), .target = {}, .live_text = summary});
  }
  begin(std::move(steps));
  if (first_step > 1) go_to_step(first_step - 1);
}

WalkStep Lessons::walk_step(int number) {
  const LessonStep& step = lesson_.steps[static_cast<std::size_t>(number)];
  WalkStep walk{
      .title = step.title, .text = step.text, .target = [this, target = step.target] { return stage_.framed(target); }};
  // What a control changes is seen on the curve.
  if (step.target.dock == QStringLiteral("controls"))
    walk.in_view = [this]() -> QWidget* { return &around_.pages.frontier().chart(); };
  walk.watch = [this, step](QObject& context, const std::function<void()>& done) { stage_.watch(step, context, done); };
  walk.is_done = [this, step] { return stage_.is_done(step); };
  if (step.act.kind != LessonAct::Kind::none) walk.show_me = [this, step] { stage_.perform(step); };
  if (!step.events && step.text.contains(QStringLiteral("{met}")))
    walk.live_text = one_request_text(step.text);
  else if (step.text.contains('{'))
    walk.live_text = [this, text = step.text] { return with_facts(text, around_.models.run); };
  for (const LessonAnswer& answer : step.answers) walk.answers.push_back({answer.text, answer.reply, answer.right});
  if (step.guess.asked)
    return predict_step(std::move(walk), step, number, step.events > 0 || step.act.kind != LessonAct::Kind::none,
                        {predictions_, around_.models.run, around_.pages.frontier().chart()});
  return walk;
}

// A step that waits for nothing keeps the first request that its text names, selected in all views: newer ones would
// change both while one reads.
std::function<QString()> Lessons::one_request_text(const QString& text) {
  return [this, text, named = QString()]() mutable {
    if (!named.isEmpty()) return named;
    const QString now = with_facts(text, around_.models.run);
    if (const RequestRecord* record = met_request(around_.models.run)) {
      named = now;
      around_.models.run.selection.choose_request(record->id, to_q(record->context_id));
    }
    return now;
  };
}

void Lessons::close() {
  if (!running()) return;
  Walkthrough::close();
  give_back();
  if (back_) emit reopen(back_->workload, {.lesson = {}, .back = {}, .settings = back_->settings});
}

void Lessons::give_back() {
  around_.views.layouts().set_state(layout_before_);
  around_.pages.frontier().explain_button().setChecked(explained_before_);
  around_.views.keeper().suspend(false);
  around_.models.settings.commit(settings_before_, tr("settings before the lesson"), {});
}

void Lessons::abandon() {
  tools_->leave_slide();
  if (running()) Walkthrough::close();
}

}  // namespace kvantage
