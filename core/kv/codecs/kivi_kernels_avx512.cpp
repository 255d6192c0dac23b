// KIVI's kernels for bf16 rows on AVX-512 (F, BW, VL, DQ), for groups of 32 and head dimensions that are multiples of
// it. Everything else, and rows with infinities or numbers beyond fp16, use the plain body. bf16 numbers are compared
// as integers: with the low 15 bits of negative ones flipped, they sort like int16.
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
namespace {

constexpr int wide = 32;  // bf16 elements per register

const KiviKernels& plain() { return kivi_kernels(true, Isa::avx2); }

bool is_regular(const KiviBlock& block) {
  return block.head_dim % wide == 0 && (block.group == 0 || block.group == wide);
}

KIVI_AVX512_INLINE __m512i ordered(__m512i bf16) {
  const __m512i negative = _mm512_srli_epi16(_mm512_srai_epi16(bf16, 15), 1);
  return _mm512_xor_si512(bf16, negative);
}

KIVI_AVX512_INLINE __m512 to_floats(__m256i bf16) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16));
}

KIVI_AVX512_INLINE void store_floats(float* out, __m512i bf16) {
  _mm512_storeu_ps(out, to_floats(_mm512_castsi512_si256(bf16)));
  _mm512_storeu_ps(out + 16, to_floats(_mm512_extracti64x4_epi64(bf16, 1)));
}

/// Whether any of the ordered numbers exceeds +-65280, the largest bf16 that fp16 holds.
KIVI_AVX512_INLINE bool beyond_half(__m512i low, __m512i high) {
  const __m512i limit = _mm512_set1_epi16(0x477f);
  const __mmask32 above = _mm512_cmpgt_epi16_mask(high, limit);
  const __mmask32 below = _mm512_cmplt_epi16_mask(low, _mm512_xor_si512(limit, _mm512_set1_epi16(-1)));
  return (above | below) != 0;
}

KIVI_AVX512 bool column_ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  const std::size_t row = static_cast<std::size_t>(block.head_dim) * 2;
  bool beyond = false;
  for (int c = 0; c < block.head_dim; c += wide) {
    const std::byte* at = data + static_cast<std::size_t>(c) * 2;
    __m512i least = ordered(_mm512_loadu_si512(at)), most = least;
    for (int r = 1; r < block.rows; ++r) {
      const __m512i value = ordered(_mm512_loadu_si512(at + static_cast<std::size_t>(r) * row));
      least = _mm512_min_epi16(least, value);
      most = _mm512_max_epi16(most, value);
    }
    beyond |= beyond_half(least, most);
    store_floats(low + c, ordered(least));
    store_floats(high + c, ordered(most));
  }
  return !beyond;
}

struct Registers {
  __m512i held[wide];
};

struct Least {
  KIVI_AVX512_INLINE static __m512i of(__m512i a, __m512i b) { return _mm512_min_epi16(a, b); }
};
struct Most {
  KIVI_AVX512_INLINE static __m512i of(__m512i a, __m512i b) { return _mm512_max_epi16(a, b); }
};

/// The minimum (or maximum) of each of 32 registers of 32 ordered numbers, in their order. Each step merges two
/// registers into one with the remaining candidates of both: first single numbers, then pairs, fours, and lanes of 8
/// and 16.
template <class Pick>
KIVI_AVX512_INLINE __m512i of_each(Registers registers) {
  __m512i* const v = registers.held;
  for (std::size_t i = 0; i < 16; ++i)
    v[i] = Pick::of(_mm512_unpacklo_epi16(v[2 * i], v[2 * i + 1]), _mm512_unpackhi_epi16(v[2 * i], v[2 * i + 1]));
  for (std::size_t i = 0; i < 8; ++i)
    v[i] = Pick::of(_mm512_unpacklo_epi32(v[2 * i], v[2 * i + 1]), _mm512_unpackhi_epi32(v[2 * i], v[2 * i + 1]));
  for (std::size_t i = 0; i < 4; ++i)
    v[i] = Pick::of(_mm512_unpacklo_epi64(v[2 * i], v[2 * i + 1]), _mm512_unpackhi_epi64(v[2 * i], v[2 * i + 1]));
  for (std::size_t i = 0; i < 2; ++i)
    v[i] = Pick::of(_mm512_shuffle_i64x2(v[2 * i], v[2 * i + 1], 0x88),
                    _mm512_shuffle_i64x2(v[2 * i], v[2 * i + 1], 0xdd));
  return Pick::of(_mm512_shuffle_i64x2(v[0], v[1], 0x88), _mm512_shuffle_i64x2(v[0], v[1], 0xdd));
}

KIVI_AVX512 bool row_ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  const std::size_t groups = block.groups();
  bool beyond = false;
  for (std::size_t first = 0; first < groups; first += wide) {
    const std::size_t count = std::min<std::size_t>(wide, groups - first);
    Registers values;
    for (std::size_t g = 0; g < wide; ++g)  // the last group is repeated
      values.held[g] = ordered(_mm512_loadu_si512(data + (first + std::min(g, count - 1)) * wide * 2));
    const __m512i lows = of_each<Least>(values), highs = of_each<Most>(values);
    beyond |= beyond_half(lows, highs);
    alignas(64) std::array<float, wide> low_block, high_block;
    store_floats(low_block.data(), ordered(lows));
    store_floats(high_block.data(), ordered(highs));
    std::copy_n(low_block.begin(), count, low + first);
    std::copy_n(high_block.begin(), count, high + first);
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

/// Quantized values of 32 elements, one byte each.
KIVI_AVX512_INLINE __m256i codes_of(__m512i bf16, __m512 low0, __m512 low1, __m512 inverse0, __m512 inverse1) {
  const __m512 x0 = to_floats(_mm512_castsi512_si256(bf16));
  const __m512 x1 = to_floats(_mm512_extracti64x4_epi64(bf16, 1));
  const __m512i code0 = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_sub_ps(x0, low0), inverse0));
  const __m512i code1 = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_sub_ps(x1, low1), inverse1));
  return _mm256_set_m128i(_mm512_cvtusepi32_epi8(code1), _mm512_cvtusepi32_epi8(code0));
}

