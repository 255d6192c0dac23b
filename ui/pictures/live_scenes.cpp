// Live: its docks, the Frontier, alpha being dragged, the tour and the lessons, and presenting.
#include <QMenu>
#include <QScrollBar>
#include <QSlider>
#include <QStyle>
#include <QTabWidget>
#include <cmath>
#include <utility>

#include "core/policy/formula/formula.h"
#include "ui/charts/chart_table.h"
#include "ui/pictures/scenes.h"
#include "ui/text/words.h"
#include "ui/window/window_part.h"

namespace kvantage {

FrontierChart& ScreenshotScenes::frontier_chart() { return part_of<FrontierPage>(stage_.window).chart(); }

void ScreenshotScenes::choose_context() {
  const auto snapshot = stage_.models.run.snapshot();
  if (snapshot && !snapshot->contexts.empty())
    stage_.models.run.selection.choose_context(to_q(snapshot->contexts.front().id));
}

void ScreenshotScenes::dock(const DockEntry& entry) {
  // What is about one context shows one.
  const bool chosen = entry.id == QStringLiteral("contexts") || entry.id == QStringLiteral("sensitivity");
  const auto bring_up = [this, id = entry.id, chosen] {
    overview();
    if (chosen) choose_context();
    stage_.views.docks().bring_up(id);
  };
  const auto let_go = [this] { stage_.models.run.selection.clear(); };
  add(QStringLiteral("dock ") + entry.title, bring_up, let_go, chosen ? 4 : 1);
  for (QTabWidget* pages : stage_.views.docks().dock(entry.id)->findChildren<QTabWidget*>())
    for (int i = 1; i < pages->count(); ++i)
      add(
          QStringLiteral("dock %1 %2").arg(entry.title, plain_title(pages->tabText(i)).remove('?')),
          [bring_up, pages, i] {
            bring_up();
            pages->setCurrentIndex(i);
          },
          [pages, let_go] {
            pages->setCurrentIndex(0);
            let_go();
          },
          chosen ? 4 : 3);  // a page behind another one reads its models only now
}

// Below what Controls shows at first.
void ScreenshotScenes::decoding() {
  add(
      QStringLiteral("controls decoding"),
      [this] {
        overview();
        stage_.views.docks().bring_up(QStringLiteral("controls"));
        controls().ensureWidgetVisible(&controls().decoding());
      },
      [this] { controls().verticalScrollBar()->setValue(0); });
}

// The session serves under a formula for this picture.
void ScreenshotScenes::formula() {
  if (!Formula::is_available()) return;
  add(
      QStringLiteral("controls formula"),
      [this] {
        overview();
        stage_.views.docks().bring_up(QStringLiteral("controls"));
        SessionSettings settings = stage_.models.settings.shown();
        settings.policy = "formula((alpha*quality-ttft)*frequency/bytes^0.5)";
        stage_.models.settings.commit(settings, QStringLiteral("formula"), QString());
        controls().ensureWidgetVisible(&controls().formula());
      },
      [this] {
        stage_.models.settings.undo_stack().undo();
        controls().verticalScrollBar()->setValue(0);
      },
      3);
}

void ScreenshotScenes::frontier() {
  QToolButton& explain = part_of<FrontierPage>(stage_.window).explain_button();
  add(
      QStringLiteral("frontier explain"),
      [this, &explain] {
        overview();
        explain.setChecked(true);
      },
      [&explain] { explain.setChecked(false); }, 3);
}

// Frames of an animation: alpha is dragged to speed and released, answers arrive, then the same to quality. The
// engine continues to serve between the frames.
void ScreenshotScenes::alpha_drag() {
  QSlider& slider = controls().alpha().slider();
  const auto handle = [this, &slider] {
    const int grip = slider.style()->pixelMetric(QStyle::PM_SliderLength, nullptr, &slider);
    const int x =
        QStyle::sliderPositionFromValue(slider.minimum(), slider.maximum(), slider.value(), slider.width() - grip) +
        grip / 2;
    return slider.mapTo(&stage_.window, QPoint(x, slider.height() / 2 + 3));
  };
  int number = 0;
  const auto frame = [&](std::function<void()> prepare, int settles = 1) {
    add(QStringLiteral("alpha drag %1").arg(++number, 2, 10, QLatin1Char('0')), std::move(prepare), {}, settles);
    scenes_.back().only_when_named = true;
    scenes_.back().pointer = handle;
  };
  frame([this] { overview(); }, 6);
  for (const double end : {0.2, 0.85}) {
    constexpr int moves = 10, waits = 6;
    for (int move = 1; move <= moves; ++move)
      frame([&slider, end, move] {
        if (move == 1) slider.setSliderDown(true);
        const double share = 1.0 / (moves + 1 - move), target = end * slider.maximum();
        slider.setSliderPosition(static_cast<int>(std::lround(slider.value() + share * (target - slider.value()))));
      });
    for (int wait = 0; wait < waits; ++wait)
      frame(
          [&slider] {
            if (slider.isSliderDown()) slider.setSliderDown(false);
          },
          3);
  }
}

// Over all of the screen, however large that is; the picture has the window's size.
void ScreenshotScenes::presenter() {
  const auto toggle = [this] { trigger("&Present"); };
  add(
      QStringLiteral("presenter"),
      [this, toggle] {
        overview();
        toggle();
      },
      toggle, 2);
}

void ScreenshotScenes::act_on_frontier(const char* what) {
  QMenu menu;
  add_chart_actions(menu, charts_of(frontier_chart()).front());
  for (QAction* action : menu.actions())
    if (action->text() == menu_text(what)) return action->trigger();
}

void ScreenshotScenes::walks() {
  for (int step = 0; step < stage_.tour.count(); ++step)
    add(
        QStringLiteral("tour %1").arg(step + 1),
        [this, step] {
          if (step == 0)
            overview(), stage_.tour.start();
          else
            stage_.tour.card().next().click();
        },
        [this, last = step + 1 == stage_.tour.count()] {
          if (last) stage_.tour.close();
        });
  // Lessons that play on what is open; the others need a window of their own.
  int number = 0;
  for (const Lesson& lesson : stage_.lessons.all()) {
    ++number;
    if (stage_.lessons.wants_another_workload(lesson)) continue;
    for (std::size_t step = 0; step < lesson.steps.size(); ++step)
      add(
          QStringLiteral("lesson %1 step %2").arg(number).arg(step + 1),
          [this, step, path = lesson.path] {
            if (step == 0) stage_.lessons.start(path);
            // One that was done may have continued by itself meanwhile.
            while (stage_.lessons.running() && stage_.lessons.step() < static_cast<int>(step))
              stage_.lessons.card().next().click();
            if (!stage_.lessons.card().show_me().isHidden()) stage_.lessons.card().show_me().click();
          },
          [this, last = step + 1 == lesson.steps.size()] {
            if (last) stage_.lessons.close();
          });
  }
}

}  // namespace kvantage
