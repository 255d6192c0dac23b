#include "ui/look/outlined_style.h"

#include <QLabel>
#include <QStyleFactory>
#include <QStyleOption>

#include "ui/look/font_scale.h"

namespace kvantage {
namespace {

constexpr int fusion_darkens = 140;  // percent, from the window's color to an outline
constexpr int palettes_kept = 64;

/// The option's palette is another one for the time of a drawing.
class Repainted {
 public:
  Repainted(const QStyleOption* option, const QPalette& palette)
      : option_(const_cast<QStyleOption*>(option)), kept_(option->palette) {
    option_->palette = palette;
  }
  ~Repainted() { option_->palette = kept_; }
  Repainted(const Repainted&) = delete;
  Repainted& operator=(const Repainted&) = delete;

 private:
  QStyleOption* option_;
  QPalette kept_;
};

}  // namespace

OutlinedStyle::OutlinedStyle(const QColor& outline)
    : QProxyStyle(QStringLiteral("Fusion")), window_(outline.lighter(fusion_darkens)) {}

// One palette for each that comes, as Fusion keeps its drawings by the palette's identity. A palette that is drawn with
// as disabled has the identity of the enabled one.
const QPalette& OutlinedStyle::framing(const QPalette& palette) const {
  const std::pair key(palette.cacheKey(), static_cast<int>(palette.currentColorGroup()));
  const auto known = framing_.constFind(key);
  if (known != framing_.constEnd()) return *known;
  if (framing_.size() >= palettes_kept) framing_.clear();
  QPalette made = palette;
  made.setColor(QPalette::Window, window_);
  return *framing_.insert(key, made);
}

void OutlinedStyle::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  // A tip is polished before it gets its text.
  if (widget->inherits("QTipLabel")) static_cast<QLabel*>(widget)->setTextFormat(Qt::PlainText);
}

void OutlinedStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                  const QWidget* widget) const {
  switch (element) {
    case PE_IndicatorCheckBox:
    case PE_IndicatorRadioButton:
    case PE_FrameLineEdit:
    case PE_PanelLineEdit: {
      const Repainted now(option, framing(option->palette));
      return QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
    default:
      QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void OutlinedStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                       const QWidget* widget) const {
  if (control != CC_SpinBox && control != CC_ComboBox)
    return QProxyStyle::drawComplexControl(control, option, painter, widget);
  const Repainted now(option, framing(option->palette));
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

int OutlinedStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  switch (metric) {
    case PM_FocusFrameHMargin:
      return cell_margin;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
      return QProxyStyle::pixelMetric(metric, option, widget) * font_percent() / 100;
    default:
      return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

// The choices open below their box; over it they would hide the menu bar.
int OutlinedStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                             QStyleHintReturn* data) const {
  return hint == SH_ComboBox_Popup ? 0 : QProxyStyle::styleHint(hint, option, widget, data);
}

}  // namespace kvantage
