// Curves that hold no longer: answers are held against what their profile says, and a context that falls short is
// profiled anew on the questions it was asked last (EvicPress, section 4.3). The new curve lives as long as the
// session; the store keeps the one of the profile questions.
#include <algorithm>
#include <utility>

#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

// Of the time that the engine's thread is busy: the most that goes to profiling anew.
constexpr double most_reprofiling = 0.05;

void scale_quality(ProfilePoint& point, double factor) {
  point.quality *= factor;
  point.quality_low *= factor;
  point.quality_high *= factor;
  if (point.expected_quality >= 0) point.expected_quality *= factor;
}

}  // namespace

void Engine::Worker::watch_drift(const Running& request) {
  const RequestRecord& record = request.task->record();
  const std::size_t context = request.arrived.context;
  const ContextState& state = catalogue_->state(context);
  if (!settings_.reprofile || !policy_->is_planner() || state.profile == nullptr) return;
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
  events_.publish(events::DriftDetected{state.key, state.id, finding->achieved_quality, finding->profiled_quality,
                                        finding->answers, drift_.questions(context).size()});
  if (!holds_original(record.method, record.removed_fraction))
    assume_loss(context, finding->achieved_quality / finding->profiled_quality);
}

// Measuring takes its time. Until it is done every compressed form is taken to have lost the share that those lost
// which were served; what is uncompressed answers as before.
void Engine::Worker::assume_loss(std::size_t context, double kept_share) {
  ContextState& state = catalogue_->state(context);
  ContextProfile assumed = *state.profile;
  for (ProfilePoint& point : assumed.points) {
    if (!holds_original(point.method, point.removed_fraction)) scale_quality(point, kept_share);
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

// With room for one more step of the length that steps have had, so that the share is kept after it as well. One that
// was stopped for long by the machine says little of the next: none is taken to be longer than a layer of a prefill. A
// frozen run finishes what is to be done before the next request: no decision may hang on how long that takes.
bool Engine::Worker::may_reprofile() const {
  if (engine_.config_.frozen) return true;
  const double other = counted_.serving_seconds + counted_.placing_seconds + counted_.profiling_seconds;
  const double next_step = std::min(counted_.longest_profile_step_seconds, counted_.longest_prefill_step_seconds);
  return counted_.reprofiling_seconds + next_step <
         most_reprofiling * (other + counted_.reprofiling_seconds + next_step);
}

// Methods that need more of the model than was kept with the original take many layers in one step, and requests would
// wait for them: they are measured anew only where there is no other.
void Engine::Worker::leave_out_long_steps(const Observation& observed, ProfilePlan& plan) const {
  const auto long_step = [&](const std::string& name) {
    const auto method = parse_method(name);
    if (!method) return false;
    ObservationNeeds needs = (*method)->info().needs;
    needs.calibration = needs.calibration && runtime_->calibration.empty();
    return !observed.meets(needs, static_cast<int>(catalogue_->state(profile_->context).tokens));
  };
  if (!std::ranges::all_of(plan.methods, long_step)) std::erase_if(plan.methods, long_step);
}

// They are taken to have lost what the compressed forms lost that were measured.
void Engine::Worker::keep_curves_left_out(std::size_t context) {
  std::vector<ProfileCell>& now = cells_[context];
  double before_sum = 0, now_sum = 0;
  std::vector<ProfileCell> left_out;
  for (const ProfileCell& before : first_cells_.at(context)) {
    const auto anew = std::ranges::find_if(now, [&](const ProfileCell& cell) {
      return cell.point.method == before.point.method && cell.point.removed_fraction == before.point.removed_fraction;
    });
    if (anew == now.end()) {
      left_out.push_back(before);
    } else if (!holds_original(before.point.method, before.point.removed_fraction)) {
      before_sum += before.point.quality;
      now_sum += anew->point.quality;
    }
  }
  const double kept_share = before_sum > 0 ? std::clamp(now_sum / before_sum, 0.0, 1.0) : 1.0;
  for (ProfileCell& cell : left_out) {
    scale_quality(cell.point, kept_share);
    now.push_back(std::move(cell));
  }
}

void Engine::Worker::restore_first_curves() {
  if (profile_ != nullptr && profile_->after_drift) end_profile();
  const auto before = std::exchange(first_cells_, {});
  for (const auto& [context, cells] : before) cells_[context] = cells;
  pool_qualities();
  for (const auto& [context, ignored] : before) use_profile(context);
}

}  // namespace kvantage
