#include "ui/charts/heat_map.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/base/units.h"
#include "ui/look/pictured.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double thinnest_row = 2;  // pixels

/// Of these rows at one removed fraction; nothing where none has a drop there.
std::optional<double> heat_map_highest_drop(std::span<const SensitivityModel::HeatRow> rows, std::size_t column) {
  std::optional<double> highest;
  for (const auto& row : rows)
    if (column < row.drops.size() && row.drops[column])
      highest = std::max(highest.value_or(*row.drops[column]), *row.drops[column]);
  return highest;
}

}  // namespace

HeatMap::HeatMap(SensitivityModel& model, QWidget* parent)
    : QAbstractScrollArea(parent), model_(model), theme_(theme_of(ThemeKind::light)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  const QString name = tr("Sensitivity heat map");
  setAccessibleName(name);
  setToolTip(
      tr("Relative quality drop of each context at each removed fraction. Right-click or press the menu key for the "
         "table and export."));
  setMinimumSize(160, 110);
  lazy_ = new LazyRefresh(
      *this,
      [this] {
        rows_ = model_.heat_rows();
        measure_labels();
        zoom_->sync();
        bring_chosen_into_view();
        viewport()->update();
      },
      100, LazyRefresh::Turns::one_a_frame);
  connect(&model_, &SensitivityModel::changed, this, [this] { lazy_->invalidate(); });
  keys_ = new PointKeys(*this, *viewport(), tr("Relative quality drop of each context at each removed fraction"),
                        [this] { return key_rows(); });
  // The keys continue from the selected context and select where they move.
  connect(keys_, &PointKeys::asked, this, [this] {
    flush();
    if (keys_->stop() || !model_.marked()) return;
    for (const auto& row : key_rows())
      if (row.front().row == model_.context()) keys_->stand(row.front());
  });
  connect(keys_, &PointKeys::moved, this, [this](const PointStop& stop) {
    const auto row = std::ranges::find(rows_, stop.row, &SensitivityModel::HeatRow::context);
    if (row != rows_.end() && !zoom_->zoomed()) bring_into_view(static_cast<int>(row - rows_.begin()));
    if (!model_.marked() || model_.context() != stop.row) model_.pick_context(stop.row);
  });
  connect(keys_, &PointKeys::entered, this, [this](const PointStop& stop) { model_.pick_context(stop.row); });
  install_chart_menu(*this, {this, name, [this] { return table(); }});
  zoom_ = new ChartZoom(*this, *viewport(), *this, name, keys_);
  zoom_->reset_button().setToolTip(tr("Show all columns, and rows in their own height (0, or double-click)"));
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    if (!placing_) scroll_to(value / row_pixels());
  });
  brush_ = new ChartBrush(*this, *viewport(), name, *keys_, [this] {
    PointKeys::Rows rows = key_rows();
    for (auto& row : rows)
      for (PointStop& stop : row) stop.id = stop.row;
    return rows;
  });
  lazy_->invalidate();
}

AxisRanges HeatMap::data_ranges() const {
  const double columns = std::max<double>(1, static_cast<double>(model_.heat_fractions().size()));
  constexpr double below = 4;  // pixels under the last row
  return {{0, columns}, {-std::max(row_count() + below / row_height(), y_page()), 0}};
}

void HeatMap::show_ranges(const AxisRanges& shown) {
  shown_ = shown;
  place_scroll_bar();
}

QRectF HeatMap::zoom_area() const {
  const double left = label_width();
  return {left, static_cast<double>(header_height()), std::max(1.0, viewport()->width() - left - 8),
          std::max(1.0, static_cast<double>(viewport()->height() - header_height()))};
}

AxisChoice HeatMap::zoom_axes() const {
  const bool any = !rows_.empty() && !model_.heat_fractions().empty();
  return {any, any};
}

double HeatMap::y_page() const { return zoom_area().height() / row_height(); }

