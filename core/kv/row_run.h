// Memory of rows that a cache has reserved and its caller fills, on any threads.
#pragma once

#include <cstddef>
#include <functional>

namespace kvantage::inline kv {

/// Rows [first, first + count) of those that were reserved, in one block: keys and values, each [count, head_dim].
struct RowRun {
  std::byte* keys = nullptr;
  std::byte* values = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Calls task(0) ... task(count - 1), each once and on any threads, and returns when all have returned.
using RunTasks = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

}  // namespace kvantage::inline kv
