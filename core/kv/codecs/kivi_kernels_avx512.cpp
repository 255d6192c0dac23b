// KIVI's kernels for bf16 rows on AVX-512 (F, BW, VL, DQ), for groups of 32 and head dimensions that are multiples of
// it. Everything else, and rows with infinities or numbers beyond fp16, use the plain body.
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <array>

#include "core/kv/codecs/kivi_kernels.h"

// GCC 12 warns about the intrinsics' intentionally undefined operands (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"

#define KIVI_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define KIVI_AVX512_INLINE __attribute__((always_inline, target("avx512f,avx512bw,avx512vl,avx512dq"))) inline

namespace kvantage::inline codecs {

extern const KiviKernels kivi_kernels_plain_avx2;

namespace {

constexpr int wide = 32;  // bf16 elements per register

const KiviKernels& plain() { return kivi_kernels_plain_avx2; }

bool is_regular(const KiviBlock& block) {
  return block.head_dim % wide == 0 && (block.group == 0 || block.group == wide);
}

KIVI_AVX512_INLINE __m512 to_floats(__m256i bf16) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16));
}

KIVI_AVX512_INLINE void store_floats(float* out, __m512i bf16) {
  _mm512_storeu_ps(out, to_floats(_mm512_castsi512_si256(bf16)));
  _mm512_storeu_ps(out + 16, to_floats(_mm512_extracti64x4_epi64(bf16, 1)));
}

/// What tells the minimum and the maximum of bf16 numbers without decoding them. Of positive ones the greater number
/// has the greater bits, of negative ones the lesser; as unsigned bits all negative ones are above all positive ones.
struct Extremes {
  __m512i most;     // as signed bits: the maximum, unless all numbers are negative
  __m512i largest;  // as unsigned bits: the minimum, if any number is negative
  __m512i least;    // as unsigned bits: the minimum of positive ones, the maximum of negative ones

  KIVI_AVX512_INLINE static Extremes of(__m512i number) { return {number, number, number}; }
  KIVI_AVX512_INLINE void add(__m512i number) {
    most = _mm512_max_epi16(most, number);
    largest = _mm512_max_epu16(largest, number);
    least = _mm512_min_epu16(least, number);
  }
  KIVI_AVX512_INLINE __m512i low() const {
    return _mm512_mask_mov_epi16(least, _mm512_movepi16_mask(largest), largest);
  }
  KIVI_AVX512_INLINE __m512i high() const { return _mm512_mask_mov_epi16(most, _mm512_movepi16_mask(most), least); }
};

/// Whether any of the numbers exceeds +-65280, the largest bf16 that fp16 holds.
KIVI_AVX512_INLINE bool beyond_half(__m512i low, __m512i high) {
  const __mmask32 above = _mm512_cmpgt_epi16_mask(high, _mm512_set1_epi16(0x477f));
  const __mmask32 below = _mm512_cmpgt_epu16_mask(low, _mm512_set1_epi16(static_cast<short>(0xc77f)));
  return (above | below) != 0;
}

KIVI_AVX512 bool column_ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  const std::size_t row = static_cast<std::size_t>(block.head_dim) * 2;
  const std::size_t block_bytes = static_cast<std::size_t>(block.rows) * row;
  bool beyond = false;
  for (int c = 0; c < block.head_dim; c += wide) {
    const std::byte* at = data + static_cast<std::size_t>(c) * 2;
    Extremes extremes = Extremes::of(_mm512_loadu_si512(at));
    for (int r = 1; r < block.rows; ++r) {
      const std::byte* here = at + static_cast<std::size_t>(r) * row;
      __builtin_prefetch(here + block_bytes, 0, 2);  // the next block: a column skips lines, which stops the hardware
      extremes.add(_mm512_loadu_si512(here));
    }
    const __m512i lows = extremes.low(), highs = extremes.high();
    beyond |= beyond_half(lows, highs);
    store_floats(low + c, lows);
    store_floats(high + c, highs);
  }
  return !beyond;
}

