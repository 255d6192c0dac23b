#include "tiers/remote/sealed_extent.h"

#include <algorithm>
#include <cstring>

namespace kvantage::inline remote {

SealedExtent::SealedExtent(const ReadExtent& extent, std::span<std::byte> target, std::uint64_t entry_bytes)
    : begin_(extent.offset), end_(extent.offset + extent.bytes), entry_bytes_(entry_bytes), target_(target) {
  edges_.reserve(2);
  if (begin_ == end_) return;
  const std::uint64_t first = begin_ / seal_block_bytes, last = (end_ - 1) / seal_block_bytes;
  const auto covered = [&](std::uint64_t block) {
    return block * seal_block_bytes >= begin_ && std::min((block + 1) * seal_block_bytes, entry_bytes_) <= end_;
  };
  const std::uint64_t whole_from = covered(first) ? first : first + 1;
  const std::uint64_t whole_to = covered(last) ? last + 1 : last;  // one past the last whole block
  if (!covered(first)) add_edge(first);
  if (whole_from < whole_to) {
    const std::uint64_t from = whole_from * seal_block_bytes, to = std::min(whole_to * seal_block_bytes, entry_bytes_);
    parts_.push_back({from, target_.subspan(from - begin_, to - from)});
  }
  if (last != first && !covered(last)) add_edge(last);
}

void SealedExtent::add_edge(std::uint64_t block) {
  const std::uint64_t from = block * seal_block_bytes;
  edges_.emplace_back(std::min(seal_block_bytes, entry_bytes_ - from));
  parts_.push_back({from, edges_.back()});
}

bool SealedExtent::finish(const EntrySeal& seal) {
  for (const EntryPart& part : parts_)
    for (std::size_t at = 0; at < part.target.size(); at += seal_block_bytes) {
      const std::uint64_t block = (part.begin + at) / seal_block_bytes;
      const auto bytes = part.target.subspan(at, std::min<std::size_t>(seal_block_bytes, part.target.size() - at));
      const BlockDigest digest = block_digest(bytes);
      if (digest == BlockDigest{} || block >= seal.blocks.size() || digest != seal.blocks[block]) return false;
    }
  for (const EntryPart& part : parts_) {
    const std::uint64_t from = std::max(part.begin, begin_), to = std::min(part.begin + part.target.size(), end_);
    std::byte* const there = target_.data() + (from - begin_);
    const std::byte* const here = part.target.data() + (from - part.begin);
    if (there != here) std::memcpy(there, here, to - from);
  }
  return true;
}

}  // namespace kvantage::inline remote
