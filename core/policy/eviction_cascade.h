// Placement over several tiers by an order of eviction, shared by the policies that give every context one form: a
// context enters the fastest tier that could hold it; who leaves there moves one tier down, and so on; from the last
// tier it is dropped. Access brings a context back to the top.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/policy/actions.h"
#include "core/policy/eviction_memory.h"
#include "core/policy/types.h"

namespace kvantage {

/// Whether targets say why: planning many alphas, nobody reads it.
enum class Reasons : std::uint8_t { told, left_out };

class EvictionCascade {
 public:
  /// Starts from the present placements, which `memory` follows already.
  EvictionCascade(const Snapshot& snapshot, EvictionMemory& memory, Reasons reasons = Reasons::told);

  /// Stores contexts[index] in this method and fraction, on `first_tier` or as near below it as it can be; it must not
  /// be pinned.
  void insert(std::size_t index, const std::string& method, double removed_fraction, const std::string& reason,
              std::size_t first_tier = 0);
  /// As above, on the configuration's tier or below it, where the bytes are known.
  void insert(std::size_t index, const Configuration& configuration, std::uint64_t bytes, const std::string& reason);
  /// Stores a context just so, whatever room there is; something must make room afterwards.
  void put(std::size_t index, const Configuration& configuration, const std::string& reason);
  void put(std::size_t index, const Configuration& configuration, std::uint64_t bytes, const std::string& reason);
  /// Takes a context out altogether.
  void drop(std::size_t index, const std::string& reason);
  /// Moves contexts down until every tier from `first_tier` on is within its budget.
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
  bool told_;
  std::vector<Target> targets_;
  std::vector<UnsignedWide> used_, pinned_;
};

}  // namespace kvantage
