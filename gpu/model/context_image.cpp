#include "gpu/model/context_image.h"

#include <algorithm>

namespace kvantage::gpu {
namespace {

bool neighbors(const std::int64_t* ids, std::int64_t count) {
  for (std::int64_t i = 1; i < count; ++i)
    if (ids[i] != ids[0] + i) return false;
  return true;
}

/// Copies device blocks to host memory; the thread waits.
void fetch(const DeviceStreams& streams, const CacheArena& arena, const std::vector<std::int64_t>& ids,
           at::Tensor& to) {
  if (ids.empty()) return;
  const auto count = static_cast<std::int64_t>(ids.size());
  const at::Tensor there = at::from_blob(const_cast<std::int64_t*>(ids.data()), {count}, at::TensorOptions(at::kLong))
                               .to(arena.device(), at::kLong, false, true);
  const at::Tensor blocks = arena.bytes().index_select(0, there);
  StreamSpan copy(streams.computing());
  to.copy_(blocks, true);
  copy.end();
  if (streams.computing()) streams.computing()->synchronize();
  streams.meter().copied(CopyDirection::from_device, static_cast<std::uint64_t>(blocks.numel()), std::move(copy));
}

}  // namespace

ImageLayout ImageLayout::of(const DeviceCache& cache) {
  const CacheArena& arena = cache.arena();
  return {cache.kept(),     cache.sequence_length(), arena.layers(),
          arena.kv_heads(), arena.block_tokens(),    arena.block_bytes()};
}

int ImageLayout::blocks(int layer) const {
  int sum = 0;
  for (int h = 0; h < kv_heads; ++h)
    sum += (kept[static_cast<std::size_t>(layer * kv_heads + h)] + block_tokens - 1) / block_tokens;
  return sum;
}

std::span<std::byte> HostImage::layer(int layer) {
  const at::Tensor& bytes = layers[static_cast<std::size_t>(layer)];
  return {static_cast<std::byte*>(bytes.mutable_data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

at::Tensor host_blocks(std::int64_t blocks, std::size_t block_bytes, at::Device device) {
  return at::empty({blocks, static_cast<std::int64_t>(block_bytes)},
                   at::TensorOptions(at::kByte).pinned_memory(device.is_cuda()));
}

void copy_layer(const DeviceStreams& streams, DeviceCache& cache, int layer, const at::Tensor& blocks) {
  const CacheArena& arena = cache.arena();
  std::vector<std::int64_t> ids;
  for (int h = 0; h < arena.kv_heads(); ++h)
    ids.insert(ids.end(), cache.head(layer, h).blocks.begin(), cache.head(layer, h).blocks.end());
  const auto count = static_cast<std::int64_t>(ids.size());
  streams.copies_wait();
  const c10::OptionalStreamGuard guard(streams.copying());
  if (count > 0) {
    const at::Tensor source = blocks.narrow(0, 0, count);
    at::Tensor bytes = arena.bytes();
    // Allocations are excluded from the timing.
    const auto timed = [&](const auto& begin_copy) {
      StreamSpan copy(streams.copying());
      begin_copy();
      copy.end();
      streams.meter().copied(CopyDirection::to_device, static_cast<std::uint64_t>(source.numel()), std::move(copy));
    };
    if (neighbors(ids.data(), count)) {
      timed([&] { bytes.narrow(0, ids[0], count).copy_(source, true); });
    } else {
      // Page-locked, so that the thread does not wait for earlier copies; libtorch keeps such memory until it has been
      // read.
      const at::Tensor numbers =
          at::empty({count}, at::TensorOptions(at::kLong).pinned_memory(arena.device().is_cuda()));
      std::ranges::copy(ids, numbers.mutable_data_ptr<std::int64_t>());
      const at::Tensor places = numbers.to(arena.device(), at::kLong, true);
      at::Tensor landed = at::empty(source.sizes(), bytes.options());
      timed([&] { bytes.index_copy_(0, places, landed.copy_(source, true)); });
    }
  }
  cache.copied[static_cast<std::size_t>(layer)].record(streams);
}

std::unique_ptr<HostImage> image_of(const DeviceStreams& streams, const DeviceCache& cache) {
  auto image = std::make_unique<HostImage>();
  image->layout = ImageLayout::of(cache);
  const std::vector<int> none(static_cast<std::size_t>(image->layout.kv_heads), 0);
  for (int layer = 0; layer < image->layout.layers; ++layer)
    image->layers.push_back(tail_blocks(streams, cache, layer, none));
  return image;
}

at::Tensor tail_blocks(const DeviceStreams& streams, const DeviceCache& cache, int layer,
                       const std::vector<int>& kept) {
  const CacheArena& arena = cache.arena();
  cache.copied[static_cast<std::size_t>(layer)].compute_waits(streams);
  std::vector<std::int64_t> ids;
  for (int h = 0; h < arena.kv_heads(); ++h) {
    const DeviceCache::Head& head = cache.head(layer, h);
    const int first = kept[static_cast<std::size_t>(h)] / arena.block_tokens(),
              end = (head.kept + arena.block_tokens() - 1) / arena.block_tokens();
    for (int b = first; b < end; ++b) ids.push_back(head.blocks[static_cast<std::size_t>(b)]);
  }
  at::Tensor blocks = host_blocks(static_cast<std::int64_t>(ids.size()), arena.block_bytes(), arena.device());
  fetch(streams, arena, ids, blocks);
  return blocks;
}

}  // namespace kvantage::gpu
