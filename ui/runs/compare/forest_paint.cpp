#include "ui/runs/compare/forest_paint.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "core/report/plot_axes.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct ForestPaintText {
  Q_DECLARE_TR_FUNCTIONS(ForestPaintText)
};

constexpr double forest_margin = 12, forest_radius = 4.5, forest_cap = 3, forest_letter_gap = 4;
constexpr double forest_small_text = 0.85;  // of the text's size

void draw_forest_shape(QPainter& painter, const QPointF& at, const ForestLook& look, const QColor& ground) {
  const double r = forest_radius;
  painter.setPen(QPen(look.color, 1.4));
  painter.setBrush(look.filled ? look.color : ground);
  QPolygonF triangle;
  switch (look.shape) {
    case ForestShape::triangle_up:
      triangle << at + QPointF(0, -r) << at + QPointF(r, r * 0.8) << at + QPointF(-r, r * 0.8);
      painter.drawPolygon(triangle);
      break;
    case ForestShape::triangle_down:
      triangle << at + QPointF(0, r) << at + QPointF(r, -r * 0.8) << at + QPointF(-r, -r * 0.8);
      painter.drawPolygon(triangle);
      break;
    case ForestShape::ring:
      painter.drawEllipse(at, r * 0.8, r * 0.8);
      break;
    case ForestShape::cross:
      painter.drawLine(at + QPointF(-r, -r) * 0.7, at + QPointF(r, r) * 0.7);
      painter.drawLine(at + QPointF(-r, r) * 0.7, at + QPointF(r, -r) * 0.7);
      break;
  }
}

/// A cap where the interval ends within the axis, an arrow where it reaches beyond.
void draw_forest_end(QPainter& painter, const ForestAxis& axis, double value, double y) {
  const double x = axis.at(value);
  if (axis.holds(value)) {
    painter.drawLine(QPointF(x, y - forest_cap), QPointF(x, y + forest_cap));
    return;
  }
  const double back = value > 0 ? -forest_cap : forest_cap;
  painter.drawLine(QPointF(x, y), QPointF(x + back, y - forest_cap));
  painter.drawLine(QPointF(x, y), QPointF(x + back, y + forest_cap));
}

void draw_forest_mark(QPainter& painter, const ForestAxis& axis, double y, const ForestMark& mark,
                      const ForestLook& look, const Theme& theme, const QString& letter) {
  double right = axis.at(mark.difference) + forest_radius;
  painter.setPen(QPen(look.color, 1.4));
  if (mark.interval) {
    painter.drawLine(QPointF(axis.at(mark.interval->low), y), QPointF(axis.at(mark.interval->high), y));
    draw_forest_end(painter, axis, mark.interval->low, y);
    draw_forest_end(painter, axis, mark.interval->high, y);
    right = std::max(right, axis.at(mark.interval->high));
  }
  draw_forest_shape(painter, QPointF(axis.at(mark.difference), y), look, theme.base);
  if (!axis.holds(mark.difference)) draw_forest_end(painter, axis, mark.difference, y);
  if (letter.isEmpty()) return;
  painter.setPen(theme.text);
  const QFontMetricsF text(painter.font());
  const double wide = text.horizontalAdvance(letter);
  const double x = std::min(right + forest_letter_gap, axis.right + forest_margin - wide - 1);
  painter.drawText(QPointF(x, y + text.ascent() / 2 - 1), letter);
}

QFont small_forest_font(const QPainter& painter) {
  QFont font = painter.font();
  if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * forest_small_text);
  return font;
}

}  // namespace

ForestLook forest_look(Judgment judgment, const Theme& theme) {
  switch (judgment) {
    case Judgment::better:
      return {ForestShape::triangle_up, true, theme.good};
    case Judgment::worse:
      return {ForestShape::triangle_down, true, theme.error};
    case Judgment::no_difference:
    case Judgment::same:
      return {ForestShape::ring, false, theme.muted};
    default:
      return {ForestShape::cross, false, theme.muted};
  }
}

