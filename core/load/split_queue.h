// Assigns the pieces of one context to the thread that computes from the front and the one that loads from the back.
// Deciding (core/policy/compute_or_load.h) and claiming are one atomic step, so no piece is claimed twice.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/base/clock.h"
#include "core/policy/compute_or_load.h"

namespace kvantage::inline loading {

/// Thread-safe.
class SplitQueue {
 public:
  SplitQueue(ComputeOrLoadCosts costs, std::optional<int> fixed, const Clock& clock)
      : clock_(clock), controller_(std::move(costs), fixed) {}

  /// As SplitController, at the current time.
  std::optional<int> claim_front();
  std::optional<int> claim_back();
  void computed();
  void loaded();
  void give_back(int piece);
  /// The loader has nothing in flight and claims nothing more.
  void end_loading();

  bool all_claimed() const;
  int front() const;
  bool loading_ended() const;
  /// All pieces are claimed, and the loader's have arrived.
  bool over() const;
  /// Change counter; wait() returns when it differs from `seen`, or after `seconds`.
  std::uint64_t changes() const;
  void wait(std::uint64_t seen, double seconds) const;

 private:
  template <class Change>
  auto change(Change&& what);

  const Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  SplitController controller_;
  std::uint64_t changes_ = 0;
  bool loading_ended_ = false;
};

}  // namespace kvantage::inline loading
