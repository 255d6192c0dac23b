// One decode step of a batch of sequences: all layers, logits, the greedy next tokens. Everything that changes from
// step to step lies in device memory and is advanced there, so that a step that was captured once can be replayed while
// the caches grow.
#pragma once

#include <ATen/ATen.h>

#include <span>
#include <vector>

#include "gpu/model/cache_tables.h"
#include "gpu/model/device_weights.h"

namespace kvantage::gpu {

class DecodeStep {
 public:
  /// Of `sequences` sequences whose heads keep at most `longest` rows, those that are appended included.
  static Expected<DecodeStep> make(const DeviceWeights& weights, const CacheArena& arena, int sequences, int longest);

  /// Tokens to begin with, and tables where the caches are others than at the last step or were changed by others.
  void bind(std::span<DeviceCache* const> caches, std::span<const std::int32_t> tokens);
  /// Appends the tokens' rows and replaces the tokens by the next ones; the host's counts follow in advanced(). Blocks
  /// must be there.
  Status run(Stream stream);
  /// `steps` runs or replays were given to the stream.
  void advanced(std::span<DeviceCache* const> caches, int steps);
  /// After an error: nothing is known of the tables.
  void forget() { bound_.clear(); }

  const at::Tensor& tokens() const { return tokens_; }  // int32 [sequences]
  const at::Tensor& logits() const { return logits_; }  // fp32 [sequences, vocab_size]

 private:
  DecodeStep(const DeviceWeights& weights, CacheTables tables) : weights_(&weights), tables_(std::move(tables)) {}

  const DeviceWeights* weights_;
  CacheTables tables_;
  at::Tensor tokens_, positions_, logits_, scratch_;
  std::vector<std::uint64_t> bound_;  // revisions that the tables show
};

}  // namespace kvantage::gpu
