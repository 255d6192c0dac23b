// The rows of a sequence in host memory as blocks lie on the device, a tensor of bytes a layer, and their way there and
// back.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "gpu/model/device_cache.h"
#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// Kept rows of every head, and how many blocks a layer of them takes.
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
  std::vector<at::Tensor> layers;  // [blocks of the layer, block_bytes] uint8, page-locked where the device is CUDA

  std::span<std::byte> layer(int layer) override;
};

/// uint8 [blocks, block_bytes] of host memory, page-locked where `device` is CUDA.
at::Tensor host_blocks(std::int64_t blocks, std::size_t block_bytes, at::Device device);

/// Copies one layer into its blocks, in the copying stream and behind what the device computes now: the blocks may have
/// been another sequence's. Room has been laid out. `blocks`: those of the layer's heads, one behind the other, as
/// host_blocks(); not written until cache.copied[layer] is over.
void copy_layer(const DeviceStreams& streams, DeviceCache& cache, int layer, const at::Tensor& blocks);

/// All rows of a cache, in host memory when the call returns.
std::unique_ptr<HostImage> image_of(const DeviceStreams& streams, const DeviceCache& cache);
/// Blocks of one layer that hold rows from kept[kv_head] on, in host memory when the call returns; heads one behind the
/// other.
at::Tensor tail_blocks(const DeviceStreams& streams, const DeviceCache& cache, int layer, const std::vector<int>& kept);

}  // namespace kvantage::gpu
