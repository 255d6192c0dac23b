#include "core/kv/row_copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kvantage::inline kv {
namespace {

constexpr std::size_t copied_line = 64;
constexpr std::size_t longest_touched = 64;  // longer rows are prefetched one by one
constexpr std::size_t run_bytes = 4096;      // read from one plane before any of it is copied

/// Ascending rows in one block: tokens [first, end) of the copy.
struct Run {
  std::size_t first, end;
  std::size_t span;  // rows from the first to the last, including those between
};

template <class SlotOf>
Run run_from(const SlotAddresses& source, const SlotOf& slot_of, std::size_t first, std::size_t count,
             std::int32_t max_span) {
  const std::int32_t start = slot_of(first), limit = std::min(start + max_span, source.block_end(start));
  std::int32_t last = start;
  std::size_t end = first + 1;
  for (; end < count; ++end) {
    const std::int32_t slot = slot_of(end);
    if (slot <= last || slot >= limit) break;
    last = slot;
  }
  return {first, end, static_cast<std::size_t>(last - start) + 1};
}

/// Reads every cache line, so that the hardware prefetcher keeps running; it stops where lines are skipped. Prefetching
/// only the wanted half of the lines takes longer.
void touch(const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += copied_line)
    static_cast<void>(*static_cast<const volatile std::byte*>(from + at));
}

/// row_bytes = 0: known only at run time.
template <std::size_t row_bytes>
void copy_row(std::byte* to, const std::byte* from, std::size_t bytes, [[maybe_unused]] bool past_caches) {
  if constexpr (row_bytes == 0) {
    std::memcpy(to, from, bytes);
  } else {
#if defined(__SSE2__)
    if (past_caches) {
      for (std::size_t at = 0; at < row_bytes; at += sizeof(__m128i))
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
      return;
    }
#endif
    std::memcpy(to, from, row_bytes);
  }
}

/// Other threads see what was stored past the caches.
void end_copies([[maybe_unused]] bool past_caches) {
#if defined(__SSE2__)
  if (past_caches) _mm_sfence();
#endif
}

/// Contiguous rows. Those of a block begin where a store without the caches may, except rows of odd lengths.
void copy_rows(std::byte* to, const std::byte* from, std::size_t bytes, [[maybe_unused]] bool past_caches) {
#if defined(__SSE2__)
  if (past_caches && reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i) == 0)
    for (; bytes >= sizeof(__m128i); bytes -= sizeof(__m128i), to += sizeof(__m128i), from += sizeof(__m128i))
      copy_row<sizeof(__m128i)>(to, from, sizeof(__m128i), true);
#endif
  std::memcpy(to, from, bytes);
}

/// Prefetches a row into the L2 cache, which allows more outstanding requests than L1.
void ask_for(const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += copied_line) __builtin_prefetch(from + at, 0, 2);
}

template <std::size_t row_bytes, class SlotOf, class Target>
void copy_runs(const SlotAddresses& source, std::size_t count, const SlotOf& slot_of, const Target& target,
               std::size_t bytes, bool past_caches) {
  const auto max_span = static_cast<std::int32_t>(std::max<std::size_t>(1, run_bytes / bytes));
  for (std::size_t at = 0; at < count;) {
    const Run run = run_from(source, slot_of, at, count, max_span);
    if (bytes > longest_touched)  // those of an upcoming run
      for (std::size_t i = run.end; i < std::min(count, run.end + (run.end - run.first)); ++i) {
        const std::byte* row = source.key(slot_of(i));
        if (target.has_keys()) ask_for(row, bytes);
        if (target.has_values()) ask_for(row + source.value_offset(), bytes);
      }
    const std::byte* first = source.key(slot_of(run.first));
    if (bytes <= longest_touched && 3 * (run.end - run.first) >= run.span) {
      if (target.has_keys()) touch(first, run.span * bytes);
      if (target.has_values()) touch(first + source.value_offset(), run.span * bytes);
    }
    // All in one block: addresses follow from the first row's.
    const std::int32_t start = slot_of(run.first);
    const auto row_of = [&](std::size_t i) {
      return first + static_cast<std::size_t>(slot_of(i) - start) * (row_bytes > 0 ? row_bytes : bytes);
    };
    if (target.has_keys())
      for (std::size_t i = run.first; i < run.end; ++i)
        copy_row<row_bytes>(target.key(i), row_of(i), bytes, past_caches);
    if (target.has_values())
      for (std::size_t i = run.first; i < run.end; ++i)
        copy_row<row_bytes>(target.value(i), row_of(i) + source.value_offset(), bytes, past_caches);
    if (target.has_positions()) {
      const std::int32_t* positions = source.position(start);
      for (std::size_t i = run.first; i < run.end; ++i) *target.position(i) = positions[slot_of(i) - start];
    }
    at = run.end;
  }
  end_copies(past_caches);
}