std::vector<LegendItem> forest_legend(const Theme& theme) {
  const auto item = [](QChar sign, const QString& text, const QString& tip, const QColor& color) {
    return LegendItem{{}, sign + QStringLiteral(" ") + text, tip, LegendItem::Sign::in_text, color};
  };
  return {item(QChar(0x25b2), ForestPaintText::tr("better"),
               ForestPaintText::tr("Significantly better: the 95 % interval excludes 0"),
               forest_look(Judgment::better, theme).color),
          item(QChar(0x25bc), ForestPaintText::tr("worse"),
               ForestPaintText::tr("Significantly worse: the 95 % interval excludes 0"),
               forest_look(Judgment::worse, theme).color),
          item(QChar(0x25cb), ForestPaintText::tr("not significant"),
               ForestPaintText::tr("Not significant: the 95 % interval includes 0"),
               forest_look(Judgment::no_difference, theme).color),
          item(QChar(0x00d7), ForestPaintText::tr("not judged"),
               ForestPaintText::tr(
                   "One value per run, times of single runs, an incomplete run, a disturbed machine, answers "
                   "no better than chance, or no interval"),
               forest_look(Judgment::single, theme).color)};
}

double ForestAxis::at(double value) const {
  const double share = (std::clamp(value, -limit, limit) + limit) / (2 * limit);
  return left + share * (right - left);
}

ForestAxis forest_axis(const QRectF& cell, double limit) {
  return {cell.left() + forest_margin, std::max(cell.right() - forest_margin, cell.left() + forest_margin + 1), limit};
}

void draw_forest_row(QPainter& painter, const QRectF& cell, const ForestModel& model, int row, const Theme& theme) {
  painter.save();
  painter.setClipRect(cell, Qt::IntersectClip);
  const ForestAxis axis = forest_axis(cell, model.limit());
  for (const double tick : model.ticks()) {
    painter.setPen(QPen(std::abs(tick) < 1e-12 ? theme.muted : theme.grid, 1));
    painter.drawLine(QPointF(axis.at(tick), cell.top()), QPointF(axis.at(tick), cell.bottom()));
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(small_forest_font(painter));
  const std::vector<ForestMark> marks = model.marks(row);
  const double step = cell.height() / static_cast<double>(marks.size() + 1);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    ForestLook look = forest_look(marks[i].judgment, theme);
    QString letter;
    if (model.plots_all()) {
      look.color = theme.policy(to_q(model.comparison().policies[marks[i].side]));
      letter = RunComparisonModel::letter(static_cast<int>(marks[i].side));
    }
    draw_forest_mark(painter, axis, cell.top() + step * static_cast<double>(i + 1), marks[i], look, theme, letter);
  }
  painter.restore();
}

void draw_forest_ticks(QPainter& painter, const QRectF& header, const ForestModel& model, const Theme& theme) {
  painter.save();
  painter.setFont(small_forest_font(painter));
  painter.setPen(theme.muted);
  const QFontMetricsF text(painter.font());
  const ForestAxis axis = forest_axis(header, model.limit());
  const std::vector<double>& ticks = model.ticks();
  const double step = ticks[1] - ticks[0];
  std::vector<QString> labels;
  labels.reserve(ticks.size());
  double widest = 1;
  for (const double tick : ticks) {
    labels.push_back(to_q(tick_text(100 * tick, 100 * step)) + QStringLiteral(" %"));
    widest = std::max(widest, text.horizontalAdvance(labels.back()));
  }
  // As many as have room, 0 among them.
  const double apart = std::max(1.0, axis.at(ticks[1]) - axis.at(ticks[0]));
  const auto stride = static_cast<std::ptrdiff_t>(std::ceil((widest + 6) / apart));
  const auto zero = static_cast<std::ptrdiff_t>(ticks.size() / 2);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if ((static_cast<std::ptrdiff_t>(i) - zero) % stride != 0) continue;
    const double wide = text.horizontalAdvance(labels[i]);
    const double x = std::max(header.left() + 1, std::min(axis.at(ticks[i]) - wide / 2, header.right() - wide - 1));
    painter.drawText(QPointF(x, header.bottom() - text.descent() - 2), labels[i]);
  }
  painter.restore();
}

}  // namespace kvantage
