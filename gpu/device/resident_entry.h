// An entry in the blocks of a model's caches in the same memory: blocks, then the checksum of each.
#pragma once

#include <algorithm>

#include "core/kv/block_image.h"
#include "core/ports/entry_store.h"
#include "gpu/device/device_pool.h"

namespace kvantage::gpu {

/// Where such entries are.
struct ResidentPool {
  DeviceBlocks blocks;
  std::shared_ptr<DevicePool> pool;  // its unit is a block, so that none crosses the end of a run
};

class ResidentEntry final : public StoredEntry, public DeviceResidency {
 public:
  /// runs: of held_bytes_of(image).
  ResidentEntry(EntryInfo info, ResidentPool where, DeviceRuns runs, BlockImage image)
      : StoredEntry(std::move(info)), where_(std::move(where)), runs_(std::move(runs)), image_(std::move(image)) {}
  ~ResidentEntry() override { where_.pool->release(runs_); }
  ResidentEntry(const ResidentEntry&) = delete;
  ResidentEntry& operator=(const ResidentEntry&) = delete;

  static std::uint64_t held_bytes_of(const BlockImage& image) {
    const std::uint64_t sums = image.blocks() * sizeof(std::uint64_t), block = image.form().block_bytes;
    return image.blocks() * block + (sums + block - 1) / block * block;
  }

  std::uint64_t overhead_bytes() const override {
    const std::uint64_t held = held_bytes_of(image_);
    return held - std::min(held, info().bytes);
  }
  const DeviceBlocks& blocks() const override { return where_.blocks; }
  std::size_t held_bytes() const override { return held_bytes_of(image_); }
  std::int32_t sequence_length() const override { return static_cast<std::int32_t>(image_.header().token_ids.size()); }
  std::vector<int> kept() const override { return image_.kept(); }
  std::vector<std::uint64_t> addresses(int layer) const override {
    const std::uint64_t block = image_.form().block_bytes;
    std::vector<std::uint64_t> found;
    (void)over_runs(runs_, image_.first_block(layer) * block, image_.blocks(layer) * block,
                    [&](DeviceAddress address, std::uint64_t /*from*/, std::uint64_t bytes) -> Status {
                      for (std::uint64_t at = 0; at < bytes; at += block) found.push_back(address + at);
                      return {};
                    });
    return found;
  }

  const BlockImage& image() const { return image_; }
  const DeviceRuns& runs() const { return runs_; }
  /// From the start of its bytes in the runs.
  std::uint64_t sums_at() const { return image_.blocks() * image_.form().block_bytes; }
  /// All of its blocks, each part within one run, as its checksums are.
  std::vector<BlockChecksums> checked() const {
    const std::uint64_t block = image_.form().block_bytes, sum = sizeof(std::uint64_t);
    std::vector<BlockChecksums> parts;
    std::uint64_t first = 0;
    for (const DeviceRun& run : runs_) {
      const std::uint64_t count = std::min<std::uint64_t>(run.bytes / block, image_.blocks() - first);
      (void)over_runs(runs_, sums_at() + first * sum, count * sum,
                      [&](DeviceAddress sums, std::uint64_t from, std::uint64_t bytes) -> Status {
                        parts.push_back({reinterpret_cast<const std::byte*>(run.address + from / sum * block),
                                         bytes / sum, block, reinterpret_cast<const std::uint64_t*>(sums)});
                        return {};
                      });
      first += count;
    }
    return parts;
  }

 private:
  ResidentPool where_;
  DeviceRuns runs_;
  BlockImage image_;
};

}  // namespace kvantage::gpu
