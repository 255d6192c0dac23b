// The session's pool of KV blocks, and what decode-time eviction and compaction did in this run.
#pragma once

#include <cstdint>
#include <string>

#include "core/ports/decoding_record.h"

namespace kvantage::inline ports {

/// Of answers that are decoded with an eviction method.
struct DecodingTotals : EvictionWork {
  std::uint64_t answers = 0;
  void add(const EvictionWork& answer) {
    ++answers;
    *this += answer;
  }
  bool operator==(const DecodingTotals&) const = default;
};

struct PoolReport {
  std::uint64_t capacity_blocks = 0, live_blocks = 0;
  std::uint64_t shared_blocks = 0;  // in more than one block table
  std::uint64_t block_bytes = 0;
  int block_tokens = 0;
  int requests = 0;                 // in flight
  std::uint64_t request_bytes = 0;  // of the blocks of their caches; a shared block counts in each
  std::uint64_t dead_slots = 0;     // of their caches: evicted entries in blocks that are not freed
  DecodingTotals decoding = {};     // of the answers of this run
  std::uint64_t live_slots = 0;     // of their caches: KV entries
  std::uint64_t shared_slots = 0;   // of the live slots: in blocks of more than one block table
  // KV entries of the requests that were cut to a decode budget, and how many their budgets allow.
  std::uint64_t budgeted_slots = 0, budget_slots = 0;
  DecodingTotals in_flight = {};  // of the answers that are decoded now, so far
  double step_seconds = 0;        // of decoding one token of all requests: latest mean; 0: nothing was decoded yet
  bool operator==(const PoolReport&) const = default;
};

namespace events {
/// One pass that closed the holes of evicted entries in the cache of a request.
struct CacheCompacted {
  std::uint64_t request = 0;
  std::string context_id;
  std::uint64_t decoded_tokens = 0;  // of its answer, before the pass
  std::uint64_t blocks_freed = 0, slot_copies = 0;
  double seconds = 0;  // planning and copying
};
/// The pool every few decoded tokens, and whenever a request has ended.
struct PoolSampled {
  PoolReport pool;
};
}  // namespace events

}  // namespace kvantage::inline ports
