// The session's pool of KV blocks, and what decode-time eviction and compaction did in this run.
#pragma once

#include <cstdint>

#include "core/ports/decoding_record.h"

namespace kvantage::inline ports {

/// Of the answers of a run that were decoded with an eviction method.
struct DecodingTotals {
  std::uint64_t answers = 0;
  std::uint64_t evicted_entries = 0;  // KV entries over all layers and heads
  double deciding_seconds = 0;
  CompactionCounts compactions = {};
  void add(const DecodingRecord& answer) {
    if (!answer.used()) return;
    ++answers;
    evicted_entries += answer.evicted_entries;
    deciding_seconds += answer.deciding_seconds;
    compactions.passes += answer.compactions.passes;
    compactions.blocks_freed += answer.compactions.blocks_freed;
    compactions.slot_copies += answer.compactions.slot_copies;
    compactions.seconds += answer.compactions.seconds;
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
  DecodingTotals decoding = {};
  bool operator==(const PoolReport&) const = default;
};

}  // namespace kvantage::inline ports
