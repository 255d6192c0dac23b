// Prefill of tokens onto a sequence's cache on a device, in chunks.
#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <span>
#include <vector>

#include "gpu/model/device_cache.h"
#include "gpu/model/device_weights.h"
#include "gpu/model/layer_pass.h"

namespace kvantage::gpu {

/// A prefill in steps of one layer of one chunk, each launched without waiting. Weights, streams and cache must outlive
/// it.
class DevicePrefill {
 public:
  /// The caller handles options.rows_may_stay.
  DevicePrefill(const DeviceWeights& weights, const DeviceStreams& streams, DeviceCache& cache,
                const PrefillOptions& options)
      : weights_(weights), streams_(streams), cache_(cache), options_(options) {}

  /// Starts at the cache's next positions; each layer waits until its uploaded rows have arrived. rejected_input,
  /// no_space: as GpuModel::prefill(), with the cache unchanged.
  Status begin(std::span<const std::int32_t> tokens);
  /// The next layer; after an error the prefill must be aborted.
  Status step();
  bool begun() const { return tables_.has_value(); }
  bool done() const { return first_ == total_; }
  /// Removes the computed rows from the cache.
  void roll_back();
  /// After done(), fp32 on the device: [1, vocab_size], [tokens, vocab_size], or undefined.
  at::Tensor logits() const;
  /// After done(); waits for the device.
  WindowQueries take_window_queries();

 private:
  Status begin_chunk();
  Status run_layer();
  void keep_window(const at::Tensor& queries);

  const DeviceWeights& weights_;
  const DeviceStreams& streams_;
  DeviceCache& cache_;
  PrefillOptions options_;
  int total_ = 0, first_ = 0, count_ = 0, layer_ = 0;  // tokens: total, of earlier chunks, of this chunk; the next
                                                       // layer
  int logit_rows_ = 0;                                 // of this chunk's last tokens
  at::Tensor tokens_, positions_;                      // int32 [total]
  std::optional<CacheTables> tables_;
  std::optional<LayerPass> pass_;
  std::vector<at::Tensor> logits_;
  std::vector<std::vector<at::Tensor>> window_;  // by layer, chunks concatenated: bf16 [rows, heads * head_dim]
};

/// A whole prefill: fp32 logits on the device, as DevicePrefill::logits(). After an error the cache is unchanged.
Expected<at::Tensor> device_prefill(const DeviceWeights& weights, const DeviceStreams& streams, DeviceCache& cache,
                                    std::span<const std::int32_t> tokens, int chunk_tokens, PrefillLogits logits);

/// rejected_input: no tokens, one outside the vocabulary, or `count` positions from `first` on beyond the model's.
Status check_tokens(const ModelConfig& config, std::span<const std::int32_t> tokens, std::int64_t first,
                    std::int64_t count);

}  // namespace kvantage::gpu