/// Every second number, pair, four, ... of two registers; `upper`: the others. In their order after the fifth level.
template <int level, bool upper>
KIVI_AVX512_INLINE __m512i half_of(__m512i a, __m512i b) {
  if constexpr (level == 1) return upper ? _mm512_unpackhi_epi16(a, b) : _mm512_unpacklo_epi16(a, b);
  if constexpr (level == 2) return upper ? _mm512_unpackhi_epi32(a, b) : _mm512_unpacklo_epi32(a, b);
  if constexpr (level == 3) return upper ? _mm512_unpackhi_epi64(a, b) : _mm512_unpacklo_epi64(a, b);
  if constexpr (level > 3) return upper ? _mm512_shuffle_i64x2(a, b, 0xdd) : _mm512_shuffle_i64x2(a, b, 0x88);
}

/// Extremes of 2^level groups of 32 numbers, from `first` on; behind `last` it is repeated. Each level merges two
/// registers into one with the remaining candidates of both, depth first, so that few are held at a time.
template <int level>
KIVI_AVX512_INLINE Extremes extremes_of(const std::byte* groups, std::size_t first, std::size_t last) {
  if constexpr (level == 0) {
    return Extremes::of(_mm512_loadu_si512(groups + (first < last ? first : last) * wide * 2));
  } else {
    const Extremes a = extremes_of<level - 1>(groups, first, last);
    const Extremes b = extremes_of<level - 1>(groups, first + (std::size_t{1} << (level - 1)), last);
    return {_mm512_max_epi16(half_of<level, false>(a.most, b.most), half_of<level, true>(a.most, b.most)),
            _mm512_max_epu16(half_of<level, false>(a.largest, b.largest), half_of<level, true>(a.largest, b.largest)),
            _mm512_min_epu16(half_of<level, false>(a.least, b.least), half_of<level, true>(a.least, b.least))};
  }
}

KIVI_AVX512 bool row_ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  const std::size_t groups = block.groups();
  bool beyond = false;
  for (std::size_t first = 0; first < groups; first += wide) {
    const Extremes extremes = extremes_of<5>(data, first, groups - 1);
    const __m512i lows = extremes.low(), highs = extremes.high();
    beyond |= beyond_half(lows, highs);
    if (groups - first >= wide) {
      store_floats(low + first, lows);
      store_floats(high + first, highs);
      continue;
    }
    alignas(64) std::array<float, wide> low_block, high_block;
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
  return plain().ranges(block, data, low, high);
}

KIVI_AVX512 void parameters(std::size_t count, int bits, float* low, float* high, std::byte* scales, std::byte* lows) {
  const __m512 most = _mm512_set1_ps(static_cast<float>((1 << bits) - 1));
  const __m512 zero = _mm512_setzero_ps();
  for (std::size_t i = 0; i < count; i += 16) {
    const std::size_t left = count - i;
    const auto mask = static_cast<__mmask16>(left >= 16 ? 0xffff : (1U << left) - 1U);
    const __m512 least = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, low + i), zero);
    const __m512 greatest = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, high + i), zero);
    const __m256i low_half = _mm512_cvtps_ph(least, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const __m512 stored_low = _mm512_cvtph_ps(low_half);
    const __m256i scale = _mm512_cvtps_ph(_mm512_div_ps(_mm512_sub_ps(greatest, stored_low), most),
                                          _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512 step = _mm512_cvtph_ps(scale);
    const __mmask16 varies = _mm512_cmp_ps_mask(step, zero, _CMP_GT_OQ);
    _mm256_mask_storeu_epi16(lows + 2 * i, mask, low_half);
    _mm256_mask_storeu_epi16(scales + 2 * i, mask, scale);
    _mm512_mask_storeu_ps(low + i, mask, stored_low);
    _mm512_mask_storeu_ps(high + i, mask, _mm512_maskz_div_ps(varies, _mm512_set1_ps(1.0F), step));
  }
}

