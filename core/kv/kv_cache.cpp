#include "core/kv/kv_cache.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace kvantage {
namespace {

std::size_t row_size(const KvShape& shape) {
  return static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type);
}

int blocks_for(int tokens, int block_tokens) {
  return (tokens + block_tokens - 1) / block_tokens;
}

/// Copies `rows` rows of row_bytes, the source's lying `stride` bytes apart.
void copy_strided(std::byte* target, const std::byte* source, std::size_t stride, std::size_t row_bytes,
                  std::size_t rows) {
  if (stride == row_bytes) {
    std::memcpy(target, source, rows * row_bytes);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) std::memcpy(target + r * row_bytes, source + r * stride, row_bytes);
}

}  // namespace

/// Rows to append to heads [first, first+heads): row t of the h-th of them starts at t*token_stride + h*row_bytes.
struct KvCache::RowSource {
  const std::byte* keys;
  const std::byte* values;
  std::size_t token_stride;
  std::span<const std::int32_t> positions;
};

KvCache::KvCache(BlockPool& pool)
    : pool_(&pool),
      heads_(static_cast<std::size_t>(pool.shape().layers) * static_cast<std::size_t>(pool.shape().kv_heads)) {}

KvCache::~KvCache() {
  clear();
}

KvCache::KvCache(KvCache&& other) noexcept
    : pool_(other.pool_), heads_(std::move(other.heads_)), sequence_length_(std::exchange(other.sequence_length_, 0)) {
  other.heads_.clear();
}

KvCache& KvCache::operator=(KvCache&& other) noexcept {
  if (this == &other) return *this;
  clear();
  pool_ = other.pool_;
  heads_ = std::move(other.heads_);
  other.heads_.clear();
  sequence_length_ = std::exchange(other.sequence_length_, 0);
  return *this;
}

KvCache::Head& KvCache::at(int layer, int kv_head) {
  return heads_[static_cast<std::size_t>(layer * pool_->shape().kv_heads + kv_head)];
}
const KvCache::Head& KvCache::at(int layer, int kv_head) const {
  return heads_[static_cast<std::size_t>(layer * pool_->shape().kv_heads + kv_head)];
}

Expected<std::vector<BlockId>> KvCache::allocate(std::size_t blocks) {
  std::vector<BlockId> got;
  got.reserve(blocks);
  while (got.size() < blocks) {
    auto block = pool_->allocate();
    if (!block) {
      for (BlockId taken : got) pool_->release(taken);
      return tl::unexpected(std::move(block).error());
    }
    got.push_back(*block);
  }
  return got;
}

void KvCache::copy_rows(BlockId from, int from_row, BlockId to, int to_row, int rows) {
  const std::size_t row = row_size(shape());
  const auto source = static_cast<std::size_t>(from_row);
  const auto target = static_cast<std::size_t>(to_row);
  const auto count = static_cast<std::size_t>(rows);
  std::memmove(pool_->keys(to) + target * row, pool_->keys(from) + source * row, count * row);
  std::memmove(pool_->values(to) + target * row, pool_->values(from) + source * row, count * row);
  std::memmove(pool_->positions(to) + target, pool_->positions(from) + source, count * sizeof(std::int32_t));
}

Status KvCache::append(int layer, std::span<const std::byte> keys, std::span<const std::byte> values,
                       std::span<const std::int32_t> positions) {
  const std::size_t stride = row_size(shape()) * static_cast<std::size_t>(shape().kv_heads);
  if (keys.size() != positions.size() * stride || values.size() != keys.size())
    return fail(ErrorCode::internal, "KV cache: keys and values must be [tokens, kv_heads, head_dim]");
  return append_rows(layer, 0, shape().kv_heads, RowSource{keys.data(), values.data(), stride, positions});
}

Status KvCache::append_head(int layer, int kv_head, std::span<const std::byte> keys, std::span<const std::byte> values,
                            std::span<const std::int32_t> positions) {
  const std::size_t stride = row_size(shape());
  if (keys.size() != positions.size() * stride || values.size() != keys.size())
    return fail(ErrorCode::internal, "KV cache: keys and values of one head must be [tokens, head_dim]");
  return append_rows(layer, kv_head, 1, RowSource{keys.data(), values.data(), stride, positions});
}

