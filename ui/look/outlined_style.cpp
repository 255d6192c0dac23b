#include "ui/look/outlined_style.h"

#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolTip>

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

/// For the text of a box, in pixels, as Fusion draws it.
int room_in(const QStyle& style, const QStyleOptionComboBox& box, const QWidget* widget) {
  const int icon = box.currentIcon.isNull() ? 0 : box.iconSize.width() + 4;
  return style.subControlRect(QStyle::CC_ComboBox, &box, QStyle::SC_ComboBoxEditField, widget).width() - 2 - icon;
}

QString cut_in(const QString& text, const QFontMetrics& letters, int room) {
  return letters.horizontalAdvance(text) > room ? text : QString();
}

/// All of what it shows, where it has no room for that; of a field also what it asks for while it is empty.
QString cut_text(const QWidget& widget) {
  if (const auto* box = qobject_cast<const QComboBox*>(&widget); box != nullptr && !box->isEditable()) {
    QStyleOptionComboBox option;
    option.initFrom(box);
    option.subControls = QStyle::SC_All;
    option.frame = box->hasFrame();
    option.currentIcon = box->itemIcon(box->currentIndex());
    option.iconSize = box->iconSize();
    return cut_in(box->currentText(), box->fontMetrics(), room_in(*box->style(), option, box));
  }
  const auto* field = qobject_cast<const QLineEdit*>(&widget);
  if (field == nullptr || field->echoMode() != QLineEdit::Normal) return {};
  constexpr int sides = 2 * 2;  // that Qt leaves beside the text
  const QMargins margins = field->textMargins();
  const int frame = field->hasFrame() ? 2 * field->style()->pixelMetric(QStyle::PM_DefaultFrameWidth) : 0;
  return cut_in(field->text().isEmpty() ? field->placeholderText() : field->displayText(), field->fontMetrics(),
                field->width() - frame - margins.left() - margins.right() - sides);
}

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
  if (qobject_cast<QComboBox*>(widget) != nullptr || qobject_cast<QLineEdit*>(widget) != nullptr)
    widget->installEventFilter(this);
}

bool OutlinedStyle::eventFilter(QObject* watched, QEvent* event) {
  auto* widget = event->type() == QEvent::ToolTip ? qobject_cast<QWidget*>(watched) : nullptr;
  const QString cut = widget != nullptr ? cut_text(*widget) : QString();
  if (cut.isEmpty()) return QProxyStyle::eventFilter(watched, event);
  // The field of a spin box or of an editable box has the tip of that.
  const QString tip = !widget->toolTip().isEmpty() || widget->parentWidget() == nullptr
                          ? widget->toolTip()
                          : widget->parentWidget()->toolTip();
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tip.isEmpty() ? cut : cut + '\n' + tip, widget);
  return true;
}

void OutlinedStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
  const auto* box = element == CE_ComboBoxLabel ? qstyleoption_cast<const QStyleOptionComboBox*>(option) : nullptr;
  if (box == nullptr || box->editable) return QProxyStyle::drawControl(element, option, painter, widget);
  QStyleOptionComboBox shown(*box);
  const int room = room_in(*proxy(), shown, widget);
  if (shown.fontMetrics.horizontalAdvance(shown.currentText) > room)
    shown.currentText = shown.fontMetrics.elidedText(shown.currentText, Qt::ElideRight, room);
  QProxyStyle::drawControl(element, &shown, painter, widget);
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
