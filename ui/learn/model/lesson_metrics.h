// Metrics of the run that predictions of a lesson are compared with, and what the facts of its texts read
// (lesson_facts.h).
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "core/policy/overlap_split.h"
#include "ui/session/run_model.h"

namespace kvantage {

struct LessonMetric {
  double value = 0;  // in the unit of its name
  Provenance provenance = Provenance::measured;
  std::uint64_t n = 0;  // answers behind it; 0: it is no mean of answers
};

struct LessonMetricInfo {
  QString name;
  QString unit;           // "", "s" or "%"
  bool is_alpha = false;  // a place on the predicted curve
};

/// measured_quality, measured_ttft: the present measured point. predicted_quality, predicted_ttft: what is predicted of
/// the present setting. prefill_share: of the latest 25 answers. recomputed_share: of the tokens of the context of
/// median length, in the split of `median_split`. decoding_kv_share: bytes of an answer's KV cache with decode-time
/// eviction, as a share of those without. knee_alpha: of the predicted curve (curve_knee.h).
const std::vector<LessonMetricInfo>& lesson_metrics();
QStringList lesson_metric_names();
/// Null: there is no such metric.
const LessonMetricInfo* find_lesson_metric(const QString& name);
/// As it is now; nothing while it is not known.
std::optional<LessonMetric> lesson_metric(const QString& name, RunModel& run);
/// "0.412", "120 ms", "33 %"; of an alpha its number alone.
QString lesson_metric_text(const LessonMetricInfo& metric, double value);

/// The measured point of the present setting; nothing before its first answer.
std::optional<MeasuredPoint> present_measured(RunModel& run);

/// The one of median length; `snapshot` has contexts.
const ContextState& median_context(const Snapshot& snapshot);

/// Load and recomputation of the context of median length, uncompressed, from the slowest tier.
struct MedianSplit {
  std::shared_ptr<const Snapshot> snapshot;  // holds what the others point to
  const ContextState* context = nullptr;
  const TierState* tier = nullptr;
  OverlapSplit both;
};
/// Nothing before a snapshot has contexts and tiers.
std::optional<MedianSplit> median_split(const RunModel& run);

/// Means over the newest 40 answers of two or more tokens.
struct DecodingMeans {
  int answers = 0;
  double held_bytes = 0, itl_seconds = 0;
};
struct ComparedDecoding {
  DecodingMeans without, with;  // decode-time eviction
};
ComparedDecoding decoding_means(const RunModel& run);

/// Of the present policy's predicted curve at that alpha, between two samples by log alpha; nothing outside of it.
std::optional<FrontierMean> mean_on_curve(const FrontierModel& frontier, double alpha);

}  // namespace kvantage
