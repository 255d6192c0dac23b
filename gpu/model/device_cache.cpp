#include "gpu/model/device_cache.h"

#include <algorithm>
#include <atomic>
#include <exception>

namespace kvantage::gpu {
namespace {

/// Unique per cache, so that a new cache at a reused address is not mistaken for the old one.
std::uint64_t next_revision() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

at::Tensor numbers_there(const CacheArena& arena, const std::vector<std::int32_t>& numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  return at::from_blob(const_cast<std::int32_t*>(numbers.data()), {count}, at::TensorOptions(at::kInt))
      .to(arena.device(), at::kLong, false, true);
}

void copy_blocks(const CacheArena& arena, const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to) {
  at::Tensor bytes = arena.bytes();
  bytes.index_copy_(0, numbers_there(arena, to), bytes.index_select(0, numbers_there(arena, from)));
}

}  // namespace

DeviceCache::DeviceCache(std::shared_ptr<CacheArena> arena)
    : copied(static_cast<std::size_t>(arena->layers())),
      arena_(std::move(arena)),
      heads_(static_cast<std::size_t>(arena_->layers() * arena_->kv_heads())),
      revision_(next_revision()) {}

DeviceCache::~DeviceCache() {
  try {
    for (const CopyMark& mark : copied) mark.wait();  // nobody else may get blocks that are still being written
  } catch (const std::exception&) {                   // a lost device writes no more
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

std::vector<int> DeviceCache::kept() const {
  std::vector<int> rows;
  for (const Head& head : heads_) rows.push_back(head.kept);
  return rows;
}

std::vector<std::uint64_t> DeviceCache::addresses(int layer) const {
  const auto arena = reinterpret_cast<std::uintptr_t>(arena_->planes().arena);
  std::vector<std::uint64_t> found;
  for (int h = 0; h < arena_->kv_heads(); ++h)
    for (std::size_t b = 0; b < blocks_of(head(layer, h).kept); ++b)
      found.push_back(arena + static_cast<std::uint64_t>(head(layer, h).blocks[b]) * arena_->block_bytes());
  return found;
}

std::unique_ptr<DeviceCache> DeviceCache::fork(const DeviceStreams& streams) const {
  auto copy = std::make_unique<DeviceCache>(arena_);
  for (const CopyMark& mark : copied) mark.compute_waits(streams);
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const auto full = static_cast<std::ptrdiff_t>(blocks_of(heads_[h].kept));
    copy->heads_[h] = {{heads_[h].blocks.begin(), heads_[h].blocks.begin() + full}, heads_[h].kept};
    arena_->share(copy->heads_[h].blocks);
  }
  copy->sequence_length_ = sequence_length_;
  copy->computed_from_ = computed_from_;
  return copy;
}

std::size_t DeviceCache::blocks_of(int rows) const {
  return static_cast<std::size_t>((rows + arena_->block_tokens() - 1) / arena_->block_tokens());
}

// The block of the next row, if another cache shares it.
std::int32_t* DeviceCache::shared_tail(Head& head, int rows) const {
  if (rows <= head.kept || head.kept % arena_->block_tokens() == 0) return nullptr;
  std::int32_t& tail = head.blocks[blocks_of(head.kept) - 1];
  return arena_->is_shared(tail) ? &tail : nullptr;
}

Status DeviceCache::give_room(const std::vector<int>& rows) {
  std::size_t wanted = 0;
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    wanted += blocks_of(rows[h]) - std::min(blocks_of(rows[h]), heads_[h].blocks.size());
    if (shared_tail(heads_[h], rows[h]) != nullptr) ++wanted;
  }
  if (wanted == 0) return {};
  KV_ASSIGN(const auto taken, arena_->take(wanted));
  auto next = taken.begin();
  std::vector<std::int32_t> from, to;
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    if (std::int32_t* const tail = shared_tail(heads_[h], rows[h])) {
      from.push_back(*tail);
      to.push_back(*tail = *next++);
    }
    while (heads_[h].blocks.size() < blocks_of(rows[h])) heads_[h].blocks.push_back(*next++);
  }
  if (!from.empty()) {
    copy_blocks(*arena_, from, to);
    arena_->give(from);
  }
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
  set_length(sequence_length);
  return {};
}

Status DeviceCache::lay_out_layer(int layer, std::span<const int> kept) {
  std::vector<int> rows;
  for (const Head& head : heads_) rows.push_back(head.kept);
  std::ranges::copy(kept, rows.begin() + static_cast<std::ptrdiff_t>(index(layer, 0)));
  KV_TRY(give_room(rows));
  for (std::size_t h = 0; h < kept.size(); ++h) heads_[index(layer, 0) + h].kept = kept[h];
  return {};
}

void DeviceCache::set_length(std::int32_t sequence_length) {
  sequence_length_ = computed_from_ = sequence_length;
  revision_ = next_revision();
}

}  // namespace kvantage::gpu
