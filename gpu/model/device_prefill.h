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

/// A prefill in steps of one layer of one chunk, each of which is launched and not waited for. Weights, streams and
/// cache outlive it.
class DevicePrefill {
 public:
  /// options.rows_may_stay is the caller's to see to.
  DevicePrefill(const DeviceWeights& weights, const DeviceStreams& streams, DeviceCache& cache,
                const PrefillOptions& options)
      : weights_(weights), streams_(streams), cache_(cache), options_(options) {}

  /// At the cache's next positions; each layer waits until its uploaded rows are there. rejected_input, no_space: as
  /// GpuModel::prefill(), and the cache is as before.
  Status begin(std::span<const std::int32_t> tokens);
  /// The next layer; errors leave the step to be given up.
  Status step();
  bool begun() const { return tables_.has_value(); }
  bool done() const { return first_ == total_; }
  /// What was computed goes from the cache.
  void take_back();
  /// After done(), fp32 of the device: [1, vocab_size], [tokens, vocab_size], or undefined.
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
  int total_ = 0, first_ = 0, count_ = 0, layer_ = 0;  // tokens, those of chunks before, of this chunk; the next layer
  int logit_rows_ = 0;                                 // of this chunk's last tokens
  at::Tensor tokens_, positions_;                      // int32 [total]
  std::optional<CacheTables> tables_;
  std::optional<LayerPass> pass_;
  std::vector<at::Tensor> logits_;
  std::vector<std::vector<at::Tensor>> window_;  // by layer, chunks one behind the other: bf16 [rows, heads * head_dim]
};

/// All of it: fp32 logits of the device, as DevicePrefill::logits(). After an error the cache is as before.
Expected<at::Tensor> device_prefill(const DeviceWeights& weights, const DeviceStreams& streams, DeviceCache& cache,
                                    std::span<const std::int32_t> tokens, int chunk_tokens, PrefillLogits logits);

/// rejected_input: no tokens, one outside the vocabulary, `count` positions from `first` on that go beyond the model's.
Status check_tokens(const ModelConfig& config, std::span<const std::int32_t> tokens, std::int64_t first,
                    std::int64_t count);

}  // namespace kvantage::gpu