Status KvCache::append_rows(int layer, int first_head, int heads, const RowSource& source) {
  const auto& positions = source.positions;
  if (positions.empty()) return {};
  const int block_tokens = pool_->block_tokens();
  const auto tokens = static_cast<int>(positions.size());
  if (positions.front() < 0 || std::ranges::adjacent_find(positions, std::greater_equal<>{}) != positions.end())
    return fail(ErrorCode::internal, "KV cache: appended positions must ascend");

  // Everything is allocated before anything is written, so that a full pool changes nothing.
  std::size_t needed = 0;
  for (int h = first_head; h < first_head + heads; ++h) {
    const Head& head = at(layer, h);
    if (head.kept > 0 && pool_->positions(head.blocks.back())[(head.kept - 1) % block_tokens] >= positions.front())
      return fail(ErrorCode::internal, "KV cache: appended positions must be larger than those held");
    needed += static_cast<std::size_t>(blocks_for(head.kept + tokens, block_tokens)) - head.blocks.size();
    if (head.kept % block_tokens != 0 && pool_->references(head.blocks.back()) > 1) ++needed;
  }
  auto allocated = allocate(needed);
  if (!allocated) return tl::unexpected(std::move(allocated).error());
  auto fresh = allocated->begin();

  const std::size_t row = row_size(shape());
  for (int h = first_head; h < first_head + heads; ++h) {
    Head& head = at(layer, h);
    if (head.kept % block_tokens != 0 && pool_->references(head.blocks.back()) > 1) {
      copy_rows(head.blocks.back(), 0, *fresh, 0, head.kept % block_tokens);
      pool_->release(head.blocks.back());
      head.blocks.back() = *fresh++;
    }
    const std::size_t head_offset = static_cast<std::size_t>(h - first_head) * row;
    for (std::size_t t = 0; t < positions.size();) {
      const auto slot = static_cast<std::size_t>(head.kept % block_tokens);
      if (slot == 0) head.blocks.push_back(*fresh++);
      const BlockId block = head.blocks.back();
      const std::size_t run = std::min(positions.size() - t, static_cast<std::size_t>(block_tokens) - slot);
      const std::size_t offset = t * source.token_stride + head_offset;
      copy_strided(pool_->keys(block) + slot * row, source.keys + offset, source.token_stride, row, run);
      copy_strided(pool_->values(block) + slot * row, source.values + offset, source.token_stride, row, run);
      std::copy_n(positions.data() + t, run, pool_->positions(block) + slot);
      head.kept += static_cast<int>(run);
      t += run;
    }
  }
  sequence_length_ = std::max(sequence_length_, positions.back() + 1);
  return {};
}

std::size_t KvCache::blocks_to_write(const Head& head, int first_moved, int kept) const {
  std::size_t shared = 0;
  if (first_moved >= kept) return 0;
  for (int b = first_moved / pool_->block_tokens(); b < blocks_for(kept, pool_->block_tokens()); ++b)
    if (pool_->references(head.blocks[static_cast<std::size_t>(b)]) > 1) ++shared;
  return shared;
}

void KvCache::gather(Head& head, std::span<const std::int32_t> kept, int first_moved, std::vector<BlockId>& spare) {
  const int block_tokens = pool_->block_tokens();
  const auto count = static_cast<int>(kept.size());
  const std::vector<BlockId> old = head.blocks;  // a replaced block stays readable until the end
  std::vector<BlockId> given_back;
  int row = first_moved;
  while (row < count) {
    const auto b = static_cast<std::size_t>(row / block_tokens);
    if (pool_->references(old[b]) > 1) {
      head.blocks[b] = spare.back();
      spare.pop_back();
      given_back.push_back(old[b]);
      copy_rows(old[b], 0, head.blocks[b], 0, row % block_tokens);
    }
    // Ascending indices: row i reads from kept[i] >= i, so copying forward in place never overwrites an unread row.
    for (const int end = std::min(count, (row / block_tokens + 1) * block_tokens); row < end; ++row) {
      const std::int32_t source = kept[static_cast<std::size_t>(row)];
      copy_rows(old[static_cast<std::size_t>(source / block_tokens)], source % block_tokens, head.blocks[b],
                row % block_tokens, 1);
    }
  }
  const auto blocks = static_cast<std::size_t>(blocks_for(count, block_tokens));
  given_back.insert(given_back.end(), head.blocks.begin() + static_cast<std::ptrdiff_t>(blocks), head.blocks.end());
  head.blocks.resize(blocks);
  head.kept = count;
  for (BlockId block : given_back) pool_->release(block);
}

