#include <algorithm>
#include <ranges>
#include <tuple>

#include "core/engine/engine_worker.h"

namespace kvantage {

ProfilePlan Engine::Worker::profile_plan() const {
  ProfilePlan plan;
  plan.methods = settings_.methods;
  plan.removed_fractions = settings_.removed_fractions;
  plan.quality_metric = settings_.quality_metric;
  plan.max_answer_tokens = engine_.config_.max_answer_tokens;
  return plan;
}

bool Engine::Worker::profile_complete(std::size_t context) const {
  const auto found = cells_.find(context);
  if (found == cells_.end()) return false;
  const auto has = [&](const std::string& method, double removed_fraction) {
    return std::ranges::any_of(found->second, [&](const ProfileCell& cell) {
      return cell.point.method == method && cell.point.removed_fraction == removed_fraction;
    });
  };
  if (!has("none", 0.0)) return false;
  for (const std::string& method : settings_.methods) {
    const auto parsed = parse_method(method);
    if (method == "none" || !parsed) continue;
    for (const double fraction : (*parsed)->fractions_of(settings_.removed_fractions))
      if (!has(method, fraction)) return false;
  }
  return true;
}

std::optional<std::size_t> Engine::Worker::next_unprofiled(bool original_needed) const {
  if (engine_.profiles_ == nullptr && original_needed) return std::nullopt;
  for (std::size_t c = 0; c < catalogue_->size(); ++c) {
    if ((original_needed && !catalogue_->state(c).archived) || unprofilable_.contains(c)) continue;
    const auto& questions = catalogue_->details(c).questions;
    const bool askable = std::ranges::any_of(questions, [](const CatalogueQuestion& q) { return !q.held_out; });
    if (askable && !profile_complete(c)) return c;
  }
  return std::nullopt;
}

Status Engine::Worker::begin_profile(std::size_t context, bool after_drift) {
  profile_ = std::make_unique<ActiveProfile>(
      ActiveProfile{context, after_drift, clock_.monotonic_ns(), KvCache(*runtime_->pool), nullptr, nullptr});
  if (const auto* original = store_->original_at_hand(context))
    return begin_answers(original->cache.share(), original->observed);
  if (!catalogue_->state(context).archived) {
    profile_->prefill =
        std::make_unique<PrefillTask>(*runtime_->model, profile_->cache, catalogue_->details(context).tokens, 0,
                                      PrefillOptions{.chunk_tokens = runtime_->chunk_tokens(),
                                                     .window_queries = runtime_->window_queries,
                                                     .logits = PrefillLogits::none});
    return {};
  }
  if (const auto entry = store_->archived_entry(context))
    profile_->load = std::make_unique<LoadTask>(*store_->archive(), *entry, nullptr, *opened_.lender, true);
  return {};
}

Status Engine::Worker::begin_answers(KvCache cache, Observation observed) {
  profile_->cache = std::move(cache);
  const std::size_t context = profile_->context;
  ProfilePlan plan = profile_plan();
  if (profile_->after_drift) {
    plan.asked = drift_.questions(context);
    const auto first = first_cells_.find(context);
    plan.before = first == first_cells_.end() ? cells_[context] : first->second;
    plan.reference_answers = false;
    leave_out_long_steps(observed, plan);
  }
  profile_->task =
      std::make_unique<ProfileTask>(*runtime_, meter_, catalogue_->state(context), catalogue_->details(context),
                                    profile_->cache, std::move(observed), std::move(plan));
  return {};
}

// A layer of the context at a time, computed or read.
Status Engine::Worker::read_original_step() {
  const std::size_t context = profile_->context;
  if (profile_->prefill != nullptr) {
    KV_TRY(profile_->prefill->step());
    if (!profile_->prefill->done()) return {};
    const ContextState& state = catalogue_->state(context);
    const double took = static_cast<double>(clock_.monotonic_ns() - profile_->start_ns) * 1e-9;
    KvCache kept = profile_->cache.share();
    WindowQueries queries = profile_->prefill->take_window_queries();
    store_->keep_original(context, std::move(profile_->cache), queries, true);
    events_.publish(events::ContextComputed{state.key, state.id, state.tokens, state.full_bytes, took, state.archived});
    profile_->prefill.reset();
    return begin_answers(std::move(kept), observation_of(*runtime_, std::move(queries)));
  }
  if (profile_->load != nullptr) {
    LoadTask& load = *profile_->load;
    const auto there = load.restore_in_turn(running_.empty() ? 0.001 : 0, profile_->cache);
    if (there && !*there) return {};
    if (!there && there.error().code == ErrorCode::no_space) return tl::unexpected(there.error());
    if (auto queries = there ? load.take_queries() : Expected<WindowQueries>(tl::unexpected(there.error()))) {
      Observation observed = observation_of(*runtime_, std::move(*queries));
      profile_->load.reset();
      return begin_answers(std::move(profile_->cache), std::move(observed));
    }
    profile_->load.reset();
  }
  const auto original = store_->original(context);  // says what is wrong with it, and takes it out of the archive
  if (!original) return tl::unexpected(original.error());
  return begin_answers((*original)->cache.share(), (*original)->observed);
}

// A request is held up once by it at the most: by the step that it arrives in, or by one while it computes.
bool Engine::Worker::may_profile() const {
  return running_.size() < batch_limit() && !profile_lacks_room_ &&
         std::ranges::none_of(running_, [](const Running& request) { return request.held_up; });
}

Status Engine::Worker::profile_step() {
  for (Running& request : running_)
    (request.task->needs() == RequestTask::Need::bytes ? request.waited_beside_profiling : request.held_up) = true;
  profile_step_began_ns_ = serving_clock_.monotonic_ns();
  const bool again = profile_->after_drift;
  const bool waits = profile_->task == nullptr && profile_->load != nullptr;
  const Status status =
      profile_->task == nullptr ? read_original_step() : profile_->task->step([this] { return interrupted(); });
  profile_step_ended_ns_ = serving_clock_.monotonic_ns();
  const double took = static_cast<double>(profile_step_ended_ns_ - profile_step_began_ns_) * 1e-9;
  if (run_id_.empty()) return status;
  (again ? counted_.reprofiling_seconds : counted_.profiling_seconds) += took;
  if (!waits && arrival_rate() > 0)
    counted_.longest_profile_step_seconds = std::max(counted_.longest_profile_step_seconds, took);
  return status;
}

Status Engine::Worker::profile(double seconds) {
  const std::int64_t start = clock_.monotonic_ns();
  if (profile_ == nullptr) {
    const auto unprofiled = next_unprofiled(!profile_everything_);
    const auto next = unprofiled ? unprofiled : next_drifted();
    if (!next) return {};
    if (unprofiled) {
      const auto total = static_cast<std::uint64_t>(catalogue_->size());
      const auto done = static_cast<std::uint64_t>(std::ranges::count_if(
          std::views::iota(std::size_t{0}, catalogue_->size()), [this](std::size_t c) { return profile_complete(c); }));
      progress("Profiling contexts", done, total);
    }
    if (Status begun = begin_profile(*next, !unprofiled); !begun)
      return give_up_profile(*next, std::move(begun).error());
  }
  while (profile_->task == nullptr || !profile_->task->done()) {
    if (Status status = profile_step(); !status) return give_up_profile(profile_->context, std::move(status).error());
    if (interrupted() || static_cast<double>(clock_.monotonic_ns() - start) * 1e-9 > seconds) break;
    if (profile_->after_drift && !may_reprofile()) break;
    const bool expected = engine_.state_ == RunState::running && !run_id_.empty() && arrival_rate() > 0;
    if (expected && (next_request_is_due() || !requeued_.empty()) && running_.size() < batch_limit()) break;
  }
  if (profile_->task == nullptr || !profile_->task->done()) return {};
  return take_curve();
}

Status Engine::Worker::take_curve() {
  const std::size_t context = profile_->context;
  const bool after_drift = profile_->after_drift;
  if (after_drift) first_cells_.try_emplace(context, cells_[context]);
  cells_[context] = profile_->task->take_cells();
  if (after_drift) keep_curves_left_out(context);
  quality_->learn(context, profile_->task->chance_scores());
  const double took = static_cast<double>(clock_.monotonic_ns() - profile_->start_ns) * 1e-9;
  end_profile();
  drift_.settle(context);
  if (after_drift) {
    ++counted_.reprofiles;
  } else if (engine_.profiles_ != nullptr) {
    KV_TRY(engine_.profiles_->save_profile(scope_, cells_[context]));
    KV_TRY(quality_->save(scope_));
  }
  pool_qualities();
  use_profile(context);
  const ContextState& state = catalogue_->state(context);
  events_.publish(events::ContextProfiled{state.key, state.id, state.family, *state.profile, took, false, after_drift});
  if (!after_drift && !next_unprofiled(false)) {
    for (const auto& [profiled, ignored] : cells_) use_profile(profiled);  // with what is known now from all
    publish_taken("profiles");
    progress("Profiling contexts", catalogue_->size(), catalogue_->size());
  }
  if (!run_id_.empty()) tell_policy({.kind = PolicyEvent::Kind::profile_changed, .context = state.key});
  return {};
}

void Engine::Worker::end_profile() { profile_.reset(); }

// What failed would fail again at once: other contexts have their turn, and a run is not held up for ever.
Status Engine::Worker::give_up_profile(std::size_t context, Error error) {
  end_profile();
  if (error.code == ErrorCode::no_space && !running_.empty()) {  // those under way need the blocks: it begins again
    profile_lacks_room_ = true;
    return {};
  }
  if (error.code != ErrorCode::cancelled) {
    unprofilable_.insert(context);
    error.message = "context '" + catalogue_->state(context).id + "': " + error.message;
  }
  return tl::unexpected(std::move(error));
}

void Engine::Worker::pool_qualities() {
  pool_ = {};
  for (const auto& [context, cells] : cells_)
    for (const ProfileCell& cell : cells) pool_.add(catalogue_->state(context).family, cell.point);
}

void Engine::Worker::use_profile(std::size_t context) {
  ContextProfile chosen;
  for (const ProfileCell& cell : cells_.at(context)) {
    const ProfilePoint& point = cell.point;
    const bool candidate =
        point.method == "none" ||
        (std::ranges::find(settings_.methods, point.method) != settings_.methods.end() &&
         (point.removed_fraction == 0 ||  // a method that only codes
          std::ranges::find(settings_.removed_fractions, point.removed_fraction) != settings_.removed_fractions.end()));
    if (!candidate) continue;
    chosen.points.push_back(point);
    // Others were asked the questions of before: they tell nothing of a context whose questions have drifted.
    if (!first_cells_.contains(context))
      chosen.points.back().expected_quality = pool_.expected(catalogue_->state(context).family, point);
  }
  // As the database has them: measured now or read again, plans see the same.
  std::ranges::sort(chosen.points, {},
                    [](const ProfilePoint& point) { return std::tie(point.method, point.removed_fraction); });
  chosen.chance = quality_->chance_on(context);
  catalogue_->state(context).profile = std::make_shared<const ContextProfile>(std::move(chosen));
  snapshot_changed_ = true;
}

}  // namespace kvantage
