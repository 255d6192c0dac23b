// KIVI's kernels for bf16 rows on AVX2, for groups of 32 and head dimensions that are multiples of it; the arithmetic
// of kivi_kernels_avx512.cpp in half as many lanes. Everything else, and rows with infinities or numbers beyond fp16,
// use the plain body.
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/kv/codecs/kivi_kernels.h"

#define KIVI_AVX2 __attribute__((target("avx2")))
#define KIVI_AVX2_INLINE __attribute__((always_inline, target("avx2"))) inline

namespace kvantage::inline codecs {

extern const KiviKernels kivi_kernels_plain_avx2;

namespace {

constexpr std::size_t wide = 32;        // elements of a group
constexpr std::size_t half = wide / 2;  // bf16 elements per register
constexpr std::size_t half_bytes = half * 2;

bool is_regular(const KiviBlock& block) {
  return block.head_dim % static_cast<int>(wide) == 0 && (block.group == 0 || block.group == static_cast<int>(wide));
}

KIVI_AVX2_INLINE __m256i load(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

KIVI_AVX2_INLINE void store_floats(float* out, __m256i bf16) {
  const __m256i first = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(bf16));
  const __m256i second = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(bf16, 1));
  _mm256_storeu_ps(out, _mm256_castsi256_ps(_mm256_slli_epi32(first, 16)));
  _mm256_storeu_ps(out + 8, _mm256_castsi256_ps(_mm256_slli_epi32(second, 16)));
}

/// What tells the minimum and the maximum of bf16 numbers without decoding them. Of positive ones the greater number
/// has the greater bits, of negative ones the lesser; as unsigned bits all negative ones are above all positive ones.
struct Extremes {
  __m256i most;     // as signed bits: the maximum, unless all numbers are negative
  __m256i largest;  // as unsigned bits: the minimum, if any number is negative
  __m256i least;    // as unsigned bits: the minimum of positive ones, the maximum of negative ones

  KIVI_AVX2_INLINE static Extremes of(__m256i number) { return {number, number, number}; }
  KIVI_AVX2_INLINE void add(__m256i number) {
    most = _mm256_max_epi16(most, number);
    largest = _mm256_max_epu16(largest, number);
    least = _mm256_min_epu16(least, number);
  }
  KIVI_AVX2_INLINE __m256i low() const { return _mm256_blendv_epi8(least, largest, _mm256_srai_epi16(largest, 15)); }
  KIVI_AVX2_INLINE __m256i high() const { return _mm256_blendv_epi8(most, least, _mm256_srai_epi16(most, 15)); }
};

/// Whether any of the numbers exceeds +-65280, the largest bf16 that fp16 holds.
KIVI_AVX2_INLINE bool beyond_half(__m256i low, __m256i high) {
  const __m256i above = _mm256_cmpgt_epi16(high, _mm256_set1_epi16(0x477f));
  const __m256i over = _mm256_subs_epu16(low, _mm256_set1_epi16(static_cast<short>(0xc77f)));
  const __m256i any = _mm256_or_si256(above, over);
  return _mm256_testz_si256(any, any) == 0;
}

KIVI_AVX2 bool column_ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  const std::size_t row = static_cast<std::size_t>(block.head_dim) * 2;
  const std::size_t block_bytes = static_cast<std::size_t>(block.rows) * row;
  bool beyond = false;
  for (std::size_t c = 0; c < row / 2; c += half) {
    const std::byte* at = data + c * 2;
    Extremes extremes = Extremes::of(load(at));
    for (int r = 1; r < block.rows; ++r) {
      const std::byte* here = at + static_cast<std::size_t>(r) * row;
      __builtin_prefetch(here + block_bytes, 0, 2);  // the next block: a column skips lines, which stops the hardware
      extremes.add(load(here));
    }
    const __m256i lows = extremes.low(), highs = extremes.high();
    beyond |= beyond_half(lows, highs);
    store_floats(low + c, lows);
    store_floats(high + c, highs);
  }
  return !beyond;
}

