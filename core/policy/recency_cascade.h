// Least-recently-used placement over several tiers, shared by the policies that place by recency: a context enters the
// fastest tier that could hold it; whoever was used longest ago there moves one tier down, and so on; from the last
// tier it is dropped. Access brings a context back to the top.
#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/policy/actions.h"
#include "core/policy/types.h"

namespace kvantage {

class RecencyCascade {
 public:
  /// Starts from the present placements.
  explicit RecencyCascade(const Snapshot& snapshot);

  /// Stores contexts[index] in this method and fraction, as near to the top as it can be; it must not be pinned.
  void insert(std::size_t index, const std::string& method, double removed_fraction, const std::string& reason);
  /// Re-makes a stored context in another form on its tier; call shrink_to_budgets afterwards.
  void remake(std::size_t index, const std::string& method, double removed_fraction, const std::string& reason);
  /// Moves contexts down until every tier is within its budget.
  void shrink_to_budgets();

  /// The changes so far, in a safe order.
  std::vector<PlacementAction> actions() const { return ordered_actions(snapshot_, targets_); }

 private:
  struct Age {
    std::uint64_t last_access;
    std::size_t index;
    bool operator>(const Age& other) const {
      return last_access != other.last_access ? last_access > other.last_access : index > other.index;
    }
  };
  using Oldest = std::priority_queue<Age, std::vector<Age>, std::greater<>>;

  void remove(std::size_t index);
  void place(std::size_t index, int tier);
  void enter(std::size_t index, std::size_t first_tier, const std::string& reason);
  bool oldest_of(std::size_t tier, std::size_t& index);

  const Snapshot& snapshot_;
  std::vector<Target> targets_;
  std::vector<UnsignedWide> used_, pinned_;
  std::vector<Oldest> oldest_;     // per tier, filled when first needed; entries may be stale
  std::vector<bool> oldest_known_;
};

}  // namespace kvantage
