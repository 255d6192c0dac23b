#include "core/experiments/simulated_scale.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "core/base/duration.h"
#include "core/base/random.h"
#include "core/base/units.h"
#include "core/policy/simulate.h"
#include "core/policy/utility.h"
#include "core/ports/tier_config.h"
#include "core/workload/regimes/regime_facts.h"

namespace kvantage::inline experiments {
namespace {

constexpr std::uint64_t length_purpose = 1, deal_purpose = 2;  // of seeds

bool has_curve(const ContextState& context) {
  return find_point(context, "none", 0) != nullptr && context.full_bytes > 0 && context.tokens > 0;
}

/// Deals a deck in a drawn order, again and again.
class Dealer {
 public:
  Dealer(const std::vector<std::size_t>& deck, std::uint64_t seed) : deck_(deck), random_(seed) {}

  std::size_t next() {
    if (left_.empty()) {
      left_ = deck_;
      random_.shuffle(std::span(left_));
    }
    const std::size_t dealt = left_.back();
    left_.pop_back();
    return dealt;
  }

 private:
  const std::vector<std::size_t>& deck_;
  Random random_;
  std::vector<std::size_t> left_;
};

/// The curves under `methods`, for a context of other bytes and tokens.
std::shared_ptr<const ContextProfile> scaled_profile(const ContextState& measured, const ContextFacts& wanted,
                                                     const std::vector<std::string>& methods) {
  const double more_bytes = static_cast<double>(wanted.full_bytes) / static_cast<double>(measured.full_bytes);
  const double more_tokens = static_cast<double>(wanted.tokens) / measured.tokens;
  auto profile = std::make_shared<ContextProfile>();
  profile->chance = measured.profile->chance;
  for (const ProfilePoint& point : measured.profile->points) {
    const bool whole = point.method == "none";
    if (!whole && std::ranges::find(methods, point.method) == methods.end()) continue;
    ProfilePoint& scaled = profile->points.emplace_back(point);
    scaled.bytes = whole ? wanted.full_bytes
                         : static_cast<std::uint64_t>(std::llround(static_cast<double>(point.bytes) * more_bytes));
    scaled.kept_tokens = whole ? wanted.tokens : static_cast<int>(std::lround(point.kept_tokens * more_tokens));
  }
  return profile;
}

PolicySample sample_of(const WhatIfSimulation& simulation, const SimulatedRequest& served, const std::string& curve) {
  const Snapshot& snapshot = simulation.snapshot();
  const ContextState& context = snapshot.contexts[served.context];
  PolicySample sample;
  sample.context = curve;
  sample.family = context.family;
  sample.source = served.tier == not_stored ? "prefill" : snapshot.tiers[static_cast<std::size_t>(served.tier)].name;
  sample.ttft_seconds = served.ttft_service_seconds;
  sample.question_seconds = snapshot.question.seconds(context.tokens);
  sample.quality = served.quality;
  sample.arrival_to_token_seconds = served.ttft_seconds;
  sample.context_tokens = context.tokens;
  return sample;
}

PolicyOutcome simulate_alpha(const SimulatedScale& scale, const std::shared_ptr<const Policy>& policy, double alpha,
                             const std::vector<std::size_t>& requests, const std::vector<double>& arrivals) {
  Snapshot start = scale.snapshot;
  if (alpha > 0) start.alpha = alpha;
  const double fallback = mean_uncompressed_quality(start, policy->quality_reading());
  WhatIfSimulation simulation(start, policy);
  double begun = 0;  // when the first requests are answered
  for (std::size_t i = 0; i < start.contexts.size(); ++i) begun += simulation.request(i).ttft_service_seconds;
  PolicyOutcome outcome;
  outcome.alpha = alpha;
  outcome.budget_fraction = first_tier_share(scale);
  outcome.seeds = 1;
  outcome.samples.reserve(requests.size());
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const std::size_t index = requests[r];
    const ContextState& before = simulation.snapshot().contexts[index];
    const double predicted =
        predict(simulation.snapshot(), before, before.placement, fallback, policy->quality_reading()).quality;
    const SimulatedRequest served = simulation.request(
        index, r < arrivals.size() ? std::optional<double>(begun + arrivals[r]) : std::optional<double>());
    outcome.samples.push_back(sample_of(simulation, served, scale.curves[index]));
    outcome.samples.back().predicted_quality = predicted;
  }
  return outcome;
}

/// "dram 80 GB; ssd 800 GB; remote unlimited".
std::string tiers_text(const Snapshot& snapshot) {
  std::string text;
  for (const TierState& tier : snapshot.tiers)
    text += (text.empty() ? "" : "; ") + tier.name + " " +
            (tier.budget_bytes == TierBudget::unlimited_bytes
                 ? "unlimited"
                 : shortest_number(static_cast<double>(tier.budget_bytes) / 1e9) + " GB");
  return text;
}

/// "prefill 3.95e-05; dram 3.4e-06; ...".
std::string seconds_text(const Snapshot& snapshot) {
  const double token_bytes = facts_of(snapshot).bytes_per_token();
  std::string text = "prefill " + shortest_number(snapshot.prefill.seconds_per_token);
  for (const TierState& tier : snapshot.tiers)
    text += "; " + tier.name + " " + shortest_number(round_to_digits(token_bytes / tier.model.bytes_per_second, 4));
  return text;
}

}  // namespace

