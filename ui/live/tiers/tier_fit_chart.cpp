#include "ui/live/tiers/tier_fit_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/ticks.h"
#include "ui/session/held_end.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double least_fit_axis = 1.0 / 64;  // MiB and ms

QList<QPointF> list_of(const std::vector<QPointF>& points) { return {points.begin(), points.end()}; }

}  // namespace

TierFitChart::TierFitChart(TierReportsModel& model, QWidget* parent)
    : ChartPanel(tr("Loads versus the fit"), parent, history_interval_ms),
      model_(model),
      bytes_axis_(new QValueAxis),
      time_axis_(new QValueAxis),
      loads_(new QScatterSeries),
      timings_(new QScatterSeries),
      line_(new QLineSeries) {
  bytes_axis_->setTitleText(tr("Load size (MiB)"));
  time_axis_->setTitleText(tr("Device time (ms)"));
  for (QValueAxis* axis : {bytes_axis_, time_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(bytes_axis_, Qt::AlignBottom);
  chart().addAxis(time_axis_, Qt::AlignLeft);
  for (QXYSeries* series : std::initializer_list<QXYSeries*>{line_, timings_, loads_}) {
    chart().addSeries(series);
    series->attachAxis(bytes_axis_);
    series->attachAxis(time_axis_);
  }
  loads_->setName(tr("loads"));
  timings_->setName(tr("startup timing"));
  line_->setName(tr("fit"));
  for (QScatterSeries* series : {loads_, timings_}) series->setMarkerSize(7);
  timings_->setMarkerShape(QScatterSeries::MarkerShapeRectangle);
  connect(&model_, &TierReportsModel::changed, this, [this] { invalidate(); });
  brush_ = new ChartBrush(*this, canvas(), tr("Loads versus the fit"), keys(), [this] {
    PointKeys::Rows rows = key_rows();
    for (auto& row : rows)
      for (PointStop& stop : row) stop.id = context_at(stop);
    return rows;
  });
  set_theme(theme());
}

void TierFitChart::set_tier(const QString& tier) {
  if (tier != tier_) zoom().forget();
  tier_ = tier;
  invalidate();
}

void TierFitChart::set_chosen(const Chosen& chosen) {
  if (chosen == chosen_) return;
  chosen_ = chosen;
  invalidate();
}

void TierFitChart::find_chosen() {
  constexpr std::size_t most = 64;  // as many as the fit keeps
  chosen_loads_.clear();
  chosen_place_.reset();
  const TierReport* report = model_.find(tier_);
  if (chosen_.context.isEmpty() || !report || report->fit.samples == 0) return;
  if (chosen_.tier == tier_)
    chosen_place_ = QPointF(chosen_.stored_bytes / 1048576.0, report->fit.model.seconds(chosen_.stored_bytes, 0) * 1e3);
  const std::string context = from_q(chosen_.context), tier = from_q(tier_);
  for (int r = requests_ ? requests_->rowCount() - 1 : -1; r >= 0 && chosen_loads_.size() < most; --r) {
    const RequestsModel::Row& row = *requests_->row(r);
    if (row.running || row.record.context_id != context || row.record.source != tier) continue;
    chosen_loads_.emplace_back(static_cast<double>(row.record.bytes_loaded) / 1048576.0,
                               row.record.timing.device_seconds * 1e3);
  }
}

QString TierFitChart::chosen_text() const {
  if (chosen_.context.isEmpty()) return {};
  const QString text = chosen_.tier == tier_
                           ? tr("%1: %2 stored here").arg(chosen_.context, bytes_text(chosen_.stored_bytes))
                           : tr("%1: not on %2").arg(chosen_.context, tier_);
  return chosen_loads_.empty() ? text
                               : tr("%1; loaded %n time(s)", nullptr, static_cast<int>(chosen_loads_.size())).arg(text);
}

void TierFitChart::paint_over(QPainter& painter) {
  if (chosen_loads_.empty() && !chosen_place_) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().accent, 2));
  painter.setBrush(Qt::NoBrush);
  for (const QPointF& load : chosen_loads_) painter.drawEllipse(chart().mapToPosition(load, loads_), 6, 6);
  if (chosen_place_) {
    const QPointF at = chart().mapToPosition(*chosen_place_, loads_);
    painter.setBrush(theme().accent);
    painter.drawPolygon(QPolygonF{at + QPointF(0, -7), at + QPointF(6, 0), at + QPointF(0, 7), at + QPointF(-6, 0)});
  }
  painter.restore();
}

QString TierFitChart::context_of(double bytes, double seconds) const {
  const std::string tier = from_q(tier_);
  for (int r = requests_ ? requests_->rowCount() - 1 : -1; r >= 0; --r) {
    const RequestRecord& record = requests_->row(r)->record;
    if (static_cast<double>(record.bytes_loaded) == bytes && record.timing.device_seconds == seconds &&
        record.source == tier)
      return to_q(record.context_id);
  }
  return {};
}

QString TierFitChart::context_at(const PointStop& stop) const {
  if (stop.row == tr("selected context")) return chosen_.context;
  return stop.row == tr("loads") ? context_of(stop.along, stop.id.toDouble()) : QString();
}

void TierFitChart::entered(const PointStop& stop) {
  if (const QString context = context_at(stop); !context.isEmpty()) emit contextPicked(context);
}

