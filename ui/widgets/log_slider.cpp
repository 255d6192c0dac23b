#include "ui/widgets/log_slider.h"

#include <QEvent>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "ui/text/words.h"

namespace kvantage {
void RelativeSpinBox::stepBy(int count) {
  const double factor = std::pow(1.1, count);
  const double smallest = std::pow(10.0, -decimals());
  double next = value() * factor;
  if (std::abs(next - value()) < smallest) next = value() + (count > 0 ? smallest : -smallest);
  setValue(next);
}

QString RelativeSpinBox::textFromValue(double value) const {
  // As many digits as say something: 0.0123, 1.23, 123.
  const double magnitude = std::abs(value);
  const int wanted =
      magnitude == 0 ? 0 : std::clamp(2 - static_cast<int>(std::floor(std::log10(magnitude))), 0, decimals());
  return to_q(format_fixed(value, wanted));
}

std::optional<QString> RelativeSpinBox::percent_of(const QString& text) const {
  if (whole_ <= 0) return std::nullopt;
  QString number = text;
  if (!suffix().isEmpty() && number.endsWith(suffix())) number.chop(suffix().size());
  number = number.trimmed();
  if (!number.endsWith(QLatin1Char('%'))) return std::nullopt;
  number.chop(1);
  return number.trimmed();
}

double RelativeSpinBox::valueFromText(const QString& text) const {
  const auto percent = percent_of(text);
  return percent ? std::clamp(locale().toDouble(*percent) / 100 * whole_, minimum(), maximum())
                 : QDoubleSpinBox::valueFromText(text);
}

QValidator::State RelativeSpinBox::validate(QString& text, int& position) const {
  const auto percent = percent_of(text);
  if (!percent) return QDoubleSpinBox::validate(text, position);
  bool is_number = false;
  const double value = locale().toDouble(*percent, &is_number);
  if (is_number) return value > 0 ? QValidator::Acceptable : QValidator::Intermediate;
  return percent->isEmpty() ? QValidator::Intermediate : QValidator::Invalid;
}

LogSlider::LogSlider(const QString& name, const QString& suffix, double unit, int decimals, QWidget* parent)
    : StackingRow(7, parent), slider_(new QSlider(Qt::Horizontal)), box_(new RelativeSpinBox), unit_(unit) {
  add(slider_, 1);
  add(box_, 0, Qt::AlignRight);
  slider_->setRange(0, steps);
  slider_->setPageStep(steps / 20);
  slider_->setSingleStep(steps / 100);
  slider_->setAccessibleName(name);
  slider_->setMinimumWidth(60);
  box_->setAccessibleName(tr("%1, number").arg(name));
  box_->setLocale(QLocale::c());
  box_->setDecimals(decimals);
  box_->setRange(0, 1e12);
  box_->setSuffix(suffix.isEmpty() ? QString() : QStringLiteral(" ") + suffix);
  box_->setKeyboardTracking(false);
  box_->installEventFilter(this);     // the slider itself hears of a new font before the box has it
  slider_->installEventFilter(this);  // which hand moves it
  fit_box();
  box_->setAlignment(Qt::AlignRight);
  setFocusProxy(slider_);

  connect(slider_, &QSlider::valueChanged, this, [this](int position) {
    if (showing_) return;
    value_ = value_at(position);
    show_number();
    emit moving(value_);
    if (!slider_->isSliderDown()) emit released(value_);  // a key, the wheel, a click beside the handle
  });
  connect(slider_, &QSlider::sliderPressed, this, [this] {
    by_mouse_ = true;
    ++press_;
  });
  connect(slider_, &QSlider::sliderReleased, this, [this] {
    const double value = value_;
    if (next_range_) {
      const auto [low, high] = *std::exchange(next_range_, std::nullopt);
      set_range(low, high);
    }
    emit released(value);
  });
  connect(box_, &QDoubleSpinBox::valueChanged, this, [this](double number) {
    if (showing_) return;
    by_mouse_ = false;
    value_ = std::max(number * unit_, smallest_);
    shown_ = value_;
    showing_ = true;
    slider_->setValue(position_of(value_));
    showing_ = false;
    emit moving(value_);
    emit released(value_);
  });
}

// As wide as its longest number in the present text size.
void LogSlider::fit_box() {
  const QString longest =
      box_->suffix().isEmpty() ? QStringLiteral("0.000123") : QStringLiteral("9999.9") + box_->suffix();
  box_->setFixedWidth(
      std::max(box_->suffix().isEmpty() ? 78 : 98, box_->fontMetrics().horizontalAdvance(longest) + 26));
}

bool LogSlider::eventFilter(QObject* watched, QEvent* event) {
  if (watched == slider_) {
    if (event->type() == QEvent::MouseButtonPress) {
      by_mouse_ = true;
      ++press_;
    } else if (event->type() == QEvent::KeyPress || event->type() == QEvent::Wheel) {
      by_mouse_ = false;
    }
    return StackingRow::eventFilter(watched, event);
  }
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange || event->type() == QEvent::Polish)
    fit_box();
  return StackingRow::eventFilter(watched, event);
}

int LogSlider::position_of(double value) const {
  if (value <= low_) return 0;
  return std::clamp(static_cast<int>(std::lround(steps * std::log(value / low_) / std::log(high_ / low_))), 0, steps);
}

double LogSlider::value_at(int position) const {
  const double value = low_ * std::pow(high_ / low_, static_cast<double>(position) / steps);
  // Three digits are what the hand can mean; more would only look precise.
  const double power = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::max(std::round(value / power) * power, smallest_);
}

QDoubleSpinBox& LogSlider::box() { return *box_; }

void LogSlider::set_whole(double whole) { box_->set_whole(whole / unit_); }

void LogSlider::set_smallest(double smallest) {
  smallest_ = smallest;
  box_->setMinimum(smallest / unit_);
  if (low_ < smallest) set_range(smallest, std::max(high_, smallest * 2));
}

void LogSlider::set_range(double low, double high) {
  if (!(low > 0) || !(high > low)) return;
  if (slider_->isSliderDown()) {
    next_range_ = {low, high};  // moving the handle away under the hand would change what the hand meant
    return;
  }
  low_ = std::max(low, smallest_);
  high_ = std::max(high, low_ * 2);
  show_value();
}

void LogSlider::set_value(double value) {
  if (slider_->isSliderDown()) return;  // the hand is on it
  if (value > 0) {
    low_ = std::clamp(value, smallest_, low_);
    high_ = std::max(high_, value);
  }
  value_ = value;
  show_value();
}

void LogSlider::show_value() {
  showing_ = true;
  slider_->setValue(position_of(value_));
  showing_ = false;
  show_number();
}

void LogSlider::show_number() {
  if (value_ == shown_) return;  // telling the box again would wipe out what is being typed into it
  shown_ = value_;
  showing_ = true;
  box_->setValue(value_ / unit_);
  showing_ = false;
}

void LogSlider::set_tip(const QString& tip) {
  setToolTip(tip);
  slider_->setToolTip(tip);
  box_->setToolTip(tip);
}

}  // namespace kvantage
