#include "ui/live/pool/pool_chart.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/ticks.h"
#include "ui/session/held_end.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double pass_mark_height = 10, room_above = 1.08, least_top_ms = 1.0 / 16;

/// Counts as the text above the chart has them: "1,368".
QString value_text(const PoolGauge& gauge, double value) {
  return gauge.whole ? QLocale(QLocale::English).toString(std::llround(value)) : number_text(value);
}

/// Between two samples a gauge is what the first one says: a ramp would show values that nobody measured.
QList<QPointF> steps_of(const QList<QPointF>& sampled) {
  QList<QPointF> steps;
  const auto extend = [&steps](const QPointF& to) {
    const bool flat = steps.size() > 1 && steps.back().y() == to.y() && steps[steps.size() - 2].y() == to.y();
    if (flat)
      steps.back() = to;
    else
      steps.append(to);
  };
  for (const QPointF& point : sampled) {
    if (!steps.isEmpty() && steps.back().y() != point.y()) extend({point.x(), steps.back().y()});
    extend(point);
  }
  return steps;
}

double number(std::uint64_t count) { return static_cast<double>(count); }

std::vector<PoolGauge> occupancy_gauges() {
  return {{QStringLiteral("blocks"),
           PoolChart::tr("Blocks"),
           PoolChart::tr("Blocks"),
           {{PoolChart::tr("in use"), PoolChart::tr("Blocks in at least one block table"),
             [](const PoolReport& pool) { return number(pool.live_blocks); }},
            {PoolChart::tr("held by requests"),
             PoolChart::tr("Blocks in the caches of requests in flight; a shared block counts in each, so this can be "
                           "more than is in use"),
             [](const PoolReport& pool) {
               return pool.block_bytes == 0 ? 0 : number(pool.request_bytes) / number(pool.block_bytes);
             }},
            {PoolChart::tr("shared"), PoolChart::tr("Blocks in more than one block table"),
             [](const PoolReport& pool) { return number(pool.shared_blocks); }}}},
          {QStringLiteral("slots"),
           PoolChart::tr("Slots"),
           PoolChart::tr("Slots"),
           {{PoolChart::tr("live"), PoolChart::tr("KV entries of requests in flight, over all layers and heads"),
             [](const PoolReport& pool) { return number(pool.live_slots); }},
            {PoolChart::tr("dead"), PoolChart::tr("Evicted KV entries whose block is not freed"),
             [](const PoolReport& pool) { return number(pool.dead_slots); }},
            {PoolChart::tr("shared"), PoolChart::tr("Live slots in blocks of more than one block table"),
             [](const PoolReport& pool) { return number(pool.shared_slots); }}}},
          {QStringLiteral("budget"),
           PoolChart::tr("Budget occupancy"),
           PoolChart::tr("Budget occupancy (%)"),
           {{PoolChart::tr("budget in use"),
             PoolChart::tr("KV entries of requests with a decode budget, as a share of what their budgets allow"),
             [](const PoolReport& pool) {
               return 100 * budget_occupancy(pool).value_or(std::numeric_limits<double>::quiet_NaN());
             }}},
           false,
           100 * room_above}};
}

std::vector<PoolGauge> count_gauges() {
  return {{QStringLiteral("evicted"),
           PoolChart::tr("KV entries evicted"),
           PoolChart::tr("KV entries"),
           {{PoolChart::tr("evicted"), PoolChart::tr("KV entries evicted in this run"),
             [](const PoolReport& pool) { return number(decoding_so_far(pool).evicted_entries); }}}},
          {QStringLiteral("freed"),
           PoolChart::tr("Blocks freed"),
           PoolChart::tr("Blocks"),
           {{PoolChart::tr("by eviction"), PoolChart::tr("Blocks whose last KV entry was evicted, in this run"),
             [](const PoolReport& pool) { return number(decoding_so_far(pool).blocks_freed); }},
            {PoolChart::tr("by compaction"), PoolChart::tr("Blocks that compaction emptied in this run"),
             [](const PoolReport& pool) { return number(decoding_so_far(pool).compactions.blocks_freed); }}}},
          {QStringLiteral("copies"),
           PoolChart::tr("Compaction copies"),
           PoolChart::tr("KV entries"),
           {{PoolChart::tr("moved"), PoolChart::tr("KV entries that compaction moved in this run"),
             [](const PoolReport& pool) { return number(decoding_so_far(pool).compactions.slot_copies); }}}},
          {QStringLiteral("passes"),
           PoolChart::tr("Compaction passes"),
           PoolChart::tr("Passes"),
           {{PoolChart::tr("passes"), PoolChart::tr("Compaction passes in this run"),
             [](const PoolReport& pool) { return number(decoding_so_far(pool).compactions.passes); }}}}};
}

