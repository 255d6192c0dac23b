#include "ui/live/tiers/miss_curve_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/ticks.h"
#include "ui/look/provenance_look.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double curve_mib = 1048576.0;

double log_size(std::uint64_t bytes) {
  return std::log10(static_cast<double>(std::max<std::uint64_t>(bytes, 1)) / curve_mib);
}

}  // namespace

MissCurveChart::MissCurveChart(const ReferenceStream& references, const TierSeriesModel& tiers, HitRateModel& hit_rates,
                               QWidget* parent)
    : ChartPanel(tr("Miss ratio curve"), parent, history_interval_ms),
      references_(references),
      tiers_(tiers),
      hit_rates_(hit_rates),
      size_axis_(new QCategoryAxis),
      ratio_axis_(new QValueAxis),
      line_(new QLineSeries) {
  size_axis_->setTitleText(tr("Cache size (MiB, log scale)"));
  ratio_axis_->setTitleText(tr("Miss ratio"));
  ratio_axis_->setRange(0, 100);
  ratio_axis_->setTickCount(5);
  ratio_axis_->setLabelFormat("%.0f %%");
  chart().addAxis(size_axis_, Qt::AlignBottom);
  chart().addAxis(ratio_axis_, Qt::AlignLeft);
  line_->setName(tr("LRU"));
  chart().addSeries(line_);
  line_->attachAxis(size_axis_);
  line_->attachAxis(ratio_axis_);
  show_sizes(1, 1024);
  zoomed_axes().zoom_log_axis(*size_axis_, [this](double low, double high) { show_sizes(low, high); });
  connect(&references_, &ReferenceStream::changed, this, [this] { invalidate(); });
  connect(&tiers_, &TierSeriesModel::changed, this, [this] { invalidate(); });
  connect(&hit_rates_, &HitRateModel::changed, this, [this] { invalidate(); });
  connect(&curve_, &MissCurve::changed, this, [this] { invalidate(); });
  set_theme(theme());
}

void MissCurveChart::show_sizes(double low_mib, double high_mib) {
  const int label = std::max(1, fontMetrics().horizontalAdvance(QStringLiteral("50,000")));
  set_log_axis(*size_axis_, low_mib, high_mib, number_text, std::clamp(width() / (2 * label), 3, 10));
}

QPointF MissCurveChart::place(std::uint64_t bytes, double miss_ratio) const {
  return chart().mapToPosition({log_size(bytes), miss_ratio * 100}, line_);
}

void MissCurveChart::find_budgets() {
  budgets_.clear();
  budgets_.reserve(tiers_.tiers().size());
  const auto& sources = hit_rates_.sources();
  double missed = 1;
  std::uint64_t bytes = 0;
  QString names;
  // A cache that is still on its way to its tier is in memory, and serves as that does.
  const auto share_of = [&](const QString& source) {
    const auto at = static_cast<std::size_t>(std::ranges::find(sources, source) - sources.begin());
    return std::max(0.0, hit_rates_.latest(at, HitRateModel::by_requests, 0));  // negative: it served none
  };
  missed -= share_of(QStringLiteral("write-back"));
  for (const TierSeriesModel::Tier& tier : tiers_.tiers()) {
    const std::uint64_t budget = tier.samples.empty() ? 0 : tier.samples.back().budget_bytes;
    if (budget == 0) return;  // no limit
    const QString name = to_q(tier.name);
    bytes += budget;
    missed -= share_of(name);
    names = names.isEmpty() ? name : QStringLiteral("%1 + %2").arg(names, name);
    budgets_.push_back({name, names, bytes, curve_.answer().miss_ratio_at(bytes),
                        hit_rates_.requests() > 0 ? std::clamp(missed, 0.0, 1.0) : -1});
  }
}

void MissCurveChart::fill_line(double low_bytes, double high_bytes) {
  const auto& steps = curve_.answer().steps;
  QList<QPointF> points;
  points.reserve(static_cast<qsizetype>(2 * steps.size() + 2));
  double ratio = 1;
  points.append({std::log10(low_bytes / curve_mib), ratio * 100});
  for (const MissRatio& step : steps) {
    points.append({log_size(step.capacity), ratio * 100});
    ratio = step.miss_ratio;
    points.append({log_size(step.capacity), ratio * 100});
  }
  points.append({std::log10(high_bytes / curve_mib), ratio * 100});
  line_->replace(points);
  line_->setPen(curve_pen(theme().text, 2));
}

void MissCurveChart::refresh() {
  curve_.update(references_.content(), !isVisible());  // for an export all of it is counted first
  find_budgets();
  const MissCurve::Answer& answer = curve_.answer();
  double low = 0, high = static_cast<double>(answer.footprint_bytes);
  if (!answer.steps.empty()) {
    low = static_cast<double>(answer.steps.front().capacity);
    high = std::max(high, static_cast<double>(answer.steps.back().capacity));
  }
  for (const Budget& budget : budgets_) {
    low = low > 0 ? std::min(low, static_cast<double>(budget.bytes)) : static_cast<double>(budget.bytes);
    high = std::max(high, static_cast<double>(budget.bytes));
  }
  low = std::max(low, 1.0);
  // Powers of two, so that the axis holds still while the run grows.
  low = std::exp2(std::floor(std::log2(low) - 0.5));
  high = std::exp2(std::ceil(std::log2(std::max(high, 2 * low)) + 0.25));
  fill_line(low, high);
  show_sizes(low / curve_mib, high / curve_mib);
  ratio_axis_->setTickCount(compact() ? 3 : 5);
  add_legend();
}