/// Head dimensions 16 to 128 in both types: a constant length compiles to a few moves, not a call.
template <class SlotOf, class Target>
void copy(const SlotAddresses& source, std::size_t count, const SlotOf& slot_of, const Target& target,
          std::size_t row_bytes, bool past_caches) {
  switch (row_bytes) {
    case 32:
      return copy_runs<32>(source, count, slot_of, target, row_bytes, past_caches);
    case 64:
      return copy_runs<64>(source, count, slot_of, target, row_bytes, past_caches);
    case 128:
      return copy_runs<128>(source, count, slot_of, target, row_bytes, past_caches);
    case 256:
      return copy_runs<256>(source, count, slot_of, target, row_bytes, past_caches);
    case 512:
      return copy_runs<512>(source, count, slot_of, target, row_bytes, past_caches);
    default:
      return copy_runs<0>(source, count, slot_of, target, row_bytes, past_caches);
  }
}

/// Slots of a block table.
struct SlotTarget {
  const SlotAddresses& slots_written;
  std::span<const SlotCopy> copies;

  static constexpr bool has_keys() { return true; }
  static constexpr bool has_values() { return true; }
  static constexpr bool has_positions() { return true; }
  std::byte* key(std::size_t i) const { return slots_written.key(copies[i].to); }
  std::byte* value(std::size_t i) const { return key(i) + slots_written.value_offset(); }
  std::int32_t* position(std::size_t i) const { return slots_written.position(copies[i].to); }
};

/// Contiguous arrays, row by row.
struct ArrayTarget {
  std::byte* keys;
  std::byte* values;
  std::int32_t* positions;
  std::size_t row_bytes;

  bool has_keys() const { return keys != nullptr; }
  bool has_values() const { return values != nullptr; }
  bool has_positions() const { return positions != nullptr; }
  std::byte* key(std::size_t i) const { return keys + i * row_bytes; }
  std::byte* value(std::size_t i) const { return values + i * row_bytes; }
  std::int32_t* position(std::size_t i) const { return positions + i; }
};

}  // namespace

SlotAddresses::SlotAddresses(BlockPool& pool, std::span<const BlockId> blocks)
    : block_tokens_(static_cast<std::uint32_t>(pool.block_tokens())),
      row_bytes_(static_cast<std::size_t>(pool.shape().head_dim) * bytes_of(pool.shape().type)) {
  if (std::has_single_bit(block_tokens_)) shift_ = std::countr_zero(block_tokens_);
  bases_.reserve(blocks.size());
  for (const BlockId block : blocks) bases_.push_back(pool.keys(block));
  if (blocks.empty()) return;
  value_offset_ = pool.values(blocks.front()) - bases_.front();
  position_offset_ = reinterpret_cast<std::byte*>(pool.positions(blocks.front())) - bases_.front();
}

void move_rows(const SlotAddresses& source, const SlotAddresses& target, std::span<const SlotCopy> copies,
               bool past_caches) {
  copy(
      source, copies.size(), [copies](std::size_t i) { return copies[i].from; }, SlotTarget{target, copies},
      source.row_bytes(), past_caches);
}

void move_rows_staged(const SlotAddresses& source, const SlotAddresses& target, std::span<const SlotCopy> copies) {
  const std::size_t row = source.row_bytes();
  std::vector<std::byte> keys(copies.size() * row), values(keys.size());
  std::vector<std::int32_t> positions(copies.size());
  copy(
      source, copies.size(), [copies](std::size_t i) { return copies[i].from; },
      ArrayTarget{keys.data(), values.data(), positions.data(), row}, row, false);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    std::byte* key = target.key(copies[i].to);
    std::memcpy(key, keys.data() + i * row, row);
    std::memcpy(key + target.value_offset(), values.data() + i * row, row);
    *target.position(copies[i].to) = positions[i];
  }
}

void read_rows(const SlotAddresses& source, std::span<const std::int32_t> slots_read, std::byte* keys,
               std::byte* values, std::int32_t* positions) {
  copy(
      source, slots_read.size(), [slots_read](std::size_t i) { return slots_read[i]; },
      ArrayTarget{keys, values, positions, source.row_bytes()}, source.row_bytes(), false);
}

void fill_runs(std::span<const RowRun> runs, const std::byte* keys, const std::byte* values, std::size_t row_bytes,
               bool past_caches) {
  for (const RowRun& run : runs) {
    const std::size_t begin = run.first * row_bytes, bytes = run.count * row_bytes;
    if (keys != nullptr) copy_rows(run.keys, keys + begin, bytes, past_caches);
    if (values != nullptr) copy_rows(run.values, values + begin, bytes, past_caches);
  }
  end_copies(past_caches);
}

}  // namespace kvantage::inline kv
