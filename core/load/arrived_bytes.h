// Where the bytes of a read are: in a leased buffer, or in the memory of a tier that lends them. Who reads through this
// copies nothing out of host memory.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ports/storage_tier.h"

namespace kvantage::inline loading {

class ArrivedBytes {
 public:
  ArrivedBytes() = default;
  /// Takes the bytes of a completed read; none, if it failed.
  explicit ArrivedBytes(Completion& completion)
      : leased_(std::move(completion.buffer)), lent_(std::exchange(completion.lent, {})) {}

  explicit operator bool() const { return leased_ != nullptr || lent_.owner != nullptr; }
  bool is_lent() const { return lent_.owner != nullptr; }
  /// At least as many as were asked for; a buffer is longer. Valid until reset().
  std::span<const std::byte> bytes() const { return leased_ != nullptr ? leased_->bytes() : lent_.bytes; }
  /// Returns the buffer, or what was lent.
  void reset() { *this = {}; }

 private:
  std::unique_ptr<LeasedBuffer> leased_;
  LentBytes lent_;
};

/// For StorageTier::submit_read(): a buffer for each extent, null for those that `tier` lends. Errors: those of
/// BufferLender::lease(); no buffer is kept then.
Expected<std::vector<std::unique_ptr<LeasedBuffer>>> buffers_for(const StorageTier& tier, const Digest128& key,
                                                                 std::span<const ReadExtent> extents,
                                                                 BufferLender& lender);

}  // namespace kvantage::inline loading
