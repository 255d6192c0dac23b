// Pinned host memory that stages bytes to and from a device when their own memory is not pinned: a few slots, so that
// one is filled or emptied while the others are copied. One thread at a time.
#pragma once

#include <cstdlib>
#include <memory>

#include "gpu/device/device_memory.h"

namespace kvantage::gpu {

class Staging {
 public:
  static constexpr std::size_t slot_count = 4;
  static constexpr std::size_t slot_bytes = std::size_t{8} << 20;  // what a copy costs to start is then 2 % of it

  /// If the system refuses to pin it, copies are slower but still correct. no_space without memory.
  static Expected<std::unique_ptr<Staging>> open(DeviceMemory& memory) {
    std::unique_ptr<Staging> staging(new Staging);
    staging->bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, slot_count * slot_bytes)));
    if (staging->bytes_ == nullptr)
      return fail(ErrorCode::no_space, "device: no host memory for transfers; close other programs");
    staging->pin_ = memory.pin({staging->bytes_.get(), slot_count * slot_bytes});
    return staging;
  }

  std::span<std::byte> slot(std::size_t index) { return {bytes_.get() + index % slot_count * slot_bytes, slot_bytes}; }
  bool pinned() const { return pin_ != nullptr; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  Staging() = default;

  std::unique_ptr<std::byte, Free> bytes_;
  std::shared_ptr<void> pin_;  // released before the memory
};

}  // namespace kvantage::gpu
