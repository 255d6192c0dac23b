// A snapshot flattened for planning: for each context its options, for each option bytes, quality and the predicted
// TTFT on each tier, in plain arrays. It does not depend on alpha, so a whole frontier is planned from one problem.
// When a budget or one context changes, only that is flattened again. Many contexts are flattened by several threads,
// with the same result.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/policy/formula/formula.h"
#include "core/policy/types.h"

namespace kvantage::inline policy {

/// One context. Its options are [first, first + count) of the problem's arrays, ascending by bytes; all of them may go
/// to any tier.
struct PlanningItem {
  std::uint32_t first = 0, count = 0;
  double frequency = 0;
  double weight = 0;  // of its values: the frequency, or 1 where a formula has that itself; 0: never requested
  double prefill_quality = 0, prefill_seconds = 0;  // predictions when it is not stored
  int fixed_tier = not_stored;                      // a pinned context keeps its tier and its one option
  bool fixed = false;
  bool quality_assumed = false;  // not profiled yet
};

/// A vector without zero-initialization: for millions of contexts, zeroing would take longer than writing.
template <class T>
struct Uncleared : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Uncleared<U>;
  };
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};
template <class T>
using UnclearedVector = std::vector<T, Uncleared<T>>;

class PlanningProblem {
 public:
  /// The snapshot must outlive the problem, or stay until the next update().
  explicit PlanningProblem(const Snapshot& snapshot, QualityReading reading = QualityReading::pooled,
                           std::shared_ptr<const Formula> formula = nullptr);

  /// Flattens contexts[index] again; index == items().size() adds one. Tier models, candidates and the other contexts
  /// must be unchanged, though their addresses may differ.
  void update(const Snapshot& snapshot, std::size_t index);
  /// Switches to a new snapshot after frequencies decayed to `unit` of their initial scale. Items keep their frequency,
  /// and those flattened from here on are divided by it, so that all stay comparable.
  void look_at(const Snapshot& snapshot, double unit) {
    snapshot_ = &snapshot;
    frequency_unit_ = unit;
  }
  double frequency_unit() const { return frequency_unit_; }
  void set_budget(std::size_t tier, std::uint64_t bytes) { budgets_[tier] = bytes; }

  std::size_t tiers() const { return budgets_.size(); }
  std::uint64_t budget(std::size_t tier) const { return budgets_[tier]; }
  const std::vector<PlanningItem>& items() const { return items_; }
  std::size_t options() const { return bytes_.size(); }  // with unused space, including leftovers of updates
  std::uint64_t bytes(std::size_t option) const { return bytes_[option]; }
  double quality(std::size_t option) const { return quality_[option]; }
  double ttft_seconds(std::size_t option, std::size_t tier) const { return seconds_[tier][option]; }
  std::uint64_t largest_option_bytes() const { return largest_bytes_; }
  /// What it is planned by; null: EvicPress's utility.
  const std::shared_ptr<const Formula>& formula() const { return formula_; }
  /// What a formula reads of an option on a tier; of not storing the item, whatever the option. Where the formula
  /// scales with frequency, that is 1, and PlanningItem::weight has it.
  QuantityValues quantities_of(std::size_t item, std::size_t option, int tier, double alpha) const;
  /// Method and fraction of an option of contexts[item], on `tier`.
  Configuration configuration(std::size_t item, std::size_t option, int tier) const;

 private:
  struct Sorting {  // scratch space of one thread
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    std::vector<double> values;
    std::vector<const ProfilePoint*> points;
  };
  static std::size_t max_options(const ContextState& context) {
    return 1 + (context.profile ? context.profile->points.size() : 0);
  }
  void reserve(std::size_t options);
  /// Writes the context's options starting at `first`, where there is space for max_options().
  PlanningItem flatten(const Snapshot& snapshot, const ContextState& context, std::size_t first, Sorting& sorting);
  void write_option(const Snapshot& snapshot, const ContextState& context, const ProfilePoint* point,
                    std::size_t option);
  void sort_by_bytes(const PlanningItem& item, Sorting& sorting);
  std::uint64_t largest_of(const PlanningItem& item) const {
    return item.count > 0 ? bytes_[item.first + item.count - 1] : 0;
  }

  const Snapshot* snapshot_;
  QualityReading reading_;
  std::shared_ptr<const Formula> formula_;
  double fallback_quality_ = 0, frequency_unit_ = 1;
  std::vector<std::uint64_t> budgets_;
  std::vector<PlanningItem> items_;
  UnclearedVector<std::uint64_t> bytes_;          // [options]
  UnclearedVector<double> quality_;               // [options]
  std::vector<UnclearedVector<double>> seconds_;  // [tiers][options]
  UnclearedVector<const ProfilePoint*> points_;   // [options]; null: uncompressed or as placed now
  std::uint64_t largest_bytes_ = 0;
  Sorting sorting_;
};

/// What a plan compares at one alpha: the value of each option on each tier and of not storing each item, per unit of
/// the item's weight. EvicPress's are computed when asked for; a formula's take longer and are computed once.
class OptionValues {
 public:
  OptionValues(const PlanningProblem& problem, double alpha) : problem_(problem), alpha_(alpha) {}
  /// Before the first use, and when alpha changes.
  void build(double alpha);
  /// After PlanningProblem::update of this item, which may be a new one.
  void update(std::size_t item);

  double of(std::size_t option, std::size_t tier) const {
    if (!by_formula_.empty()) return by_formula_[tier][option];
    return alpha_ * problem_.quality(option) - problem_.ttft_seconds(option, tier);
  }
  double prefill(std::size_t item) const {
    if (!prefill_by_formula_.empty()) return prefill_by_formula_[item];
    const PlanningItem& planned = problem_.items()[item];
    return alpha_ * planned.prefill_quality - planned.prefill_seconds;
  }

 private:
  void evaluate(Formula::Evaluator& evaluate, std::size_t item);
  void reserve();

  const PlanningProblem& problem_;
  double alpha_;
  std::vector<std::vector<double>> by_formula_;  // [tiers][options]; empty without a formula
  std::vector<double> prefill_by_formula_;       // [items]
};

}  // namespace kvantage::inline policy