void MissCurveChart::add_legend() {
  const MissCurve::Answer& answer = curve_.answer();
  std::vector<LegendItem> items;
  items.reserve(budgets_.size() + 2);
  QString tip = tr("Requests that an LRU cache of this size would miss, with whole uncompressed caches and starting "
                   "empty (%1)")
                    .arg(provenance_text(Provenance::simulated));
  if (answer.rate < 1)
    tip += '\n' + tr("from a sample: 1 in %1 contexts").arg(number_text(std::round(1 / answer.rate)));
  items.push_back({"", tr("LRU"), tip, LegendItem::Sign::line, theme().text, {}, false});
  for (const Budget& budget : budgets_)
    items.push_back({"",
                     tr("%1: %2").arg(budget.tiers, bytes_text(static_cast<double>(budget.bytes))),
                     budget_tip(budget),
                     LegendItem::Sign::thin_line,
                     theme().tier(budget.tier, hit_rates_.roles().color(budget.tier)),
                     {},
                     false,
                     0,
                     theme().tier_dashes(budget.tier, hit_rates_.roles().color(budget.tier))});
  if (!budgets_.empty() && hit_rates_.requests() > 0)
    items.push_back({"", tr("missed so far"),
                     tr("Share of requests since the start that these tiers did not serve (%1). Below the line: policy "
                        "or compression do better than LRU.")
                         .arg(provenance_text(Provenance::measured)),
                     LegendItem::Sign::marker, theme().accent, MarkerLook::measured, false});
  legend().set_items(std::move(items));
}

QString MissCurveChart::budget_tip(const Budget& budget) const {
  QString tip = tr("%1, %2: LRU would miss %3 (%4)")
                    .arg(budget.tiers, bytes_text(static_cast<double>(budget.bytes)), percent_text(budget.simulated),
                         provenance_text(Provenance::simulated));
  if (budget.measured >= 0)
    tip +=
        '\n' +
        tr("missed since the start: %1 (%2)").arg(percent_text(budget.measured), provenance_text(Provenance::measured));
  return tip;
}

void MissCurveChart::paint_over(QPainter& painter) {
  if (!empty_text().isEmpty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF plot = chart().plotArea();
  painter.setClipRect(plot.adjusted(-9, -9, 9, 9));
  for (const Budget& budget : budgets_) {
    const auto color = hit_rates_.roles().color(budget.tier);
    const double x = place(budget.bytes, 0).x();
    painter.setPen(curve_pen(theme().tier(budget.tier, color), 1.6, theme().tier_dashes(budget.tier, color)));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  }
  for (const Budget& budget : budgets_)
    if (budget.measured >= 0)
      draw_marker(painter, place(budget.bytes, budget.measured), MarkerLook::measured, theme().accent, theme().base);
  painter.restore();
}

// The steps of the line; then the budgets, each where it was measured.
PointKeys::Rows MissCurveChart::key_rows() const {
  PointKeys::Rows rows;
  if (!empty_text().isEmpty()) return rows;
  auto& stops = rows.emplace_back();
  stops.reserve(curve_.answer().steps.size());
  for (const MissRatio& step : curve_.answer().steps)
    stops.push_back(
        {tr("LRU"), {}, log_size(step.capacity), mark_around(place(step.capacity, step.miss_ratio)), {}, [step] {
           return tr("From %1: LRU would miss %2 (%3)")
               .arg(bytes_text(static_cast<double>(step.capacity)), percent_text(step.miss_ratio),
                    provenance_text(Provenance::simulated));
         }});
  if (budgets_.empty()) return rows;
  auto& marks = rows.emplace_back();
  marks.reserve(budgets_.size());
  for (const Budget& budget : budgets_)
    marks.push_back({tr("budgets"),
                     budget.tier,
                     log_size(budget.bytes),
                     mark_around(place(budget.bytes, budget.measured >= 0 ? budget.measured : budget.simulated)),
                     {},
                     [this, budget] { return budget_tip(budget); }});
  return rows;
}

QString MissCurveChart::empty_text() const {
  if (references_.content().requests == 0)
    return tr("No requests served yet. The curve appears once a context is requested again.");
  if (curve_.answer().requests == 0) return tr("Counting requests…");
  return curve_.answer().steps.empty()
             ? tr("No context was requested twice yet: a cache of any size misses each request.")
             : QString();
}

ChartTable MissCurveChart::table() const {
  ChartTable table{{"provenance", "tiers", "capacity_bytes", "miss_ratio"}, {}};
  table.plot = {"capacity_bytes", {"miss_ratio"}};
  const auto add = [&table](const char* provenance, const QString& tiers, std::uint64_t bytes, double ratio) {
    table.rows.append({QString::fromLatin1(provenance), tiers, QString::number(bytes), QString::number(ratio, 'g', 9)});
  };
  if (curve_.answer().steps.empty()) return table;
  const char* simulated = to_string(Provenance::simulated);
  for (const MissRatio& step : curve_.answer().steps) add(simulated, {}, step.capacity, step.miss_ratio);
  for (const Budget& budget : budgets_) {
    add(simulated, budget.tiers, budget.bytes, budget.simulated);
    if (budget.measured >= 0) add(to_string(Provenance::measured), budget.tiers, budget.bytes, budget.measured);
  }
  return table;
}

}  // namespace kvantage
