// A device tier whose entries are in the blocks of a model's caches, and random entries for it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/kv/block_image.h"
#include "tests/gpu/device_checks.h"
#include "tests/kv/block_form.h"
#include "tests/kv/serial_sample.h"

namespace kvantage::testing {

/// bf16, heads of different lengths.
struct RaggedEntry {
  static constexpr KvShape shape{3, 2, 32, KvType::bf16};

  test::Sample sample;
  std::shared_ptr<const DeviceBytes> bytes;

  explicit RaggedEntry(std::uint64_t seed, int tokens = 600) {
    Random random(seed);
    sample = test::make_sample(shape, tokens, 0, true, 0, random);
    bytes = std::make_shared<const DeviceBytes>(test::serialized(sample));
  }
  std::vector<int> kept() const {
    std::vector<int> rows;
    for (int layer = 0; layer < shape.layers; ++layer)
      for (int head = 0; head < shape.kv_heads; ++head) rows.push_back(sample.cache->kept(layer, head));
    return rows;
  }
  /// What its blocks must hold, layers one after the other.
  DeviceBytes blocks(const CacheBlockForm& form) const {
    const BlockImage image = BlockImage::of(*bytes, form).value();
    DeviceBytes all;
    for (int layer = 0; layer < shape.layers; ++layer) {
      const DeviceBytes of_layer = image.layer_blocks(layer, *bytes).value();
      all.insert(all.end(), of_layer.begin(), of_layer.end());
    }
    return all;
  }
};

/// What it holds, read where it is: the device is this process.
inline DeviceBytes bytes_in(const DeviceResidency& cache) {
  const std::uint64_t block = cache.blocks().form.block_bytes;
  DeviceBytes all;
  for (int layer = 0; layer < RaggedEntry::shape.layers; ++layer)
    for (const std::uint64_t address : cache.addresses(layer)) {
      const auto* const first = reinterpret_cast<const std::byte*>(address);
      all.insert(all.end(), first, first + block);
    }
  return all;
}

inline std::byte& byte_of(const DeviceResidency& cache, int layer, std::size_t block, std::size_t at) {
  return reinterpret_cast<std::byte*>(cache.addresses(layer)[block])[at];
}

/// As open_bench(), with entries in blocks of the memory that `memory` names.
inline DeviceBench open_resident_bench(const std::shared_ptr<gpu::DeviceMemory>& memory, const CacheBlockForm& form) {
  DeviceBench bench;
  auto accelerator = gpu::DeviceAccelerator::open(memory);
  if (!accelerator) qFatal("%s", accelerator.error().message.c_str());
  bench.accelerator = std::move(*accelerator);
  bench.accelerator->use_blocks({memory->info().memory, form});
  auto store = bench.accelerator->open_store("device", 0);
  if (!store) qFatal("%s", store.error().message.c_str());
  bench.tier = std::move(*QueuedTier::open(std::move(*store), 0, 0, system_executor()));
  bench.buffers = std::make_unique<BufferPool>(std::size_t{64} << 20);
  return bench;
}

}  // namespace kvantage::testing