/// 32 numbers as those at even and those at odd places: two shifts take bf16 pairs apart and put them together again,
/// where sixteen and sixteen would need shuffles.
struct Split {
  __m512 even, odd;

  KIVI_AVX512_INLINE static Split of(__m512i bf16) {
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(bf16, 16)), _mm512_castsi512_ps(_mm512_and_si512(bf16, upper))};
  }
  KIVI_AVX512_INLINE static Split of(const float* numbers) {
    const __m512 first = _mm512_loadu_ps(numbers), second = _mm512_loadu_ps(numbers + 16);
    const __m512i places = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return {_mm512_permutex2var_ps(first, places, second),
            _mm512_permutex2var_ps(first, _mm512_or_si512(places, _mm512_set1_epi32(1)), second)};
  }
  KIVI_AVX512_INLINE static Split of(float number) { return {_mm512_set1_ps(number), _mm512_set1_ps(number)}; }
};

template <int bits>
KIVI_AVX512_INLINE __m512i code_of(__m512 number, __m512 low, __m512 inverse) {
  const __m512i code = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_sub_ps(number, low), inverse));
  return _mm512_min_epu32(code, _mm512_set1_epi32((1 << bits) - 1));
}

/// Quantizes and packs 32 elements.
template <int bits>
KIVI_AVX512_INLINE void encode_32(const std::byte* data, const Split& low, const Split& inverse, std::byte* out) {
  const Split numbers = Split::of(_mm512_loadu_si512(data));
  const __m512i even = code_of<bits>(numbers.even, low.even, inverse.even);
  const __m512i odd = code_of<bits>(numbers.odd, low.odd, inverse.odd);
  const __m512i pairs = _mm512_or_si512(even, _mm512_slli_epi32(odd, bits == 8 ? 16 : bits));
  if constexpr (bits == 8) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi16_epi8(pairs));
  } else if constexpr (bits == 4) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi32_epi8(pairs));
  } else {
    const __m512i fours = _mm512_or_si512(pairs, _mm512_srli_epi64(pairs, 28));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm512_cvtepi64_epi8(fours));
  }
}

/// The codes of 32 elements as floats.
template <int bits>
KIVI_AVX512_INLINE Split unpack(const std::byte* in) {
  __m512i even, odd;
  if constexpr (bits == 8) {
    const __m512i codes = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in)));
    even = _mm512_and_si512(codes, _mm512_set1_epi32(0xffff));
    odd = _mm512_srli_epi32(codes, 16);
  } else if constexpr (bits == 4) {
    const __m512i pairs = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
    even = _mm512_and_si512(pairs, _mm512_set1_epi32(15));
    odd = _mm512_srli_epi32(pairs, 4);
  } else {
    const __m512i fours = _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(in)));
    const __m512i pairs = _mm512_or_si512(fours, _mm512_slli_epi64(fours, 28)), three = _mm512_set1_epi32(3);
    even = _mm512_and_si512(pairs, three);
    odd = _mm512_and_si512(_mm512_srli_epi32(pairs, 2), three);
  }
  return {_mm512_cvtepi32_ps(even), _mm512_cvtepi32_ps(odd)};
}

/// The bf16 number nearest to each, ties to even, in its upper half; the numbers must be finite.
KIVI_AVX512_INLINE __m512i rounded(__m512 number) {
  const __m512i bits = _mm512_castps_si512(number);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  return _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
}

/// Unpacks and dequantizes 32 elements.
template <int bits>
KIVI_AVX512_INLINE void decode_32(const std::byte* in, const Split& step, const Split& low, std::byte* out) {
  const Split codes = unpack<bits>(in);
  const __m512i even = rounded(_mm512_fmadd_ps(codes.even, step.even, low.even));
  const __m512i odd = rounded(_mm512_fmadd_ps(codes.odd, step.odd, low.odd));
  _mm512_storeu_si512(out, _mm512_mask_blend_epi16(0xaaaaaaaaU, _mm512_srli_epi32(even, 16), odd));
}