Status KvCache::keep(int layer, const KeptIndices& kept) {
  if (kept.size() != static_cast<std::size_t>(shape().kv_heads))
    return fail(ErrorCode::internal, "KV cache: keep() needs one list of indices for each KV head");
  std::vector<int> first_moved;
  std::size_t needed = 0;
  for (int h = 0; h < shape().kv_heads; ++h) {
    const auto& indices = kept[static_cast<std::size_t>(h)];
    if (!indices.empty() && (indices.front() < 0 || indices.back() >= at(layer, h).kept ||
                             std::ranges::adjacent_find(indices, std::greater_equal<>{}) != indices.end()))
      return fail(ErrorCode::internal, "KV cache: kept indices must ascend and lie inside the tokens held");
    int same = 0;
    while (same < static_cast<int>(indices.size()) && indices[static_cast<std::size_t>(same)] == same) ++same;
    first_moved.push_back(same);
    needed += blocks_to_write(at(layer, h), same, static_cast<int>(indices.size()));
  }
  auto spare = allocate(needed);
  if (!spare) return tl::unexpected(std::move(spare).error());
  for (int h = 0; h < shape().kv_heads; ++h) {
    const auto index = static_cast<std::size_t>(h);
    gather(at(layer, h), kept[index], first_moved[index], *spare);
  }
  return {};
}

void KvCache::truncate(std::int32_t position) {
  const int block_tokens = pool_->block_tokens();
  for (Head& head : heads_) {
    while (head.kept > 0 && pool_->positions(head.blocks.back())[(head.kept - 1) % block_tokens] >= position) {
      --head.kept;
      if (head.kept % block_tokens == 0) {
        pool_->release(head.blocks.back());
        head.blocks.pop_back();
      }
    }
  }
  sequence_length_ = std::min(sequence_length_, std::max(position, 0));
}

void KvCache::clear() {
  for (Head& head : heads_) {
    for (BlockId block : head.blocks) pool_->release(block);
    head = Head{};
  }
  sequence_length_ = 0;
}

HeadView KvCache::head(int layer, int kv_head) const {
  const Head& head = at(layer, kv_head);
  return HeadView{head.blocks, head.kept, pool_};
}

void KvCache::gather_head(int layer, int kv_head, std::byte* keys, std::byte* values, std::int32_t* positions) const {
  const Head& head = at(layer, kv_head);
  const std::size_t row = row_size(shape());
  const auto block_tokens = static_cast<std::size_t>(pool_->block_tokens());
  const auto kept_tokens = static_cast<std::size_t>(head.kept);
  for (std::size_t b = 0; b < head.blocks.size(); ++b) {
    const std::size_t first = b * block_tokens;
    const std::size_t count = std::min(block_tokens, kept_tokens - first);
    const BlockPool& pool = *pool_;
    if (keys) std::memcpy(keys + first * row, pool.keys(head.blocks[b]), count * row);
    if (values) std::memcpy(values + first * row, pool.values(head.blocks[b]), count * row);
    if (positions) std::memcpy(positions + first, pool.positions(head.blocks[b]), count * sizeof(std::int32_t));
  }
}

int KvCache::kept(int layer, int kv_head) const {
  return at(layer, kv_head).kept;
}

std::size_t KvCache::kept_rows() const {
  std::size_t rows = 0;
  for (const Head& head : heads_) rows += static_cast<std::size_t>(head.kept);
  return rows;
}

int KvCache::kept_mean() const {
  if (heads_.empty()) return 0;
  return static_cast<int>((kept_rows() + heads_.size() - 1) / heads_.size());
}

std::size_t KvCache::payload_bytes() const {
  return kept_rows() * shape().bytes_per_head_token();
}

std::size_t KvCache::held_bytes() const {
  std::size_t blocks = 0;
  for (const Head& head : heads_) blocks += head.blocks.size();
  return blocks * pool_->block_bytes();
}

KvCache KvCache::share() const {
  KvCache copy(*pool_);
  copy.heads_ = heads_;
  copy.sequence_length_ = sequence_length_;
  for (const Head& head : heads_)
    for (BlockId block : head.blocks) pool_->retain(block);
  return copy;
}

}  // namespace kvantage