void TierFitChart::refresh() {
  find_chosen();
  const TierReportsModel::FitView view = model_.fit_view(tier_);
  const QColor color = theme().tier(tier_, model_.roles().color(tier_));
  loads_->setColor(color);
  loads_->setBorderColor(theme().base);
  timings_->setColor(theme().base);
  timings_->setBorderColor(theme().muted);
  line_->setPen(curve_pen(theme().text, 1.6));
  loads_->replace(list_of(view.loads));
  timings_->replace(list_of(view.timings));
  line_->replace(list_of(view.line));
  double widest = 0, longest = 0;
  std::vector<QPointF> chosen = chosen_loads_;
  if (chosen_place_) chosen.push_back(*chosen_place_);
  for (const auto* points : {&view.loads, &view.timings, &view.line, &std::as_const(chosen)})
    for (const QPointF& point : *points) {
      widest = std::max(widest, point.x());
      longest = std::max(longest, point.y());
    }
  set_round_ticks(*bytes_axis_, 0, held_end(widest, least_fit_axis), 6);
  set_round_ticks(*time_axis_, 0, held_end(longest * 1.08, least_fit_axis), compact() ? 3 : 5);
  std::vector<LegendItem> items;
  const TierReport* report = model_.find(tier_);
  const QString provenance =
      provenance_text(report && report->description.throttled ? Provenance::throttled : Provenance::measured);
  items.push_back({"",
                   tr("loads"),
                   tr("Device time of the newest 64 request loads, throttling included (%1)").arg(provenance),
                   LegendItem::Sign::swatch,
                   color,
                   {},
                   false});
  items.push_back({"",
                   tr("startup timing"),
                   tr("Loads of three sizes, timed when the tier was opened; they anchor the slope"),
                   LegendItem::Sign::swatch,
                   theme().muted,
                   {},
                   false});
  items.push_back({"",
                   tr("fit"),
                   tr("Cost model that predictions use: latency + bytes / bandwidth, a robust Theil-Sen fit"),
                   LegendItem::Sign::line,
                   theme().text,
                   {},
                   false});
  if (!chosen_.context.isEmpty())
    items.push_back({"",
                     chosen_text(),
                     tr("Rings: loads of the selected context from %1; diamond: its fitted load time now. Esc clears "
                        "the selection.")
                         .arg(tier_),
                     LegendItem::Sign::swatch,
                     theme().accent,
                     {},
                     false});
  legend().set_items(std::move(items));
}

QString TierFitChart::empty_text() const {
  const TierReport* report = model_.find(tier_);
  if (!report) return tr("No tier is timed yet. Tiers are timed while the model loads.");
  if (!report->reachable && report->fit.loads.empty())
    return tr("%1 is unavailable. It is timed once it responds.").arg(tier_);
  if (report->fit.loads.empty())
    return tr("No loads from %1 yet. Once you press Start, each hit adds a point.").arg(tier_);
  return {};
}

QString TierFitChart::tip_of(const FittedLoad& load) const {
  QString tip = tr("%1 in %2 (%3)\nfitted: %4")
                    .arg(bytes_text(load.bytes), seconds_text(load.seconds),
                         load.timing ? tr("startup timing") : tr("request load"), seconds_text(load.fitted_seconds));
  if (const QString context = load.timing ? QString() : context_of(load.bytes, load.seconds); !context.isEmpty())
    tip += '\n' + tr("context %1; click to select it").arg(context);
  if (load.predicted_seconds > 0 && !load.timing)
    tip += '\n' + tr("predicted before the load: %1").arg(seconds_text(load.predicted_seconds));
  return tip;
}

// Loads of requests, then those of the timing; from the smallest to the largest.
PointKeys::Rows TierFitChart::key_rows() const {
  std::vector<PointStop> loads, timings;
  const TierReport* report = model_.find(tier_);
  if (!report || report->fit.samples == 0) return {};
  for (const FittedLoad& load : report->fit.loads) {
    const QPointF at = chart().mapToPosition({load.bytes / 1048576.0, load.seconds * 1e3}, loads_);
    (load.timing ? timings : loads)
        .push_back({load.timing ? tr("startup timing") : tr("loads"),
                    QString::number(load.seconds, 'g', 17),
                    load.bytes,
                    mark_around(at),
                    {},
                    [this, load] { return tip_of(load); }});
  }
  PointKeys::Rows rows;
  for (auto* row : {&loads, &timings}) {
    std::ranges::stable_sort(*row, {}, &PointStop::along);
    if (!row->empty()) rows.push_back(std::move(*row));
  }
  if (chosen_place_)
    rows.push_back(
        {{tr("selected context"), chosen_.context, chosen_place_->x(),
          mark_around(chart().mapToPosition(*chosen_place_, loads_)),
          tr("%1: %2 stored here\nfitted load time %3")
              .arg(chosen_.context, bytes_text(chosen_.stored_bytes), seconds_text(chosen_place_->y() / 1e3))}});
  return rows;
}

ChartTable TierFitChart::table() const {
  ChartTable table{
      {"tier", "kind", "bytes", "device_seconds", "fitted_seconds", "residual_seconds", "predicted_seconds"}, {}};
  table.plot = {"bytes", {"device_seconds", "fitted_seconds"}, true};
  const TierReport* report = model_.find(tier_);
  if (!report) return table;
  const auto text = [](double value) { return QString::number(value, 'g', 9); };
  for (const FittedLoad& load : report->fit.loads)
    table.rows.append({tier_, load.timing ? QStringLiteral("timing") : QStringLiteral("load"), text(load.bytes),
                       text(load.seconds), text(load.fitted_seconds), text(load.seconds - load.fitted_seconds),
                       load.predicted_seconds > 0 ? text(load.predicted_seconds) : QString()});
  return table;
}

}  // namespace kvantage
