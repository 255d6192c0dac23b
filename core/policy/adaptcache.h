// AdaptCache (arXiv 2509.00105, section 2): a context enters the fast tier uncompressed. While that tier exceeds its
// budget, the change with the least marginal drop is made: utility lost per byte freed on the fast tier. Candidates are
// all its contexts, each either compressed further or moved away. The tiers below evict by LRU alone and promote
// nothing.
//
//     described: utility = frequency * (alpha * quality - delay)        per the paper's text
//     printed:   utility = frequency * alpha * quality - delay          per its formula
//
// Alpha is seconds per unit of quality here as everywhere; the authors' code weighs the delay by its inverse instead.
// The delay is the predicted TTFT of the configuration; the paper's size / bandwidth is its variable part. As in the
// code, each context keeps to one kind of compression, the one whose best step costs the least per byte. A context
// displaced from the fast tier goes to the next one in its best form of at most its current bytes, or is dropped where
// prefill is better. Every form is built from the archived original.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/policy/eviction_cascade.h"
#include "core/policy/planning_problem.h"
#include "core/policy/policy.h"

namespace kvantage::inline policy {

struct AdaptCacheOptions {
  enum class Utility : std::uint8_t { described, printed } utility = Utility::described;
  enum class Quality : std::uint8_t { dataset, context } quality = Quality::dataset;  // dataset: mean of a family
  enum class Pool : std::uint8_t { session, paper } pool = Pool::session;  // paper: only KIVI and StreamingLLM
};

/// The candidate forms of a snapshot's contexts: the part of the greedy that is independent of alpha.
struct AdaptCacheForms {
  struct Form {
    std::uint32_t option = 0;
    std::uint64_t bytes = 0;
    double quality = 0;
    std::string method;
    double removed_fraction = 0;
    std::uint32_t kind = uncompressed;  // "kivi4" and "kivi2" are one kind
  };
  static constexpr std::uint32_t uncompressed = 0;
  static constexpr std::size_t no_form = static_cast<std::size_t>(-1);
  /// The first by key of a family that have a profile give its mean qualities: the paper samples ten of each data set.
  static constexpr std::size_t estimator_contexts = 10;

  /// The snapshot outlives the forms.
  AdaptCacheForms(const Snapshot& snapshot, const AdaptCacheOptions& options);

  /// The index in forms[index] of a configuration, whatever its tier; no_form: none of them.
  std::size_t form_of(std::size_t index, const Configuration& configuration) const;

  PlanningProblem problem;
  std::vector<std::vector<Form>> forms;  // by context
  std::vector<double> prefill_quality;   // by context
  std::vector<std::size_t> whole,
      present;  // by context: its uncompressed form, and its form in the snapshot

 private:
  void read(const Snapshot& snapshot, std::size_t index, bool paper_pool);
  void take_dataset_quality(const Snapshot& snapshot);
  std::uint32_t kind_of(const std::string& name);

  std::vector<std::string> kinds_{""};  // their names
};

/// The greedy over one snapshot at one alpha. Pinned contexts stay; those without an original only move.
class AdaptCacheGreedy {
 public:
  /// `memory` follows the snapshot and orders by recency; `forms` are the snapshot's.
  AdaptCacheGreedy(const Snapshot& snapshot, const AdaptCacheForms& forms, const AdaptCacheOptions& options,
                   double alpha, EvictionMemory& memory, Reasons reasons = Reasons::told);

  /// Starts as if nothing movable were stored.
  void start_empty();
  /// Updates the state as if this had been executed.
  void assume(std::size_t index, const Configuration& configuration);
  /// A context was computed: insert it into the fast tier.
  void arrive(std::size_t index);
  /// Brings all tiers within their budgets.
  void settle();

  const std::vector<Target>& targets() const { return cascade_.targets(); }
  std::uint64_t steps() const { return steps_; }
  /// What plan_of(targets()) predicts.
  FrontierPoint prediction() const;

 private:
  using Form = AdaptCacheForms::Form;
  struct Step {
    double marginal = 0, drop = 0;  // drop per byte, drop
    std::size_t form = 0;
    bool stays = false, dropped = false;
  };

  double utility_of(std::size_t index, const Form& form, std::size_t tier) const;
  double unstored_utility(std::size_t index) const;
  std::uint32_t kind_for(std::size_t index);
  Step cheapest_step(std::size_t index);
  void changed(std::size_t index);
  void look_at_changed();
  void shrink_fast_tier();
  std::string reason_for_step() const;

  const Snapshot& snapshot_;
  const AdaptCacheForms& known_;
  AdaptCacheOptions options_;
  double alpha_;
  EvictionCascade cascade_;
  bool with_reasons_;
  std::vector<std::size_t> form_;     // by context: its stored form
  std::vector<std::uint32_t> kinds_;  // by context
  // The cheapest step of every context on the fast tier, and the contexts ordered by its cost. A step is recomputed
  // when its context changes, which only its own steps and arrivals do.
  std::vector<Step> cheapest_;                        // by context
  std::set<std::pair<double, std::size_t>> by_cost_;  // (marginal, context)
  std::vector<std::size_t> changed_;
  std::vector<bool> is_changed_;  // by context
  std::uint64_t steps_ = 0;
};

}  // namespace kvantage::inline policy
