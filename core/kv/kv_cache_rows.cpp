// Removing and moving rows of a KvCache: keep, evict, truncate, and reading out a head.
#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "core/kv/kv_cache.h"
#include "core/kv/row_copy.h"

namespace kvantage::inline kv {
namespace {

std::size_t cache_row_size(const KvShape& shape) {
  return static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type);
}

Status check_indices(const KvCache& cache, int layer, const KeptIndices& indices, const char* what) {
  if (indices.size() != static_cast<std::size_t>(cache.shape().kv_heads))
    return fail(ErrorCode::internal, std::string("KV cache: ") + what + " needs one list of indices for each KV head");
  for (int h = 0; h < cache.shape().kv_heads; ++h) {
    const auto& list = indices[static_cast<std::size_t>(h)];
    if (!list.empty() && (list.front() < 0 || list.back() >= cache.kept(layer, h) ||
                          std::ranges::adjacent_find(list, std::greater_equal<>{}) != list.end()))
      return fail(ErrorCode::internal,
                  std::string("KV cache: indices of ") + what + " must ascend and lie inside the tokens held");
  }
  return {};
}

}  // namespace

/// The work of keep() on one head: tokens [0, first_moved) of the result are already in place.
struct KvCache::Gather {
  std::size_t first_moved = 0;
  std::size_t shared_blocks = 0;  // to be written: each needs a new block
};

KvCache::Gather KvCache::plan_gather(const Head& head, std::span<const std::int32_t> kept) const {
  Gather gather;
  const auto block_tokens = static_cast<std::size_t>(pool_->block_tokens());
  const HeadView rows = view(head);
  while (gather.first_moved < kept.size() &&
         rows.slot(static_cast<std::size_t>(kept[gather.first_moved])) == static_cast<int>(gather.first_moved))
    ++gather.first_moved;
  if (gather.first_moved < kept.size())
    for (std::size_t b = gather.first_moved / block_tokens; b * block_tokens < kept.size(); ++b)
      if (pool_->references(head.blocks[b]) > 1) ++gather.shared_blocks;
  return gather;
}

HeadLayout KvCache::layout_of(const Head& head, std::span<const std::int32_t> kept, const Gather& gather,
                              std::vector<BlockId>& spare, std::vector<SlotCopy>&& scratch) const {
  const auto block_tokens = static_cast<std::size_t>(pool_->block_tokens());
  const HeadView rows = view(head);
  HeadLayout layout;
  layout.copies = std::move(scratch);
  layout.copies.clear();
  layout.used = static_cast<std::int32_t>(kept.size());
  const std::size_t blocks = (kept.size() + block_tokens - 1) / block_tokens;
  const auto end = head.blocks.begin() + static_cast<std::ptrdiff_t>(blocks);
  layout.blocks.assign(head.blocks.begin(), end);
  layout.released.assign(end, head.blocks.end());
  if (gather.first_moved == kept.size()) return layout;
  for (std::size_t b = gather.first_moved / block_tokens; b < blocks; ++b) {
    if (pool_->references(head.blocks[b]) == 1) continue;
    layout.released.push_back(head.blocks[b]);
    layout.blocks[b] = spare.back();
    spare.pop_back();
    // Rows of this block that are already in place must be copied, too.
    for (std::size_t row = b * block_tokens; row < gather.first_moved; ++row)
      layout.copies.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(row)});
  }
  const std::size_t carried = layout.copies.size();
  layout.copies.resize(carried + kept.size() - gather.first_moved);
  SlotCopy* copy = layout.copies.data() + carried;
  for (std::size_t i = gather.first_moved; i < kept.size(); ++i)
    *copy++ = {rows.slot(static_cast<std::size_t>(kept[i])), static_cast<std::int32_t>(i)};
  layout.staged = !ascending(head.row_slots);
  return layout;
}

void KvCache::move_rows(const Head& head, const HeadLayout& layout, bool past_caches) {
  if (layout.copies.empty()) return;
  const SlotAddresses old_rows(*pool_, head.blocks);
  const SlotAddresses new_rows(*pool_, layout.blocks);
  if (layout.staged)
    move_rows_staged(old_rows, new_rows, layout.copies);
  else
    kvantage::move_rows(old_rows, new_rows, layout.copies, past_caches);
}

void KvCache::take(Head& head, HeadLayout&& layout) {
  for (const BlockId block : layout.released) pool_->release(block);
  head.blocks = std::move(layout.blocks);
  head.row_slots = std::move(layout.row_slots);
  head.used = layout.used;
}

