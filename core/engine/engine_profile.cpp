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

Status Engine::Worker::compute_original(std::size_t context) {
  const std::int64_t start = clock_.monotonic_ns();
  KvCache cache(*runtime_->pool);
  PrefillTask prefill(*runtime_->model, cache, catalogue_->details(context).tokens, 0,
                      {.chunk_tokens = runtime_->chunk_tokens(),
                       .window_queries = runtime_->window_queries,
                       .logits = PrefillLogits::none});
  while (!prefill.done()) {
    if (interrupted()) return fail(ErrorCode::cancelled, "profiling was stopped");
    KV_TRY(prefill.step());
  }
  const ContextState& state = catalogue_->state(context);
  const double took = static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
  store_->keep_original(context, std::move(cache), prefill.take_window_queries(), true);
  events_.publish(events::ContextComputed{state.key, state.id, state.tokens, state.full_bytes, took, state.archived});
  return {};
}

Status Engine::Worker::begin_profile(std::size_t context) {
  if (!catalogue_->state(context).archived) KV_TRY(compute_original(context));
  const auto original = store_->original(context);
  if (!original) return tl::unexpected(original.error());
  profile_ = std::make_unique<ActiveProfile>(
      ActiveProfile{context, (*original)->cache.share(), (*original)->observed, nullptr, clock_.monotonic_ns()});
  profile_->task = std::make_unique<ProfileTask>(*runtime_, meter_, catalogue_->state(context), catalogue_->details(context),
                                                 profile_->cache, profile_->observed, profile_plan());
  return {};
}

Status Engine::Worker::profile(double seconds) {
  const std::int64_t start = clock_.monotonic_ns();
  if (profile_ == nullptr) {
    const auto next = next_unprofiled(!profile_everything_);
    if (!next) return {};
    const auto total = static_cast<std::uint64_t>(catalogue_->size());
    const auto done = static_cast<std::uint64_t>(std::ranges::count_if(
        std::views::iota(std::size_t{0}, catalogue_->size()), [this](std::size_t c) { return profile_complete(c); }));
    progress("Profiling contexts", done, total);
    if (Status begun = begin_profile(*next); !begun) return give_up_profile(*next, std::move(begun).error());
  }
  while (!profile_->task->done()) {
    if (Status status = profile_->task->step([this] { return interrupted(); }); !status)
      return give_up_profile(profile_->context, std::move(status).error());
    if (interrupted() || static_cast<double>(clock_.monotonic_ns() - start) * 1e-9 > seconds) break;
  }
  if (!profile_->task->done()) return {};

  const std::size_t context = profile_->context;
  cells_[context] = profile_->task->take_cells();
  if (const auto& scores = profile_->task->chance_scores(); !scores.empty()) {
    const MeanWithInterval mean = mean_with_interval(scores);
    measured_chances_[context] = {mean.mean, mean.low, mean.high, static_cast<int>(mean.n)};
  }
  chances_.clear();  // where there are no gold answers they hang on the reference answers, of which there are more now
  const double took = static_cast<double>(clock_.monotonic_ns() - profile_->start_ns) * 1e-9;
  end_profile();
  if (engine_.profiles_ != nullptr) {
    KV_TRY(engine_.profiles_->save_profile(scope_, cells_[context]));
    KV_TRY(save_references());
  }
  use_profile(context);
  const ContextState& state = catalogue_->state(context);
  events_.publish(events::ContextProfiled{state.key, state.id, state.family, *state.profile, took, false});
  const auto left = next_unprofiled(false);
  if (!left) {
    for (const auto& [profiled, ignored] : cells_) use_profile(profiled);  // with chance from all that is known now
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
  if (error.code != ErrorCode::cancelled) {
    unprofilable_.insert(context);
    error.message = "context '" + catalogue_->state(context).id + "': " + error.message;
  }
  return tl::unexpected(std::move(error));
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
    if (candidate) chosen.points.push_back(point);
  }
  // As the database has them: measured now or read again, plans see the same.
  std::ranges::sort(chosen.points, {}, [](const ProfilePoint& point) { return std::tie(point.method, point.removed_fraction); });
  chosen.chance = profile_chance(context);
  catalogue_->state(context).profile = std::make_shared<const ContextProfile>(std::move(chosen));
  snapshot_changed_ = true;
}

}  // namespace kvantage
