// KVPR on a GPU (paper 004, mode decode-offload): keys, values and layer inputs of a context are in pinned host memory
// and cross the bus each step, double-buffered. For the first l tokens of each layer only layer inputs are sent, half
// the bytes, and their keys and values are recomputed while those of the other tokens are still in flight; then the
// step's queries attend to all of them. The rest of a decode step (its own projections, the MLP) needs no cache and is
// left to the caller.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/policy/partial_recompute.h"
#include "gpu/kernels/attend_paged.h"
#include "gpu/kernels/recompute_kv.h"
#include "gpu/kernels/streams.h"

namespace kvantage::gpu {

struct OffloadShape {
  int layers = 1, kv_heads = 1, group = 1, head_dim = 64, hidden = 64;
  int tokens = 0;  // of the context, in whole pages
  int page_tokens = 32;
  std::size_t page_bytes() const;  // over all heads, including positions
  int pages() const { return tokens / page_tokens; }
};

/// By the device's own clock.
struct OffloadStep {
  double seconds = 0;       // of all layers
  double link_seconds = 0;  // copies, in sequence
  double recompute_seconds = 0, attend_seconds = 0;
  std::uint64_t input_bytes = 0, kv_bytes = 0;
};

class OffloadedLayers {
 public:
  /// Layers of random weights and inputs from `seed`. Their keys and values are computed on the device and stored as
  /// computed, so that recomputation must reproduce them bit for bit. usage: tokens are not whole pages. no_space:
  /// memory of host or device.
  static Expected<OffloadedLayers> random(const OffloadShape& shape, std::uint64_t seed);

  /// One step with the first `recomputed_tokens` (whole pages) of each layer recomputed. queries: [layers, kv_heads,
  /// group, head_dim] bf16; outputs of the same shape, of each layer's attention. After an error nothing is in flight.
  Expected<OffloadStep> step(int recomputed_tokens, std::span<const std::uint16_t> queries,
                             std::vector<std::uint16_t>& outputs);

  /// Costs of each kind of work alone, for predictions: medians of `rounds`.
  Expected<RecomputeCosts> profile(int rounds);
  const OffloadShape& shape() const { return shape_; }

 private:
  struct Layer {
    DeviceBytes key, value;     // [kv_heads * head_dim, hidden]
    PinnedBytes inputs, pages;  // [tokens, hidden]; [pages, kv_heads] blocks
  };
  /// Buffers of a layer in flight.
  struct Buffer {
    DeviceBytes inputs, arena;
    DeviceEvent copies_begun, inputs_arrived, all_arrived, recompute_begun, recomputed, attend_begun, done;
  };
  OffloadedLayers() = default;
  /// step() after its checks; `begun`: recorded at its start. An error leaves work in flight.
  Expected<OffloadStep> run_layers(int recomputed_tokens, DeviceEvent& begun);
  Status fill_layer(Layer& layer, std::uint64_t seed);
  Status ship(const Layer& layer, Buffer& buffer, int recomputed_tokens);
  Status recompute(const Layer& layer, Buffer& buffer, int tokens);
  Status attend(Buffer& buffer, int layer);
  Expected<Buffer> make_buffer() const;
  PagedHeads heads(const Buffer& buffer) const;

  OffloadShape shape_;
  std::vector<Layer> layers_;
  std::vector<Buffer> buffers_;  // two, for double buffering
  DeviceArray<std::int32_t> blocks_, first_block_, kept_, positions_;
  DeviceArray<float> frequencies_;
  DeviceArray<std::uint16_t> queries_, outputs_;
  DeviceBytes scratch_;
  std::vector<DeviceStream> streams_;  // for copies, for compute; the last member: they end before their memory
};

}  // namespace kvantage::gpu
