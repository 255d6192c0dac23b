// One decode step of a batch of sequences: all layers, logits, the greedy next tokens. All state that changes between
// steps is in device memory and advanced there, so that a captured step can be replayed while the caches grow.
#pragma once

#include <ATen/ATen.h>

#include <span>
#include <vector>

#include "gpu/model/cache_tables.h"
#include "gpu/model/device_weights.h"

namespace kvantage::gpu {

class DecodeStep {
 public:
  /// For `sequences` sequences with at most `longest` rows per head, appended ones included.
  static Expected<DecodeStep> make(const DeviceWeights& weights, const CacheArena& arena, int sequences, int longest);

  /// Sets the first tokens, and the tables if the caches differ from the last step or were changed.
  void bind(std::span<DeviceCache* const> caches, std::span<const std::int32_t> tokens);
  /// Appends the tokens' rows and replaces the tokens with the next ones; advanced() updates the host's counts. Blocks
  /// must be allocated.
  Status run(Stream stream);
  /// Call after submitting `steps` runs or replays.
  void advanced(std::span<DeviceCache* const> caches, int steps);
  /// Call after an error: the tables are then unknown.
  void forget() { bound_.clear(); }

  const at::Tensor& tokens() const { return tokens_; }  // int32 [sequences]
  const at::Tensor& logits() const { return logits_; }  // fp32 [sequences, vocab_size]

 private:
  DecodeStep(const DeviceWeights& weights, CacheTables tables) : weights_(&weights), tables_(std::move(tables)) {}

  const DeviceWeights* weights_;
  CacheTables tables_;
  at::Tensor tokens_, positions_, logits_, scratch_;
  std::vector<std::uint64_t> bound_;  // cache revisions that the tables reflect
};

}  // namespace kvantage::gpu
