#include "ui/learn/lessons.h"

#include <QFileInfo>
#include <QTimer>
#include <utility>

#include "ui/learn/model/lesson_facts.h"
#include "ui/text/core_text.h"
#include "ui/text/language.h"
#include "ui/text/words.h"
#include "ui/window/main_window.h"

namespace kvantage {
namespace {
QToolButton& explain_button(MainWindow& window) { return window.findChild<FrontierPage*>()->explain_button(); }
}  // namespace

Lessons::Lessons(MainWindow& window)
    : Walkthrough(window, {tr("Lesson"), tr("&Leave lesson"),
                           tr("Leave the lesson and restore your layout, settings and workload")}),
      window_(window),
      stage_(window),
      lessons_(read_lessons(window.options().lessons_folder, errors_, installed_language())),
      back_(window.options().begin.back) {}

bool Lessons::wants_another_workload(const Lesson& lesson) const {
  // Workloads that ship are named by their folder; what is open has a path, or only a name.
  const QString open = window_.options().workload_path;
  return lesson.workload != QStringLiteral("any") && QFileInfo(open).fileName() != lesson.workload &&
         to_q(window_.run().info().workload_name) != lesson.workload;
}

void Lessons::start(const QString& path) {
  if (window_.replay().active()) window_.replay().close();
  if (running()) {
    Walkthrough::close();
    give_back();
  }
  auto lesson = read_lesson(path, installed_language());
  if (!lesson) {
    emit refused(core_text(lesson.error().message));
    return;
  }
  if (wants_another_workload(*lesson)) {
    WindowBeginning begin{.lesson = path,
                          .back = LessonReturn{window_.options().workload_path, window_.settings().committed()},
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
  window_.modes().leave();
  if (window_.showing_start_page()) {
    waiting_ = path;
    return;
  }
  begin_here(*lesson);
}

bool Lessons::begin_as_asked() {
  const WindowBeginning& begin = window_.options().begin;
  if (begin.settings) window_.settings().commit(*begin.settings, tr("settings before the lesson"), {});
  QString path = std::exchange(waiting_, QString());
  if (path.isEmpty()) path = begin.lesson;
  if (path.isEmpty()) return false;
  QTimer::singleShot(0, this, [this, path] {  // when everything else has heard that it is ready
    const auto lesson = read_lesson(path, installed_language());
    if (lesson)
      begin_here(*lesson);
    else
      emit refused(core_text(lesson.error().message));
  });
  return true;
}

void Lessons::begin_here(const Lesson& lesson) {
  settings_before_ = window_.settings().committed();
  const auto settings = with_lesson_settings(lesson, settings_before_, balanced_bandwidth(window_.run()));
  if (!settings) {
    emit refused(core_text(settings.error().message));
    return;
  }
  if (window_.tour().running()) window_.tour().close();
  window_.modes().leave();
  window_.presenter().leave();
  layout_before_ = window_.layouts().state();
  explained_before_ = explain_button(window_).isChecked();
  window_.settings().commit(*settings, tr("lesson “%1”").arg(lesson.title), {});
  if (const Status sound = stage_.check(lesson); !sound) {
    window_.settings().commit(settings_before_, tr("settings before the lesson"), {});
    emit refused(core_text(sound.error().message));
    return;
  }
  window_.keep_layout(false);
  window_.layouts().begin_with(lesson.layout);
  for (const LessonTarget& dock : lesson.docks) window_.show_view(dock.dock);
  lesson_ = lesson;
  if (window_.run().state() == RunState::paused || window_.run().state() == RunState::ready ||
      window_.run().state() == RunState::finished)
    window_.run().session().start();  // a lesson is about what happens
  std::vector<WalkStep> steps;
  for (const LessonStep& step : lesson_.steps) steps.push_back(walk_step(step));
  begin(std::move(steps), theme_of(window_.theme_kind()));
}

WalkStep Lessons::walk_step(const LessonStep& step) {
  WalkStep walk{
      .title = step.title, .text = step.text, .target = [this, target = step.target] { return stage_.framed(target); }};
  // What a control changes is seen on the curve.
  if (step.target.dock == QStringLiteral("controls"))
    walk.in_view = [this]() -> QWidget* { return &window_.frontier(); };
  walk.watch = [this, step](QObject& context, const std::function<void()>& done) { stage_.watch(step, context, done); };
  walk.is_done = [this, step] { return stage_.is_done(step); };
  if (step.act.kind != LessonAct::Kind::none) walk.show_me = [this, step] { stage_.perform(step); };
  if (!step.events && step.text.contains(QStringLiteral("{met}")))
    walk.live_text = one_request_text(step.text);
  else if (step.text.contains('{'))
    walk.live_text = [this, text = step.text] { return with_facts(text, window_.run()); };
  for (const LessonAnswer& answer : step.answers) walk.answers.push_back({answer.text, answer.reply, answer.right});
  return walk;
}

// A step that waits for nothing keeps the first request that its text names, selected in all views: newer ones would
// change both while one reads.
std::function<QString()> Lessons::one_request_text(const QString& text) {
  return [this, text, named = QString()]() mutable {
    if (!named.isEmpty()) return named;
    const QString now = with_facts(text, window_.run());
    if (const RequestRecord* record = met_request(window_.run())) {
      named = now;
      window_.run().selection.choose_request(record->id, to_q(record->context_id));
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
  window_.layouts().set_state(layout_before_);
  explain_button(window_).setChecked(explained_before_);
  window_.keep_layout(true);
  window_.settings().commit(settings_before_, tr("settings before the lesson"), {});
}

void Lessons::abandon() {
  if (running()) Walkthrough::close();
}

}  // namespace kvantage
