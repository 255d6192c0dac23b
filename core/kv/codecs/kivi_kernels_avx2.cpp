// What kivi_vectors.inl does on AVX2: the arithmetic of kivi_kernels_avx512.cpp in half as many lanes.
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/kv/codecs/kivi_kernels.h"

#define KIVI_TARGET __attribute__((target("avx2")))
#define KIVI_INLINE __attribute__((always_inline, target("avx2"))) inline

namespace kvantage::inline codecs {

extern const KiviKernels kivi_kernels_plain_avx2;

namespace {

using Vector = __m256i;
constexpr std::size_t lanes = 16;  // bf16 elements per register

KIVI_INLINE Vector load(const std::byte* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

KIVI_INLINE void store_floats(float* out, __m256i bf16) {
  const __m256i first = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(bf16));
  const __m256i second = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(bf16, 1));
  _mm256_storeu_ps(out, _mm256_castsi256_ps(_mm256_slli_epi32(first, 16)));
  _mm256_storeu_ps(out + 8, _mm256_castsi256_ps(_mm256_slli_epi32(second, 16)));
}

KIVI_INLINE Vector signed_max(Vector a, Vector b) { return _mm256_max_epi16(a, b); }
KIVI_INLINE Vector unsigned_max(Vector a, Vector b) { return _mm256_max_epu16(a, b); }
KIVI_INLINE Vector unsigned_min(Vector a, Vector b) { return _mm256_min_epu16(a, b); }
KIVI_INLINE Vector where_negative(Vector number, Vector then, Vector otherwise) {
  return _mm256_blendv_epi8(otherwise, then, _mm256_srai_epi16(number, 15));
}

/// Whether any of the numbers exceeds +-65280, the largest bf16 that fp16 holds.
KIVI_INLINE bool beyond_half(__m256i low, __m256i high) {
  const __m256i above = _mm256_cmpgt_epi16(high, _mm256_set1_epi16(0x477f));
  const __m256i over = _mm256_subs_epu16(low, _mm256_set1_epi16(static_cast<short>(0xc77f)));
  const __m256i any = _mm256_or_si256(above, over);
  return _mm256_testz_si256(any, any) == 0;
}

/// Every second number, pair, four and eight of two registers; `upper`: the others. In their order after the fourth
/// level.
template <int level, bool upper>
KIVI_INLINE __m256i half_of(__m256i a, __m256i b) {
  if constexpr (level == 1) return upper ? _mm256_unpackhi_epi16(a, b) : _mm256_unpacklo_epi16(a, b);
  if constexpr (level == 2) return upper ? _mm256_unpackhi_epi32(a, b) : _mm256_unpacklo_epi32(a, b);
  if constexpr (level == 3) return upper ? _mm256_unpackhi_epi64(a, b) : _mm256_unpacklo_epi64(a, b);
  if constexpr (level == 4)
    return upper ? _mm256_permute2x128_si256(a, b, 0x31) : _mm256_permute2x128_si256(a, b, 0x20);
}

/// Sixteen numbers as those at even and those at odd places: two shifts take bf16 pairs apart and put them together.
struct Split {
  __m256 even, odd;

  KIVI_INLINE static Split of(__m256i bf16) {
    const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000U));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(bf16, 16)), _mm256_castsi256_ps(_mm256_and_si256(bf16, upper))};
  }
  KIVI_INLINE static Split of(const float* numbers) {
    const __m256 first = _mm256_loadu_ps(numbers), second = _mm256_loadu_ps(numbers + 8);
    // Within halves of a register: 0 2 8 10 4 6 12 14, and then the middle pairs change places.
    const __m256 even = _mm256_shuffle_ps(first, second, 0x88), odd = _mm256_shuffle_ps(first, second, 0xdd);
    return {_mm256_castsi256_ps(_mm256_permute4x64_epi64(_mm256_castps_si256(even), 0xd8)),
            _mm256_castsi256_ps(_mm256_permute4x64_epi64(_mm256_castps_si256(odd), 0xd8))};
  }
  KIVI_INLINE static Split of(float number) { return {_mm256_set1_ps(number), _mm256_set1_ps(number)}; }
};

/// Of 32 numbers.
struct Splits {
  Split first, second;

  KIVI_INLINE static Splits of(const float* numbers) { return {Split::of(numbers), Split::of(numbers + lanes)}; }
  KIVI_INLINE static Splits of(float number) { return {Split::of(number), Split::of(number)}; }
};

template <int bits>
KIVI_INLINE __m256i code_of(__m256 number, __m256 low, __m256 inverse) {
  const __m256i code = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_sub_ps(number, low), inverse));
  return _mm256_min_epu32(code, _mm256_set1_epi32((1 << bits) - 1));
}

/// The codes of sixteen elements, two in each 32 bits: next to each other in the low byte, or 8 bits in 16 each.
template <int bits>
KIVI_INLINE __m256i pairs_of(const std::byte* data, const Split& low, const Split& inverse) {
  const Split numbers = Split::of(load(data));
  const __m256i even = code_of<bits>(numbers.even, low.even, inverse.even);
  const __m256i odd = code_of<bits>(numbers.odd, low.odd, inverse.odd);
  return _mm256_or_si256(even, _mm256_slli_epi32(odd, bits == 8 ? 16 : bits));
}

/// Packs the codes of 32 elements.
template <int bits>
KIVI_INLINE void pack(__m256i a, __m256i b, std::byte* out) {
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

/// Quantizes and packs 32 elements.
template <int bits>
KIVI_INLINE void encode_32(const std::byte* data, const Splits& low, const Splits& inverse, std::byte* out) {
  pack<bits>(pairs_of<bits>(data, low.first, inverse.first),
             pairs_of<bits>(data + lanes * 2, low.second, inverse.second), out);
}

/// The codes of sixteen elements as floats.
template <int bits>
KIVI_INLINE Split unpack(const std::byte* in) {
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
KIVI_INLINE __m256i rounded(__m256 number) {
  const __m256i bits = _mm256_castps_si256(number);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  return _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
}

/// Unpacks and dequantizes sixteen elements. Multiplied and added apart, which rounds like fmadd (kivi_kernels.inl).
template <int bits>
KIVI_INLINE void decode_lanes(const std::byte* in, const Split& step, const Split& low, std::byte* out) {
  const Split codes = unpack<bits>(in);
  const __m256i even = rounded(_mm256_add_ps(_mm256_mul_ps(codes.even, step.even), low.even));
  const __m256i odd = rounded(_mm256_add_ps(_mm256_mul_ps(codes.odd, step.odd), low.odd));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xaa));
}

#include "core/kv/codecs/kivi_vectors.inl"

void parameters(std::size_t count, int bits, float* low, float* high, std::byte* scales, std::byte* lows) {
  kivi_kernels_plain_avx2.parameters(count, bits, low, high, scales, lows);
}

bool widen(std::size_t count, const std::byte* half_numbers, float* out) {
  return kivi_kernels_plain_avx2.widen(count, half_numbers, out);
}

}  // namespace

extern const KiviKernels kivi_kernels_avx2;
const KiviKernels kivi_kernels_avx2{ranges, parameters, quantize, dequantize, widen};

}  // namespace kvantage::inline codecs
#endif