QString HeatMap::shown_text() const {
  const auto& fractions = model_.heat_fractions();
  if (rows_.empty() || fractions.empty()) return {};
  constexpr double rounding = 1e-9;
  const auto first_of = [](double at, int count) {
    return std::clamp(static_cast<int>(std::floor(at + rounding)), 0, count - 1);
  };
  const auto last_of = [](double at, int count) {
    return std::clamp(static_cast<int>(std::ceil(at - rounding)) - 1, 0, count - 1);
  };
  const int columns = static_cast<int>(fractions.size());
  const auto removed = [&](int column) { return percent_text(fractions[static_cast<std::size_t>(column)]); };
  return tr("contexts %1 to %2 of %3, %4 to %5 removed")
      .arg(first_of(-shown_.y.upper, row_count()) + 1)
      .arg(last_of(-shown_.y.lower, row_count()) + 1)
      .arg(row_count())
      .arg(removed(first_of(shown_.x.lower, columns)), removed(last_of(shown_.x.upper, columns)));
}

// Once for a choice: whoever scrolls away afterwards stays there.
void HeatMap::bring_chosen_into_view() {
  const QString chosen = model_.marked() ? model_.context() : QString();
  if (std::exchange(brought_, chosen) == chosen || chosen.isEmpty()) return;
  const auto row = std::ranges::find(rows_, chosen, &SensitivityModel::HeatRow::context);
  if (row == rows_.end()) return;
  bring_into_view(static_cast<int>(row - rows_.begin()));
}

void HeatMap::bring_into_view(int row) {
  const double first = -shown_.y.upper, seen = shown_.y.upper - shown_.y.lower;
  if (row < first || row + 1 > first + seen) scroll_to(row + 0.5 - seen / 2);
}

void HeatMap::set_theme(const Theme& theme) {
  theme_ = theme;
  viewport()->update();
}

void HeatMap::measure_labels() {
  widest_label_ = 60;
  for (std::size_t i = 0; i < rows_.size() && i < 200; ++i)
    widest_label_ = std::max(widest_label_, fontMetrics().horizontalAdvance(rows_[i].context) + 36);
}

int HeatMap::label_width() const { return std::min(widest_label_, viewport()->width() / 2); }

void HeatMap::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  measure_labels();
  if (zoom_ != nullptr) zoom_->sync();
}

QRectF HeatMap::cell(int row, int column) const {
  const QRectF area = zoom_area();
  // Unzoomed rows are whole pixels high and stay so, whatever the division rounds.
  const auto even = [](double pixels) { return std::round(pixels * 64) / 64; };
  const double wide = area.width() / (shown_.x.upper - shown_.x.lower), high = row_pixels();
  return {area.left() + (column - shown_.x.lower) * wide, even(area.top() + (row + shown_.y.upper) * high), wide,
          std::max(even(high), 1.0 / 64)};
}

double HeatMap::row_pixels() const { return zoom_area().height() / (shown_.y.upper - shown_.y.lower); }

int HeatMap::row_at(double y) const {
  return static_cast<int>(std::floor((y - zoom_area().top()) / row_pixels() - shown_.y.upper));
}

void HeatMap::place_scroll_bar() {
  const QScopedValueRollback<bool> placing(placing_, true);
  const double high = row_pixels(), seen = zoom_area().height();
  QScrollBar& bar = *verticalScrollBar();
  bar.setPageStep(static_cast<int>(seen));
  bar.setSingleStep(std::max(1, static_cast<int>(high)));
  bar.setRange(0, std::max(0, static_cast<int>(std::lround(-data_ranges().y.lower * high - seen))));
  bar.setValue(static_cast<int>(std::lround(-shown_.y.upper * high)));
}

void HeatMap::scroll_to(double first_row) {
  zoom_->pan({0, (-first_row - shown_.y.upper) / (shown_.y.upper - shown_.y.lower)});
}

void HeatMap::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  if (zoom_ != nullptr) zoom_->sync();
}

void HeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), theme_.base);
  if (rows_.empty()) {
    painter.setPen(theme_.muted);
    painter.drawText(viewport()->rect().adjusted(20, 10, -20, -10),
                     static_cast<int>(Qt::AlignCenter) | static_cast<int>(Qt::TextWordWrap),
                     tr("No profile yet. Quality is being profiled in the background."));
    return;
  }
  paint_rows(painter);
  paint_header(painter);
  if (!shows_focus(*this)) return;
  painter.setPen(QPen(theme_.accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
}

void HeatMap::paint_rows(QPainter& painter) const {
  const auto& fractions = model_.heat_fractions();
  const QRectF area = zoom_area();
  const double high = row_pixels();
  const int line = fontMetrics().height();
  const int together = std::max(1, static_cast<int>(std::ceil(thinnest_row / high)));
  const int named = together * std::max(1, static_cast<int>(std::ceil(line / (high * together))));
  const int first = std::max(0, row_at(area.top())), end = std::min(row_count(), row_at(area.bottom()) + 1);
  painter.save();
  for (int r = first - first % together; r < end; r += together) {
    const auto rows = std::span(rows_).subspan(static_cast<std::size_t>(r),
                                               static_cast<std::size_t>(std::min(together, row_count() - r)));
    const QRectF strip(0, cell(r, 0).top(), area.left(), high * static_cast<double>(rows.size()));
    const bool selected = std::ranges::any_of(rows, [this](const SensitivityModel::HeatRow& row) {
      return (model_.marked() && row.context == model_.context()) || brush_->shown().contains(row.context);
    });
    painter.setClipRect(QRectF(0, area.top(), area.left(), area.height()));
    if (selected) {
      QColor ground = theme_.accent;
      ground.setAlphaF(0.22f);
      painter.fillRect(strip, ground);
    }
    if (r % named == 0) {
      // Of a row that is larger than what is seen, the name is in sight.
      const QRectF seen = high > 2 * line ? strip & QRectF(0, area.top(), area.left(), area.height()) : strip;
      const QRectF name(20, seen.center().y() - line / 2.0, area.left() - 24, line);
      painter.fillRect(QRectF(7, name.center().y() - 4, 8, 8), theme_.family(rows.front().family));
      painter.setPen(selected ? theme_.text : theme_.muted);
      painter.drawText(
          name, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
          fontMetrics().elidedText(rows.front().context, Qt::ElideRight, static_cast<int>(area.left()) - 26));
    }
    painter.setClipRect(area);
    for (std::size_t c = 0; c < fractions.size(); ++c) {
      QRectF box = cell(r, static_cast<int>(c));
      if (box.right() < area.left() || box.left() > area.right()) continue;
      box.setHeight(strip.height());
      box.adjust(0.5, together > 1 ? 0 : 0.5, -0.5, together > 1 ? 0 : -0.5);
      const auto drop = heat_map_highest_drop(rows, c);
      if (!drop) {
        painter.fillRect(box, QBrush(theme_.grid, Qt::BDiagPattern));
        continue;
      }
      painter.fillRect(box, theme_.heat(*drop));
      if (together > 1 || std::abs(rows.front().chosen_fraction - fractions[c]) >= 1e-6) continue;
      painter.setPen(QPen(theme_.text, 1.6));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box.adjusted(1, 1, -1, -1));
    }
  }
  painter.setClipRect(area.adjusted(-2, 0, 2, 0));
  keys_->paint(painter, theme_);
  painter.restore();
}

