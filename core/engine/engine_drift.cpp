// Curves that hold no longer: answers are held against what their profile says, and a context that falls short is profiled
// anew on the questions it was asked last (EvicPress, section 4.3). The new curve lives as long as the session; the store keeps
// the one of the profile questions.
#include <algorithm>
#include <utility>

#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

// Of the time that the engine's thread is busy: the most that goes to profiling anew.
constexpr double most_reprofiling = 0.05;

}  // namespace

void Engine::Worker::watch_drift(const Running& request) {
  const RequestRecord& record = request.task->record();
  const std::size_t context = request.arrived.context;
  const ContextState& state = catalogue_->state(context);
  if (!settings_.reprofile || !policy_->plans() || state.profile == nullptr) return;
  // A prefix of it that was compressed for another context has no point in this one's curve.
  if (request.entry != context && !holds_original(record.method, record.removed_fraction)) return;
  const auto achieved = record.quality.find(settings_.quality_metric);
  const auto point = std::ranges::find_if(state.profile->points, [&](const ProfilePoint& known) {
    return known.method == record.method && known.removed_fraction == record.removed_fraction;
  });
  if (achieved == record.quality.end() || point == state.profile->points.end()) return;
  drift_.set_threshold(settings_.reprofile_threshold);
  const auto finding = drift_.note(context, request.arrived.question, achieved->second, point->quality);
  if (!finding) return;
  ++counted_.drifts;
  events_.publish(events::DriftDetected{state.key, state.id, finding->achieved_quality, finding->profiled_quality, finding->answers,
                                        drift_.questions(context).size()});
  if (!holds_original(record.method, record.removed_fraction)) assume_loss(context, finding->achieved_quality / finding->profiled_quality);
}

// Measuring takes its time. Until it is done every compressed form is taken to have lost the share that those lost which
// were served; what is uncompressed answers as before.
void Engine::Worker::assume_loss(std::size_t context, double kept_share) {
  ContextState& state = catalogue_->state(context);
  ContextProfile assumed = *state.profile;
  for (ProfilePoint& point : assumed.points) {
    if (holds_original(point.method, point.removed_fraction)) continue;
    point.quality *= kept_share;
    point.quality_low *= kept_share;
    point.quality_high *= kept_share;
    if (point.expected_quality >= 0) point.expected_quality *= kept_share;
  }
  state.profile = std::make_shared<const ContextProfile>(std::move(assumed));
  snapshot_changed_ = true;
  events_.publish(events::ContextProfiled{state.key, state.id, state.family, *state.profile, 0, false, true});
  tell_policy({.kind = PolicyEvent::Kind::profile_changed, .context = state.key});
}

void Engine::Worker::drop_assumptions() {
  for (const std::size_t context : drift_.waiting()) use_profile(context);
}

std::optional<std::size_t> Engine::Worker::next_drifted() const {
  if (!settings_.reprofile || run_id_.empty()) return std::nullopt;
  for (const std::size_t context : drift_.waiting())
    if (catalogue_->state(context).archived && !unprofilable_.contains(context)) return context;
  return std::nullopt;
}

// A frozen run finishes what is to be done before the next request: no decision may hang on how long that takes.
bool Engine::Worker::may_reprofile() const {
  if (engine_.config_.frozen) return true;
  const double other = counted_.serving_seconds + counted_.placing_seconds + counted_.profiling_seconds;
  return counted_.reprofiling_seconds < most_reprofiling * (other + counted_.reprofiling_seconds);
}

void Engine::Worker::restore_first_curves() {
  if (profile_ != nullptr && profile_->after_drift) end_profile();
  const auto before = std::exchange(first_cells_, {});
  for (const auto& [context, cells] : before) cells_[context] = cells;
  pool_qualities();
  for (const auto& [context, ignored] : before) use_profile(context);
}

}  // namespace kvantage