/// Every second number, pair, four and eight of two registers; `upper`: the others. In their order after the fourth
/// level.
template <int level, bool upper>
KIVI_AVX2_INLINE __m256i half_of(__m256i a, __m256i b) {
  if constexpr (level == 1) return upper ? _mm256_unpackhi_epi16(a, b) : _mm256_unpacklo_epi16(a, b);
  if constexpr (level == 2) return upper ? _mm256_unpackhi_epi32(a, b) : _mm256_unpacklo_epi32(a, b);
  if constexpr (level == 3) return upper ? _mm256_unpackhi_epi64(a, b) : _mm256_unpacklo_epi64(a, b);
  if constexpr (level == 4)
    return upper ? _mm256_permute2x128_si256(a, b, 0x31) : _mm256_permute2x128_si256(a, b, 0x20);
}

/// Extremes of 2^level groups, from `first` on; behind `last` it is repeated. Each level merges two registers into one
/// with the remaining candidates of both, depth first, so that few are held at a time.
template <int level>
KIVI_AVX2_INLINE Extremes extremes_of(const std::byte* groups, std::size_t first, std::size_t last) {
  if constexpr (level == 0) {
    const std::byte* at = groups + (first < last ? first : last) * wide * 2;
    Extremes extremes = Extremes::of(load(at));
    extremes.add(load(at + half_bytes));
    return extremes;
  } else {
    const Extremes a = extremes_of<level - 1>(groups, first, last);
    const Extremes b = extremes_of<level - 1>(groups, first + (std::size_t{1} << (level - 1)), last);
    return {_mm256_max_epi16(half_of<level, false>(a.most, b.most), half_of<level, true>(a.most, b.most)),
            _mm256_max_epu16(half_of<level, false>(a.largest, b.largest), half_of<level, true>(a.largest, b.largest)),
            _mm256_min_epu16(half_of<level, false>(a.least, b.least), half_of<level, true>(a.least, b.least))};
  }
}

KIVI_AVX2 bool row_ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  const std::size_t groups = block.groups();
  bool beyond = false;
  for (std::size_t first = 0; first < groups; first += half) {
    const Extremes extremes = extremes_of<4>(data, first, groups - 1);
    const __m256i lows = extremes.low(), highs = extremes.high();
    beyond |= beyond_half(lows, highs);
    if (groups - first >= half) {
      store_floats(low + first, lows);
      store_floats(high + first, highs);
      continue;
    }
    alignas(32) std::array<float, half> low_block, high_block;
    store_floats(low_block.data(), lows);
    store_floats(high_block.data(), highs);
    std::copy_n(low_block.begin(), groups - first, low + first);
    std::copy_n(high_block.begin(), groups - first, high + first);
  }
  return !beyond;
}

bool ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  if (is_regular(block) &&
      (block.group == 0 ? column_ranges(block, data, low, high) : row_ranges(block, data, low, high)))
    return true;
  return kivi_kernels_plain_avx2.ranges(block, data, low, high);
}

void parameters(std::size_t count, int bits, float* low, float* high, std::byte* scales, std::byte* lows) {
  kivi_kernels_plain_avx2.parameters(count, bits, low, high, scales, lows);
}

/// Sixteen numbers as those at even and those at odd places: two shifts take bf16 pairs apart and put them together.
struct Split {
  __m256 even, odd;

  KIVI_AVX2_INLINE static Split of(__m256i bf16) {
    const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000U));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(bf16, 16)), _mm256_castsi256_ps(_mm256_and_si256(bf16, upper))};
  }
  KIVI_AVX2_INLINE static Split of(const float* numbers) {
    const __m256 first = _mm256_loadu_ps(numbers), second = _mm256_loadu_ps(numbers + 8);
    // Within halves of a register: 0 2 8 10 4 6 12 14, and then the middle pairs change places.
    const __m256 even = _mm256_shuffle_ps(first, second, 0x88), odd = _mm256_shuffle_ps(first, second, 0xdd);
    return {_mm256_castsi256_ps(_mm256_permute4x64_epi64(_mm256_castps_si256(even), 0xd8)),
            _mm256_castsi256_ps(_mm256_permute4x64_epi64(_mm256_castps_si256(odd), 0xd8))};
  }
  KIVI_AVX2_INLINE static Split of(float number) { return {_mm256_set1_ps(number), _mm256_set1_ps(number)}; }
};