// Stays on top while rows scroll under it.
void HeatMap::paint_header(QPainter& painter) const {
  const auto& fractions = model_.heat_fractions();
  const int line = fontMetrics().height();
  const QRectF area = zoom_area();
  const double left = area.left();
  painter.setPen(theme_.muted);
  painter.drawText(QRectF(7, 4, left, line), Qt::AlignLeft, tr("drop"));
  const double legend_width = std::min(150.0, viewport()->width() - left - 80.0);
  for (int i = 0; i < static_cast<int>(legend_width); ++i)
    painter.fillRect(QRectF(left + 24 + i, 6, 1.5, line - 5), theme_.heat(i / legend_width));
  painter.drawText(QRectF(left, 4, 22, line), Qt::AlignRight, QStringLiteral("0"));
  painter.drawText(QRectF(left + 28 + legend_width, 4, 60, line), Qt::AlignLeft, QStringLiteral("1"));
  painter.drawText(QRectF(7, line + 7, left - 10, line), Qt::AlignLeft, tr("removed"));
  painter.save();
  painter.setClipRect(QRectF(left, 0, area.width(), header_height()));
  for (int c = 0; c < static_cast<int>(fractions.size()); ++c) {
    QRectF head = cell(0, c);
    head.moveTop(line + 7);
    head.setHeight(line);
    const double fraction = fractions[static_cast<std::size_t>(c)];
    painter.setPen(std::abs(fraction - model_.removed_fraction()) < 1e-6 ? theme_.accent : theme_.muted);
    painter.drawText(head, Qt::AlignCenter,
                     head.width() > 42 ? percent_text(fraction) : QString::number(std::lround(fraction * 100)));
  }
  painter.restore();
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
  const int row = row_at(event->position().y());
  if (event->button() == Qt::LeftButton && event->pos().y() > header_height() && row >= 0 && row < row_count())
    model_.pick_context(rows_[static_cast<std::size_t>(row)].context);
}

QString HeatMap::cell_tip(const SensitivityModel::HeatRow& row, int column) const {
  const auto& drop = row.drops[static_cast<std::size_t>(column)];
  const QString removed = percent_text(model_.heat_fractions()[static_cast<std::size_t>(column)]);
  if (!drop)
    return tr("%1 (%2), %3, %4 removed: no drop, as it is not profiled or its uncompressed quality is 0")
        .arg(row.context, row.family, model_.method(), removed);
  return tr("%1 (%2), %3, %4 removed: drop %5")
      .arg(row.context, row.family, model_.method(), removed, to_q(format_fixed(*drop, 3)));
}

// A row for each context, a stop for each removed fraction.
PointKeys::Rows HeatMap::key_rows() const {
  PointKeys::Rows rows;
  const int columns = static_cast<int>(model_.heat_fractions().size());
  if (columns == 0) return rows;
  for (int r = 0; r < row_count(); ++r) {
    const auto& row = rows_[static_cast<std::size_t>(r)];
    if (static_cast<int>(row.drops.size()) != columns) return {};
    auto& stops = rows.emplace_back();
    for (int c = 0; c < columns; ++c)
      stops.push_back(
          {row.context, {}, static_cast<double>(c), cell(r, c).adjusted(0.5, 0.5, -0.5, -0.5), {}, [this, r, c] {
             return cell_tip(rows_[static_cast<std::size_t>(r)], c);
           }});
  }
  return rows;
}

bool HeatMap::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int r = row_at(help->pos().y());
  const std::size_t columns = model_.heat_fractions().size();  // other ones than in rows_ until the next refresh
  if (zoom_area().contains(help->pos()) && r >= 0 && r < row_count() &&
      rows_[static_cast<std::size_t>(r)].drops.size() == columns)
    for (int c = 0; c < static_cast<int>(columns); ++c) {
      if (!cell(r, c).contains(help->pos())) continue;
      QToolTip::showText(help->globalPos(), cell_tip(rows_[static_cast<std::size_t>(r)], c), this);
      return true;
    }
  QToolTip::hideText();
  return true;
}

ChartTable HeatMap::table() const {
  ChartTable table{{"context", "family"}, {}};
  for (const double fraction : model_.heat_fractions())
    table.header << QStringLiteral("drop_at_removed_%1").arg(fraction);
  for (const auto& row : model_.heat_rows()) {
    QStringList cells = {row.context, row.family};
    for (const auto& drop : row.drops) cells << (drop ? QString::number(*drop, 'g', 9) : QString());
    table.rows.append(cells);
  }
  return table;
}

}  // namespace kvantage