std::vector<PoolGauge> cost_gauges() {
  return {{QStringLiteral("seconds"),
           PoolChart::tr("Time of eviction"),
           PoolChart::tr("Time (ms)"),
           {{PoolChart::tr("compaction"), PoolChart::tr("Time of all compaction passes in this run, in ms"),
             [](const PoolReport& pool) { return 1e3 * decoding_so_far(pool).compactions.seconds; }},
            {PoolChart::tr("choosing"), PoolChart::tr("Time of choosing what to evict in this run, in ms"),
             [](const PoolReport& pool) { return 1e3 * decoding_so_far(pool).deciding_seconds; }}},
           false,
           least_top_ms},
          {QStringLiteral("scores"),
           PoolChart::tr("Score buffer"),
           PoolChart::tr("Score buffer (KiB)"),
           {{PoolChart::tr("score buffer"),
             PoolChart::tr("Maximum attention weights in memory for one answer, in KiB; 0 for methods that read none"),
             [](const PoolReport& pool) { return number(decoding_so_far(pool).score_buffer_bytes) / 1024; }}},
           false},
          {QStringLiteral("step"),
           PoolChart::tr("Decoding step"),
           PoolChart::tr("Step (ms)"),
           {{PoolChart::tr("decoding step"),
             PoolChart::tr("Mean time to decode one token of all requests in flight, in ms"),
             [](const PoolReport& pool) {
               return pool.step_seconds > 0 ? 1e3 * pool.step_seconds : std::numeric_limits<double>::quiet_NaN();
             }}},
           false,
           least_top_ms}};
}

}  // namespace

const std::vector<PoolGauge>& pool_chart_gauges() {
  static const std::vector<PoolGauge> all = [] {
    std::vector<PoolGauge> gauges = occupancy_gauges();
    for (const std::vector<PoolGauge>& more : {count_gauges(), cost_gauges()})
      gauges.insert(gauges.end(), more.begin(), more.end());
    return gauges;
  }();
  return all;
}

QString pass_text(const SessionPoolModel::Pass& pass) {
  return PoolChart::tr("request %1 on %2, after %3 tokens: %n block(s) freed, %4 KV entries moved in %5", nullptr,
                       static_cast<int>(pass.pass.blocks_freed))
      .arg(pass.pass.request)
      .arg(to_q(pass.pass.context_id))
      .arg(pass.pass.decoded_tokens)
      .arg(pass.pass.slot_copies)
      .arg(seconds_text(pass.pass.seconds));
}

