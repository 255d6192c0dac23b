// Layer inputs in stored entries (core/kv/serial_inputs.h): recording them, and recomputing keys and values from them.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/kvpr/offloaded_prompt.h"

namespace kvantage::inline kvpr {

/// What restoring from inputs did so far.
struct RecomputedRows {
  int layers = 0;
  int tokens = 0;  // per layer
  double seconds = 0;
};

/// Restores layers of entries that hold layer inputs.
class InputsReader {
 public:
  /// Both must outlive it. The CPU computes.
  InputsReader(Transformer& model, const Clock& clock) : model_(model), clock_(clock) {}

  /// As restore_layer() (core/kv/serial.h). rejected_input: inputs of another width than the model's.
  Status restore(const EntryHeader& header, int layer, std::span<const std::byte> bytes, bool verify, KvCache& cache);
  const RecomputedRows& done() const { return done_; }

 private:
  Status append(const EntryHeader& header, int layer, const InputsLayer& rows, KvCache& cache);

  Transformer& model_;
  const Clock& clock_;
  std::unique_ptr<KvRecompute> recompute_;
  RecomputedRows done_;
};

/// The inputs of all layers for the first `tokens` of a context, by a prefill of them. Errors: no_space of the pool;
/// `cancelled` once stop() returns true.
Expected<std::shared_ptr<const LayerInputs>> record_layer_inputs(Transformer& model, BlockPool& pool,
                                                                 std::span<const std::int32_t> tokens, int chunk_tokens,
                                                                 const std::function<bool()>& stop = {});

/// Seconds to restore an entry that holds layer inputs, as a request does: it recomputes keys and values and appends
/// them to a cache of the pool.
Expected<double> restore_seconds(Transformer& model, BlockPool& pool, const EntryHeader& header,
                                 std::span<const std::byte> entry, const Clock& clock);

}  // namespace kvantage::inline kvpr