Status KvCache::keep(int layer, const KeptIndices& kept) {
  KV_TRY(check_indices(*this, layer, kept, "keep()"));
  std::vector<Gather> gathers;
  std::size_t needed = 0, moved = 0;
  for (int h = 0; h < shape().kv_heads; ++h) {
    gathers.push_back(plan_gather(at(layer, h), kept[static_cast<std::size_t>(h)]));
    needed += gathers.back().shared_blocks;
    moved += kept[static_cast<std::size_t>(h)].size() - gathers.back().first_moved;
  }
  KV_ASSIGN(auto spare, allocate(needed));
  const bool past_caches = exceeds_caches(moved, cache_row_size(shape()));
  std::vector<SlotCopy> scratch;  // reused: allocating for each head would cost a noticeable share of the copying
  for (int h = 0; h < shape().kv_heads; ++h) {
    const auto index = static_cast<std::size_t>(h);
    Head& head = at(layer, h);
    HeadLayout layout = layout_of(head, kept[index], gathers[index], spare, std::move(scratch));
    move_rows(head, layout, past_caches);
    scratch = std::move(layout.copies);
    take(head, std::move(layout));
    head.kept = static_cast<int>(kept[index].size());
  }
  changed();
  return {};
}

Status KvCache::evict(int layer, const KeptIndices& dropped) {
  KV_TRY(check_indices(*this, layer, dropped, "evict()"));
  for (int h = 0; h < shape().kv_heads; ++h) {
    const auto& gone = dropped[static_cast<std::size_t>(h)];
    if (gone.empty()) continue;
    Head& head = at(layer, h);
    const HeadView rows = view(head);
    std::vector<std::int32_t> slots;
    slots.reserve(static_cast<std::size_t>(head.kept) - gone.size());
    auto next = gone.begin();
    for (std::int32_t i = 0; i < head.kept; ++i) {
      if (next != gone.end() && *next == i)
        ++next;
      else
        slots.push_back(rows.slot(static_cast<std::size_t>(i)));
    }
    head.kept = static_cast<int>(slots.size());
    take(head, settle(head.blocks, std::move(slots), head.used, pool_->block_tokens()));
  }
  changed();
  return {};
}

void KvCache::shorten(Head& head, int kept) {
  if (kept >= head.kept) return;
  head.kept = std::max(kept, 0);
  if (head.row_slots.empty()) {
    const int block_tokens = pool_->block_tokens();
    for (const int blocks = (head.kept + block_tokens - 1) / block_tokens;
         static_cast<int>(head.blocks.size()) > blocks; head.blocks.pop_back())
      pool_->release(head.blocks.back());
    head.used = head.kept;
    return;
  }
  head.row_slots.resize(static_cast<std::size_t>(head.kept));
  take(head, settle(head.blocks, std::move(head.row_slots), 0, pool_->block_tokens()));
}

void KvCache::truncate_head(int layer, int kv_head, int kept) {
  shorten(at(layer, kv_head), kept);
  changed();
}

void KvCache::truncate(std::int32_t position) {
  const int block_tokens = pool_->block_tokens();
  for (Head& head : heads_) {
    const HeadView rows = view(head);
    int kept = head.kept;
    for (; kept > 0; --kept) {
      const std::int32_t slot = rows.slot(static_cast<std::size_t>(kept - 1));
      if (pool_->positions(head.blocks[static_cast<std::size_t>(slot / block_tokens)])[slot % block_tokens] < position)
        break;
    }
    shorten(head, kept);
  }
  sequence_length_ = std::min(sequence_length_, std::max(position, 0));
  changed();
}

void KvCache::gather_head(int layer, int kv_head, std::byte* keys, std::byte* values, std::int32_t* positions) const {
  const Head& head = at(layer, kv_head);
  const std::size_t row = cache_row_size(shape());
  const BlockPool& pool = *pool_;
  if (head.row_slots.empty()) {
    const auto block_tokens = static_cast<std::size_t>(pool.block_tokens());
    const auto kept_tokens = static_cast<std::size_t>(head.kept);
    for (std::size_t b = 0; b < head.blocks.size(); ++b) {
      const std::size_t first = b * block_tokens;
      const std::size_t count = std::min(block_tokens, kept_tokens - first);
      if (keys) std::memcpy(keys + first * row, pool.keys(head.blocks[b]), count * row);
      if (values) std::memcpy(values + first * row, pool.values(head.blocks[b]), count * row);
      if (positions) std::memcpy(positions + first, pool.positions(head.blocks[b]), count * sizeof(std::int32_t));
    }
    return;
  }
  const SlotAddresses addresses(*pool_, head.blocks);
  read_rows(addresses, head.row_slots, keys, values, positions);
}

}  // namespace kvantage::inline kv
