#include "ui/learn/lesson_stage.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>

#include "ui/widgets/log_slider.h"

namespace kvantage {
namespace {

using StageKind = LessonAct::Kind;
constexpr double end_of_slider = 0.04;  // of its range: releasing the slider near the end means the end

QString plain(QString text) { return text.remove('&'); }

// Lessons are in English: whether `shown` is what the window makes of `name`, or of its part behind the name of a tier,
// in its language. The class that translates it is that of the widget or of one that holds it.
bool is_called(const QWidget& widget, const QString& name, const QString& shown) {
  if (shown.isEmpty() || shown == name) return !shown.isEmpty();
  const qsizetype space = name.indexOf(' ');
  const QByteArray whole = name.toUtf8(), behind_tier = QByteArray("%1") + name.mid(space).toUtf8();
  for (const QObject* at = &widget; at; at = at->parent())
    for (const QMetaObject* kind = at->metaObject(); kind; kind = kind->superClass()) {
      if (QCoreApplication::translate(kind->className(), whole.constData()) == shown) return true;
      if (space > 0 &&
          QCoreApplication::translate(kind->className(), behind_tier.constData()).arg(name.left(space)) == shown)
        return true;
    }
  return false;
}

QWidget* named_in(QWidget& root, const QString& name) {
  // "pages": the tabs of a dock, which are one widget and have no name to read out but those of their pages.
  if (name == QStringLiteral("pages")) return root.findChild<QTabWidget*>();
  for (QWidget* widget : root.findChildren<QWidget*>()) {
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    if (is_called(*widget, name, widget->accessibleName()) ||
        (button && is_called(*widget, name, plain(button->text()))))
      return widget;
  }
  return nullptr;
}

int item_of(const QComboBox& combo, const QString& value) {
  const int by_text = combo.findText(value);
  return by_text >= 0 ? by_text : combo.findData(value);
}

int page_of(const QTabWidget& pages, const QString& value) {
  for (int page = 0; page < pages.count(); ++page)
    if (is_called(pages, value, plain(pages.tabText(page)))) return page;
  return -1;
}

bool at_end(const QSlider& slider, bool highest) {
  const double range = slider.maximum() - slider.minimum();
  return highest ? slider.maximum() - slider.value() <= end_of_slider * range
                 : slider.value() - slider.minimum() <= end_of_slider * range;
}

// Empty: it can.
QString why_not(QWidget& control, const LessonAct& act) {
  auto* combo = qobject_cast<QComboBox*>(&control);
  auto* pages = qobject_cast<QTabWidget*>(&control);
  auto* button = qobject_cast<QAbstractButton*>(&control);
  const bool slider = qobject_cast<QSlider*>(&control), number = qobject_cast<QAbstractSpinBox*>(&control);
  switch (act.kind) {
    case StageKind::none:
      return {};
    case StageKind::press:
      return button ? QString() : LessonStage::tr("it is not a button");
    case StageKind::lowest:
    case StageKind::highest:
      return slider ? QString() : LessonStage::tr("it is not a slider");
    case StageKind::change:
      return slider || number || combo ? QString() : LessonStage::tr("it has no value to change");
    case StageKind::on:
    case StageKind::off:
      return button && button->isCheckable() ? QString() : LessonStage::tr("it is not a check box");
    case StageKind::choose:
      break;
  }
  if (combo)
    return item_of(*combo, act.value) >= 0 ? QString() : LessonStage::tr("it has no item \"%1\"").arg(act.value);
  if (pages)
    return page_of(*pages, act.value) >= 0 ? QString() : LessonStage::tr("it has no page \"%1\"").arg(act.value);
  if (!number) return LessonStage::tr("it has nothing to select from");
  bool read = false;
  act.value.toDouble(&read);
  return read ? QString() : LessonStage::tr("\"%1\" is not a number").arg(act.value);
}

double number_in(const QWidget& control) {
  if (const auto* whole = qobject_cast<const QSpinBox*>(&control)) return whole->value();
  const auto* real = qobject_cast<const QDoubleSpinBox*>(&control);
  return real ? real->value() : 0;
}

bool as_wanted(const QWidget& control, const LessonAct& act) {
  if (act.kind == StageKind::lowest || act.kind == StageKind::highest) {
    const auto* slider = qobject_cast<const QSlider*>(&control);
    return slider && !slider->isSliderDown() && at_end(*slider, act.kind == StageKind::highest);
  }
  if (act.kind == StageKind::on || act.kind == StageKind::off) {
    const auto* button = qobject_cast<const QAbstractButton*>(&control);
    return button && button->isChecked() == (act.kind == StageKind::on);
  }
  if (act.kind != StageKind::choose) return false;
  if (const auto* combo = qobject_cast<const QComboBox*>(&control))
    return combo->currentIndex() == item_of(*combo, act.value);
  if (const auto* pages = qobject_cast<const QTabWidget*>(&control))
    return pages->currentIndex() == page_of(*pages, act.value);
  return std::abs(number_in(control) - act.value.toDouble()) < 1e-9;
}

// Whatever signals that a control has another value, all with `context`.
void on_change(QWidget& control, QObject& context, const std::function<void()>& changed) {
  if (auto* slider = qobject_cast<QSlider*>(&control)) {
    QObject::connect(slider, &QSlider::sliderReleased, &context, changed);
    QObject::connect(slider, &QSlider::valueChanged, &context, [slider, changed] {
      if (!slider->isSliderDown()) changed();  // a key or the wheel
    });
  }
  if (auto* combo = qobject_cast<QComboBox*>(&control))
    QObject::connect(combo, &QComboBox::currentIndexChanged, &context, changed);
  if (auto* pages = qobject_cast<QTabWidget*>(&control))
    QObject::connect(pages, &QTabWidget::currentChanged, &context, changed);
  if (auto* whole = qobject_cast<QSpinBox*>(&control))
    QObject::connect(whole, &QSpinBox::valueChanged, &context, changed);
  if (auto* real = qobject_cast<QDoubleSpinBox*>(&control))
    QObject::connect(real, &QDoubleSpinBox::valueChanged, &context, changed);
  if (auto* button = qobject_cast<QAbstractButton*>(&control))
    QObject::connect(button, &QAbstractButton::clicked, &context, changed);
}

void choose(QWidget& control, const QString& value) {
  if (auto* combo = qobject_cast<QComboBox*>(&control)) {
    combo->setCurrentIndex(item_of(*combo, value));
    emit combo->activated(combo->currentIndex());
  }
  if (auto* pages = qobject_cast<QTabWidget*>(&control)) pages->setCurrentIndex(page_of(*pages, value));
  if (auto* whole = qobject_cast<QSpinBox*>(&control)) whole->setValue(value.toInt());
  if (auto* real = qobject_cast<QDoubleSpinBox*>(&control)) real->setValue(value.toDouble());
}

}  // namespace

QWidget* LessonStage::find(const LessonTarget& target) const {
  QWidget* root = nullptr;
  if (target.dock == QStringLiteral("frontier"))
    root = &frontier_;
  else if (views_.docks().all().contains(target.dock))
    root = views_.docks().body(target.dock);
  else if (views_.modes().has(target.dock))
    root = views_.modes().page(target.dock);
  return !root || target.control.isEmpty() ? root : named_in(*root, target.control);
}

QWidget* LessonStage::framed(const LessonTarget& target) const {
  QWidget* found = find(target);
  QWidget* around = found ? found->parentWidget() : nullptr;
  return qobject_cast<LogSlider*>(around) ? around : found;
}

Status LessonStage::check(const Lesson& lesson) const {
  const auto stop = [&lesson](int line, const QString& why) {
    return fail(ErrorCode::rejected_input,
                QStringLiteral("%1:%2: %3").arg(lesson.path).arg(line).arg(why).toStdString());
  };
  if (!Layouts::built_in().contains(lesson.layout))
    return stop(
        lesson.layout_line,
        tr("unknown layout \"%1\"; use one of %2").arg(lesson.layout, Layouts::built_in().join(QStringLiteral(", "))));
  for (const LessonTarget& dock : lesson.docks)
    if (!find(dock))
      return stop(dock.line, tr("unknown dock \"%1\"; see ui/live/dock_registry.cpp for names").arg(dock.dock));
  for (const LessonStep& step : lesson.steps) {
    const QWidget* target = find(step.target);
    if (!target)
      return stop(
          step.target.line,
          tr("no \"%1\" in \"%2\"; press Ctrl+K to find controls by name").arg(step.target.control, step.target.dock));
    if (const QString why = why_not(*const_cast<QWidget*>(target), step.act); !why.isEmpty())
      return stop(step.act.line, tr("\"%1\" cannot do this: %2").arg(step.target.control, why));
    for (const QString& hidden : step.guess.hidden)
      if (!find({hidden, {}, step.line}))
        return stop(step.line, tr("hide: unknown dock \"%1\"; see ui/live/dock_registry.cpp for names").arg(hidden));
  }
  return {};
}

bool LessonStage::is_done(const LessonStep& step) const {
  const QWidget* control = step.act.kind == StageKind::none ? nullptr : find(step.target);
  return control && !step.events && as_wanted(*control, step.act);
}

void LessonStage::watch(const LessonStep& step, QObject& context, const std::function<void()>& done) const {
  // If there is an act, events count from then on: what was in flight before says nothing about it.
  const auto count_events = [&log = log_, &context, done, count = step.events, wanted = step.event] {
    auto left = std::make_shared<int>(count);
    QObject::connect(&log, &QAbstractItemModel::rowsInserted, &context,
                     [&log, left, done, wanted](const QModelIndex&, int first, int last) {
                       for (int row = first; row <= last; ++row)
                         if (log.index(row, EventsModel::kind).data().toString() == wanted && --*left == 0) done();
                     });
  };
  QWidget* control = step.act.kind == StageKind::none ? nullptr : find(step.target);
  if (!control || (step.events && as_wanted(*control, step.act))) {
    if (step.events) count_events();
    return;
  }
  auto acted = std::make_shared<bool>(false);
  on_change(*control, context, [control, act = step.act, acted, done, count_events, events = step.events] {
    if (*acted || (act.kind != StageKind::press && act.kind != StageKind::change && !as_wanted(*control, act))) return;
    *acted = true;
    if (events)
      count_events();
    else
      done();
  });
}

void LessonStage::perform(const LessonStep& step) const {
  QWidget* control = find(step.target);
  if (!control) return;
  auto* slider = qobject_cast<QSlider*>(control);
  auto* button = qobject_cast<QAbstractButton*>(control);
  switch (step.act.kind) {
    case StageKind::none:
      return;
    case StageKind::press:
      if (button) button->click();
      return;
    case StageKind::on:
    case StageKind::off:
      if (button && button->isChecked() != (step.act.kind == StageKind::on)) button->click();
      return;
    case StageKind::choose:
      choose(*control, step.act.value);
      return;
    case StageKind::lowest:
    case StageKind::highest:
    case StageKind::change:
      break;
  }
  if (!slider) return;
  const int range = slider->maximum() - slider->minimum();
  const int to = step.act.kind == StageKind::lowest                ? slider->minimum()
                 : step.act.kind == StageKind::highest             ? slider->maximum()
                 : slider->value() - slider->minimum() > range / 2 ? slider->value() - range / 4
                                                                   : slider->value() + range / 4;
  slider->setSliderDown(true);
  slider->setValue(to);
  slider->setSliderDown(false);
}

}  // namespace kvantage
