#include "ui/charts/time_line_chart.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "ui/charts/ticks.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/slice_paint.h"

namespace kvantage {
namespace {

constexpr double min_box = 1, highest_box = 34;  // pixels

/// "ms" of "from ms" and "to ms"; empty where they do not agree.
QString unit_of(const FigurePlot& plot) {
  if (plot.y.size() != 3) return {};
  const auto last_word = [](const std::string& name) { return to_q(name).section(' ', -1); };
  return last_word(plot.y[1]) == last_word(plot.y[2]) ? last_word(plot.y[1]) : QString();
}

}  // namespace

TimeLineChart::TimeLineChart(QWidget* parent)
    : FigureChart(tr("Timeline of a figure"), parent), time_axis_(new QValueAxis), lane_axis_(new QCategoryAxis) {
  time_axis_->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(time_axis_, Qt::AlignBottom);
  chart().addAxis(lane_axis_, Qt::AlignLeft);
  auto* anchor = new QLineSeries;  // an axis without a series is not drawn
  anchor->setPen(Qt::NoPen);
  chart().addSeries(anchor);
  anchor->attachAxis(time_axis_);
  anchor->attachAxis(lane_axis_);
  allow_low(60);
  set_theme(theme());
}

void TimeLineChart::take(const FigureResult& result, std::size_t shown) {
  const FigureTable& from = result.tables[shown];
  unit_ = unit_of(plot());
  spans_ = plotted_spans(from);
  lanes_.clear();
  kinds_.clear();
  begin_ = end_ = 0;
  for (const FigureTable& table : result.tables)
    for (const PlottedSpan& span : plotted_spans(table)) {
      if (const QString lane = to_q(span.lane); !lanes_.contains(lane)) lanes_ << lane;
      if (const QString kind = to_q(span.kind); !kind.isEmpty() && !kinds_.contains(kind)) kinds_ << kind;
      begin_ = std::min(begin_, span.begin);
      end_ = std::max(end_, span.end);
    }
  if (!(end_ > begin_)) end_ = begin_ + 1;
  index_lanes();
}

void TimeLineChart::index_lanes() {
  by_lane_.assign(static_cast<std::size_t>(lanes_.size()), {});
  std::unordered_map<std::string, std::size_t> places;  // a look-up a name, not a span
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const auto [place, fresh] = places.try_emplace(spans_[i].lane, 0);
    if (fresh) place->second = static_cast<std::size_t>(std::max<qsizetype>(0, lanes_.indexOf(to_q(place->first))));
    by_lane_[place->second].spans.push_back(i);
  }
  for (Lane& lane : by_lane_) {
    std::ranges::stable_sort(lane.spans, {}, [this](std::size_t i) { return spans_[i].begin; });
    std::vector<QPointF> ends;
    ends.reserve(lane.spans.size());
    lane.latest.reserve(lane.spans.size());
    for (const std::size_t i : lane.spans) {
      ends.emplace_back(spans_[i].begin, spans_[i].end);
      lane.latest.push_back(lane.latest.empty() ? spans_[i].end : std::max(lane.latest.back(), spans_[i].end));
    }
    lane.ends = MinMaxPyramid(ends);
  }
}

std::vector<std::size_t> TimeLineChart::seen(std::size_t index, double begin, double end) const {
  const Lane& lane = by_lane_[index];
  const int columns = std::clamp(static_cast<int>(chart().plotArea().width()), 100, 4000);
  const auto first = static_cast<std::size_t>(std::ranges::lower_bound(lane.latest, begin) - lane.latest.begin());
  const std::size_t last = lane.ends.first_behind(end);
  std::vector<std::size_t> found;
  if (first >= last) return found;
  if (last - first <= 4 * static_cast<std::size_t>(columns)) {
    for (std::size_t at = first; at < last; ++at)
      if (spans_[lane.spans[at]].end >= begin) found.push_back(lane.spans[at]);
  } else {
    const auto add = [&](std::size_t from, std::size_t to) {
      if (const auto both = lane.ends.extremes(from, to)) found.push_back(lane.spans[both->highest]);
    };
    std::size_t at = std::min(std::max(first, lane.ends.first_at(begin)), last);
    add(first, at);  // which began before
    for (int column = 0; column < columns; ++column) {
      const std::size_t next = column + 1 == columns
                                   ? last
                                   : std::clamp(lane.ends.first_at(column_end(begin, end, columns, column)), at, last);
      add(at, next);
      at = next;
    }
  }
  std::ranges::sort(found);  // the later in the table is on top
  return found;
}

