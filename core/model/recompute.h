// Keys and values computed anew from the inputs of their layer (KVPR, paper 004): what is projected to keys and values
// is taken down while a prompt is prefilled, and later stands in for them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/model/transformer.h"

namespace kvantage {

/// Gets what a prefill projects to keys and values, normed: rows [tokens, hidden] in the type computed with, of the
/// tokens at `first_position` and after it. The rows are valid during the call.
class LayerInputSink {
 public:
  virtual ~LayerInputSink() = default;
  virtual void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte> rows) = 0;
};

/// While it lives, every PrefillTask step of `model` tells `sink`: let it live around the steps of one task.
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

/// Keys and values of a run of tokens from their layer inputs: projection, bias, k norm and rotation to the positions
/// given. The bits are those of the prefill if the run is one of its chunks, as a whole.
class KvRecompute {
 public:
  /// most_tokens: of one run.
  KvRecompute(Transformer& model, int most_tokens);
  ~KvRecompute();
  KvRecompute(const KvRecompute&) = delete;
  KvRecompute& operator=(const KvRecompute&) = delete;

  /// inputs: [tokens, hidden] as a LayerInputSink got them. internal: another size, or more tokens than promised.
  Status run(int layer, std::span<const std::byte> inputs, std::int32_t first_position, int tokens);
  /// Of the last run: [tokens, kv_heads, head_dim] in the cache's type.
  std::span<const std::byte> keys() const;
  std::span<const std::byte> values() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kvantage
