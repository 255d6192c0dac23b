// Compute-or-load (Cake): the cache of a stored context, its front prefilled while its back is loaded, both at the same
// time, until they meet; whichever is faster does more. A loader of its own (piece_loader.h) reads, the calling thread
// computes; who takes the next piece, core/policy/compute_or_load.h decides from fitted models and from what both took
// so far.
//
// Pieces are ranges of tokens in whole chunks of the entry (256 positions) and of the prefill that made it, since only
// a whole chunk gives the same bits again. The cache is the one that loading alone gives, row for row. Of a compressed
// entry the front is computed exactly, each chunk over all rows before it, and then only what the entry keeps of it
// stays; which that is a map beside the entry says (kept_map.h). Every piece is verified by its checksums; a damaged
// one is computed. Not for entries that went through a codec.
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
  /// Of a compressed entry; without it all of it is loaded, and damage is an error.
  std::optional<KeptMap> kept = {};
};

struct ComputeOrLoadOptions {
  TierModel tier = {};
  PrefillModel prefill = {};
  double intake_seconds_per_byte = 0;       // of a processor, to copy and check what arrives
  double after_seconds = 0;                 // predicted of what follows, the question: for the plan alone
  std::optional<int> computed_pieces = {};  // so many from the front, whatever that takes
  std::function<bool()> stop = {};          // asked once a layer of a chunk
};

/// How it went. computed_tokens + loaded_tokens are all tokens of the context.
struct ComputedOrLoaded {
  ComputeOrLoadPlan plan;
  int pieces = 0;
  int computed_pieces = 0;  // from the front
  int damaged_pieces = 0;
  int computed_tokens = 0;  // those of damaged pieces included
  int loaded_tokens = 0;
  std::uint64_t loaded_bytes = 0;   // that entered the cache
  std::uint64_t dropped_bytes = 0;  // that arrived and were damaged, or of no use beside what was
  double seconds = 0;               // until the cache is whole
  double predicted_seconds = 0;     // of where they were to meet; options.after_seconds left out
  double compute_seconds = 0;
  double waited_seconds = 0;  // that computing had nothing to do and waited for bytes
  double unpack_seconds = 0;
  double device_seconds = 0;  // of the tier, shaping included
  Status loader;              // why the loader gave up early; no error where it did not
  Status damage;              // of the first damaged piece
  std::string miss_reason;    // of either, as the tier counts it, or no_buffer; empty: what was read made no sense
  std::vector<PieceArrival> arrivals;  // what the tier read, in order of arrival
};

/// The pieces of an entry. rejected_input: an entry of no tokens, or that does not say in what chunks it was prefilled;
/// usage: a coded one.
Expected<std::vector<ContextPiece>> context_pieces(const EntryHeader& header);

/// Fills `cache`, which holds nothing, with what loading the entry alone would. Its pool must have room for what is
/// computed of a compressed entry before rows go. Errors leave the cache empty and nothing in flight: those of
/// context_pieces(); cancelled; no_space of the pool; the tier's and the lender's only where the entry is compressed
/// and no map says what it keeps.
Expected<ComputedOrLoaded> load_or_compute(Transformer& model, const StoredContext& stored, BufferLender& lender,
                                           KvCache& cache, const ComputeOrLoadOptions& options);

/// The same in steps, for a caller who has other work between them. Model, tier, lender and cache outlive it; the cache
/// is not written by others meanwhile, and holds part of the context where the task goes before it is done.
class HybridPrefillTask {
 public:
  /// Both sides begin at once. Errors as load_or_compute(), before anything is in flight.
  static Expected<std::unique_ptr<HybridPrefillTask>> begin(Transformer& model, StoredContext stored,
                                                            BufferLender& lender, KvCache& cache,
                                                            ComputeOrLoadOptions options);
  /// Cancels what is in flight, and waits until every buffer is back.
  ~HybridPrefillTask();
  HybridPrefillTask(const HybridPrefillTask&) = delete;
  HybridPrefillTask& operator=(const HybridPrefillTask&) = delete;

  enum class Need { compute, bytes, unpack, nothing };
  Need needs() const;
  /// What compute() does next: chunks of the prefill, counted over the whole context.
  struct Step {
    int layer = 0, chunk = 0;
    std::int32_t tokens = 0;
  };
  Step next_step() const;
  /// The piece that unpack() takes next; before it what goes of a computed front is taken out, under the same number.
  int next_piece() const;
  /// One layer of one chunk. no_space: the pool is full, and the step may be tried again once it is not.
  Status compute();
  /// Until there is something to do, `seconds` at the most.
  Status wait(double seconds);
  /// One piece. After no_space rows of it are lost: begin again.
  Status unpack();
  const ComputedOrLoaded& done() const;

 private:
  struct Impl;
  explicit HybridPrefillTask(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvantage::inline loading
