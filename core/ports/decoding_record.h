// What happened to the KV cache of one request while its answer was decoded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace kvantage::inline ports {

/// Passes that closed the holes of evicted tokens.
struct CompactionCounts {
  std::uint64_t passes = 0, blocks_freed = 0, slot_copies = 0;
  double seconds = 0;
  CompactionCounts& operator+=(const CompactionCounts& more) {
    passes += more.passes;
    blocks_freed += more.blocks_freed;
    slot_copies += more.slot_copies;
    seconds += more.seconds;
    return *this;
  }
  bool operator==(const CompactionCounts&) const = default;
};

/// The option that the plan chose for an answer (core/policy/decode_option.h), and what it expected of it.
struct DecodeChoice {
  std::string option = "none";  // also where the context's options are not profiled yet
  int options = 0;              // measured ones that it was chosen from; 0: not profiled, and nothing is predicted
  double predicted_quality = -1, predicted_itl_seconds = -1, predicted_decode_seconds = -1;
  bool operator==(const DecodeChoice&) const = default;
};

/// Decoding with the context's cache on a tier (decode_offload). Sums are over the decoded tokens after the first one.
struct OffloadRecord {
  std::string setting;                                       // "ssd(split=load_only)"
  std::string not_applied;                                   // why it was decoded without; empty: it was applied
  std::uint64_t stored_bytes = 0;                            // maximum on the tier, layer inputs and answer included
  double write_seconds = 0;                                  // from the end of the prefill until it was there
  int steps = 0;                                             // decoded tokens
  std::uint64_t recomputed_tokens = 0, streamed_tokens = 0;  // of one layer; the second includes the first
  std::uint64_t input_bytes = 0, kv_bytes = 0;               // read from the tier: layer inputs; keys and values
  double seconds = 0, predicted_seconds = 0;                 // of the steps, waits included; predicted by the split
  double waited_seconds = 0, recompute_seconds = 0;          // parts of the first
  std::uint64_t resident_bytes = 0;                          // that stayed in memory: the context's front, and layer
                                                             // inputs of later tokens; maximum
  std::uint64_t weight_bytes = 0;                            // read from the tier: the model's matrices

  bool used() const { return not_applied.empty(); }
  /// Used, and for at least one token.
  bool decoded() const { return used() && steps > 0; }
  std::uint64_t read_bytes() const { return input_bytes + kv_bytes + weight_bytes; }
  double per_step(double sum) const { return steps > 0 ? sum / steps : 0; }
};

/// Drafted tokens of an answer that passes verified together. The first token of an answer is no part of it.
struct SpeculationRecord {
  std::string setting;            // "lookup(n=2)"
  std::string not_applied;        // why the answer was decoded without it; empty: it was applied
  int passes = 0;                 // that decoded the answer's tokens after the first one
  int drafted = 0, accepted = 0;  // tokens

  bool used() const { return not_applied.empty(); }
  /// Used, and for at least one token.
  bool decoded() const { return used() && passes > 0; }
  /// Each pass gives a token beside the accepted ones.
  double tokens_per_pass() const { return passes > 0 ? 1 + static_cast<double>(accepted) / passes : 0; }
  bool operator==(const SpeculationRecord&) const = default;
};

/// What decode-time eviction did to a cache.
struct EvictionWork {
  std::uint64_t evicted_entries = 0;  // KV entries of prompt and answer, over all layers and heads
  double deciding_seconds = 0;        // choosing what to evict, the cut of the prompt included
  CompactionCounts compactions = {};
  std::uint64_t blocks_freed = 0;        // by eviction, without compaction
  std::uint64_t score_buffer_bytes = 0;  // peak attention weights that the method read
  /// Sums; of score_buffer_bytes the maximum.
  EvictionWork& operator+=(const EvictionWork& more) {
    evicted_entries += more.evicted_entries;
    deciding_seconds += more.deciding_seconds;
    compactions += more.compactions;
    blocks_freed += more.blocks_freed;
    score_buffer_bytes = std::max(score_buffer_bytes, more.score_buffer_bytes);
    return *this;
  }
  bool operator==(const EvictionWork&) const = default;
};

/// The cache while an answer is decoded.
struct DecodingRecord : EvictionWork {
  std::string eviction;                          // its setting, "paged_eviction(budget=25%)"; empty: it was off
  std::string not_applied;                       // why this answer was decoded without it; empty: it was applied
  int budget_tokens = 0;                         // per head of a layer
  std::uint64_t peak_bytes = 0, held_bytes = 0;  // of the blocks of the request's cache: maximum, and at the last token
  double read_fraction = 1;                      // of the KV entries that page selection could have read
  double cut_seconds = 0;                        // cutting the prompt to the budget, before or after the first token
  std::optional<DecodeChoice> choice = {};       // where decode-time eviction is planned
  std::optional<OffloadRecord> offload = {};     // nothing: decode_offload was off
  std::optional<SpeculationRecord> speculation = {};  // nothing: it was off, or no pass decoded the answer

  bool used() const { return !eviction.empty() && not_applied.empty(); }
};

}  // namespace kvantage::inline ports
