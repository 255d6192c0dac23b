// Work on every shard by several threads. Each writes what belongs to its shard; sums are made in the shards' order
// afterwards, so results do not depend on the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/executor.h"
#include "core/fleet/price_exchange.h"

namespace kvantage::inline fleet {

/// Calls work(shard, scratch) for each shard. Returns whether all were done: false where it was cancelled. `make`
/// makes the scratch space of one thread.
template <class Make, class Work>
bool for_each_shard(std::size_t shards, const FleetHooks& hooks, const std::string& stage, Make make, Work work) {
  std::atomic<std::size_t> next = 0, done = 0;
  const auto run = [&] {
    auto scratch = make();
    for (std::size_t shard = next++; shard < shards; shard = next++) {
      if (hooks.cancelled && hooks.cancelled()) return;
      work(shard, scratch);
      const std::size_t count = ++done;
      if (hooks.progress) hooks.progress(stage, static_cast<double>(count), static_cast<double>(shards));
    }
  };
  std::vector<std::unique_ptr<Executor::Thread>> others;
  const std::size_t threads = std::clamp<std::size_t>(hooks.threads, 1, std::max<std::size_t>(shards, 1));
  others.reserve(threads - 1);
  for (std::size_t i = 1; hooks.executor != nullptr && i < threads; ++i)
    others.push_back(hooks.executor->start("fleet", ThreadPriority::engine, run));
  run();
  others.clear();  // waits for them
  return done == shards;
}

}  // namespace kvantage::inline fleet
