// The controls of the Controls dock: how each is moved, and which setting follows.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSlider>
#include <QSpinBox>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/live_window.h"
#include "ui/text/words.h"

namespace end_to_end_test {

using namespace kvantage;
using namespace kvantage::test;

template <class Widget>
inline Widget* named(MainWindow& window, const QString& name) {
  for (Widget* widget : controls_of(window).findChildren<Widget*>())
    if (widget->accessibleName() == name) return widget;
  return nullptr;
}

inline void choose(QComboBox& box, int index) {
  box.setCurrentIndex(index);
  emit box.activated(index);
}

/// A hand on a slider: down, some way, up.
inline void drag(QSlider& slider, int to) {
  slider.setSliderDown(true);
  for (int step = 1; step <= 5; ++step) slider.setValue(slider.value() + (to - slider.value()) * step / 5);
  slider.setSliderDown(false);
}

struct Control {
  const char* name;
  std::function<void(MainWindow&)> move;
  std::function<bool(const SessionSettings& before, const SessionSettings& after)> moved;
};

/// Controls that are moved one after the other, as some need another one to be chosen.
inline const std::set<QString> moved_in_order{"Tier of decode offload",
                                              "Split of decode offload",
                                              "Front of decode offload that stays in memory",
                                              "Codec of decode offload",
                                              "Weights of decode offload",
                                              "Requests side by side of decode offload",
                                              "Page",
                                              "When to evict a page",
                                              "Regime",
                                              "Budget of the fastest tier",
                                              "Alpha of the regime",
                                              "Apply regime",
                                              "Formula of the utility"};

inline std::vector<Control> controls() {
  const auto tier = [](auto field) {
    return [field](const SessionSettings& before, const SessionSettings& after) {
      return before.tiers[1].*field != after.tiers[1].*field;
    };
  };
  return {
      {"alpha", [](MainWindow& w) { drag(controls_of(w).alpha().slider(), LogSlider::steps / 3); },
       [](const auto& before, const auto& after) { return before.alpha != after.alpha; }},
      {"policy",
       [](MainWindow& w) {
         QComboBox& box = controls_of(w).policy();
         choose(box, box.findData("lru"));
       },
       [](const auto&, const auto& after) { return after.policy == "lru"; }},
      {"budget of dram",
       [](MainWindow& w) { drag(controls_of(w).tier("dram")->budget().slider(), LogSlider::steps / 4); },
       [](const auto& before, const auto& after) { return before.tiers[0].budget != after.tiers[0].budget; }},
      {"budget of ssd",
       [](MainWindow& w) { drag(controls_of(w).tier("ssd")->budget().slider(), LogSlider::steps / 4); },
       tier(&TierConfig::budget)},
      {"speed of ssd, as measured", [](MainWindow& w) { choose(*named<QComboBox>(w, "ssd speed"), 0); },
       tier(&TierConfig::throttle)},
      {"bandwidth of ssd", [](MainWindow& w) { named<QDoubleSpinBox>(w, "ssd throttled bandwidth")->setValue(33.5); },
       tier(&TierConfig::throttle)},
      {"latency of ssd", [](MainWindow& w) { named<QDoubleSpinBox>(w, "ssd throttled latency")->setValue(4.25); },
       tier(&TierConfig::throttle)},
      {"faults of ssd",
       [](MainWindow& w) {
         QComboBox& box = controls_of(w).tier("ssd")->faults().preset();
         choose(box, box.findText("Torn writes"));
       },
       tier(&TierConfig::faults)},
      {"a method", [](MainWindow& w) { named<QCheckBox>(w, "Method streaming_llm")->click(); },
       [](const auto& before, const auto& after) { return before.methods != after.methods; }},
      {"a removed fraction",
       [](MainWindow& w) { named<QCheckBox>(w, "Removed fraction " + percent_text(0.9))->click(); },
       [](const auto& before, const auto& after) { return before.removed_fractions != after.removed_fractions; }},
      {"arrival rate", [](MainWindow& w) { named<QDoubleSpinBox>(w, "Arrival rate")->setValue(50); },
       [](const auto&, const auto& after) { return after.requests_per_second == 50; }},
      {"requests at once", [](MainWindow& w) { named<QSpinBox>(w, "Max concurrency")->setValue(3); },
       [](const auto&, const auto& after) { return after.max_batch == 3; }},
      {"re-profile", [](MainWindow& w) { named<QCheckBox>(w, "Re-profile on drift")->click(); },
       [](const auto& before, const auto& after) { return before.reprofile != after.reprofile; }},
      {"drift rule",
       [](MainWindow& w) {
         QComboBox& box = *named<QComboBox>(w, "Drift rule");
         choose(box, box.findData("below"));
       },
       [](const auto&, const auto& after) { return after.reprofile_when == ReprofileRule::below(0.7); }},
      {"compute while loading", [](MainWindow& w) { named<QCheckBox>(w, "Overlap recompute with loads")->click(); },
       [](const auto& before, const auto& after) { return before.compute_or_load != after.compute_or_load; }},
      {"recompute", [](MainWindow& w) { named<QCheckBox>(w, "Recompute instead of loading")->click(); },
       [](const auto& before, const auto& after) { return before.compute_or_load != after.compute_or_load; }}};
}

/// Under which the dock enables every control: re-profiling, decode-time eviction, faults and throttled tiers.
inline SessionSettings with_all_parts(SessionSettings settings) {
  settings.reprofile = true;
  settings.profile_grid = ProfileGridKind::racing;
  settings.decode_eviction = "knorm(budget=40%)";
  InjectedFaults torn;
  torn.plan.torn_write = 0.05;
  torn.seed = 3;
  settings.tiers[1].faults = to_string(torn);
  for (TierConfig& tier : settings.tiers) {
    tier.throttle.bytes_per_second = 64.0 * (1 << 20);
    tier.throttle.latency_seconds = 0.002;
  }
  return settings;
}

/// Far enough to be another setting.
inline void move_by_kind(QWidget* control) {
  if (auto* combo = qobject_cast<QComboBox*>(control))
    choose(*combo, combo->findData("lru") >= 0 ? combo->findData("lru") : combo->currentIndex() == 0 ? 1 : 0);
  if (auto* check = qobject_cast<QCheckBox*>(control)) check->click();
  if (auto* slider = qobject_cast<QSlider*>(control))
    drag(*slider, slider->value() > LogSlider::steps / 2 ? LogSlider::steps / 3 : LogSlider::steps * 2 / 3);
  if (auto* whole = qobject_cast<QSpinBox*>(control)) whole->setValue(whole->value() + 1);
  if (auto* number = qobject_cast<QDoubleSpinBox*>(control))
    number->setValue(number->value() > 0 ? number->value() * 0.7 : 50);
  if (auto* line = qobject_cast<QLineEdit*>(control)) {
    line->setText("knorm(budget=50%)");
    emit line->editingFinished();
  }
}

}  // namespace end_to_end_test