template <int bits>
KIVI_AVX2_INLINE __m256i code_of(__m256 number, __m256 low, __m256 inverse) {
  const __m256i code = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_sub_ps(number, low), inverse));
  return _mm256_min_epu32(code, _mm256_set1_epi32((1 << bits) - 1));
}

/// The codes of sixteen elements, two in each 32 bits: next to each other in the low byte, or 8 bits in 16 each.
template <int bits>
KIVI_AVX2_INLINE __m256i pairs_of(const std::byte* data, const Split& low, const Split& inverse) {
  const Split numbers = Split::of(load(data));
  const __m256i even = code_of<bits>(numbers.even, low.even, inverse.even);
  const __m256i odd = code_of<bits>(numbers.odd, low.odd, inverse.odd);
  return _mm256_or_si256(even, _mm256_slli_epi32(odd, bits == 8 ? 16 : bits));
}

/// Packs the codes of 32 elements.
template <int bits>
KIVI_AVX2_INLINE void pack(__m256i a, __m256i b, std::byte* out) {
  if constexpr (bits == 8) {
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xd8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
  } else if constexpr (bits == 4) {
    const __m256i words = _mm256_packus_epi32(a, b);  // a 0-3, b 0-3, a 4-7, b 4-7
    const __m256i bytes = _mm256_packus_epi16(words, words);
    const __m256i ordered = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(ordered));
  } else {
    const __m256i low_byte = _mm256_set1_epi64x(0xff);
    const __m256i fours_a = _mm256_and_si256(_mm256_or_si256(a, _mm256_srli_epi64(a, 28)), low_byte);
    const __m256i fours_b = _mm256_and_si256(_mm256_or_si256(b, _mm256_srli_epi64(b, 28)), low_byte);
    const __m256i dwords = _mm256_packus_epi32(fours_a, fours_b);  // as dwords: a 0-1, b 0-1, a 2-3, b 2-3
    const __m256i words = _mm256_packus_epi32(dwords, dwords);
    const __m256i bytes = _mm256_packus_epi16(words, words);
    const __m128i ordered = _mm_unpacklo_epi16(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), ordered);
  }
}

/// The codes of sixteen elements as floats.
template <int bits>
KIVI_AVX2_INLINE Split unpack(const std::byte* in) {
  __m256i even, odd;
  if constexpr (bits == 8) {
    const __m256i codes = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
    even = _mm256_and_si256(codes, _mm256_set1_epi32(0xffff));
    odd = _mm256_srli_epi32(codes, 16);
  } else if constexpr (bits == 4) {
    const __m256i pairs = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(in)));
    even = _mm256_and_si256(pairs, _mm256_set1_epi32(15));
    odd = _mm256_srli_epi32(pairs, 4);
  } else {
    int word = 0;
    std::memcpy(&word, in, sizeof word);
    const __m256i fours = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(word)), three = _mm256_set1_epi32(3);
    const __m256i pairs = _mm256_or_si256(fours, _mm256_slli_epi64(fours, 28));
    even = _mm256_and_si256(pairs, three);
    odd = _mm256_and_si256(_mm256_srli_epi32(pairs, 2), three);
  }
  return {_mm256_cvtepi32_ps(even), _mm256_cvtepi32_ps(odd)};
}

/// The bf16 number nearest to each, ties to even, in its upper half; the numbers must be finite.
KIVI_AVX2_INLINE __m256i rounded(__m256 number) {
  const __m256i bits = _mm256_castps_si256(number);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  return _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
}

/// Unpacks and dequantizes sixteen elements. Multiplied and added apart, which rounds like fmadd (kivi_kernels.inl).
template <int bits>
KIVI_AVX2_INLINE void decode_16(const std::byte* in, const Split& step, const Split& low, std::byte* out) {
  const Split codes = unpack<bits>(in);
  const __m256i even = rounded(_mm256_add_ps(_mm256_mul_ps(codes.even, step.even), low.even));
  const __m256i odd = rounded(_mm256_add_ps(_mm256_mul_ps(codes.odd, step.odd), low.odd));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xaa));
}