template <int bits>
KIVI_AVX512_INLINE void pack(__m256i codes, std::byte* out) {
  if constexpr (bits == 8) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), codes);
  } else if constexpr (bits == 4) {
    const __m256i limited = _mm256_min_epu8(codes, _mm256_set1_epi8(15));
    const __m256i pairs = _mm256_maddubs_epi16(limited, _mm256_set1_epi16(0x1001));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_cvtepi16_epi8(pairs));
  } else {
    const __m256i limited = _mm256_min_epu8(codes, _mm256_set1_epi8(3));
    const __m256i pairs = _mm256_maddubs_epi16(limited, _mm256_set1_epi16(0x0401));
    const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00100001));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm256_cvtepi32_epi8(fours));
  }
}

template <int bits>
KIVI_AVX512_INLINE __m256i unpack(const std::byte* in) {
  if constexpr (bits == 8) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
  } else if constexpr (bits == 4) {
    const __m256i bytes = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
    return _mm256_and_si256(_mm256_or_si256(bytes, _mm256_slli_epi16(bytes, 4)), _mm256_set1_epi8(15));
  } else {
    const __m256i bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(in)));
    const __m256i pairs = _mm256_or_si256(bytes, _mm256_slli_epi32(bytes, 12));
    return _mm256_and_si256(_mm256_or_si256(pairs, _mm256_slli_epi32(pairs, 6)), _mm256_set1_epi8(3));
  }
}

/// To nearest, ties to even; the numbers must be finite.
KIVI_AVX512_INLINE __m256i to_bf16(__m512 number) {
  const __m512i bits = _mm512_castps_si512(number);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}

KIVI_AVX512_INLINE void decode_32(__m256i codes, __m512 step0, __m512 step1, __m512 low0, __m512 low1, std::byte* out) {
  const __m512 code0 = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm256_castsi256_si128(codes)));
  const __m512 code1 = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm256_extracti128_si256(codes, 1)));
  auto* target = reinterpret_cast<__m256i*>(out);
  _mm256_storeu_si256(target, to_bf16(_mm512_fmadd_ps(code0, step0, low0)));
  _mm256_storeu_si256(target + 1, to_bf16(_mm512_fmadd_ps(code1, step1, low1)));
}

template <int bits>
KIVI_AVX512 void quantize_block(const KiviBlock& block, const std::byte* data, const float* low, const float* inverse,
                                std::byte* codes) {
  constexpr std::size_t code_bytes = wide * bits / 8;
  const auto per_row = static_cast<std::size_t>(block.head_dim / wide);
  const auto rows = static_cast<std::size_t>(block.rows);
  if (block.group == 0) {
    for (std::size_t k = 0; k < per_row; ++k) {
      const __m512 low0 = _mm512_loadu_ps(low + k * wide), low1 = _mm512_loadu_ps(low + k * wide + 16);
      const __m512 inverse0 = _mm512_loadu_ps(inverse + k * wide), inverse1 = _mm512_loadu_ps(inverse + k * wide + 16);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t at = r * per_row + k;
        pack<bits>(codes_of(_mm512_loadu_si512(data + at * wide * 2), low0, low1, inverse0, inverse1),
                   codes + at * code_bytes);
      }
    }
    return;
  }
  for (std::size_t g = 0; g < rows * per_row; ++g) {
    const __m512 least = _mm512_set1_ps(low[g]), scale = _mm512_set1_ps(inverse[g]);
    pack<bits>(codes_of(_mm512_loadu_si512(data + g * wide * 2), least, least, scale, scale), codes + g * code_bytes);
  }
}

template <int bits>
KIVI_AVX512 void dequantize_block(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                                  std::byte* data) {
  constexpr std::size_t code_bytes = wide * bits / 8;
  const auto per_row = static_cast<std::size_t>(block.head_dim / wide);
  const auto rows = static_cast<std::size_t>(block.rows);
  if (block.group == 0) {
    for (std::size_t k = 0; k < per_row; ++k) {
      const __m512 low0 = _mm512_loadu_ps(low + k * wide), low1 = _mm512_loadu_ps(low + k * wide + 16);
      const __m512 step0 = _mm512_loadu_ps(step + k * wide), step1 = _mm512_loadu_ps(step + k * wide + 16);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t at = r * per_row + k;
        decode_32(unpack<bits>(codes + at * code_bytes), step0, step1, low0, low1, data + at * wide * 2);
      }
    }
    return;
  }
  for (std::size_t g = 0; g < rows * per_row; ++g) {
    const __m512 least = _mm512_set1_ps(low[g]), scale = _mm512_set1_ps(step[g]);
    decode_32(unpack<bits>(codes + g * code_bytes), scale, scale, least, least, data + g * wide * 2);
  }
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
