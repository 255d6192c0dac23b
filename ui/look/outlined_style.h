// Fusion with what it lacks on dark grounds and beside large text: frames of boxes and fields that can be seen,
// marks that grow with the text, room at both sides of a table's cells. A text that a box or field has no room for ends
// in an ellipsis, and its tool tip begins with all of it.
#pragma once

#include <QColor>
#include <QHash>
#include <QPalette>
#include <QProxyStyle>
#include <utility>

namespace kvantage {

class OutlinedStyle : public QProxyStyle {
  Q_OBJECT
 public:
  static constexpr int cell_margin = 5;  // pixels at each side of a cell's text, beside the one that item views add

  /// `outline` frames check boxes, line edits, spin boxes and combo boxes.
  explicit OutlinedStyle(const QColor& outline);
  using QProxyStyle::polish;
  /// Tool tips are plain text: those of tables hold texts of documents and of recorded runs.
  void polish(QWidget* widget) override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const QPalette& framing(const QPalette& palette) const;
  QColor window_;                                            // that Fusion derives the outline from
  mutable QHash<std::pair<qint64, int>, QPalette> framing_;  // by palette and its group
};

}  // namespace kvantage
