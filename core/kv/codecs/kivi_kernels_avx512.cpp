// What kivi_vectors.inl does on AVX-512 (F, BW, VL, DQ).
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/kv/codecs/kivi_kernels.h"

// GCC 12 warns about the intrinsics' intentionally undefined operands (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"

#define KIVI_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define KIVI_INLINE __attribute__((always_inline, target("avx512f,avx512bw,avx512vl,avx512dq"))) inline

namespace kvantage::inline codecs {

extern const KiviKernels kivi_kernels_plain_avx2;

namespace {

using Vector = __m512i;
constexpr std::size_t lanes = 32;  // bf16 elements per register

KIVI_INLINE Vector load(const std::byte* from) { return _mm512_loadu_si512(from); }

KIVI_INLINE __m512 to_floats(__m256i bf16) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16));
}

KIVI_INLINE void store_floats(float* out, __m512i bf16) {
  _mm512_storeu_ps(out, to_floats(_mm512_castsi512_si256(bf16)));
  _mm512_storeu_ps(out + 16, to_floats(_mm512_extracti64x4_epi64(bf16, 1)));
}

KIVI_INLINE Vector signed_max(Vector a, Vector b) { return _mm512_max_epi16(a, b); }
KIVI_INLINE Vector unsigned_max(Vector a, Vector b) { return _mm512_max_epu16(a, b); }
KIVI_INLINE Vector unsigned_min(Vector a, Vector b) { return _mm512_min_epu16(a, b); }
KIVI_INLINE Vector where_negative(Vector number, Vector then, Vector otherwise) {
  return _mm512_mask_mov_epi16(otherwise, _mm512_movepi16_mask(number), then);
}

/// Whether any of the numbers exceeds +-65280, the largest bf16 that fp16 holds.
KIVI_INLINE bool beyond_half(__m512i low, __m512i high) {
  const __mmask32 above = _mm512_cmpgt_epi16_mask(high, _mm512_set1_epi16(0x477f));
  const __mmask32 below = _mm512_cmpgt_epu16_mask(low, _mm512_set1_epi16(static_cast<short>(0xc77f)));
  return (above | below) != 0;
}

/// Every second number, pair, four, ... of two registers; `upper`: the others. In their order after the fifth level.
template <int level, bool upper>
KIVI_INLINE __m512i half_of(__m512i a, __m512i b) {
  if constexpr (level == 1) return upper ? _mm512_unpackhi_epi16(a, b) : _mm512_unpacklo_epi16(a, b);
  if constexpr (level == 2) return upper ? _mm512_unpackhi_epi32(a, b) : _mm512_unpacklo_epi32(a, b);
  if constexpr (level == 3) return upper ? _mm512_unpackhi_epi64(a, b) : _mm512_unpacklo_epi64(a, b);
  if constexpr (level > 3) return upper ? _mm512_shuffle_i64x2(a, b, 0xdd) : _mm512_shuffle_i64x2(a, b, 0x88);
}

/// 32 numbers as those at even and those at odd places: two shifts take bf16 pairs apart and put them together again,
/// where sixteen and sixteen would need shuffles.
struct Split {
  __m512 even, odd;

  KIVI_INLINE static Split of(__m512i bf16) {
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(bf16, 16)), _mm512_castsi512_ps(_mm512_and_si512(bf16, upper))};
  }
  KIVI_INLINE static Split of(const float* numbers) {
    const __m512 first = _mm512_loadu_ps(numbers), second = _mm512_loadu_ps(numbers + 16);
    const __m512i places = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return {_mm512_permutex2var_ps(first, places, second),
            _mm512_permutex2var_ps(first, _mm512_or_si512(places, _mm512_set1_epi32(1)), second)};
  }
  KIVI_INLINE static Split of(float number) { return {_mm512_set1_ps(number), _mm512_set1_ps(number)}; }
};
using Splits = Split;  // 32 numbers are one register

template <int bits>
KIVI_INLINE __m512i code_of(__m512 number, __m512 low, __m512 inverse) {
  const __m512i code = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_sub_ps(number, low), inverse));
  return _mm512_min_epu32(code, _mm512_set1_epi32((1 << bits) - 1));
}

/// Quantizes and packs 32 elements.
template <int bits>
KIVI_INLINE void encode_32(const std::byte* data, const Splits& low, const Splits& inverse, std::byte* out) {
  const Split numbers = Split::of(load(data));
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
KIVI_INLINE Split unpack(const std::byte* in) {
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
KIVI_INLINE __m512i rounded(__m512 number) {
  const __m512i bits = _mm512_castps_si512(number);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  return _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
}

/// Unpacks and dequantizes 32 elements.
template <int bits>
KIVI_INLINE void decode_lanes(const std::byte* in, const Split& step, const Split& low, std::byte* out) {
  const Split codes = unpack<bits>(in);
  const __m512i even = rounded(_mm512_fmadd_ps(codes.even, step.even, low.even));
  const __m512i odd = rounded(_mm512_fmadd_ps(codes.odd, step.odd, low.odd));
  _mm512_storeu_si512(out, _mm512_mask_blend_epi16(0xaaaaaaaaU, _mm512_srli_epi32(even, 16), odd));
}

#include "core/kv/codecs/kivi_vectors.inl"

KIVI_TARGET void parameters(std::size_t count, int bits, float* low, float* high, std::byte* scales, std::byte* lows) {
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

KIVI_TARGET bool widen(std::size_t count, const std::byte* half, float* out) {
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
