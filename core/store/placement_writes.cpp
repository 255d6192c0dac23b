#include "core/store/placement_writes.h"

namespace kvantage::inline store {

std::optional<PlacementWrite> PlacementWrites::take(Ticket ticket) {
  auto node = writes_.extract(ticket);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

const PlacementWrite* PlacementWrites::of(std::size_t context) const {
  for (const auto& [ticket, write] : writes_)
    if (write.context == context) return &write;
  return nullptr;
}

std::uint64_t PlacementWrites::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [ticket, write] : writes_) bytes += write.entry.info.bytes;
  return bytes;
}

std::uint64_t PlacementWrites::bytes_placed(const StorageTier& tier) const {
  for (std::uint64_t held = tier.used_bytes();;) {
    std::uint64_t on_its_way = 0;
    for (const auto& [ticket, write] : writes_)
      if (write.tier == &tier && !tier.contains(write.entry.info.key)) on_its_way += write.action.bytes_after;
    const std::uint64_t now = tier.used_bytes();
    if (now == held) return held + on_its_way;
    held = now;  // a write completed in between
  }
}

void PlacementWrites::supersede(std::size_t context) {
  for (auto& [ticket, write] : writes_) {
    if (write.context != context) continue;
    write.superseded = true;
    write.tier->cancel(ticket);
  }
}

void PlacementWrites::give_up_all() {
  for (const auto& [ticket, write] : writes_) write.tier->cancel(ticket);
}

}  // namespace kvantage::inline store
