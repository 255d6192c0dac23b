// A sequence's rows in host memory in the device's block layout, one byte tensor per layer, and transfers in both
// directions.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "gpu/model/device_cache.h"
#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// Kept rows of every head, and the number of blocks per layer.
struct ImageLayout {
  std::vector<int> kept;  // [layers * kv_heads]
  std::int32_t sequence_length = 0;
  int layers = 0, kv_heads = 0, block_tokens = 0;
  std::size_t block_bytes = 0;

  static ImageLayout of(const DeviceCache& cache);
  int blocks(int layer) const;
};

class HostImage final : public GpuContextImage {
 public:
  ImageLayout layout;
  std::vector<at::Tensor> layers;  // [blocks of the layer, block_bytes] uint8, page-locked for a CUDA device

  std::span<std::byte> layer(int layer) override;
};

/// uint8 [blocks, block_bytes] of host memory, page-locked if `device` is CUDA.
at::Tensor host_blocks(std::int64_t blocks, std::size_t block_bytes, at::Device device);

/// Copies one layer into its blocks, in the copy stream and after current compute: the blocks may have belonged to
/// another sequence. Space must be laid out. `blocks`: those of the layer's heads, concatenated, from host_blocks();
/// must not change until cache.copied[layer] is complete.
void copy_layer(const DeviceStreams& streams, DeviceCache& cache, int layer, const at::Tensor& blocks);

/// Copies all rows of a cache to host memory; complete on return.
std::unique_ptr<HostImage> image_of(const DeviceStreams& streams, const DeviceCache& cache);
/// Copies the blocks of one layer with rows from kept[kv_head] on to host memory; complete on return; heads
/// concatenated.
at::Tensor tail_blocks(const DeviceStreams& streams, const DeviceCache& cache, int layer, const std::vector<int>& kept);

}  // namespace kvantage::gpu
