#include "core/kv/kv_cache.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace kvantage::inline kv {
namespace {

std::size_t row_size(const KvShape& shape) { return static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type); }

int blocks_for(int tokens, int block_tokens) { return (tokens + block_tokens - 1) / block_tokens; }

/// Copies `rows` rows of row_bytes from a source with the given `stride` in bytes.
void copy_strided(std::byte* target, const std::byte* source, std::size_t stride, std::size_t row_bytes,
                  std::size_t rows) {
  if (stride == row_bytes) {
    std::memcpy(target, source, rows * row_bytes);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) std::memcpy(target + r * row_bytes, source + r * stride, row_bytes);
}

}  // namespace

/// Rows to append to heads [first, first+heads): row t of the h-th of them starts at t*token_stride + h*row_bytes. With
/// `runs` nothing is copied, and they say where the rows belong.
struct KvCache::RowSource {
  const std::byte* keys;
  const std::byte* values;
  std::size_t token_stride;
  std::span<const std::int32_t> positions;
  std::vector<RowRun>* runs = nullptr;
};

KvCache::KvCache(BlockPool& pool)
    : pool_(&pool),
      heads_(static_cast<std::size_t>(pool.shape().layers) * static_cast<std::size_t>(pool.shape().kv_heads)) {}

KvCache::~KvCache() { clear(); }

KvCache::KvCache(KvCache&& other) noexcept
    : pool_(other.pool_),
      heads_(std::move(other.heads_)),
      encoded_(std::move(other.encoded_)),
      device_rows_(std::exchange(other.device_rows_, std::make_shared<SharedDeviceRows>())),
      sequence_length_(std::exchange(other.sequence_length_, 0)),
      revision_(other.revision_) {
  other.heads_.clear();
}

