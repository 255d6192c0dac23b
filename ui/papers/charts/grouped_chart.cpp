#include "ui/papers/charts/grouped_chart.h"

#include <algorithm>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t max_named = 18;
constexpr double half_diamond = 6, half_cap = 5;

/// What keeps its color everywhere; invalid for any other column.
QColor known_color(const Theme& theme, const std::string& column, const QString& value) {
  if (column == "policy") return theme.policy(value);
  // Results of earlier versions have the last name.
  if (column == "method" || column == "eviction method" || column == "evictor") return theme.method(value);
  if (column == "family") return theme.family(value);
  return column == "tier" ? theme.tier(value) : QColor();
}

QString span_text(const PlottedMark& mark) {
  return mark.low == mark.high ? exact_text(mark.low)
                               : GroupedChart::tr("%1 to %2").arg(exact_text(mark.low), exact_text(mark.high));
}

QString tip_of_mark(const PlottedMark& mark) {
  return GroupedChart::tr("%1\n%2\npublished").arg(core_text(mark.label), span_text(mark));
}

}  // namespace

GroupedChart::GroupedChart(const QString& name, QWidget* parent) : FigureChart(name, parent) {
  connect(&legend(), &LegendStrip::toggled, this, [this](const QString& group, bool hidden) {
    if (hidden)
      hidden_.insert(group);
    else
      hidden_.erase(group);
    invalidate_at_once();
  });
}

void GroupedChart::set_groups(std::vector<ChartGroup> groups, std::vector<PlottedMark> marks) {
  groups_ = std::move(groups);
  marks_ = std::move(marks);
  hidden_.clear();
}

bool GroupedChart::shown(std::size_t group) const { return !hidden_.contains(to_q(groups_[group].name)); }

// Groups of one color, such as a policy's at several alphas, pale from one to the next.
QColor GroupedChart::color_of(std::size_t index) const {
  const ChartGroup& group = groups_[index];
  if (group.values.empty()) return theme().neutral(group.column);
  for (std::size_t b = 0; b < group.values.size(); ++b) {
    QColor color = known_color(theme(), plot().by[b], to_q(group.values[b]));
    if (!color.isValid()) continue;
    const auto alike = [&](const ChartGroup& other) {
      return other.column == group.column && other.values[b] == group.values[b];
    };
    const auto all = std::ranges::count_if(groups_, alike),
               before = std::count_if(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(index), alike);
    color.setAlphaF(static_cast<float>(1 - 0.65 * static_cast<double>(before) / static_cast<double>(all)));
    return color;
  }
  // One and the same for all columns of a value: dashes, shapes and hatching distinguish groups.
  std::vector<const std::vector<std::string>*> values;
  for (const ChartGroup& known : groups_) {
    if (known.values == group.values) break;
    if (std::ranges::none_of(values, [&](const auto* one) { return *one == known.values; }))
      values.push_back(&known.values);
  }
  return theme().neutral(values.size());
}

QColor GroupedChart::color_of(const PlottedMark& mark) const {
  if (!mark.group) return theme().text;
  QColor color = color_of(*mark.group);
  color.setAlphaF(1);
  return color;
}

unsigned GroupedChart::strokes_of(std::size_t group) const {
  const auto by = std::ranges::find(plot().by, "policy");
  if (by == plot().by.end()) return series_strokes(group);
  const auto place = static_cast<std::size_t>(by - plot().by.begin());
  const auto& values = groups_[group].values;
  return place < values.size() ? policy_strokes(to_q(values[place])) : 0;
}

QRectF GroupedChart::mark_box(const PlottedMark& mark) const {
  const QRectF area = chart().plotArea();
  if (mark.is_span()) {
    // No place in x: any that is on the axis will do.
    PlottedMark placed = mark;
    placed.at = 0;
    placed.group.reset();
    const double top = place_of(placed, mark.high).y(), foot = place_of(placed, mark.low).y();
    return {area.left(), top, area.width(), std::max(foot - top, 1.0)};
  }
  const QPointF low = place_of(mark, mark.low), high = place_of(mark, mark.high);
  const double half = mark.is_point() ? half_diamond : half_cap;
  const QRectF box(QPointF(high.x() - half, high.y()), QPointF(low.x() + half, low.y()));
  return mark.is_point() ? box.adjusted(0, -half, 0, half) : box;
}

