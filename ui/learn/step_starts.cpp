#include "ui/learn/step_starts.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <algorithm>

namespace kvantage {

QVariant control_value(const QWidget& control) {
  if (const auto* combo = qobject_cast<const QComboBox*>(&control)) return combo->currentIndex();
  if (const auto* pages = qobject_cast<const QTabWidget*>(&control)) return pages->currentIndex();
  if (const auto* slider = qobject_cast<const QSlider*>(&control)) return slider->value();
  if (const auto* whole = qobject_cast<const QSpinBox*>(&control)) return whole->value();
  if (const auto* real = qobject_cast<const QDoubleSpinBox*>(&control)) return real->value();
  const auto* button = qobject_cast<const QAbstractButton*>(&control);
  return button && button->isCheckable() ? QVariant(button->isChecked()) : QVariant();
}

void set_control_value(QWidget& control, const QVariant& value) {
  if (!value.isValid() || control_value(control) == value) return;
  if (auto* combo = qobject_cast<QComboBox*>(&control)) {
    combo->setCurrentIndex(value.toInt());
    emit combo->activated(combo->currentIndex());
  } else if (auto* pages = qobject_cast<QTabWidget*>(&control)) {
    pages->setCurrentIndex(value.toInt());
  } else if (auto* slider = qobject_cast<QSlider*>(&control)) {
    slider->setSliderDown(true);
    slider->setValue(value.toInt());
    slider->setSliderDown(false);
  } else if (auto* whole = qobject_cast<QSpinBox*>(&control)) {
    whole->setValue(value.toInt());
  } else if (auto* real = qobject_cast<QDoubleSpinBox*>(&control)) {
    real->setValue(value.toDouble());
  } else if (auto* button = qobject_cast<QAbstractButton*>(&control)) {
    button->click();
  }
}

void StepStarts::begin(const Lesson& lesson) {
  starts_.clear();
  moved_.clear();
  for (const LessonStep& step : lesson.steps) {
    if (step.act.kind == LessonAct::Kind::none || step.target.dock == QStringLiteral("controls")) continue;
    const bool known = std::ranges::any_of(moved_, [&](const LessonTarget& target) {
      return target.dock == step.target.dock && target.control == step.target.control;
    });
    if (!known) moved_.push_back(step.target);
  }
}

void StepStarts::note(int step) {
  if (knows(step)) return;
  Start start{settings_.committed(), {}};
  for (const LessonTarget& target : moved_)
    if (const QWidget* control = stage_.find(target))
      if (const QVariant value = control_value(*control); value.isValid()) start.controls.emplace_back(target, value);
  starts_[step] = std::move(start);
}

void StepStarts::restore(int step) const {
  const auto found = starts_.find(step);
  if (found == starts_.end()) return;
  settings_.commit(found->second.settings, tr("reset to step %1").arg(step + 1), {});
  for (const auto& [target, value] : found->second.controls)
    if (QWidget* control = stage_.find(target)) set_control_value(*control, value);
}

}  // namespace kvantage
