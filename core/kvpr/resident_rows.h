// The front of a context that stays in memory while the rest is on a tier (KVPR, paper 004, row schedule): layer
// inputs, from which keys and values are recomputed, or the keys and values themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kvpr/offloaded_prompt.h"

namespace kvantage::inline kvpr {

class ResidentRows {
 public:
  /// Of the first `tokens` tokens; inputs: recorded by their prefill.
  static ResidentRows of_inputs(const Transformer& model, const LayerInputs& inputs, int tokens);
  /// cache: holds them in every layer and head, without holes.
  static ResidentRows of_keys_values(const KvCache& cache, int tokens);

  bool are_inputs() const { return values_.empty(); }
  int tokens() const { return tokens_; }
  std::uint64_t bytes() const;
  /// [count, kv_heads, head_dim] each. From inputs, `recompute` gives them: of a whole chunk of the prefill, and valid
  /// until its next run.
  Expected<RowCodec::Rows> keys_values(int layer, std::int32_t first, int count, KvRecompute& recompute) const;

 private:
  using Layers = std::vector<std::vector<std::byte>>;
  ResidentRows(int tokens, std::size_t row_bytes) : tokens_(tokens), row_bytes_(row_bytes) {}
  std::span<const std::byte> rows(const Layers& layers, int layer, int first, int count) const;

  int tokens_;
  std::size_t row_bytes_;
  Layers rows_, values_;  // inputs and nothing, or keys and values
};

}  // namespace kvantage::inline kvpr
