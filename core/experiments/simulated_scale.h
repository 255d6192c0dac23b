// Simulations at the scale of a paper: as many contexts as it has, of the lengths of its data sets, on a machine of its
// size. The policies are the real ones (core/policy/simulate.h), and quality curves are those that a session measured;
// bytes and times are arithmetic.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/experiments/policy_outcome.h"
#include "core/policy/policy.h"
#include "core/policy/types.h"

namespace kvantage::inline experiments {

struct PaperDataset {
  const char* name;
  double mean_tokens;
  double variation;  // standard deviation / mean
};
/// Over the data sets, each of as many contexts.
double mean_tokens(std::span<const PaperDataset> datasets);
/// Tokens of each context, the i-th of data set i % datasets.size(): log-normal draws with that data set's mean and
/// variation, all scaled by one factor so that their mean is mean_tokens().
std::vector<int> dataset_lengths(std::span<const PaperDataset> datasets, std::size_t contexts, std::uint64_t seed);

/// Contexts and machine of a simulation.
struct SimulatedScale {
  std::string name;
  Snapshot snapshot;                // contexts with curves, tiers with models, nothing stored
  std::vector<std::string> curves;  // parallel to the contexts: the measured context whose quality curve each has
};

/// What the contexts of a scale are.
struct ScaledContexts {
  std::span<const PaperDataset> datasets;
  std::size_t contexts = 0;
  std::uint64_t bytes_per_token = 0;  // of keys and values
  double prefill_seconds = 0;         // a token
};
/// Indices of the measured contexts that have a curve.
std::vector<std::size_t> contexts_with_curves(const Snapshot& measured);
/// A scale without tiers. Each context has the curves under `methods` of a context of `measured`. Data set i takes them
/// from decks[i % decks.size()], none of them empty, which are dealt from the seed, so that the counts in a deck differ
/// by at most one. A form keeps its share of bytes and tokens.
SimulatedScale contexts_at_scale(const ScaledContexts& wanted, const Snapshot& measured,
                                 const std::vector<std::string>& methods,
                                 const std::vector<std::vector<std::size_t>>& decks, std::uint64_t seed);
/// `seconds_per_token`: to load an uncompressed token of `token_bytes`.
TierState tier_at_scale(std::string name, std::uint64_t budget_bytes, double seconds_per_token,
                        std::uint64_t token_bytes);
/// What a policy may choose among, whatever the session had: `methods`, and the fractions of the session.
void set_candidates(Snapshot& snapshot, const Snapshot& measured, const std::vector<std::string>& methods);

/// Of the fastest tier's budget to all uncompressed KV.
double first_tier_share(const SimulatedScale& scale);

/// For a figure's settings: contexts, bytes and times of the scale, requests and curves of the outcomes.
Json simulated_settings(const SimulatedScale& scale, const std::vector<PolicyOutcome>& outcomes);

/// usage error for a policy that reads by the text of questions, which are not simulated.
Status check_simulated_policy(const Policy& policy);
/// Each context is requested once, in order; then `requests`, indices into the contexts, one after the other, or at
/// these `arrivals` (seconds, ascending, as many). One outcome, or one for each alpha where the policy uses it, without
/// the first requests. Samples are grouped by the measured context. Their quality is that expected on future questions,
/// and their predicted quality the one that the policy plans with. usage error for an unknown policy, or as
/// check_simulated_policy().
Expected<std::vector<PolicyOutcome>> simulate_policy(const SimulatedScale& scale, const std::string& policy,
                                                     const std::vector<double>& alphas,
                                                     const std::vector<std::size_t>& requests,
                                                     const std::vector<double>& arrivals = {});

}  // namespace kvantage::inline experiments