void GroupedChart::paint_marks(QPainter& painter) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(chart().plotArea().adjusted(-8, -8, 8, 8));
  for (const PlottedMark& mark : marks_) {
    if (!shown(mark)) continue;
    const QColor color = color_of(mark);
    const QRectF box = mark_box(mark);
    if (mark.is_span()) {
      QColor fill = color;
      fill.setAlphaF(0.12F);
      painter.fillRect(box, fill);
      painter.setPen(QPen(color, 1, Qt::DashLine));
      painter.drawLine(box.topLeft(), box.topRight());
      painter.drawLine(box.bottomLeft(), box.bottomRight());
    } else if (mark.is_point()) {
      const QPointF at = box.center();
      painter.setPen(QPen(color, 1.6));
      painter.setBrush(theme().base);
      painter.drawPolygon(
          QPolygonF{{at.x(), box.top()}, {box.right(), at.y()}, {at.x(), box.bottom()}, {box.left(), at.y()}});
    } else {
      const double x = box.center().x();
      painter.setPen(QPen(color, 1.8, Qt::DashLine));
      painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
      painter.setPen(QPen(color, 1.4));
      painter.drawLine(box.topLeft(), box.topRight());
      painter.drawLine(box.bottomLeft(), box.bottomRight());
    }
  }
  painter.restore();
}

void GroupedChart::add_group_items(std::vector<LegendItem>& items, LegendItem::Sign sign) const {
  for (std::size_t i = 0; i < groups_.size() && i < max_named; ++i) {
    const QString id = to_q(groups_[i].name), name = core_text(groups_[i].name);
    LegendItem item{id, name,     QStringLiteral("%1 (%2)").arg(name, provenance_text(provenance())), sign, color_of(i),
                    {}, !shown(i)};
    if (sign == LegendItem::Sign::line) {
      item.dashes = line_dashes(i);
      if (plot().kind == FigurePlot::Kind::lines) item.strokes = strokes_of(i);  // steps have no markers
    }
    if (sign == LegendItem::Sign::marker) {
      item.look = look_of(provenance());
      item.strokes = strokes_of(i);
    }
    if (sign == LegendItem::Sign::swatch && bar_pattern(i) != Qt::SolidPattern) {
      item.sign = LegendItem::Sign::hatched;
      item.pattern = bar_pattern(i);
    }
    items.push_back(std::move(item));
  }
  if (groups_.size() > max_named)
    items.push_back({"",
                     tr("and %n more", nullptr, static_cast<int>(groups_.size() - max_named)),
                     tr("Hover over a point to see its line"),
                     sign,
                     theme().muted,
                     {},
                     false});
}

void GroupedChart::add_interval_item(std::vector<LegendItem>& items) const {
  if (!plot().band.empty()) {
    const QString name = core_text(plot().band);
    items.push_back({"", name, tr("Pale band: %1").arg(name), LegendItem::Sign::band, theme().muted, {}, false});
    return;
  }
  items.push_back({"",
                   tr("95 % interval"),
                   tr("Bars: 95 % interval of the mean"),
                   LegendItem::Sign::thin_line,
                   theme().muted,
                   {},
                   false});
}

void GroupedChart::add_mark_items(std::vector<LegendItem>& items) const {
  std::set<std::string> named;
  for (const PlottedMark& mark : marks_) {
    if (!named.insert(mark.label).second) continue;
    const QString text = core_text(mark.label);
    LegendItem item{"",  // a mark of a group is switched with it
                    mark.is_point() ? QStringLiteral("%1 %2").arg(QChar(0x25c7)).arg(text) : text,
                    tr("%1: published by the paper").arg(text),
                    mark.is_point()  ? LegendItem::Sign::in_text
                    : mark.is_span() ? LegendItem::Sign::band
                                     : LegendItem::Sign::dashed_line,
                    color_of(mark),
                    {},
                    !shown(mark)};
    items.push_back(std::move(item));
  }
}

void GroupedChart::add_mark_keys(PointKeys::Rows& rows) const {
  std::vector<PointStop> row;
  for (const PlottedMark& mark : marks_)
    if (!mark.is_span() && shown(mark))
      row.push_back({QStringLiteral("published"), QString::number(&mark - marks_.data()), *mark.at,
                     mark_around(mark_box(mark).center()), tip_of_mark(mark)});
  std::ranges::stable_sort(row, {}, &PointStop::along);
  if (!row.empty()) rows.push_back(std::move(row));
}

void GroupedChart::add_mark_rows(ChartTable& table) const {
  for (const PlottedMark& mark : marks_)
    table.rows.append({to_q(mark.label), to_q(plot().x), mark.at ? exact_text(*mark.at) : QString(), y_title(),
                       mark.low == mark.high ? exact_text(mark.low) : QString(), exact_text(mark.low),
                       exact_text(mark.high), QStringLiteral("published")});
}

QString GroupedChart::empty_text() const {
  if (groups_.empty()) return tr("Nothing to plot: no row has both values. See the table.");
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (shown(i)) return {};
  return tr("All lines are hidden. Click one in the legend to show it.");
}

std::vector<std::string> names_of(const std::vector<ChartGroup>& groups) {
  std::vector<std::string> names;
  names.reserve(groups.size());
  for (const ChartGroup& group : groups) names.push_back(group.name);
  return names;
}

}  // namespace kvantage
