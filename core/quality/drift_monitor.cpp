#include "core/quality/drift_monitor.h"

#include <algorithm>

#include "core/compress/method.h"

namespace kvantage::inline quality {
namespace {

// Largest share of the engine thread's busy time that goes to profiling again.
constexpr double max_reprofiling = 0.05;

}  // namespace

bool DriftMonitor::note_answer(const CacheUse& use, const AnswerScores& scores, std::size_t context,
                               std::size_t question, std::size_t entry) {
  const ContextState& state = services_.catalog.state(context);
  if (!rule_.reprofile || state.profile == nullptr) return false;
  // A prefix of it that was compressed for another context has no point in this one's curve.
  const bool original = holds_original(use.method, use.removed_fraction);
  if (entry != context && !original) return false;
  const auto achieved = scores.quality.find(rule_.quality_metric);
  const auto point = std::ranges::find_if(state.profile->points, [&](const ProfilePoint& known) {
    return known.method == use.method && known.removed_fraction == use.removed_fraction;
  });
  if (achieved == scores.quality.end() || point == state.profile->points.end()) return false;
  watch_.set_threshold(rule_.threshold);
  const auto finding = watch_.note(context, question, achieved->second, point->quality);
  if (!finding) return false;
  counters_.note_drift();
  services_.events.publish(events::DriftDetected{state.key, state.id, finding->achieved_quality,
                                                 finding->profiled_quality, finding->answers,
                                                 watch_.questions(context).size()});
  if (original) return false;
  assume_loss(context, finding->achieved_quality / finding->profiled_quality);
  return true;
}

// Measuring takes its time. Until it is done every compressed form is taken to have lost the share that those lost
// which were served; what is uncompressed answers as before.
void DriftMonitor::assume_loss(std::size_t context, double kept_share) {
  ContextState& state = services_.catalog.state(context);
  ContextProfile assumed = *state.profile;
  for (ProfilePoint& point : assumed.points) {
    if (!holds_original(point.method, point.removed_fraction)) scale_quality(point, kept_share);
  }
  state.profile = std::make_shared<const ContextProfile>(std::move(assumed));
  services_.catalog.mark_changed();
  services_.events.publish(events::ContextProfiled{state.key, state.id, state.family, *state.profile, 0, false, true});
}

void DriftMonitor::drop_assumptions() {
  for (const std::size_t context : watch_.waiting()) curves_.use(context);
}

// With room for one more step of the length that steps have had, so that the share is kept after it as well. One that
// was stopped for long by the machine says little of the next: none is taken to be longer than a layer of a prefill. A
// frozen run finishes what is to be done before the next request: no decision may hang on how long that takes.
bool DriftMonitor::may_reprofile() const {
  if (frozen_) return true;
  const events::EngineCounted now = counters_.so_far();
  const double other = now.serving_seconds + now.placing_seconds + now.profiling_seconds;
  const double next_step = std::min(now.longest_profile_step_seconds, now.longest_prefill_step_seconds);
  return now.reprofiling_seconds + next_step < max_reprofiling * (other + now.reprofiling_seconds + next_step);
}

}  // namespace kvantage::inline quality
