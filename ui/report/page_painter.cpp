#include "ui/report/page_painter.h"

namespace kvantage::inline report_pages {
namespace {

QColor ink_of(const TextLook& look) { return look.muted ? QColor(0x55, 0x55, 0x55) : QColor(0x11, 0x11, 0x11); }

void paint_swatch(QPainter& painter, const QRectF& box, const SeriesLook& look) {
  using Shape = SeriesLook::Shape;
  const QPointF middle = box.center();
  const double half = box.height() * 0.28;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  if (look.line) {
    QPen pen(look.color, (look.dashed ? 0.8 : 1.2) * units_per_point);
    if (look.dashed) pen.setDashPattern({4, 3});
    pen.setCapStyle(Qt::FlatCap);
    painter.setPen(pen);
    painter.drawLine(QPointF(box.left(), middle.y()), QPointF(box.right(), middle.y()));
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(look.color);
  const QRectF mark(middle - QPointF(half, half), QSizeF(2 * half, 2 * half));
  if (look.shape == Shape::circle) painter.drawEllipse(mark);
  if (look.shape == Shape::square) painter.drawRect(mark);
  if (look.shape == Shape::bar) painter.drawRect(QRectF(box.left(), mark.top(), box.width(), mark.height()));
  if (look.shape == Shape::diamond)
    painter.drawPolygon(QPolygonF{
        {middle.x(), mark.top()}, {mark.right(), middle.y()}, {middle.x(), mark.bottom()}, {mark.left(), middle.y()}});
  if (look.shape == Shape::triangle)
    painter.drawPolygon(QPolygonF{{middle.x(), mark.top()}, mark.bottomRight(), mark.bottomLeft()});
  painter.restore();
}

}  // namespace

ChartPicture picture_of(const PageItem& item, const PageLayout& layout) {
  return {layout.charts[item.chart], item.box.size() / units_per_point};
}

void paint_chart(QPainter& painter, const PageItem& item, const ChartPicture& picture) {
  painter.save();
  painter.translate(item.box.topLeft());
  painter.scale(units_per_point, units_per_point);
  picture.paint(painter);
  painter.restore();
}

void paint_item(QPainter& painter, const PageItem& item, const PageLayout& layout) {
  switch (item.kind) {
    case PageItem::Kind::text:
      painter.setFont(page_font(item.look));
      painter.setPen(ink_of(item.look));
      painter.drawText(QPointF(item.box.left(), item.box.top() + line_ascent(item.look)), item.text);
      return;
    case PageItem::Kind::rule:
      painter.fillRect(item.box, QColor(0x99, 0x99, 0x99));
      return;
    case PageItem::Kind::swatch:
      paint_swatch(painter, item.box, *item.swatch);
      return;
    case PageItem::Kind::chart:
      paint_chart(painter, item, picture_of(item, layout));
  }
}

}  // namespace kvantage::inline report_pages
