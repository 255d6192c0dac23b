// Placement over several tiers by an eviction order, shared by the policies that give every context one form. A context
// enters the fastest tier that could hold it. Victims move one tier down, and from the last tier they are dropped. An
// access promotes a context to the top.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/policy/actions.h"
#include "core/policy/eviction_memory.h"
#include "core/policy/types.h"

namespace kvantage::inline policy {

/// Whether targets carry reasons: plans over many alphas skip them.
enum class Reasons : std::uint8_t { told, left_out };

class EvictionCascade {
 public:
  /// Starts from the present placements, which `memory` already reflects.
  EvictionCascade(const Snapshot& snapshot, EvictionMemory& memory, Reasons reasons = Reasons::told);

  /// Stores contexts[index] in this method and fraction, on `first_tier` or the nearest tier below it with space; it
  /// must not be pinned.
  void insert(std::size_t index, const std::string& method, double removed_fraction, const std::string& reason,
              std::size_t first_tier = 0);
  /// As above, on the configuration's tier or below it, where the bytes are known.
  void insert(std::size_t index, const Configuration& configuration, std::uint64_t bytes, const std::string& reason);
  /// Stores a context regardless of space; the caller must free space afterwards.
  void put(std::size_t index, const Configuration& configuration, const std::string& reason);
  void put(std::size_t index, const Configuration& configuration, std::uint64_t bytes, const std::string& reason);
  /// Removes a context from all tiers.
  void drop(std::size_t index, const std::string& reason);
  /// Demotes contexts until every tier from `first_tier` on is within its budget.
  void shrink_to_budgets(std::size_t first_tier = 0);

  const std::vector<Target>& targets() const { return targets_; }
  std::vector<Target>& targets() { return targets_; }
  UnsignedWide used(std::size_t tier) const { return used_[tier]; }
  /// The changes so far, in a safe order.
  std::vector<PlacementAction> actions() const { return ordered_actions(snapshot_, targets_); }

 private:
  void remove(std::size_t index);
  void place(std::size_t index, int tier);
  void enter(std::size_t index, std::size_t first_tier, const std::string& reason);
  bool displace(std::size_t tier);

  const Snapshot& snapshot_;
  EvictionMemory& memory_;
  bool with_reasons_;
  std::vector<Target> targets_;
  std::vector<UnsignedWide> used_, pinned_;
};

}  // namespace kvantage::inline policy