QRectF TimeLineChart::lane_box(qsizetype lane) const {
  const QRectF area = chart().plotArea();
  const double high = area.height() / static_cast<double>(std::max<qsizetype>(1, lanes_.size()));
  return {area.left(), area.top() + static_cast<double>(lane) * high, area.width(), high};
}

double TimeLineChart::x_of(double time) const {
  const QRectF area = chart().plotArea();
  return area.left() + area.width() * (time - time_axis_->min()) / (time_axis_->max() - time_axis_->min());
}

QRectF TimeLineChart::slice(const PlottedSpan& span) const {
  return slice(static_cast<std::size_t>(std::max<qsizetype>(0, lanes_.indexOf(to_q(span.lane)))), span);
}

QRectF TimeLineChart::slice(std::size_t index, const PlottedSpan& span) const {
  const QRectF lane = lane_box(static_cast<qsizetype>(index));
  const double left = x_of(span.begin), high = std::min(lane.height() - 6, highest_box);
  return {left, lane.center().y() - high / 2, std::max(min_box, x_of(span.end) - left), high};
}

QColor TimeLineChart::color_of(const PlottedSpan& span) const { return theme().neutral(kind_of(span)); }

Qt::BrushStyle TimeLineChart::pattern_of(const PlottedSpan& span) const { return bar_pattern(kind_of(span)); }

std::size_t TimeLineChart::kind_of(const PlottedSpan& span) const {
  return static_cast<std::size_t>(std::max<qsizetype>(0, kinds_.indexOf(to_q(span.kind))));
}

void TimeLineChart::refresh() {
  time_axis_->setTitleText(core_text(plot().x).toHtmlEscaped());
  set_round_ticks(*time_axis_, begin_, end_ + 0.01 * (end_ - begin_), 9);
  const auto old = lane_axis_->categoriesLabels();
  for (const QString& label : old) lane_axis_->remove(label);
  lane_axis_->setRange(0, static_cast<double>(std::max<qsizetype>(1, lanes_.size())));
  for (qsizetype lane = lanes_.size(); lane-- > 0;)
    lane_axis_->append(core_text(lanes_[lane]).toHtmlEscaped(), static_cast<double>(lanes_.size() - lane));
  std::vector<LegendItem> items;
  for (const QString& kind : kinds_) {
    const Qt::BrushStyle hatching = bar_pattern(items.size());
    items.push_back({"",
                     core_text(kind),
                     QStringLiteral("%1 (%2)").arg(core_text(kind), provenance_text(provenance())),
                     hatching == Qt::SolidPattern ? LegendItem::Sign::swatch : LegendItem::Sign::hatched,
                     theme().neutral(items.size()),
                     {},
                     false,
                     0,
                     {},
                     hatching});
  }
  if (compact() && !spans_.empty())  // which leaves no room for the axis' title
    items.push_back(
        {"", core_text(plot().x), tr("Axis of the chart"), LegendItem::Sign::thin_line, theme().muted, {}, false});
  if (!plot().by.empty() && !spans_.empty())
    items.push_back({"",
                     tr("on a bar: %1").arg(core_text(plot().by.front())),
                     tr("Label on a bar that is wide enough"),
                     LegendItem::Sign::swatch,
                     theme().grid,
                     {},
                     false});
  legend().set_items(std::move(items));
}

