#include "ui/learn/model/lesson_metrics.h"

#include <algorithm>
#include <cmath>

#include "ui/live/frontier/model/curve_knee.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

const FrontierCurve* present_curve(const FrontierModel& frontier) {
  const auto& curves = frontier.curves();
  const auto found = std::ranges::find(curves, frontier.present_policy(), &FrontierCurve::policy);
  return found == curves.end() ? nullptr : &*found;
}

Provenance point_provenance(const MeasuredPoint& point) {
  return point.simulated ? Provenance::simulated : point.throttled ? Provenance::throttled : Provenance::measured;
}

std::optional<LessonMetric> metric_measured_quality(RunModel& run) {
  const auto point = present_measured(run);
  if (!point || point->quality.n == 0) return std::nullopt;
  return LessonMetric{point->quality.mean, point_provenance(*point), point->quality.n};
}

std::optional<LessonMetric> metric_measured_ttft(RunModel& run) {
  const auto point = present_measured(run);
  if (!point) return std::nullopt;
  return LessonMetric{point->ttft.mean, point_provenance(*point), point->ttft.n};
}

std::optional<LessonMetric> metric_predicted_quality(RunModel& run) {
  const auto present = run.frontier.present();
  if (!present) return std::nullopt;
  return LessonMetric{present->quality, Provenance::predicted, 0};
}

std::optional<LessonMetric> metric_predicted_ttft(RunModel& run) {
  const auto present = run.frontier.present();
  if (!present) return std::nullopt;
  return LessonMetric{present->ttft_seconds, Provenance::predicted, 0};
}

std::optional<LessonMetric> metric_prefill_share(RunModel& run) {
  constexpr int window = 25;
  if (run.hit_rates.requests() == 0) return std::nullopt;
  const std::uint64_t n = std::min<std::uint64_t>(window, run.hit_rates.requests());
  const auto point = present_measured(run);
  const Provenance provenance = point ? point_provenance(*point) : Provenance::measured;
  const auto& sources = run.hit_rates.sources();
  const auto prefill = std::ranges::find(sources, QStringLiteral("prefill"));
  if (prefill == sources.end()) return LessonMetric{0, provenance, n};
  const auto source = static_cast<std::size_t>(prefill - sources.begin());
  return LessonMetric{100 * run.hit_rates.latest(source, HitRateModel::by_requests, window), provenance, n};
}

std::optional<LessonMetric> metric_recomputed_share(RunModel& run) {
  const auto split = median_split(run);
  if (!split || split->context->tokens <= 0) return std::nullopt;
  return LessonMetric{100 * std::clamp(split->both.recomputed_tokens / split->context->tokens, 0.0, 1.0),
                      Provenance::predicted, 0};
}

std::optional<LessonMetric> metric_decoding_kv_share(RunModel& run) {
  const ComparedDecoding means = decoding_means(run);
  if (means.with.answers == 0 || means.without.answers == 0 || !(means.without.held_bytes > 0)) return std::nullopt;
  return LessonMetric{100 * means.with.held_bytes / means.without.held_bytes, Provenance::measured,
                      static_cast<std::uint64_t>(means.with.answers)};
}

std::optional<LessonMetric> metric_knee(RunModel& run) {
  const FrontierCurve* curve = present_curve(run.frontier);
  const auto alpha = curve ? knee_alpha(*curve) : std::nullopt;
  if (!alpha) return std::nullopt;
  return LessonMetric{*alpha, Provenance::predicted, 0};
}

using ReadMetric = std::optional<LessonMetric> (*)(RunModel&);
struct MetricReader {
  LessonMetricInfo info;
  ReadMetric read;
};
const std::vector<MetricReader>& metric_readers() {
  static const std::vector<MetricReader> all = {
      {{QStringLiteral("measured_quality"), QString()}, metric_measured_quality},
      {{QStringLiteral("measured_ttft"), QStringLiteral("s")}, metric_measured_ttft},
      {{QStringLiteral("predicted_quality"), QString()}, metric_predicted_quality},
      {{QStringLiteral("predicted_ttft"), QStringLiteral("s")}, metric_predicted_ttft},
      {{QStringLiteral("prefill_share"), QStringLiteral("%")}, metric_prefill_share},
      {{QStringLiteral("recomputed_share"), QStringLiteral("%")}, metric_recomputed_share},
      {{QStringLiteral("decoding_kv_share"), QStringLiteral("%")}, metric_decoding_kv_share},
      {{QStringLiteral("knee_alpha"), QStringLiteral("s"), true}, metric_knee}};
  return all;
}

}  // namespace

