#include "gpu/model/device_cache.h"

#include <algorithm>
#include <atomic>
#include <exception>

namespace kvantage::gpu {
namespace {

/// Never the same for two caches, so that one made where another one was is not taken for it.
std::uint64_t next_revision() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

DeviceCache::DeviceCache(std::shared_ptr<CacheArena> arena)
    : copied(static_cast<std::size_t>(arena->layers())), arena_(std::move(arena)), heads_(static_cast<std::size_t>(arena_->layers() * arena_->kv_heads())), revision_(next_revision()) {}

DeviceCache::~DeviceCache() {
  try {
    for (const CopyMark& mark : copied) mark.wait();  // nobody else may get blocks that are still being written
  } catch (const std::exception&) {  // a device that is lost writes no more
  }
  for (const Head& head : heads_) arena_->give(head.blocks);
}

int DeviceCache::longest() const { return std::ranges::max(heads_, {}, &Head::kept).kept; }

int DeviceCache::longest(int layer) const {
  int most = 0;
  for (int h = 0; h < arena_->kv_heads(); ++h) most = std::max(most, head(layer, h).kept);
  return most;
}

bool DeviceCache::uniform(int layer) const {
  for (int h = 1; h < arena_->kv_heads(); ++h)
    if (head(layer, h).kept != head(layer, 0).kept) return false;
  return true;
}

std::size_t DeviceCache::held_bytes() const {
  std::size_t blocks = 0;
  for (const Head& head : heads_) blocks += head.blocks.size();
  return blocks * arena_->block_bytes();
}

Status DeviceCache::give_room(const std::vector<int>& rows) {
  const auto blocks_of = [&](int count) { return static_cast<std::size_t>((count + arena_->block_tokens() - 1) / arena_->block_tokens()); };
  std::size_t wanted = 0;
  for (std::size_t h = 0; h < heads_.size(); ++h) wanted += blocks_of(rows[h]) - std::min(blocks_of(rows[h]), heads_[h].blocks.size());
  if (wanted == 0) return {};
  const auto taken = arena_->take(wanted);
  if (!taken) return tl::unexpected(taken.error());
  auto next = taken->begin();
  for (std::size_t h = 0; h < heads_.size(); ++h)
    while (heads_[h].blocks.size() < blocks_of(rows[h])) heads_[h].blocks.push_back(*next++);
  revision_ = next_revision();
  return {};
}

Status DeviceCache::reserve(int tokens) {
  std::vector<int> rows;
  for (const Head& head : heads_) rows.push_back(head.kept + tokens);
  return give_room(rows);
}

void DeviceCache::advance(int tokens) {
  for (Head& head : heads_) head.kept += tokens;
  sequence_length_ += tokens;
  revision_ = next_revision();
}

Status DeviceCache::lay_out(const std::vector<int>& kept, std::int32_t sequence_length) {
  KV_TRY(give_room(kept));
  for (std::size_t h = 0; h < heads_.size(); ++h) heads_[h].kept = kept[h];
  sequence_length_ = computed_from_ = sequence_length;
  revision_ = next_revision();
  return {};
}

}  // namespace kvantage::gpu
