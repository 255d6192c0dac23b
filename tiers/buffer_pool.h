// A bounded pool of 4 KiB-aligned, prefaulted transfer buffers, all from one mapping on huge pages: physically
// contiguous buffers need fewer disk requests, at twice the speed on some disks. Buffers are reused rather than freed:
// mapping and faulting fresh memory costs more than most reads. The limit keeps a burst of loads from exhausting
// memory.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/ports/file_device.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline tiers {

class BufferPool final : public BufferLender {
 public:
  /// Registers memory for copies to and from a device; null where that has no benefit (Accelerator::pin).
  using Pin = std::function<std::shared_ptr<void>(std::span<std::byte>)>;

  /// `limit_bytes`: maximum total memory, leased or idle. Buffers may outlive the pool. With `pin` all of it is faulted
  /// in and pinned at the first lease, until the last buffer is returned.
  explicit BufferPool(std::size_t limit_bytes, Pin pin = {});
  ~BufferPool() override;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// Registers the memory with these devices for reads, in a few growing parts as it is used, and at most so much. A
  /// device that refuses is not asked again. They are kept as long as the memory. Before the first lease.
  void register_with(std::vector<std::shared_ptr<FileDevice>> devices, std::size_t max_bytes = std::size_t{256} << 20);

  /// A buffer whose bytes() are `bytes` rounded up to 4 KiB; contents are undefined. no_space when no free piece is
  /// long enough given the current leases; rejected_input when `bytes` is 0 or exceeds the limit by itself, where
  /// waiting never helps.
  Expected<std::unique_ptr<LeasedBuffer>> lease(std::size_t bytes) override;
  /// Memory currently leased.
  std::size_t leased_bytes() const override;
  /// Memory in existence, leased or idle: grows with the peak of leases.
  std::size_t mapped_bytes() const;
  std::size_t limit_bytes() const;

 private:
  struct State;
  class Lease;
  std::shared_ptr<State> state_;
};

}  // namespace kvantage::inline tiers
