#include "ui/window/parts/window_guides.h"

#include <utility>

#include "ui/learn/learn_page.h"
#include "ui/learn/lesson_tools.h"

namespace kvantage {

WindowGuides::WindowGuides(QMainWindow& window, const WindowOptions& options, WindowModels& models, WindowPages& pages,
                           WindowViews& views, Presenter& presenter, QSettings& kept)
    : QObject(&window),
      kept_(kept),
      views_(views),
      tour_at_first_start_(options.tour_at_first_start),
      tour_(new Tour(window, models.settings, pages.frontier(), views)),
      lessons_(new Lessons({window, models, pages, views, *tour_, presenter, options})) {
  connect(&presenter, &Presenter::changed, tour_, [this](bool active) {
    if (active) tour_->close();  // its card has no place among large text
  });
  connect(tour_, &Tour::ended, this, [this] { kept_.setValue("tour/seen", true); });
  connect(
      &views.modes(), &WindowModes::changed, this, [this] { start_waiting_tour(); },
      Qt::QueuedConnection);  // once all that follows the mode has followed it
  connect(lessons_, &Lessons::refused, this,
          [say = pages.say()](const QString& why) { say(QStringLiteral("warning"), why); });
  const auto begin_lesson = [this](const QString& path) { lessons_->start(path); };
  pages.start().offer_lessons(lessons_->all(), begin_lesson);
  views.body<LearnPage>(QStringLiteral("learn"))
      ->offer([this] { tour_->start(); }, lessons_->all(), begin_lesson,
              [this](const QString& path) { lessons_->tools().ask_and_print(path); });
}

void WindowGuides::begin() {
  const bool lesson = lessons_->begin_as_asked();
  tour_waits_ = tour_at_first_start_ && !lesson && !kept_.value("tour/seen").toBool();
  start_waiting_tour();
}

void WindowGuides::start_waiting_tour() {
  if (views_.modes().is_live() && std::exchange(tour_waits_, false)) tour_->start();
}

void WindowGuides::set_theme(const Theme& theme) {
  tour_->card().set_theme(theme);
  lessons_->card().set_theme(theme);
}

}  // namespace kvantage
