// A DeviceMemory whose host accesses are in the trace of the fake runtime.
#pragma once

#include <memory>
#include <utility>

#include "gpu/device/device_memory.h"
#include "tests/gpu/fake/fake_cuda.h"

namespace kvantage::testing {

class TracedMemory final : public gpu::DeviceMemory {
 public:
  explicit TracedMemory(std::shared_ptr<gpu::DeviceMemory> memory) : memory_(std::move(memory)) {}

  AcceleratorInfo info() const override { return memory_->info(); }
  std::uint64_t free_bytes() const override { return memory_->free_bytes(); }
  Expected<gpu::DeviceAddress> allocate(std::size_t bytes) override { return memory_->allocate(bytes); }
  void release(gpu::DeviceAddress address) override { memory_->release(address); }
  Expected<std::unique_ptr<gpu::DeviceCopy>> copy_in(gpu::DeviceAddress target,
                                                     std::span<const std::byte> source) override {
    return memory_->copy_in(target, source);
  }
  Expected<std::unique_ptr<gpu::DeviceCopy>> copy_out(std::span<std::byte> target, gpu::DeviceAddress source) override {
    return memory_->copy_out(target, source);
  }
  using gpu::DeviceMemory::leaf_checksums;
  Status leaf_checksums(gpu::DeviceAddress address, std::span<std::uint64_t> sums, std::uint64_t last_bytes) override {
    KV_TRY(memory_->leaf_checksums(address, sums, last_bytes));
    fake_cuda().note_host_access("the host's read of checksums", std::as_bytes(sums), false);
    return {};
  }
  Expected<std::uint64_t> changed_blocks(std::span<const gpu::BlockChecksums> blocks) override {
    return memory_->changed_blocks(blocks);
  }
  std::shared_ptr<void> pin(std::span<std::byte> memory) override { return memory_->pin(memory); }
  bool pinned(std::span<const std::byte> memory) const override { return memory_->pinned(memory); }
  void note_host_access(std::span<const std::byte> memory, gpu::HostAccess access) override {
    const bool writes = access == gpu::HostAccess::writes;
    fake_cuda().note_host_access(writes ? "the host's write" : "the host's read", memory, writes);
  }

 private:
  std::shared_ptr<gpu::DeviceMemory> memory_;
};

}  // namespace kvantage::testing
