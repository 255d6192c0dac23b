#include "ui/papers/charts/figure_heat_map.h"

#include <QFontMetrics>
#include <algorithm>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

QString number_text_of(double value) { return to_q(figure_cell_text(Json(value))); }

}  // namespace

FigureHeatMap::FigureHeatMap(QWidget* parent)
    : FigureChart(tr("Heat map of a figure"), parent),
      column_axis_(new QBarCategoryAxis),
      row_axis_(new QBarCategoryAxis) {
  for (QBarCategoryAxis* axis : {column_axis_, row_axis_}) axis->setGridLineVisible(false);
  chart().addAxis(column_axis_, Qt::AlignBottom);
  chart().addAxis(row_axis_, Qt::AlignLeft);
  auto* anchor = new QLineSeries;  // an axis without a series is not drawn
  anchor->setPen(Qt::NoPen);
  chart().addSeries(anchor);
  anchor->attachAxis(column_axis_);
  anchor->attachAxis(row_axis_);
  allow_low(60);
  set_theme(theme());
}

void FigureHeatMap::take(const FigureResult& result, std::size_t table) {
  cells_ = plotted_cells(result.tables[table]);
}

QRectF FigureHeatMap::cell_box(std::size_t row, std::size_t column) const {
  const QRectF area = chart().plotArea();
  const double wide = area.width() / std::max(1, columns_.count), high = area.height() / std::max(1, rows_.count);
  const double from_left = static_cast<double>(column) - columns_.first,
               from_below = static_cast<double>(cells_.rows.size() - 1 - row) - rows_.first;
  return {area.left() + from_left * wide, area.bottom() - (from_below + 1) * high, wide, high};
}

QColor FigureHeatMap::color_of(std::size_t row, std::size_t column) const {
  const auto& number = value(row, column);
  if (!number) return {};
  return theme().heat(cells_.high > cells_.low ? (*number - cells_.low) / (cells_.high - cells_.low) : 0.5);
}

void FigureHeatMap::refresh() {
  set_legend();  // first, as names have the room that it leaves
  set_names();
}

// More room for names where fewer are shown.
void FigureHeatMap::shown_changed() {
  columns_ = shown_places(*column_axis_);
  rows_ = shown_places(*row_axis_);
  set_column_names();
}

void FigureHeatMap::set_column_names() { fit_names(*column_axis_, cells_.columns); }

void FigureHeatMap::set_names() {
  column_axis_->setTitleText(axis_title(x_title()).toHtmlEscaped());
  row_axis_->setTitleText(axis_title(y_title()).toHtmlEscaped());
  set_column_names();
  QStringList rows = axis_names(cells_.rows, 24);
  std::ranges::reverse(rows);  // an axis counts from below
  set_categories(*row_axis_, rows);
}

void FigureHeatMap::set_legend() {
  std::vector<LegendItem> items;
  if (!cells_.values.empty()) {
    if (compact()) items.push_back(axes_item());
    const QString name = core_text(plot().y.back());
    const double middle = (cells_.low + cells_.high) / 2;
    const auto swatch = [&](const QString& text, double share) {
      items.push_back({"",
                       text,
                       tr("Color scale: %1 (%2)").arg(name, provenance_text(provenance())),
                       LegendItem::Sign::swatch,
                       theme().heat(share),
                       {},
                       false});
    };
    swatch(tr("%1: %2").arg(name, number_text_of(cells_.low)), cells_.high > cells_.low ? 0 : 0.5);
    if (cells_.high > cells_.low) {
      swatch(number_text_of(middle), 0.5);
      swatch(number_text_of(cells_.high), 1);
    }
    if (std::ranges::any_of(cells_.values, [](const auto& one) { return !one; }))
      items.push_back({"",
                       tr("no value"),
                       tr("The table has no number for this cell"),
                       LegendItem::Sign::hatched,
                       theme().muted,
                       {},
                       false});
  }
  legend().set_items(std::move(items));
}

void FigureHeatMap::paint_over(QPainter& painter) {
  if (cells_.values.empty()) return;
  painter.save();
  const QRectF area = chart().plotArea();
  painter.setClipRect(area.adjusted(-1, -1, 1, 1));
  const QFontMetrics metrics(column_axis_->labelsFont());
  painter.setFont(column_axis_->labelsFont());
  for (std::size_t r = 0; r < cells_.rows.size(); ++r)
    for (std::size_t c = 0; c < cells_.columns.size(); ++c) {
      const QRectF box = cell_box(r, c).adjusted(0.5, 0.5, -0.5, -0.5);
      if (!box.intersects(area)) continue;
      const QColor color = color_of(r, c);
      if (!color.isValid()) {
        painter.fillRect(box, QBrush(theme().grid, Qt::BDiagPattern));
        continue;
      }
      painter.fillRect(box, color);
      const QString text = number_text_of(*value(r, c));
      if (metrics.horizontalAdvance(text) + 6 > box.width() || metrics.height() > box.height()) continue;
      painter.setPen(color.lightnessF() > 0.55F ? QColor(Qt::black) : QColor(Qt::white));
      painter.drawText(box, static_cast<int>(Qt::AlignCenter), text);
    }
  painter.restore();
}

QString FigureHeatMap::tip_of(std::size_t row, std::size_t column) const {
  const auto& number = value(row, column);
  return QStringLiteral("%1: %2\n%3: %4\n%5: %6\n%7")
      .arg(y_title(), core_text(cells_.rows[row]), x_title(), core_text(cells_.columns[column]),
           core_text(plot().y.back()), number ? exact_text(*number) : tr("no value"), provenance_text(provenance()));
}

QString FigureHeatMap::tip_at(const QPointF& at) const {
  if (!chart().plotArea().contains(at)) return {};
  for (std::size_t r = 0; r < cells_.rows.size(); ++r)
    for (std::size_t c = 0; c < cells_.columns.size(); ++c)
      if (cell_box(r, c).contains(at)) return tip_of(r, c);
  return {};
}

PointKeys::Rows FigureHeatMap::key_rows() const {
  PointKeys::Rows rows;
  for (std::size_t r = 0; r < cells_.rows.size(); ++r) {
    auto& row = rows.emplace_back();
    for (std::size_t c = 0; c < cells_.columns.size(); ++c)
      row.push_back({to_q(cells_.rows[r]),
                     {},
                     static_cast<double>(c),
                     cell_box(r, c).adjusted(0.5, 0.5, -0.5, -0.5),
                     {},
                     [this, r, c] { return tip_of(r, c); }});
  }
  return rows;
}

QString FigureHeatMap::empty_text() const {
  return cells_.values.empty() ? tr("Nothing to plot: no row has a number. See the table.") : QString();
}

ChartTable FigureHeatMap::table() const {
  ChartTable table{{"row", "row_value", "x", "x_value", "value", "number", "provenance"}, {}};
  for (std::size_t r = 0; r < cells_.rows.size(); ++r)
    for (std::size_t c = 0; c < cells_.columns.size(); ++c)
      if (value(r, c))
        table.rows.append({to_q(plot().y.front()), to_q(cells_.rows[r]), to_q(plot().x), to_q(cells_.columns[c]),
                           to_q(plot().y.back()), exact_text(*value(r, c)),
                           QString::fromLatin1(to_string(provenance()))});
  return table;
}

}  // namespace kvantage
