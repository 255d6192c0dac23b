// Compute-or-load (Cake): the front of a stored context is prefilled while its back is loading, until both sides meet;
// the faster side does more. A loader thread (piece_loader.h) reads and the calling thread computes.
// core/policy/compute_or_load.h assigns the pieces by fitted models and the measured pace of both sides.
//
// A piece is a range of tokens in whole chunks of the entry (256 positions) and of the prefill that made it, since only
// a whole chunk reproduces the same bits. The cache equals the one from loading alone, row for row. For a compressed
// entry the front is computed exactly, each chunk over all rows before it, then cut to the tokens that the entry keeps,
// which a map next to it lists (kept_map.h). Every piece is verified by its checksums; a damaged one is recomputed.
// Encoded entries are not supported, but those of layer inputs can be computed as a whole.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/load/kept_map.h"
#include "core/load/piece_arrival.h"
#include "core/model/transformer.h"
#include "core/policy/compute_or_load.h"

namespace kvantage::inline loading {

/// An entry on a tier, under header.key().
struct StoredContext {
  StorageTier* tier = nullptr;
  std::shared_ptr<const EntryHeader> header;
  /// For a compressed entry; without it the whole entry is loaded, and damage is an error.
  std::optional<KeptMap> kept = {};
};

struct ComputeOrLoadOptions {
  TierModel tier = {};
  PrefillModel prefill = {};
  double intake_seconds_per_byte = 0;       // CPU time to copy and verify arriving bytes
  double after_seconds = 0;                 // predicted time of the question afterwards, for the plan only
  std::optional<int> computed_pieces = {};  // fixes the number of pieces computed from the front
  std::function<bool()> stop = {};          // polled once per layer of a chunk
};

/// Outcome. computed_tokens + loaded_tokens is the length of the context.
struct ComputedOrLoaded {
  ComputeOrLoadPlan plan;
  int pieces = 0;
  int computed_pieces = 0;  // from the front
  int damaged_pieces = 0;
  int computed_tokens = 0;  // including damaged pieces
  int loaded_tokens = 0;
  std::uint64_t loaded_bytes = 0;   // appended to the cache
  std::uint64_t dropped_bytes = 0;  // arrived, but damaged or redundant
  double seconds = 0;               // until the cache is complete
  double predicted_seconds = 0;     // at the predicted meeting point, without options.after_seconds
  double compute_seconds = 0;
  double waited_seconds = 0;  // time that the computing thread was idle, waiting for bytes
  double unpack_seconds = 0;
  double device_seconds = 0;           // on the tier, throttling included
  Status loader;                       // why the loader stopped early; no error otherwise
  Status damage;                       // of the first damaged piece
  std::string miss_reason;             // of either, as in TierStatistics::misses, or no_buffer; empty: malformed bytes
  std::vector<PieceArrival> arrivals;  // reads of the tier, in order of arrival
};

/// The pieces of an entry; of one that holds layer inputs, equal shares of its bytes. rejected_input: an entry without
/// tokens or without a prefill chunk length; usage: another encoded one.
Expected<std::vector<ContextPiece>> context_pieces(const EntryHeader& header);

/// Fills the empty `cache` with what loading the entry alone would give. For a compressed entry its pool needs space
/// for the computed rows before they are cut. After an error the cache is empty and nothing is in flight. Errors: those
/// of context_pieces(); cancelled; no_space of the pool; those of tier and lender only for a compressed entry without a
/// map.
Expected<ComputedOrLoaded> load_or_compute(Transformer& model, const StoredContext& stored, BufferLender& lender,
                                           KvCache& cache, const ComputeOrLoadOptions& options);

/// The same in steps, for callers with other work in between. Model, tier, lender and cache must outlive it. Nobody
/// else may write the cache meanwhile; destroying the task early leaves part of the context in it.
class HybridPrefillTask {
 public:
  /// Starts both sides. Errors as load_or_compute(), before anything is in flight; usage: an entry that holds layer
  /// inputs, unless options.computed_pieces says that all of it is computed.
  static Expected<std::unique_ptr<HybridPrefillTask>> begin(Transformer& model, StoredContext stored,
                                                            BufferLender& lender, KvCache& cache,
                                                            ComputeOrLoadOptions options);
  /// Cancels transfers in flight and waits until every buffer is returned.
  ~HybridPrefillTask();
  HybridPrefillTask(const HybridPrefillTask&) = delete;
  HybridPrefillTask& operator=(const HybridPrefillTask&) = delete;

  enum class Need { compute, bytes, unpack, nothing };
  Need needs() const;
  /// The next compute() step: prefill chunks, counted over the whole context.
  struct Step {
    int layer = 0, chunk = 0;
    std::int32_t tokens = 0;
  };
  Step next_step() const;
  /// The piece that unpack() handles next; cutting the computed front counts under the same number.
  int next_piece() const;
  /// One layer of one chunk. no_space: the pool is full; retry when it has space.
  Status compute();
  /// Waits until there is something to do, at most `seconds`.
  Status wait(double seconds);
  /// Handles one piece. After no_space its rows are incomplete: start over.
  Status unpack();
  const ComputedOrLoaded& done() const;

 private:
  struct Impl;
  explicit HybridPrefillTask(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvantage::inline loading
