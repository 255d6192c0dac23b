#include "core/load/arrived_bytes.h"

namespace kvantage::inline loading {

Expected<std::vector<std::unique_ptr<LeasedBuffer>>> buffers_for(const StorageTier& tier, const Digest128& key,
                                                                 std::span<const ReadExtent> extents,
                                                                 BufferLender& lender) {
  const std::vector<bool> lent = tier.lends(key, extents);
  std::vector<std::unique_ptr<LeasedBuffer>> buffers(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i < lent.size() && lent[i]) continue;
    KV_ASSIGN(buffers[i], lender.lease(extents[i].bytes));
  }
  return buffers;
}

}  // namespace kvantage::inline loading
