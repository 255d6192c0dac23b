// Eviction in a paged pool, step by step: which rows of which block are live, dead or were never written. A walk is a
// list of snapshots of a real pool and cache under a real eviction method; the rows are random.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline ports {

struct PoolWalkSetting {
  std::string eviction_method = "streaming_llm";  // text form of a decode-time eviction method that uses only keys,
                                                  // values or positions
  std::string compaction = "none";                // none, repack, hole_fill
  int compact_every = 16;                         // decoded tokens between two passes
  int block_tokens = 8;                           // a multiple of 4
  int prompt_tokens = 60;
  int decoded_tokens = 64;
  int budget_tokens = 48;      // kept after an eviction
  bool shared_prompt = false;  // another sequence also holds the prompt's blocks
  bool operator==(const PoolWalkSetting&) const = default;
};

enum class SlotState : std::uint8_t { unused, live, dead };

struct PoolBlock {
  int references = 0;           // block tables that reference it; 0: free
  std::vector<SlotState> rows;  // [block_tokens], of the walked sequence; of the other one in blocks that only it holds
  std::vector<int> positions;   // [block_tokens], of a live row in its sequence; -1: none
};

/// The pool right after an event. One KV head of one layer.
struct PoolFrame {
  int decoded = 0;                // tokens after the prompt
  std::string kind;               // "prompt", "share", "decode", "evict", "compact"
  std::string what;               // a description with numbers
  std::vector<PoolBlock> blocks;  // all of the pool
  int kept = 0;                   // rows of the sequence
  int live_blocks = 0, free_blocks = 0, shared_blocks = 0;
  int live_slots = 0, dead_slots = 0;
  double fragmentation = 0;  // share of the held memory that holds no row
  int evicted_rows = 0, freed_by_eviction = 0, freed_by_compaction = 0, slot_copies = 0;  // since the start
};

/// usage: an unknown eviction method or compaction, invalid sizes.
using WalkPool = std::function<Expected<std::vector<PoolFrame>>(const PoolWalkSetting&)>;

}  // namespace kvantage::inline ports
