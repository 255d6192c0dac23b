// How the engines of a fleet share one store: a coordinator sends prices, each engine answers with what it takes at
// them, and in the end each gets a lease, a part of the store that it plans alone (dual decomposition; Dantzig and
// Wolfe 1960, Everett 1963, Boyd et al. 2007). With one price this is bisection (price_bracket.h). Where loads from the
// store are limited, too, the two prices are moved in turn until both demands are met.
//
// Leases never sum to more than the store: one grows only by what others gave back and acknowledged. A message that is
// lost costs a round, or a lease that stays as it was; no engine ever waits for another.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/base/executor.h"
#include "core/fleet/shard_search.h"

namespace kvantage::inline fleet {

/// Of the store.
struct FleetBudget {
  double held = 0;                                          // bytes
  double loaded = std::numeric_limits<double>::infinity();  // bytes per request of the fleet
};

struct StoreLease {
  double held = 0, loaded = 0;
};

struct ExchangeOptions {
  int rounds = 40;
  double tolerance = 1e-3;  // of a budget: what may stay unused
  double loss = 0;          // share of messages that are lost
  std::uint64_t seed = 1;   // of losses
  FleetPrices start;        // of shared resources; held[store] above 0
  double smallest_price = 0;
};

/// As sent, whether or not they arrive. A message is a header (kind, epoch, round, shard: 4 bytes each) and numbers of
/// 8 bytes.
struct FleetMessages {
  std::uint64_t sent = 0, lost = 0, bytes = 0;
};
inline constexpr std::uint64_t message_header_bytes = 16, message_number_bytes = 8;

struct ExchangeRound {
  FleetPrices prices;  // of shared resources
  FleetUse use;        // as the coordinator knows it
  std::uint32_t answered = 0;
};

struct PriceExchange {
  std::vector<ExchangeRound> rounds;
  FleetPrices prices;      // the last at which the demands are within the budgets, of shared resources
  bool met = false;        // within the tolerance
  bool fell_back = false;  // no answer ever came: leases stay as they were
  std::vector<StoreLease> leases;
  std::uint32_t stale = 0;  // shards whose lease stays as it was because a message was lost
  FleetMessages messages;
};

/// Threads, progress and the end on request: of whoever runs a fleet.
struct FleetHooks {
  Executor* executor = nullptr;                                                       // null: the caller's thread alone
  unsigned threads = 1;                                                               // with the caller's
  std::function<void(const std::string& stage, double done, double total)> progress;  // any thread; may be null
  std::function<bool()> cancelled;                                                    // any thread; may be null
};

/// The same share of the store for each.
std::vector<StoreLease> equal_leases(const FleetBudget& budget, std::size_t shards);

/// `own_prices`: of each shard's own tiers, from which it searches, and where it leaves what it found. `present`:
/// leases that shards have. Cancelled: ends after the round, with `present`.
PriceExchange exchange_prices(const std::vector<FleetShard>& shards, const FleetBudget& budget,
                              const std::vector<StoreLease>& present, const ExchangeOptions& options,
                              std::vector<FleetPrices>& own_prices, const FleetHooks& hooks);

}  // namespace kvantage::inline fleet
