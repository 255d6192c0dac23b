// The kernels, once per instruction set: the including file must define Vec first, inside its own namespace. Only own
// code and builtins here, no standard library templates (see scratch.h).

// Parts of one kernel: a call between them would keep its vectors and addresses in memory.
#define KV_INLINE inline __attribute__((always_inline))

inline int least(int a, int b) { return a < b ? a : b; }
inline int most(int a, int b) { return a > b ? a : b; }

/// 2^x, relative error below 2e-7; exactly 0 where x is minus infinity, exactly 1 for x = 0 (polynomial as in Cephes
/// exp2f).
inline Vec exp2(const Vec& x) {
  const Vec bounded = bound_exponent(x);
  const Vec whole = round(bounded);
  const Vec r = bounded - whole;
  Vec p = Vec::set1(1.535336188319500e-4F);
  p = fma(p, r, Vec::set1(1.339887440266574e-3F));
  p = fma(p, r, Vec::set1(9.618437357674640e-3F));
  p = fma(p, r, Vec::set1(5.550332471162809e-2F));
  p = fma(p, r, Vec::set1(2.402264791363012e-1F));
  p = fma(p, r, Vec::set1(6.931472028550421e-1F));
  return scale_by_power(fma(p, r, Vec::set1(1.0F)), whole);
}

template <class T>
inline void store_first(const Vec& v, T* p, int count) {
  if (count >= Vec::lanes) return v.store(p);
  alignas(64) T all[Vec::lanes];
  v.store(all);
  for (int i = 0; i < count; ++i) p[i] = all[i];
}

/// Addresses of the rows in the given slots.
inline void slot_addresses(const std::byte* const* blocks, int block_tokens, std::size_t row_bytes,
                           const std::int32_t* slots, int count, const std::byte** rows) {
  const auto size = static_cast<std::uint32_t>(block_tokens);
  if ((size & (size - 1)) == 0) {  // the common case: no division
    const int shift = __builtin_ctz(size);
    for (int i = 0; i < count; ++i) {
      const auto slot = static_cast<std::uint32_t>(slots[i]);
      rows[i] = blocks[slot >> shift] + (slot & (size - 1)) * row_bytes;
    }
    return;
  }
  for (int i = 0; i < count; ++i) {
    const auto slot = static_cast<std::uint32_t>(slots[i]);
    rows[i] = blocks[slot / size] + (slot % size) * row_bytes;
  }
}

/// Addresses of the rows [start, start + count) of a head in logical order, count <= key_tile. planes: addresses of its
/// blocks' keys or values.
inline void row_addresses(const KvRows& head, const std::byte* const* planes, std::size_t row_bytes, int start,
                          int count, const std::byte** rows) {
  const int block_tokens = head.block_tokens;
  if (head.row_slots != nullptr)
    return slot_addresses(planes, block_tokens, row_bytes, head.row_slots + start, count, rows);
  int block = start / block_tokens;
  int slot = start % block_tokens;
  for (int i = 0; i < count; ++block, slot = 0) {
    const std::byte* row = planes[block] + static_cast<std::size_t>(slot) * row_bytes;
    for (const int behind = least(count, i + block_tokens - slot); i < behind; ++i, row += row_bytes) rows[i] = row;
  }
}

/// One tile of the running softmax of one query: scores [key_tile] become weights, `limit` of them are visible. Returns
/// the correction factor for earlier sums.
template <class T>
inline float softmax_tile(const float* scores, int limit, float& maximum, float* lane_sums, T* weights) {
  constexpr int vectors = key_tile / Vec::lanes;
  const float minus_infinity = -__builtin_inff();
  Vec score[vectors];
  Vec highest = Vec::set1(minus_infinity);
  for (int i = 0; i < vectors; ++i) {
    score[i] = Vec::load(scores + i * Vec::lanes);
    if (limit < key_tile) score[i] = score[i].first(limit - i * Vec::lanes, minus_infinity);
    highest = max(highest, score[i]);
  }
  Vec sum = Vec::load(lane_sums);
  float factor = 1.0F;
  if (const float tile_maximum = highest.largest(); tile_maximum > maximum) {
    alignas(64) float factor_lanes[Vec::lanes];
    const Vec shrink = exp2(Vec::set1(maximum) - Vec::set1(tile_maximum));
    shrink.store(factor_lanes);
    factor = factor_lanes[0];
    sum = sum * shrink;
    maximum = tile_maximum;
  }
  for (int i = 0; i < vectors; ++i) {
    const Vec weight = exp2(score[i] - Vec::set1(maximum));
    weight.store(weights + i * Vec::lanes);
    sum = sum + weight;
  }
  sum.store(lane_sums);
  return factor;
}

/// tanh in fp32: a quotient of odd and even polynomials (Eigen's), within a few units in the last place.
inline Vec tanh_of(const Vec& value) {
  const Vec x = min(max(value, Vec::set1(-7.90531110763549805F)), Vec::set1(7.90531110763549805F));
  const Vec square = x * x;
  Vec p = Vec::set1(-2.76076847742355e-16F);
  p = fma(p, square, Vec::set1(2.00018790482477e-13F));
  p = fma(p, square, Vec::set1(-8.60467152213735e-11F));
  p = fma(p, square, Vec::set1(5.12229709037114e-8F));
  p = fma(p, square, Vec::set1(1.48572235717979e-5F));
  p = fma(p, square, Vec::set1(6.37261928875436e-4F));
  p = fma(p, square, Vec::set1(4.89352455891786e-3F));
  Vec q = Vec::set1(1.19825839466702e-6F);
  q = fma(q, square, Vec::set1(1.18534705686654e-4F));
  q = fma(q, square, Vec::set1(2.26843463243900e-3F));
  q = fma(q, square, Vec::set1(4.89352518554385e-3F));
  return x * p / q;
}

/// Scores [key_tile] under a soft cap.
inline void cap_scores(float* scores, float cap) {
  const Vec high = Vec::set1(cap), inverse = Vec::set1(1.0F / cap);
  for (int i = 0; i < key_tile; i += Vec::lanes) (tanh_of(Vec::load(scores + i) * inverse) * high).store(scores + i);
}

/// softmax_tile() of a query that sees only keys [from, limit) of the tile, possibly none.
template <class T>
inline float softmax_tile_from(float* scores, int from, int limit, float& maximum, float* lane_sums, T* weights) {
  if (from >= limit || from >= key_tile) {
    for (int i = 0; i < key_tile; i += Vec::lanes) Vec::zero().store(weights + i);
    return 1.0F;
  }
  for (int j = 0; j < from; ++j) scores[j] = -__builtin_inff();
  return softmax_tile(scores, limit, maximum, lane_sums, weights);
}

// The order matters.
// clang-format off
#ifdef KV_MULTIPLIES_BF16
#include "core/model/kernels/attention_decode_bf16.inl"
#endif
#include "core/model/kernels/attention_decode.inl"
#include "core/model/kernels/attention_prefill.inl"
#include "core/model/kernels/attention_paid.inl"
#include "core/model/kernels/elementwise.inl"
#include "core/model/kernels/matvec.inl"
#include "core/model/kernels/packed.inl"
#include "core/model/kernels/rows.inl"
// clang-format on

#undef KV_INLINE
