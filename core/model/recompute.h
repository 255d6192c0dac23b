// Recomputes keys and values from the inputs of their layer (KVPR, paper 004): a prefill or a decode step records the
// input of the key and value projections, which later replaces them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

/// Receives the normed input of the key and value projections: rows [tokens, hidden] in the compute type, for the
/// tokens from `first_position` on. The rows are valid during the call.
class LayerInputSink {
 public:
  virtual ~LayerInputSink() = default;
  virtual void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte> rows) = 0;
};

/// During its lifetime, every step of a PrefillTask of `model` reports to `sink`. Of a DecodeTask those steps do whose
/// layers' products read the compute type: all of them if reports_decoded_inputs(). Keep it around the steps of one
/// task only.
class CaptureLayerInputs {
 public:
  CaptureLayerInputs(Transformer& model, LayerInputSink& sink);
  ~CaptureLayerInputs();
  CaptureLayerInputs(const CaptureLayerInputs&) = delete;
  CaptureLayerInputs& operator=(const CaptureLayerInputs&) = delete;

 private:
  Transformer& model_;
};

/// Bytes of one token's input of one layer.
std::size_t layer_input_bytes(const Transformer& model);

/// Whether inputs of decode steps are reported: if the compute type is what their products read, which is so in fp32,
/// and with batch-invariant products unless a projection's matrix is packed. Otherwise they are fp32 where the compute
/// type is bf16.
bool reports_decoded_inputs(const Transformer& model);

/// Keys and values of a run of tokens from their layer inputs: projection, bias, k norm and rotation to the given
/// positions.
class KvRecompute {
 public:
  /// max_tokens: maximum per run.
  KvRecompute(Transformer& model, int max_tokens);
  ~KvRecompute();
  KvRecompute(const KvRecompute&) = delete;
  KvRecompute& operator=(const KvRecompute&) = delete;

  /// inputs: [tokens, hidden] as received by a LayerInputSink. Bit-identical to the prefill if the run is a whole chunk
  /// of it. internal: a wrong size, or more than max_tokens.
  Status run(int layer, std::span<const std::byte> inputs, std::int32_t first_position, int tokens);
  /// The same of tokens that decode steps computed one by one: bit-identical to these, whatever the run.
  Status run_decoded(int layer, std::span<const std::byte> inputs, std::int32_t first_position, int tokens);
  /// Of the last run: [tokens, kv_heads, head_dim] in the cache's type.
  std::span<const std::byte> keys() const;
  std::span<const std::byte> values() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kvantage::inline model
