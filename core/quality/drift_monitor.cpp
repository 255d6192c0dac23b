#include "core/quality/drift_monitor.h"

#include <algorithm>
#include <utility>

#include "core/compress/method.h"

namespace kvantage::inline quality {

void scale_quality(ProfilePoint& point, double factor) {
  point.quality *= factor;
  point.quality_low *= factor;
  point.quality_high *= factor;
  if (point.expected_quality >= 0) point.expected_quality *= factor;
  if (point.expected_low) *point.expected_low *= factor;
}

void DriftMonitor::use_rule(Rule rule) {
  const bool assumed = rule_.assume_loss;
  rule_ = std::move(rule);
  if (!assumed || rule_.assume_loss) return;
  drop_assumptions();
  for (const std::size_t context : watch_.waiting()) publish_curve(context);
}

bool DriftMonitor::note_answer(const CacheUse& use, const AnswerScores& scores, std::size_t context,
                               std::size_t question, std::size_t entry) {
  const ContextFacts& facts = services_.catalog.facts(context);
  const std::shared_ptr<const ContextProfile> profile = services_.catalog.profile(context);
  if (!rule_.reprofile || profile == nullptr) return false;
  // A prefix that was compressed for another context has no point in this context's curve.
  const bool original = holds_original(use.method, use.removed_fraction);
  if (entry != context && !original) return false;
  const auto achieved = scores.quality.find(rule_.quality_metric);
  const auto point = std::ranges::find_if(profile->points, [&](const ProfilePoint& known) {
    return known.method == use.method && known.removed_fraction == use.removed_fraction;
  });
  if (achieved == scores.quality.end() || point == profile->points.end()) return false;
  watch_.use(rule_.when);
  const auto finding = watch_.note(context, question, achieved->second, point->quality);
  if (!finding) return false;
  counters_.note_drift();
  services_.events.publish(events::DriftDetected{facts.key, facts.id, finding->achieved_quality,
                                                 finding->profiled_quality, finding->answers,
                                                 watch_.questions(context).size()});
  if (original || !rule_.assume_loss) return false;
  // A fixed quality may not be reached although nothing was lost; and nothing has no share to lose.
  if (finding->profiled_quality <= 0 || finding->achieved_quality >= finding->profiled_quality) return false;
  assume_loss(context, finding->achieved_quality / finding->profiled_quality);
  return true;
}

// Re-profiling takes time. Until it is done, every compressed form is scaled by the loss of those served; uncompressed
// quality is unchanged.
void DriftMonitor::assume_loss(std::size_t context, double kept_share) {
  std::shared_ptr<const ContextProfile>& profile = services_.catalog.profile(context);
  ContextProfile assumed = *profile;
  for (ProfilePoint& point : assumed.points) {
    if (!holds_original(point.method, point.removed_fraction)) scale_quality(point, kept_share);
  }
  profile = std::make_shared<const ContextProfile>(std::move(assumed));
  services_.catalog.mark_changed();
  publish_curve(context);
}

// Nothing was measured for it, hence 0 seconds.
void DriftMonitor::publish_curve(std::size_t context) {
  const ContextFacts& facts = services_.catalog.facts(context);
  services_.events.publish(
      events::ContextProfiled{facts.key, facts.id, facts.family, *services_.catalog.profile(context), 0, false, true});
}

void DriftMonitor::drop_assumptions() {
  for (const std::size_t context : watch_.waiting()) curves_.use(context);
}

// Leaves room for one more step of the longest length so far, so that the share also holds afterwards. A step that the
// machine interrupted for long is no predictor, so none is assumed longer than a prefill layer. A frozen run always
// finishes before the next request, because no decision may depend on timing.
bool DriftMonitor::may_reprofile() const {
  if (frozen_ || rule_.share >= 1) return true;
  const events::EngineCounted now = counters_.so_far();
  const double other = now.serving_seconds + now.placing_seconds + now.profiling_seconds;
  const double next_step = std::min(now.longest_profile_step_seconds, now.longest_prefill_step_seconds);
  return now.reprofiling_seconds + next_step < rule_.share * (other + now.reprofiling_seconds + next_step);
}

}  // namespace kvantage::inline quality