const std::vector<LessonMetricInfo>& lesson_metrics() {
  static const std::vector<LessonMetricInfo> all = [] {
    std::vector<LessonMetricInfo> infos;
    infos.reserve(metric_readers().size());
    for (const MetricReader& reader : metric_readers()) infos.push_back(reader.info);
    return infos;
  }();
  return all;
}

QStringList lesson_metric_names() {
  QStringList names;
  for (const LessonMetricInfo& metric : lesson_metrics()) names << metric.name;
  return names;
}

const LessonMetricInfo* find_lesson_metric(const QString& name) {
  const auto found = std::ranges::find(lesson_metrics(), name, &LessonMetricInfo::name);
  return found == lesson_metrics().end() ? nullptr : &*found;
}

std::optional<LessonMetric> lesson_metric(const QString& name, RunModel& run) {
  for (const MetricReader& reader : metric_readers())
    if (reader.info.name == name) return reader.read(run);
  return std::nullopt;
}

QString lesson_metric_text(const LessonMetricInfo& metric, double value) {
  if (metric.is_alpha) return number_text(value);
  if (metric.unit == QStringLiteral("s")) return seconds_text(value);
  return metric.unit == QStringLiteral("%") ? percent_text(value / 100) : quality_text(value);
}

std::optional<MeasuredPoint> present_measured(RunModel& run) {
  for (const MeasuredPoint& point : run.frontier.measured_so_far())
    if (point.current && point.ttft.n > 0) return point;
  return std::nullopt;
}

const ContextState& median_context(const Snapshot& snapshot) {
  std::vector<const ContextState*> by_length;
  by_length.reserve(snapshot.contexts.size());
  for (const ContextState& context : snapshot.contexts) by_length.push_back(&context);
  std::ranges::nth_element(by_length, by_length.begin() + static_cast<std::ptrdiff_t>(by_length.size() / 2), {},
                           &ContextState::tokens);
  return *by_length[by_length.size() / 2];
}

std::optional<MedianSplit> median_split(const RunModel& run) {
  const auto snapshot = run.snapshot();
  if (!snapshot || snapshot->contexts.empty() || snapshot->tiers.empty()) return std::nullopt;
  const ContextState& context = median_context(*snapshot);
  const TierState& tier = snapshot->tiers.back();
  return MedianSplit{
      snapshot, &context, &tier,
      overlap_split(tier.model, snapshot->prefill, context.tokens, static_cast<double>(context.full_bytes))};
}

ComparedDecoding decoding_means(const RunModel& run) {
  constexpr int newest = 40;
  ComparedDecoding sums;
  for (int row = run.requests.rowCount() - 1; row >= 0; --row) {
    const RequestsModel::Row* at = run.requests.row(row);
    if (at == nullptr || at->running || at->record.cancelled || at->record.answer_tokens < 2) continue;
    DecodingMeans& means = at->record.decoding.used() ? sums.with : sums.without;
    if (means.answers == newest) continue;
    ++means.answers;
    means.held_bytes += static_cast<double>(at->record.decoding.held_bytes);
    means.itl_seconds += at->record.timing.mean_itl_seconds;
  }
  for (DecodingMeans* means : {&sums.with, &sums.without}) {
    if (means->answers == 0) continue;
    means->held_bytes /= means->answers;
    means->itl_seconds /= means->answers;
  }
  return sums;
}

std::optional<FrontierMean> mean_on_curve(const FrontierModel& frontier, double alpha) {
  const FrontierCurve* curve = present_curve(frontier);
  if (!curve || curve->samples.empty() || !(alpha > 0) || alpha < curve->samples.front().alpha ||
      alpha > curve->samples.back().alpha)
    return std::nullopt;
  const auto above = std::ranges::lower_bound(curve->samples, alpha, {}, &FrontierSample::alpha);
  if (above == curve->samples.begin() || above->alpha == alpha) return above->mean;
  const FrontierSample& low = *(above - 1);
  if (!(low.alpha > 0)) return above->mean;
  const double share = std::log(alpha / low.alpha) / std::log(above->alpha / low.alpha);
  return FrontierMean{low.mean.quality + share * (above->mean.quality - low.mean.quality),
                      low.mean.ttft_seconds + share * (above->mean.ttft_seconds - low.mean.ttft_seconds)};
}

}  // namespace kvantage