KvCache& KvCache::operator=(KvCache&& other) noexcept {
  if (this == &other) return *this;
  clear();
  pool_ = other.pool_;
  heads_ = std::move(other.heads_);
  encoded_ = std::move(other.encoded_);
  device_rows_ = std::exchange(other.device_rows_, std::make_shared<SharedDeviceRows>());
  other.heads_.clear();
  sequence_length_ = std::exchange(other.sequence_length_, 0);
  revision_ = std::max(revision_, other.revision_) + 1;
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

Status KvCache::append(int layer, std::span<const std::byte> keys, std::span<const std::byte> values,
                       std::span<const std::int32_t> positions) {
  const std::size_t stride = row_size(shape()) * static_cast<std::size_t>(shape().kv_heads);
  if (keys.size() != positions.size() * stride || values.size() != keys.size())
    return fail(ErrorCode::internal, "KV cache: keys and values must be [tokens, kv_heads, head_dim]");
  return append_rows(layer, 0, shape().kv_heads, RowSource{keys.data(), values.data(), stride, positions, nullptr});
}

Status KvCache::append_head(int layer, int kv_head, std::span<const std::byte> keys, std::span<const std::byte> values,
                            std::span<const std::int32_t> positions) {
  const std::size_t stride = row_size(shape());
  if (keys.size() != positions.size() * stride || values.size() != keys.size())
    return fail(ErrorCode::internal, "KV cache: keys and values of one head must be [tokens, head_dim]");
  return append_rows(layer, kv_head, 1, RowSource{keys.data(), values.data(), stride, positions, nullptr});
}

Expected<std::vector<RowRun>> KvCache::reserve_head(int layer, int kv_head, std::span<const std::int32_t> positions) {
  std::vector<RowRun> runs;
  runs.reserve(positions.size() / static_cast<std::size_t>(pool_->block_tokens()) + 2);
  KV_TRY(append_rows(layer, kv_head, 1, RowSource{nullptr, nullptr, 0, positions, &runs}));
  return runs;
}

bool KvCache::tail_is_shared(const Head& head) const {
  return head.used % pool_->block_tokens() != 0 && pool_->references(head.blocks.back()) > 1;
}

void KvCache::own_tail(Head& head, BlockId fresh) {
  const std::size_t row = row_size(shape());
  const BlockId shared = head.blocks.back();
  const auto rows = static_cast<std::size_t>(head.used % pool_->block_tokens());
  std::memcpy(pool_->keys(fresh), pool_->keys(shared), rows * row);
  std::memcpy(pool_->values(fresh), pool_->values(shared), rows * row);
  std::copy_n(pool_->positions(shared), rows, pool_->positions(fresh));
  pool_->release(shared);
  head.blocks.back() = fresh;
}

Status KvCache::append_rows(int layer, int first_head, int heads, const RowSource& source) {
  const auto& positions = source.positions;
  if (positions.empty()) return {};
  const int block_tokens = pool_->block_tokens();
  const auto tokens = static_cast<int>(positions.size());
  if (positions.front() < 0 || std::ranges::adjacent_find(positions, std::greater_equal<>{}) != positions.end())
    return fail(ErrorCode::internal, "KV cache: appended positions must ascend");

  const auto last_position = [&](const Head& head) {
    const int slot = head.row_slots.empty() ? head.kept - 1 : head.row_slots.back();
    return pool_->positions(head.blocks[static_cast<std::size_t>(slot / block_tokens)])[slot % block_tokens];
  };
  // Everything is allocated before anything is written, so that a full pool changes nothing.
  std::size_t needed = 0;
  for (int h = first_head; h < first_head + heads; ++h) {
    const Head& head = at(layer, h);
    if (head.kept > 0 && last_position(head) >= positions.front())
      return fail(ErrorCode::internal, "KV cache: appended positions must be larger than those held");
    needed += static_cast<std::size_t>(blocks_for(head.used + tokens, block_tokens)) - head.blocks.size();
    if (tail_is_shared(head)) ++needed;
  }
  KV_ASSIGN(auto allocated, allocate(needed));
  auto fresh = allocated.begin();

  const std::size_t row = row_size(shape());
  for (int h = first_head; h < first_head + heads; ++h) {
    Head& head = at(layer, h);
    if (tail_is_shared(head)) own_tail(head, *fresh++);
    const std::size_t head_offset = static_cast<std::size_t>(h - first_head) * row;
    for (std::size_t t = 0; t < positions.size();) {
      const auto slot = static_cast<std::size_t>(head.used % block_tokens);
      if (slot == 0) head.blocks.push_back(*fresh++);
      const BlockId block = head.blocks.back();
      const std::size_t run = std::min(positions.size() - t, static_cast<std::size_t>(block_tokens) - slot);
      std::byte *const keys = pool_->keys(block) + slot * row, *const values = pool_->values(block) + slot * row;
      if (source.runs != nullptr) {
        source.runs->push_back({keys, values, t, run});
      } else {
        const std::size_t offset = t * source.token_stride + head_offset;
        copy_strided(keys, source.keys + offset, source.token_stride, row, run);
        copy_strided(values, source.values + offset, source.token_stride, row, run);
      }
      std::copy_n(positions.data() + t, run, pool_->positions(block) + slot);
      if (!head.row_slots.empty())
        for (std::size_t r = 0; r < run; ++r) head.row_slots.push_back(head.used + static_cast<std::int32_t>(r));
      head.kept += static_cast<int>(run);
      head.used += static_cast<int>(run);
      t += run;
    }
  }
  changed();
  sequence_length_ = std::max(sequence_length_, positions.back() + 1);
  return {};
}

void KvCache::changed() {
  ++revision_;
  if (shares_device_rows())
    device_rows_ = std::make_shared<SharedDeviceRows>();
  else
    device_rows_->rows.reset();
}

void KvCache::clear() {
  for (Head& head : heads_) {
    for (BlockId block : head.blocks) pool_->release(block);
    head = Head{};
  }
  encoded_.reset();
  sequence_length_ = 0;
  changed();
}

HeadView KvCache::head(int layer, int kv_head) const { return view(at(layer, kv_head)); }

HeadView KvCache::view(const Head& head) const {
  return HeadView{head.blocks, head.kept, pool_, head.row_slots, head.used};
}

int KvCache::kept(int layer, int kv_head) const { return at(layer, kv_head).kept; }

std::size_t KvCache::kept_rows() const {
  std::size_t rows = 0;
  for (const Head& head : heads_) rows += static_cast<std::size_t>(head.kept);
  return rows;
}

int KvCache::kept_mean(std::size_t other_rows) const {
  if (heads_.empty()) return 0;
  return static_cast<int>(
      (kept_rows() + other_rows + (encoded_ == nullptr ? 0 : encoded_->total_rows()) + heads_.size() - 1) /
      heads_.size());
}

std::size_t KvCache::dead_slots() const {
  std::size_t slots = 0;
  for (const Head& head : heads_) slots += static_cast<std::size_t>(head.used - head.kept);
  return slots;
}

int KvCache::pages(int layer) const {
  std::size_t longest = 0;
  for (int h = 0; h < shape().kv_heads; ++h) longest = std::max(longest, at(layer, h).blocks.size());
  return static_cast<int>(longest);
}

std::size_t KvCache::payload_bytes() const { return kept_rows() * shape().bytes_per_head_token(); }

std::size_t KvCache::held_bytes() const {
  std::size_t blocks = 0;
  for (const Head& head : heads_) blocks += head.blocks.size();
  return blocks * pool_->block_bytes() + (encoded_ == nullptr ? 0 : encoded_->bytes());
}

KvCache KvCache::share() const {
  KvCache copy(*pool_);
  copy.heads_ = heads_;
  copy.encoded_ = encoded_;
  copy.device_rows_ = device_rows_;
  copy.sequence_length_ = sequence_length_;
  for (const Head& head : heads_)
    for (BlockId block : head.blocks) pool_->retain(block);
  return copy;
}

}  // namespace kvantage::inline kv
