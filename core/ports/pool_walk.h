// Eviction in a paged pool, step by step: which rows of which block live, are dead, or were never written. A walk is a
// list of moments of a real pool and a real cache under a real evictor; the rows themselves are drawn at random.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

struct PoolWalkSetting {
  std::string evictor = "streaming_llm";  // text form, one that decides by keys, values or positions alone
  std::string compaction = "none";        // none, repack, hole_fill
  int compact_every = 16;                 // decoded tokens from one pass to the next
  int block_tokens = 8;                   // a multiple of 4
  int prompt_tokens = 60;
  int decoded_tokens = 64;
  int budget_tokens = 48;      // held after an eviction
  bool shared_prompt = false;  // another sequence holds the blocks of the prompt, too
  bool operator==(const PoolWalkSetting&) const = default;
};

enum class SlotState : std::uint8_t { unused, live, dead };

struct PoolBlock {
  int references = 0;  // tables that hold it; 0: free
  std::vector<SlotState>
      rows;  // [block_tokens], of the sequence that is walked; of the other one where only that holds it
  std::vector<int> positions;  // [block_tokens], of a live row in its sequence; -1: none
};

/// The pool right after something happened. One KV head of one layer.
struct PoolFrame {
  int decoded = 0;                // tokens since the prompt
  std::string kind;               // "prompt", "share", "decode", "evict", "compact"
  std::string what;               // in words, with figures
  std::vector<PoolBlock> blocks;  // all of the pool
  int kept = 0;                   // rows that the sequence holds
  int live_blocks = 0, free_blocks = 0, shared_blocks = 0;
  int live_slots = 0, dead_slots = 0;
  double fragmentation = 0;  // share of the memory held that holds no row
  int evicted_rows = 0, freed_by_eviction = 0, freed_by_compaction = 0, slot_copies = 0;  // since the beginning
};

/// usage: an evictor or compaction that is not known, sizes that make no sense.
using WalkPool = std::function<Expected<std::vector<PoolFrame>>(const PoolWalkSetting&)>;

}  // namespace kvantage
