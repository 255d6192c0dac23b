#include "core/simulator/planned_simulation.h"

#include <cmath>

#include "core/eviction/key_index.h"
#include "core/policy/access_statistics.h"
#include "core/policy/actions.h"
#include "core/policy/exact_search.h"
#include "core/policy/policy_info.h"
#include "core/policy/present_plan.h"
#include "core/policy/utility.h"

namespace kvantage::inline simulator {
namespace {

std::uint64_t blocks_of(std::uint64_t tokens, std::uint64_t block_tokens) {
  return (tokens + block_tokens - 1) / block_tokens;
}

/// The difference of each form's own line on a tier from the uncompressed line over its bytes, so that policies predict
/// the times that are served.
std::vector<CodecCost> codec_costs_of(const PlannedSetup& setup) {
  std::vector<CodecCost> costs;
  const CostModel whole = costs_of(setup.preset, setup.tiers, {});
  for (const PresetCandidate& form : setup.preset.candidates) {
    const CostModel own = costs_of(setup.preset, setup.tiers, form);
    for (std::size_t t = 0; t < setup.tiers.size(); ++t) {
      const double base = own.tiers[t].base_seconds - whole.tiers[t].base_seconds;
      const double kept = 1 - form.removed_fraction, restore = whole.tiers[t].restore_seconds_per_token;
      const double transfer = whole.tiers[t].seconds_per_token - restore;
      const double slope = own.tiers[t].seconds_per_token - transfer * form.kept_bytes - restore * kept;
      if (base == 0 && std::abs(slope) < 1e-15) continue;
      costs.push_back({form.method, slope / std::max(kept, 1e-6), static_cast<int>(t), form.removed_fraction, base});
    }
  }
  return costs;
}

std::shared_ptr<const ContextProfile> profile_of(const PlannedSetup& setup, const PresetQuality& quality,
                                                 std::uint64_t tokens, double factor) {
  auto profile = std::make_shared<ContextProfile>();
  const double full = static_cast<double>(tokens) * setup.preset.bytes_per_token;
  const auto point = [&](const std::string& method, double removed, double kept_bytes, double value) {
    ProfilePoint made;
    made.method = method;
    made.removed_fraction = removed;
    made.quality = made.quality_low = made.quality_high = value;
    made.n = 1;
    made.bytes = static_cast<std::uint64_t>(std::ceil(full * kept_bytes));
    made.kept_tokens = static_cast<int>(std::lround(static_cast<double>(tokens) * (1 - removed)));
    profile->points.push_back(std::move(made));
  };
  point("none", 0, 1, quality.uncompressed);
  for (std::size_t i = 0; i < setup.preset.candidates.size(); ++i) {
    if (!quality.candidates[i]) continue;
    const PresetCandidate& one = setup.preset.candidates[i];
    point(one.method, one.removed_fraction, one.kept_bytes,
          spread_quality(quality.uncompressed, *quality.candidates[i], factor));
  }
  return profile;
}

Expected<PresetQuality> quality_of(const PlannedSetup& setup) {
  PresetQuality none{"", "", 1, {}};
  none.candidates.resize(setup.preset.candidates.size());
  if (setup.preset.quality.empty() && setup.dataset.empty()) return none;
  KV_ASSIGN(const auto found, setup.preset.quality_of(setup.dataset));
  return *found;
}

/// A policy that is not registered has nothing special.
PolicyTraits traits_of(const Policy& policy) {
  const PolicyInfo* info = find_policy_info(FormText::name_of(policy.name()));
  return info == nullptr ? PolicyTraits{} : info->traits;
}

}  // namespace

std::size_t max_contexts_of(const Policy& policy) {
  const PolicyTraits traits = traits_of(policy);
  const bool takes_many = !traits.stores || (policy.is_planner() && traits.plans_at_scale);
  return takes_many ? max_planned_contexts : max_followed_contexts;
}

Expected<TraceScan> contexts_of(TraceReader& trace, std::size_t most) {
  TraceScan scan;
  for (;;) {
    KV_ASSIGN(auto request, trace.next());
    if (!request) return scan;
    ++scan.requests;
    std::uint64_t& tokens = scan.contexts[request->context];
    tokens = std::max(tokens, request->input_tokens);
    if (scan.contexts.size() > most)
      return fail(ErrorCode::usage,
                  "this policy takes at most " + std::to_string(most) +
                      " contexts, but the trace has more; shorten it with --limit, or choose " +
                      (most < max_planned_contexts ? "evicpress, fixed(METHOD,REMOVED_FRACTION) or an order like lru"
                                                   : "fixed(METHOD,REMOVED_FRACTION) or an order like lru"));
  }
}

Expected<double> tokens_of_contexts(TraceReader& trace) {
  constexpr std::size_t most = std::size_t{1} << 24;
  KeyIndex contexts;
  std::vector<std::uint64_t> longest;  // by number
  for (;;) {
    KV_ASSIGN(auto request, trace.next());
    if (!request) break;
    const std::uint32_t number = contexts.number(request->context);
    if (number == longest.size()) longest.push_back(0);
    longest[number] = std::max(longest[number], request->input_tokens);
    if (longest.size() > most)
      return fail(ErrorCode::rejected_input, "the trace has more than " + std::to_string(most) +
                                                 " different contexts; read fewer requests with --limit");
  }
  double tokens = 0;
  for (const std::uint64_t each : longest) tokens += static_cast<double>(each);
  return tokens;
}

Expected<Snapshot> snapshot_of(const PlannedSetup& setup, const TraceContexts& contexts) {
  if (!setup.preset.prefill)
    return fail(ErrorCode::usage,
                "preset " + setup.preset.name + " has no timings, which planning needs; choose one that has");
  KV_ASSIGN(const auto quality, quality_of(setup));
  Snapshot snapshot;
  snapshot.alpha = setup.alpha;
  snapshot.prefill = *setup.preset.prefill;
  snapshot.question = setup.preset.question;
  for (const PlannedTier& tier : setup.tiers) {
    TierState state{.name = tier.name, .budget_bytes = tier.budget_bytes, .model = {}, .throttled = false};
    state.model.latency_seconds = tier.line.base_seconds;
    state.model.decode_seconds_per_token = tier.line.restore_seconds_per_token;
    state.model.bytes_per_second = setup.preset.bytes_per_token /
                                   std::max(tier.line.seconds_per_token - tier.line.restore_seconds_per_token, 1e-15);
    snapshot.tiers.push_back(std::move(state));
  }
  snapshot.codec_costs = codec_costs_of(setup);
  SeededMap<std::uint64_t, std::shared_ptr<const ContextProfile>> alike;  // by tokens
  for (const auto& [id, tokens] : contexts) {
    ContextState context;
    context.key = {0, id};
    context.id = std::to_string(id);
    context.family = "trace";
    context.tokens = static_cast<int>(std::min<std::uint64_t>(tokens, 1'000'000'000));
    context.full_bytes =
        static_cast<std::uint64_t>(std::ceil(static_cast<double>(tokens) * setup.preset.bytes_per_token));
    if (setup.quality_spread > 0) {
      context.profile = profile_of(setup, quality, tokens, loss_factor(setup.quality_spread, setup.seed, id));
    } else {
      auto& profile = alike[tokens];
      if (!profile) profile = profile_of(setup, quality, tokens, 1);
      context.profile = profile;
    }
    snapshot.contexts.push_back(std::move(context));
  }
  return snapshot;
}

Expected<std::unique_ptr<PlannedSimulation>> PlannedSimulation::make(PlannedSetup setup, const TraceScan& scan,
                                                                     std::shared_ptr<const Policy> policy) {
  const Configuration wanted = policy->admission({});
  const auto form = stored_form(setup.preset, setup.dataset, wanted.method, wanted.removed_fraction);
  if (!form) return fail(form.error().code, "policy '" + policy->name() + "': " + form.error().message);
  const bool between = form->between;
  if (between) {
    setup.preset.candidates.push_back({wanted.method, wanted.removed_fraction, form->kept_bytes, {}});
    for (PresetQuality& quality : setup.preset.quality)
      quality.candidates.push_back(form->quality);  // of the data set in use
  }
  KV_ASSIGN(auto snapshot, snapshot_of(setup, scan.contexts));
  const auto contexts = static_cast<double>(scan.contexts.size());
  std::unique_ptr<PlannedSimulation> made(
      new PlannedSimulation(std::move(setup), std::move(snapshot), std::move(policy)));
  made->between_ = between;
  if (scan.contexts.size() > max_followed_contexts && made->stores_)
    made->planned_every_ = static_cast<std::uint64_t>(
        std::max(1.0, std::ceil(static_cast<double>(scan.requests) * contexts / max_planned_work)));
  return made;
}

PlannedSimulation::PlannedSimulation(PlannedSetup setup, Snapshot snapshot, std::shared_ptr<const Policy> policy)
    : setup_(std::move(setup)), policy_(std::move(policy)), state_{std::move(snapshot)}, times_(setup_.servers) {
  stores_ = traits_of(*policy_).stores;
  totals_.tiers.resize(setup_.tiers.size());
  costs_.push_back(costs_of(setup_.preset, setup_.tiers, {}));
  for (const PresetCandidate& form : setup_.preset.candidates)
    costs_.push_back(costs_of(setup_.preset, setup_.tiers, form));
}

const CostModel& PlannedSimulation::costs_as(const Configuration& placement) const {
  const auto& forms = setup_.preset.candidates;
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (forms[i].method == placement.method && same_fraction(forms[i].removed_fraction, placement.removed_fraction))
      return costs_[i + 1];
  return costs_.front();
}

/// The context is as long as its last request; a stored entry of another length is rebuilt.
void PlannedSimulation::resize(std::size_t index, std::uint64_t tokens) {
  ContextState& context = state_.snapshot.contexts[index];
  const int length = static_cast<int>(std::min<std::uint64_t>(tokens, 1'000'000'000));
  if (context.tokens == length) return;
  context.tokens = length;
  context.full_bytes =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(tokens) * setup_.preset.bytes_per_token));
  context.placement = {};
  context.stored_bytes = 0;
  const auto quality = quality_of(setup_);  // it existed when the snapshot was built
  if (setup_.quality_spread > 0) {
    context.profile =
        profile_of(setup_, *quality, tokens, loss_factor(setup_.quality_spread, setup_.seed, context.key.low));
    return;
  }
  auto& profile = profiles_[tokens];
  if (!profile) profile = profile_of(setup_, *quality, tokens, 1);
  context.profile = profile;
}

void PlannedSimulation::request(const TraceRequest& request) {
  Snapshot& snapshot = state_.snapshot;
  const auto index = find_context(snapshot, {0, request.context});
  if (!index) return;
  const ContextState& context = snapshot.contexts[*index];
  const double tokens = static_cast<double>(request.input_tokens);
  const CostModel& costs = costs_as(context.placement);
  std::array<double, max_simulated_tiers> held{};
  ++totals_.requests;
  totals_.tokens += request.input_tokens;
  totals_.blocks += blocks_of(request.input_tokens, setup_.block_tokens);
  const ProfilePoint* form = find_point(context, "none", 0);
  if (is_placed(snapshot, context)) {
    const auto at = static_cast<std::size_t>(context.placement.tier);
    const std::uint64_t reused =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(context.tokens), request.input_tokens);
    held[at] = static_cast<double>(reused);
    if (const ProfilePoint* stored = find_point(context, context.placement.method, context.placement.removed_fraction))
      form = stored;
    ++totals_.hit_requests;
    totals_.hit_tokens += reused;
    totals_.hit_blocks += blocks_of(reused, setup_.block_tokens);
    SimulatorTier& tier = totals_.tiers[at];
    ++tier.hit_requests;
    tier.hit_tokens += reused;
    tier.read_bytes += held[at] * costs.bytes_per_token;
  }
  quality_sum_ += form != nullptr ? form->quality : 0;
  const double service = costs.service_seconds(tokens, std::span(held.data(), setup_.tiers.size()));
  times_.serve(request.arrival_seconds, service,
               setup_.seconds_per_output_token * static_cast<double>(request.output_tokens));
  resize(*index, request.input_tokens);
  follow(*index, !is_placed(snapshot, context));
}

// Who stores nothing decides nothing, and nobody asks for frequencies: such a request takes no longer with more
// contexts.
void PlannedSimulation::follow(std::size_t index, bool computed) {
  if (!stores_) return;
  Snapshot& snapshot = state_.snapshot;
  const Digest128 key = snapshot.contexts[index].key;
  ++counter_;
  if (planned_every_ == 1) {
    note_request(snapshot, index, counter_);
    handle(PolicyEvent::Kind::requested, key);
    if (!computed) return;
    snapshot.contexts[index].archived = true;
    handle(PolicyEvent::Kind::context_computed, key);
    return;
  }
  snapshot.contexts[index].archived = true;
  snapshot.contexts[index].last_access = counter_;
  waiting_.push_back({index, counter_});
  if (counter_ % planned_every_ != 0) return;
  book_waiting();
  handle(PolicyEvent::Kind::settings_changed, {});
}

void PlannedSimulation::book_waiting() {
  if (waiting_.empty()) return;
  Snapshot& snapshot = state_.snapshot;
  const double faded = fade(static_cast<double>(waiting_.size()), default_half_life_requests);
  for (ContextState& context : snapshot.contexts) context.frequency *= faded;
  for (const Asked& asked : waiting_)
    snapshot.contexts[asked.context].frequency +=
        fade(static_cast<double>(counter_ - asked.counter), default_half_life_requests);
  waiting_.clear();
}

void PlannedSimulation::handle(PolicyEvent::Kind kind, const Digest128& context) {
  for (const PlacementAction& action : policy_->advance(state_, {kind, context}).actions) {
    apply(state_.snapshot, action);
    ++totals_.actions;
  }
}

std::optional<double> PlannedSimulation::lp_gap() {
  if (!policy_->is_planner()) return {};
  book_waiting();
  return plan_gap(state_.snapshot, present_plan(state_.snapshot), policy_->name());
}

SimulatorTotals PlannedSimulation::totals() const {
  SimulatorTotals totals = totals_;
  totals.distinct = state_.snapshot.contexts.size();
  const std::vector<std::uint64_t> used = used_bytes(state_.snapshot);
  for (std::size_t tier = 0; tier < totals.tiers.size(); ++tier) totals.tiers[tier].held = used[tier];
  totals.mean_quality = totals.requests > 0 ? quality_sum_ / static_cast<double>(totals.requests) : 0;
  times_.fill(totals);
  return totals;
}

}  // namespace kvantage::inline simulator
