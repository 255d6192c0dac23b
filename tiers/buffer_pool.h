// A bounded pool of 4 KiB-aligned, prefaulted buffers for transfers, all cut from one mapping on huge pages: a disk
// takes a buffer that lies in one piece in fewer requests, at twice the speed on some. Buffers are reused rather than
// freed: mapping and touching fresh memory costs more than most reads, and the limit keeps a burst of loads from eating
// the machine.
#pragma once

#include <functional>
#include <memory>

#include "core/ports/storage_tier.h"

namespace kvantage {

class BufferPool final : public BufferLender {
 public:
  /// Tells a device of memory that much will be copied to and from; null where that helps nothing (Accelerator::pin).
  using Pin = std::function<std::shared_ptr<void>(std::span<std::byte>)>;

  /// `limit_bytes`: memory that may exist at once, lent or idle. Buffers may outlive the pool. With `pin` all of it is
  /// touched and pinned at the first lease, until the last buffer is back.
  explicit BufferPool(std::size_t limit_bytes, Pin pin = {});
  ~BufferPool() override;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// A buffer whose bytes() are `bytes` rounded up to 4 KiB; contents are whatever was there. no_space when no free
  /// piece is long enough among what is lent now; rejected_input when `bytes` is 0 or alone above the limit, where
  /// waiting never helps.
  Expected<std::unique_ptr<LeasedBuffer>> lease(std::size_t bytes) override;
  /// Memory out on loan.
  std::size_t leased_bytes() const override;
  /// Memory that exists now, lent or idle: it grows with the most that was lent at once.
  std::size_t mapped_bytes() const;
  std::size_t limit_bytes() const;

 private:
  struct State;
  class Lease;
  std::shared_ptr<State> state_;
};

}  // namespace kvantage