PoolChart::PoolChart(const SessionPoolModel& model, QWidget* parent)
    : ChartPanel(tr("Pool over time"), parent, history_interval_ms),
      model_(model),
      time_axis_(new QValueAxis),
      value_axis_(new QValueAxis) {
  time_axis_->setTitleText(tr("Time (s)"));
  for (QValueAxis* axis : {time_axis_, value_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(time_axis_, Qt::AlignBottom);
  chart().addAxis(value_axis_, Qt::AlignLeft);
  std::size_t most = 0;
  for (const PoolGauge& one : pool_chart_gauges()) most = std::max(most, one.lines.size());
  while (series_.size() < most) {
    auto* line = new QLineSeries;
    chart().addSeries(line);
    line->attachAxis(time_axis_);
    line->attachAxis(value_axis_);
    series_.push_back(line);
  }
  allow_low(60);
  connect(&model_, &SessionPoolModel::changed, this, [this] { invalidate(); });
  brush_ = new ChartBrush(*this, canvas(), tr("Pool over time"), keys(), [this] { return key_rows(); });
  set_theme(theme());
}

void PoolChart::set_gauge(int index) {
  const int chosen = std::clamp(index, 0, static_cast<int>(pool_chart_gauges().size()) - 1);
  if (chosen != gauge_) zoom().forget();
  gauge_ = chosen;
  invalidate_at_once();
}

void PoolChart::follow_time(TimeCursor& cursor) {
  const auto text = [this](double seconds) {
    QStringList parts;
    for (std::size_t i = 0; i < gauge().lines.size() && i < drawn_.size(); ++i) {
      const auto after = std::ranges::upper_bound(drawn_[i], seconds, {}, &QPointF::x);
      if (after != drawn_[i].begin())
        parts << QStringLiteral("%1 %2").arg(gauge().lines[i].name, value_text(gauge(), std::prev(after)->y()));
    }
    return parts.join(QStringLiteral(", "));
  };
  link_time(cursor, {[this] { return chart().plotArea(); },
                     [this](double share) -> std::optional<double> {
                       return time_axis_->min() + share * (time_axis_->max() - time_axis_->min());
                     },
                     [this](double seconds) -> std::optional<double> {
                       return (seconds - time_axis_->min()) / (time_axis_->max() - time_axis_->min());
                     },
                     text});
}

QList<QPointF> PoolChart::sampled(const PoolLine& line) const {
  QList<QPointF> points;
  for (const SessionPoolModel::Sample& sample : model_.samples())
    if (const double value = line.value(sample.pool); !std::isnan(value)) points.append({sample.seconds, value});
  return points;
}

void PoolChart::refresh() {
  const auto& samples = model_.samples();
  double top = 0;
  drawn_.assign(series_.size(), {});
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (i < gauge().lines.size()) drawn_[i] = sampled(gauge().lines[i]);
    for (const QPointF& point : drawn_[i]) top = std::max(top, point.y());
    series_[i]->setName(i < gauge().lines.size() ? gauge().lines[i].name : QString());
    series_[i]->setPen(curve_pen(theme().neutral(i), 1.8, line_dashes(i)));
    series_[i]->replace(steps_of(drawn_[i]));
  }
  update_legend();
  value_axis_->setTitleText(gauge().axis);
  const double begin = samples.empty() ? 0 : samples.front().seconds;
  const double end = std::max(begin + 1, samples.empty() ? 0 : samples.back().seconds);
  set_round_ticks(*time_axis_, begin, end, 7, QStringLiteral(" s"));
  set_round_ticks(*value_axis_, 0, held_end(top * room_above, gauge().least_top), compact() ? 3 : 5);
}

void PoolChart::update_legend() {
  std::vector<LegendItem> items;
  for (const PoolLine& line : gauge().lines) {
    const std::size_t i = items.size();
    const QList<QPointF> points = sampled(line);
    items.push_back(
        {"",
         points.isEmpty() ? line.name : QStringLiteral("%1 %2").arg(line.name, value_text(gauge(), points.back().y())),
         line.tip, LegendItem::Sign::line, theme().neutral(i), MarkerLook::measured, false, 0, line_dashes(i)});
  }
  if (!model_.passes().empty())
    items.push_back({"", tr("compaction passes"), tr("Ticks: compaction passes. Click one to select its request."),
                     LegendItem::Sign::swatch, theme().accent, MarkerLook::measured, false});
  legend().set_items(std::move(items));
  emit legendUpdated();
}

QLineF PoolChart::stroke(const SessionPoolModel::Pass& pass) const {
  const QRectF plot = chart().plotArea();
  const double span = time_axis_->max() - time_axis_->min();
  if (!(span > 0) || pass.seconds < time_axis_->min() || pass.seconds > time_axis_->max()) return {};
  const double x = plot.left() + plot.width() * (pass.seconds - time_axis_->min()) / span;
  return {x, plot.bottom() - pass_mark_height, x, plot.bottom()};
}

void PoolChart::paint_over(QPainter& painter) {
  painter.save();
  painter.setPen(QPen(theme().accent, 2));
  int painted = -1;  // more strokes than pixels are not seen
  for (const SessionPoolModel::Pass& pass : model_.passes()) {
    const QLineF line = stroke(pass);
    if (line.isNull() || static_cast<int>(line.x1()) == painted) continue;
    painted = static_cast<int>(line.x1());
    painter.drawLine(line);
  }
  painter.restore();
  brush_->paint(painter, theme());
}

// A row for each line, then the passes.
PointKeys::Rows PoolChart::key_rows() const {
  PointKeys::Rows rows;
  for (std::size_t i = 0; i < gauge().lines.size(); ++i) {
    const QString name = gauge().lines[i].name;
    std::vector<PointStop> row;
    for (const QPointF& point : i < drawn_.size() ? drawn_[i] : QList<QPointF>())
      row.push_back(
          {name, {}, point.x(), mark_around(chart().mapToPosition(point, series_[i])), {}, [this, name, point] {
             return tr("%1 at %2: %3, %4 (measured)")
                 .arg(gauge().axis, seconds_text(point.x()), name, value_text(gauge(), point.y()));
           }});
    if (!row.empty()) rows.push_back(std::move(row));
  }
  std::vector<PointStop> passes;
  for (const SessionPoolModel::Pass& pass : model_.passes())
    if (const QLineF line = stroke(pass); !line.isNull())
      passes.push_back({tr("compaction passes"),
                        QString::number(pass.pass.request),
                        pass.seconds,
                        QRectF(line.x1() - 4, line.y1() - 1, 8, pass_mark_height + 2),
                        {},
                        [pass] { return pass_text(pass); }});
  if (!passes.empty()) rows.push_back(std::move(passes));
  return rows;
}

void PoolChart::entered(const PointStop& stop) {
  const quint64 request = stop.id.toULongLong();
  for (const SessionPoolModel::Pass& pass : model_.passes())
    if (request != 0 && pass.pass.request == request) return emit passPicked(request, to_q(pass.pass.context_id));
}

QString PoolChart::empty_text() const {
  return model_.samples().empty() ? tr("No sample of the pool yet. Samples appear once you press Start.") : QString();
}

ChartTable PoolChart::table() const {
  const std::vector<QStringList> rows = model_.rows();
  return {rows.front(), QVector<QStringList>(rows.begin() + 1, rows.end())};
}

}  // namespace kvantage