template <int bits>
KIVI_AVX512 void quantize_block(const KiviBlock& block, const std::byte* data, const float* low, const float* inverse,
                                std::byte* codes) {
  constexpr std::size_t code_bytes = wide * bits / 8;
  const auto per_row = static_cast<std::size_t>(block.head_dim / wide);
  const auto rows = static_cast<std::size_t>(block.rows);
  if (block.group == 0) {
    for (std::size_t k = 0; k < per_row; ++k) {
      const Split lows = Split::of(low + k * wide), inverses = Split::of(inverse + k * wide);
      for (std::size_t at = k; at < rows * per_row; at += per_row)
        encode_32<bits>(data + at * wide * 2, lows, inverses, codes + at * code_bytes);
    }
    return;
  }
  for (std::size_t g = 0; g < rows * per_row; ++g)
    encode_32<bits>(data + g * wide * 2, Split::of(low[g]), Split::of(inverse[g]), codes + g * code_bytes);
}

template <int bits>
KIVI_AVX512 void dequantize_block(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                                  std::byte* data) {
  constexpr std::size_t code_bytes = wide * bits / 8;
  const auto per_row = static_cast<std::size_t>(block.head_dim / wide);
  const auto rows = static_cast<std::size_t>(block.rows);
  if (block.group == 0) {
    for (std::size_t k = 0; k < per_row; ++k) {
      const Split steps = Split::of(step + k * wide), lows = Split::of(low + k * wide);
      for (std::size_t at = k; at < rows * per_row; at += per_row)
        decode_32<bits>(codes + at * code_bytes, steps, lows, data + at * wide * 2);
    }
    return;
  }
  for (std::size_t g = 0; g < rows * per_row; ++g)
    decode_32<bits>(codes + g * code_bytes, Split::of(step[g]), Split::of(low[g]), data + g * wide * 2);
}

void quantize(const KiviBlock& block, bool sane, const std::byte* data, const float* low, const float* inverse,
              std::byte* codes) {
  if (!is_regular(block) || !sane) return plain().quantize(block, sane, data, low, inverse, codes);
  if (block.bits == 8) quantize_block<8>(block, data, low, inverse, codes);
  if (block.bits == 4) quantize_block<4>(block, data, low, inverse, codes);
  if (block.bits == 2) quantize_block<2>(block, data, low, inverse, codes);
}

void dequantize(const KiviBlock& block, const std::byte* codes, const float* step, const float* low, std::byte* data) {
  if (!is_regular(block)) return plain().dequantize(block, codes, step, low, data);
  if (block.bits == 8) dequantize_block<8>(block, codes, step, low, data);
  if (block.bits == 4) dequantize_block<4>(block, codes, step, low, data);
  if (block.bits == 2) dequantize_block<2>(block, codes, step, low, data);
}

KIVI_AVX512 bool widen(std::size_t count, const std::byte* half, float* out) {
  __mmask16 infinite = 0;
  const __m256i exponent = _mm256_set1_epi16(0x7c00);
  for (std::size_t i = 0; i < count; i += 16) {
    const std::size_t left = count - i;
    const auto mask = static_cast<__mmask16>(left >= 16 ? 0xffff : (1U << left) - 1U);
    const __m256i bits = _mm256_maskz_loadu_epi16(mask, half + 2 * i);
    infinite |= _mm256_cmpeq_epi16_mask(_mm256_and_si256(bits, exponent), exponent);
    _mm512_mask_storeu_ps(out + i, mask, _mm512_cvtph_ps(bits));
  }
  return infinite == 0;
}

}  // namespace

extern const KiviKernels kivi_kernels_avx512;
const KiviKernels kivi_kernels_avx512{ranges, parameters, quantize, dequantize, widen};

}  // namespace kvantage::inline codecs
#endif