void TimeLineChart::paint_over(QPainter& painter) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(chart().plotArea().adjusted(-1, -1, 1, 1));
  for (std::size_t lane = 0; lane < by_lane_.size(); ++lane)
    for (const std::size_t i : seen(lane, time_axis_->min(), time_axis_->max())) {
      const PlottedSpan& span = spans_[i];
      const Qt::BrushStyle hatching = pattern_of(span);
      paint_slice(painter, theme(), slice(lane, span),
                  {color_of(span), to_q(span.label), hatching != Qt::SolidPattern, 3, hatching});
    }
  if (const double zero = x_of(0); time_axis_->min() < 0 && !spans_.empty()) {
    painter.setPen(QPen(theme().text, 1, Qt::DashLine));
    painter.drawLine(QPointF(zero, chart().plotArea().top()), QPointF(zero, chart().plotArea().bottom()));
  }
  painter.restore();
}

QString TimeLineChart::tip_of(const PlottedSpan& span) const {
  const auto time = [this](double value) { return (QString::number(value, 'g', 6) + ' ' + unit_).trimmed(); };
  QString what = core_text(span.lane);
  if (!span.kind.empty()) what += QStringLiteral(": ") + core_text(span.kind);
  if (!span.label.empty()) what += QStringLiteral(", %1 %2").arg(core_text(plot().by.front()), to_q(span.label));
  return tr("%1\nfrom %2 to %3: %4\n%5")
      .arg(what, time(span.begin), time(span.end), time(span.end - span.begin), provenance_text(provenance()));
}

QString TimeLineChart::tip_at(const QPointF& at) const {
  const QRectF area = chart().plotArea();
  if (!(area.width() > 0)) return {};
  const double range = time_axis_->max() - time_axis_->min(), reach = range / area.width() * (min_box + 1),
               time = time_axis_->min() + (at.x() - area.left()) / area.width() * range;
  for (std::size_t lane = 0; lane < by_lane_.size(); ++lane) {
    if (!lane_box(static_cast<qsizetype>(lane)).contains(at)) continue;
    const std::vector<std::size_t> near = seen(lane, time - reach, time + reach);
    for (auto i = near.rbegin(); i != near.rend(); ++i)  // the last one painted is on top
      if (slice(lane, spans_[*i]).adjusted(-1, 0, 1, 0).contains(at)) return tip_of(spans_[*i]);
  }
  return {};
}

// A row for each lane, in order of time; of many bars those that are seen.
PointKeys::Rows TimeLineChart::key_rows() const {
  constexpr std::size_t many = 2000;
  PointKeys::Rows rows;
  for (std::size_t lane = 0; lane < by_lane_.size(); ++lane) {
    const std::vector<std::size_t> places =
        by_lane_[lane].spans.size() <= many ? by_lane_[lane].spans : seen(lane, time_axis_->min(), time_axis_->max());
    std::vector<PointStop> row;
    row.reserve(places.size());
    for (const std::size_t i : places)
      row.push_back({lanes_[static_cast<qsizetype>(lane)],
                     QString::number(i),
                     spans_[i].begin,
                     slice(lane, spans_[i]).adjusted(-1, -1, 1, 1),
                     {},
                     [this, i] { return i < spans_.size() ? tip_of(spans_[i]) : QString(); }});
    std::ranges::stable_sort(row, {}, &PointStop::along);
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

QString TimeLineChart::empty_text() const {
  return spans_.empty() ? tr("Nothing to plot: no row has both a start and an end. See the table.") : QString();
}

ChartTable TimeLineChart::table() const {
  ChartTable table{{"lane", "kind", "label", "begin", "end", "unit", "provenance"}, {}};
  table.plot = {"begin", {"end"}, true};
  const auto number = [](double value) { return QString::number(value, 'g', 9); };
  for (const PlottedSpan& span : spans_)
    table.rows.append({to_q(span.lane), to_q(span.kind), to_q(span.label), number(span.begin), number(span.end), unit_,
                       QString::fromLatin1(to_string(provenance()))});
  return table;
}

}  // namespace kvantage