template <int bits>
KIVI_AVX2 void quantize_block(const KiviBlock& block, const std::byte* data, const float* low, const float* inverse,
                              std::byte* codes) {
  constexpr std::size_t code_bytes = wide * bits / 8;
  const std::size_t per_row = static_cast<std::size_t>(block.head_dim) / wide;
  const std::size_t groups = static_cast<std::size_t>(block.rows) * per_row;
  const std::size_t columns = block.group == 0 ? per_row : 0;
  for (std::size_t k = 0; k < columns; ++k) {
    const Split low_a = Split::of(low + k * wide), low_b = Split::of(low + k * wide + half);
    const Split inverse_a = Split::of(inverse + k * wide), inverse_b = Split::of(inverse + k * wide + half);
    for (std::size_t at = k; at < groups; at += per_row) {
      const std::byte* source = data + at * wide * 2;
      pack<bits>(pairs_of<bits>(source, low_a, inverse_a), pairs_of<bits>(source + half_bytes, low_b, inverse_b),
                 codes + at * code_bytes);
    }
  }
  if (block.group == 0) return;
  for (std::size_t g = 0; g < groups; ++g) {
    const Split least = Split::of(low[g]), scale = Split::of(inverse[g]);
    const std::byte* source = data + g * wide * 2;
    pack<bits>(pairs_of<bits>(source, least, scale), pairs_of<bits>(source + half_bytes, least, scale),
               codes + g * code_bytes);
  }
}

template <int bits>
KIVI_AVX2 void dequantize_block(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                                std::byte* data) {
  constexpr std::size_t code_bytes = half * bits / 8;
  const std::size_t per_row = static_cast<std::size_t>(block.head_dim) / half;
  const std::size_t halves = static_cast<std::size_t>(block.rows) * per_row;
  const std::size_t columns = block.group == 0 ? per_row : 0;
  for (std::size_t k = 0; k < columns; ++k) {
    const Split steps = Split::of(step + k * half), lows = Split::of(low + k * half);
    for (std::size_t at = k; at < halves; at += per_row)
      decode_16<bits>(codes + at * code_bytes, steps, lows, data + at * half_bytes);
  }
  if (block.group == 0) return;
  for (std::size_t at = 0; at < halves; ++at)
    decode_16<bits>(codes + at * code_bytes, Split::of(step[at / 2]), Split::of(low[at / 2]), data + at * half_bytes);
}

void quantize(const KiviBlock& block, bool sane, const std::byte* data, const float* low, const float* inverse,
              std::byte* codes) {
  if (!is_regular(block) || !sane) return kivi_kernels_plain_avx2.quantize(block, sane, data, low, inverse, codes);
  if (block.bits == 8) quantize_block<8>(block, data, low, inverse, codes);
  if (block.bits == 4) quantize_block<4>(block, data, low, inverse, codes);
  if (block.bits == 2) quantize_block<2>(block, data, low, inverse, codes);
}

void dequantize(const KiviBlock& block, const std::byte* codes, const float* step, const float* low, std::byte* data) {
  if (!is_regular(block)) return kivi_kernels_plain_avx2.dequantize(block, codes, step, low, data);
  if (block.bits == 8) dequantize_block<8>(block, codes, step, low, data);
  if (block.bits == 4) dequantize_block<4>(block, codes, step, low, data);
  if (block.bits == 2) dequantize_block<2>(block, codes, step, low, data);
}

bool widen(std::size_t count, const std::byte* half_numbers, float* out) {
  return kivi_kernels_plain_avx2.widen(count, half_numbers, out);
}

}  // namespace

extern const KiviKernels kivi_kernels_avx2;
const KiviKernels kivi_kernels_avx2{ranges, parameters, quantize, dequantize, widen};

}  // namespace kvantage::inline codecs
#endif