double mean_tokens(std::span<const PaperDataset> datasets) {
  double sum = 0;
  for (const PaperDataset& dataset : datasets) sum += dataset.mean_tokens;
  return sum / static_cast<double>(datasets.size());
}

std::vector<int> dataset_lengths(std::span<const PaperDataset> datasets, std::size_t contexts, std::uint64_t seed) {
  Random random(derive_seed(seed, length_purpose));
  std::vector<double> drawn;
  drawn.reserve(contexts);
  double sum = 0;
  for (std::size_t i = 0; i < contexts; ++i) {
    const PaperDataset& dataset = datasets[i % datasets.size()];
    const double variance = std::log1p(dataset.variation * dataset.variation);
    drawn.push_back(dataset.mean_tokens * std::exp(std::sqrt(variance) * random.normal() - variance / 2));
    sum += drawn.back();
  }
  const double factor = mean_tokens(datasets) * static_cast<double>(contexts) / sum;
  std::vector<int> tokens;
  tokens.reserve(contexts);
  for (const double one : drawn) tokens.push_back(std::max(1, static_cast<int>(std::lround(factor * one))));
  return tokens;
}

std::vector<std::size_t> contexts_with_curves(const Snapshot& measured) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < measured.contexts.size(); ++i)
    if (has_curve(measured.contexts[i])) found.push_back(i);
  return found;
}

SimulatedScale contexts_at_scale(const ScaledContexts& wanted, const Snapshot& measured,
                                 const std::vector<std::string>& methods,
                                 const std::vector<std::vector<std::size_t>>& decks, std::uint64_t seed) {
  SimulatedScale made;
  set_candidates(made.snapshot, measured, methods);
  made.snapshot.prefill.seconds_per_token = wanted.prefill_seconds;
  const auto lengths = dataset_lengths(wanted.datasets, wanted.contexts, seed);
  std::vector<Dealer> dealers;
  dealers.reserve(decks.size());
  const std::uint64_t deal_seed = derive_seed(seed, deal_purpose);  // the first deck's: the only one of EvicPress
  for (std::size_t d = 0; d < decks.size(); ++d)
    dealers.emplace_back(decks[d], d == 0 ? deal_seed : derive_seed(deal_seed, d));
  for (std::size_t i = 0; i < wanted.contexts; ++i) {
    const std::size_t dataset = i % wanted.datasets.size();
    const ContextState& from = measured.contexts[dealers[dataset % dealers.size()].next()];
    ContextState context;
    context.key = {0, i + 1};
    context.id = from.id + "/" + std::to_string(i + 1);
    context.family = wanted.datasets[dataset].name;
    context.tokens = lengths[i];
    context.full_bytes = static_cast<std::uint64_t>(lengths[i]) * wanted.bytes_per_token;
    context.profile = scaled_profile(from, context, methods);
    made.snapshot.contexts.push_back(std::move(context));
    made.curves.push_back(from.id);
  }
  return made;
}

TierState tier_at_scale(std::string name, std::uint64_t budget_bytes, double seconds_per_token,
                        std::uint64_t token_bytes) {
  TierState tier;
  tier.name = std::move(name);
  tier.budget_bytes = budget_bytes;
  tier.model.bytes_per_second = static_cast<double>(token_bytes) / seconds_per_token;
  return tier;
}

void set_candidates(Snapshot& snapshot, const Snapshot& measured, const std::vector<std::string>& methods) {
  snapshot.candidates.methods = methods;
  snapshot.candidates.fractions = measured.candidates.fractions;
}

double first_tier_share(const SimulatedScale& scale) {
  return static_cast<double>(scale.snapshot.tiers.front().budget_bytes) / facts_of(scale.snapshot).kv_bytes;
}

Json simulated_settings(const SimulatedScale& scale, const std::vector<PolicyOutcome>& outcomes) {
  const RegimeFacts facts = facts_of(scale.snapshot);
  return {{"simulated contexts", scale.snapshot.contexts.size()},
          {"simulated tiers", tiers_text(scale.snapshot)},
          {"simulated tokens, mean", facts.tokens / facts.contexts},
          {"simulated KV, GB", facts.kv_bytes / 1e9},
          {"KV bytes per token", facts.bytes_per_token()},
          {"seconds per token", seconds_text(scale.snapshot)},
          {"requests per run", outcomes.empty() ? std::size_t{0} : outcomes.front().samples.size()},
          {"quality curves", std::set<std::string>(scale.curves.begin(), scale.curves.end()).size()},
          {"quality", "expected on future questions, by the curve of the measured context"}};
}

Status check_simulated_policy(const Policy& policy) {
  if (!policy.question_time_reads()) return {};
  return fail(ErrorCode::usage, "--policy: what " + policy.name() +
                                    " reads depends on the text of each question, which is not simulated; leave it "
                                    "out");
}

Expected<std::vector<PolicyOutcome>> simulate_policy(const SimulatedScale& scale, const std::string& text,
                                                     const std::vector<double>& alphas,
                                                     const std::vector<std::size_t>& requests,
                                                     const std::vector<double>& arrivals) {
  KV_ASSIGN(const auto policy, make_policy(text));
  KV_TRY(check_simulated_policy(*policy));
  std::vector<PolicyOutcome> outcomes;
  for (const double alpha : policy->uses_alpha() ? alphas : std::vector<double>{0}) {
    outcomes.push_back(simulate_alpha(scale, policy, alpha, requests, arrivals));
    outcomes.back().policy = text;
  }
  return outcomes;
}

}  // namespace kvantage::inline experiments
