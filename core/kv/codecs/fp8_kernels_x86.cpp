// e4m3's kernels for bf16 elements on AVX2 and AVX-512 (F, BW, VL), in 16-bit lanes: no element becomes a float.
//
// A normal e4m3 number is a bf16 number with 120 taken from its exponent and four bits of fraction dropped. Below 2^-6,
// where exponents are 120 and less, the significand is shifted by more: the last bit stays worth 2^-9. With
//   base = max(magnitude - (120 << 7), significand),  dropped = max(125 - exponent, 4)
// both are base / 2^dropped, to nearest, ties to even. From 9 dropped bits on the result is 0, as it should be.
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kv/codecs/fp8_kernels.h"

// GCC 12 warns about the intrinsics' intentionally undefined operands (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"

#define FP8_AVX2 __attribute__((target("avx2")))
#define FP8_AVX2_INLINE __attribute__((always_inline, target("avx2"))) inline
#define FP8_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define FP8_AVX512_INLINE __attribute__((always_inline, target("avx512f,avx512bw,avx512vl"))) inline

namespace kvantage::inline codecs {
namespace {

constexpr std::size_t step = 32;           // elements
constexpr short highest = 0x43e0;          // bf16: 448
constexpr short infinite = 0x7f80;         // bf16
constexpr short exponent_offset = 0x3c00;  // 120 << 7
constexpr short lowest_normal = 121;       // exponent of 2^-6
constexpr short not_a_number = 0x7fc0;     // bf16
constexpr short sign_of_code = 0x80, sign_of_number = static_cast<short>(0x8000);

const Fp8Kernels& plain() { return fp8_kernels(true, Isa::portable); }

/// Codes of 16 elements, in the low bytes. AVX2 has no shift by lane for 16 bits: the upper half of a product with a
/// power of two is one, and that power is looked up.
FP8_AVX2_INLINE __m256i codes_of_16(__m256i x) {
  const __m256i magnitude = _mm256_and_si256(x, _mm256_set1_epi16(0x7fff));
  const __m256i limited = _mm256_min_epi16(magnitude, _mm256_set1_epi16(highest));
  const __m256i significand =
      _mm256_or_si256(_mm256_and_si256(limited, _mm256_set1_epi16(0x7f)), _mm256_set1_epi16(0x80));
  const __m256i base = _mm256_max_epi16(_mm256_sub_epi16(limited, _mm256_set1_epi16(exponent_offset)), significand);
  // Bits dropped beyond four; both tables end with what makes 0.
  const __m256i more = _mm256_min_epi16(
      _mm256_subs_epu16(_mm256_set1_epi16(lowest_normal), _mm256_srli_epi16(limited, 7)), _mm256_set1_epi16(15));
  const __m256i powers = _mm256_broadcastsi128_si256(_mm_setr_epi8(16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i halves =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(7, 15, 31, 63, 127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  // An index with its highest bit set looks up 0: powers stand in the upper bytes, 2^(16 - dropped), halves in the
  // lower ones, 2^(dropped - 1) - 1.
  const __m256i power =
      _mm256_shuffle_epi8(powers, _mm256_or_si256(_mm256_slli_epi16(more, 8), _mm256_set1_epi16(0x80)));
  const __m256i half = _mm256_shuffle_epi8(halves, _mm256_or_si256(more, _mm256_set1_epi16(sign_of_number)));
  const __m256i odd = _mm256_and_si256(_mm256_mulhi_epu16(base, power), _mm256_set1_epi16(1));
  const __m256i code = _mm256_mulhi_epu16(_mm256_add_epi16(_mm256_add_epi16(base, half), odd), power);
  const __m256i is_nan = _mm256_cmpgt_epi16(magnitude, _mm256_set1_epi16(infinite));  // 448 is 0x7e, NaN 0x7f
  const __m256i sign = _mm256_and_si256(_mm256_srli_epi16(x, 8), _mm256_set1_epi16(sign_of_code));
  return _mm256_or_si256(_mm256_or_si256(code, _mm256_srli_epi16(is_nan, 15)), sign);
}

FP8_AVX2 void encode_avx2(const std::byte* data, std::size_t count, std::byte* codes) {
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    const auto* source = reinterpret_cast<const __m256i*>(data + i * sizeof(Bf16));
    const __m256i packed =
        _mm256_packus_epi16(codes_of_16(_mm256_loadu_si256(source)), codes_of_16(_mm256_loadu_si256(source + 1)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes + i), _mm256_permute4x64_epi64(packed, 0xd8));
  }
  plain().encode(data + i * sizeof(Bf16), count - i, codes + i);
}

FP8_AVX2_INLINE __m256i numbers_of_16(__m128i codes) {
  const __m256i x = _mm256_cvtepu8_epi16(codes);
  const __m256i magnitude = _mm256_and_si256(x, _mm256_set1_epi16(0x7f));
  const __m256i normal = _mm256_add_epi16(_mm256_slli_epi16(magnitude, 4), _mm256_set1_epi16(exponent_offset));
  // The multiples of 2^-9 below 2^-6: lower and upper bytes of 0, 3b00, 3b80, 3bc0, 3c00, 3c20, 3c40, 3c60.
  const __m256i low =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, -128, -64, 0, 0x20, 0x40, 0x60, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i high =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0x3b, 0x3b, 0x3b, 0x3c, 0x3c, 0x3c, 0x3c, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i small = _mm256_or_si256(
      _mm256_shuffle_epi8(low, _mm256_or_si256(magnitude, _mm256_set1_epi16(sign_of_number))),
      _mm256_shuffle_epi8(high, _mm256_or_si256(_mm256_slli_epi16(magnitude, 8), _mm256_set1_epi16(0x80))));
  const __m256i is_small = _mm256_cmpgt_epi16(_mm256_set1_epi16(8), magnitude);
  const __m256i is_nan = _mm256_cmpeq_epi16(magnitude, _mm256_set1_epi16(0x7f));
  const __m256i finite = _mm256_blendv_epi8(normal, small, is_small);
  const __m256i number = _mm256_blendv_epi8(finite, _mm256_set1_epi16(not_a_number), is_nan);
  return _mm256_or_si256(number, _mm256_and_si256(_mm256_slli_epi16(x, 8), _mm256_set1_epi16(sign_of_number)));
}

FP8_AVX2 void decode_avx2(const std::byte* codes, std::size_t count, std::byte* data) {
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    const auto* source = reinterpret_cast<const __m128i*>(codes + i);
    auto* target = reinterpret_cast<__m256i*>(data + i * sizeof(Bf16));
    _mm256_storeu_si256(target, numbers_of_16(_mm_loadu_si128(source)));
    _mm256_storeu_si256(target + 1, numbers_of_16(_mm_loadu_si128(source + 1)));
  }
  plain().decode(codes + i, count - i, data + i * sizeof(Bf16));
}

FP8_AVX512_INLINE __m256i codes_of_32(__m512i x) {
  const __m512i magnitude = _mm512_and_si512(x, _mm512_set1_epi16(0x7fff));
  const __m512i limited = _mm512_min_epi16(magnitude, _mm512_set1_epi16(highest));
  const __m512i significand =
      _mm512_or_si512(_mm512_and_si512(limited, _mm512_set1_epi16(0x7f)), _mm512_set1_epi16(0x80));
  const __m512i base = _mm512_max_epi16(_mm512_sub_epi16(limited, _mm512_set1_epi16(exponent_offset)), significand);
  const __m512i dropped = _mm512_add_epi16(
      _mm512_subs_epu16(_mm512_set1_epi16(lowest_normal), _mm512_srli_epi16(limited, 7)), _mm512_set1_epi16(4));
  // 2^(dropped - 1) - 1; shifts by more than 15, negative ones too, give 0.
  const __m512i half = _mm512_srlv_epi16(_mm512_set1_epi16(0x7fff), _mm512_sub_epi16(_mm512_set1_epi16(16), dropped));
  const __m512i odd = _mm512_and_si512(_mm512_srlv_epi16(base, dropped), _mm512_set1_epi16(1));
  const __m512i finite = _mm512_srlv_epi16(_mm512_add_epi16(_mm512_add_epi16(base, half), odd), dropped);
  const __mmask32 is_nan = _mm512_cmpgt_epi16_mask(magnitude, _mm512_set1_epi16(infinite));
  const __m512i code = _mm512_mask_mov_epi16(finite, is_nan, _mm512_set1_epi16(0x7f));
  // code | (x >> 8 & sign)
  return _mm512_cvtepi16_epi8(
      _mm512_ternarylogic_epi32(code, _mm512_srli_epi16(x, 8), _mm512_set1_epi16(sign_of_code), 0xf8));
}

FP8_AVX512_INLINE __mmask32 first_of_step(std::size_t count) {
  return static_cast<__mmask32>((std::uint64_t{1} << count) - 1);
}

FP8_AVX512 void encode_avx512(const std::byte* data, std::size_t count, std::byte* codes) {
  std::size_t i = 0;
  for (; i + step <= count; i += step)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes + i),
                        codes_of_32(_mm512_loadu_si512(data + i * sizeof(Bf16))));
  if (i == count) return;
  const __mmask32 rest = first_of_step(count - i);
  _mm256_mask_storeu_epi8(codes + i, rest, codes_of_32(_mm512_maskz_loadu_epi16(rest, data + i * sizeof(Bf16))));
}

FP8_AVX512_INLINE __m512i numbers_of_32(__m256i codes) {
  const __m512i x = _mm512_cvtepu8_epi16(codes);
  const __m512i magnitude = _mm512_and_si512(x, _mm512_set1_epi16(0x7f));
  const __m512i normal = _mm512_add_epi16(_mm512_slli_epi16(magnitude, 4), _mm512_set1_epi16(exponent_offset));
  const __m512i small =
      _mm512_zextsi128_si512(_mm_setr_epi16(0, 0x3b00, 0x3b80, 0x3bc0, 0x3c00, 0x3c20, 0x3c40, 0x3c60));
  const __mmask32 is_small = _mm512_cmplt_epi16_mask(magnitude, _mm512_set1_epi16(8));
  const __mmask32 is_nan = _mm512_cmpeq_epi16_mask(magnitude, _mm512_set1_epi16(0x7f));
  const __m512i finite = _mm512_mask_permutexvar_epi16(normal, is_small, magnitude, small);
  const __m512i number = _mm512_mask_mov_epi16(finite, is_nan, _mm512_set1_epi16(not_a_number));
  return _mm512_ternarylogic_epi32(number, _mm512_slli_epi16(x, 8), _mm512_set1_epi16(sign_of_number), 0xf8);
}

FP8_AVX512 void decode_avx512(const std::byte* codes, std::size_t count, std::byte* data) {
  std::size_t i = 0;
  for (; i + step <= count; i += step)
    _mm512_storeu_si512(data + i * sizeof(Bf16),
                        numbers_of_32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i))));
  if (i == count) return;
  const __mmask32 rest = first_of_step(count - i);
  _mm512_mask_storeu_epi16(data + i * sizeof(Bf16), rest, numbers_of_32(_mm256_maskz_loadu_epi8(rest, codes + i)));
}

}  // namespace

extern const Fp8Kernels fp8_kernels_avx2;
const Fp8Kernels fp8_kernels_avx2{encode_avx2, decode_avx2};
extern const Fp8Kernels fp8_kernels_avx512;
const Fp8Kernels fp8_kernels_avx512{encode_avx512, decode_avx512};

}  // namespace kvantage::inline codecs
#endif
