// A slider with a number beside it for quantities that span decades. Emits `moving` while the user drags and `released`
// once when a change is complete: mouse released, a key or wheel step, a number typed. The number is below the slider
// where there is no space beside it.
#pragma once

#include <QDoubleSpinBox>
#include <QSlider>
#include <optional>
#include <utility>

#include "ui/widgets/stacking_row.h"

namespace kvantage {

class RelativeSpinBox;

class LogSlider : public StackingRow {
  Q_OBJECT
 public:
  static constexpr int steps = 1000;

  /// `text` writes a value, e.g. as MiB; the box itself counts in `unit` (1 MiB = 1048576) and shows `suffix`.
  LogSlider(const QString& name, const QString& suffix, double unit, int decimals, QWidget* parent = nullptr);

  /// 0 < low < high, in values (not units). The shown value stays; while a hand holds the slider, so does its range.
  void set_range(double low, double high);
  /// Nothing below this can be dragged or typed.
  void set_smallest(double smallest);
  /// The value of 100 %: from then on "40%" can be typed as well. 0: it cannot.
  void set_whole(double whole);
  /// Shows a value without a signal; a value outside the range widens it.
  void set_value(double value);
  double value() const { return value_; }
  double low() const { return low_; }
  double high() const { return high_; }
  /// Names the gesture of the latest change: each press of the mouse has its own text until it is released; keys, the
  /// wheel and numbers have none. One press is one undo step, however soon the next comes.
  QString hand() const { return by_mouse_ ? QStringLiteral(" press %1").arg(press_) : QString(); }
  QSlider& slider() { return *slider_; }
  QDoubleSpinBox& box();
  void set_tip(const QString& tip);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 signals:
  void moving(double value);
  void released(double value);

 private:
  int position_of(double value) const;
  double value_at(int position) const;
  void show_value();
  void show_number();
  void fit_box();

  QSlider* slider_;
  RelativeSpinBox* box_;
  double unit_, low_ = 0.01, high_ = 100, value_ = 1, smallest_ = 0;
  double shown_ = -1;  // what the box was last set to
  std::optional<std::pair<double, double>> next_range_;
  bool showing_ = false, by_mouse_ = false;
  int press_ = 0;
};

/// A spin box whose steps are a tenth of the value: as useful at 0.01 as at 10,000.
class RelativeSpinBox : public QDoubleSpinBox {
 public:
  explicit RelativeSpinBox(QWidget* parent = nullptr) : QDoubleSpinBox(parent) {}
  /// The value of 100 %, for text like "40%"; 0: such text is not taken.
  void set_whole(double whole) { whole_ = whole; }
  void stepBy(int count) override;
  QString textFromValue(double value) const override;
  double valueFromText(const QString& text) const override;
  QValidator::State validate(QString& text, int& position) const override;

 private:
  /// The part before a percent sign at the end; nothing where there is none.
  std::optional<QString> percent_of(const QString& text) const;
  double whole_ = 0;
};

}  // namespace kvantage
