// The legend of a chart: what each line, marker and provenance means, in a row that wraps. Items that name a series can
// be switched on and off by mouse or keyboard.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/look/provenance_look.h"
#include "ui/look/theme.h"

namespace kvantage {

struct LegendItem {
  /// in_text: the text begins with its sign.
  enum class Sign { line, thin_line, dashed_line, band, marker, swatch, hatched, in_text };
  QString id;  // of a series that can be switched; empty: only explains
  QString text, tip;
  Sign sign = Sign::line;
  QColor color;
  MarkerLook look = MarkerLook::measured;
  bool hidden = false;
  unsigned strokes = 0;                       // of a policy, on its line or inside of its marker
  QList<qreal> dashes{};                      // of a line, as it is drawn
  Qt::BrushStyle pattern = Qt::BDiagPattern;  // of a hatched sign
  bool operator==(const LegendItem&) const = default;
};

class LegendStrip : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit LegendStrip(QWidget* parent = nullptr);
  void set_items(std::vector<LegendItem> items);
  const std::vector<LegendItem>& items() const { return items_; }
  void set_theme(const Theme& theme) override;
  /// What of an item's text is painted in the present width; its tool tip has all of it.
  QString painted_text(std::size_t item) const;

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {60, row_height()}; }

 signals:
  void toggled(const QString& id, bool hidden);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void take_font();
  int row_height() const;
  std::vector<QRect> layout_items(int width) const;
  QString text_in(const QRect& rect, std::size_t item) const;
  int item_at(const QPoint& at) const;
  void toggle(int index);

  std::vector<LegendItem> items_;
  Theme theme_;
  int focused_ = -1;
};

}  // namespace kvantage
