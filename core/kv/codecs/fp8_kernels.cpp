#include "core/kv/codecs/fp8_kernels.h"

#include <array>

#include "core/kv/codecs/e4m3.h"

namespace kvantage::inline codecs {

#if defined(__x86_64__)
extern const Fp8Kernels fp8_kernels_avx2;
extern const Fp8Kernels fp8_kernels_avx512;
#endif

namespace {

/// e4m3's numbers are exact in bf16: the upper halves of the floats.
constexpr std::array<std::uint16_t, 256> e4m3_as_bf16 = [] {
  std::array<std::uint16_t, 256> numbers{};
  for (std::size_t code = 0; code < numbers.size(); ++code)
    numbers[code] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(e4m3_values[code]) >> 16);
  return numbers;
}();

// Written once; the compiler vectorizes encoding for each instruction set.
template <class T>
__attribute__((always_inline)) inline void encode_plain(const std::byte* __restrict data, std::size_t count,
                                                        std::byte* __restrict codes) {
  for (std::size_t i = 0; i < count; ++i) codes[i] = std::byte{to_e4m3(load_element<T>(data, i))};
}

template <class T>
void encode(const std::byte* data, std::size_t count, std::byte* codes) {
  encode_plain<T>(data, count, codes);
}

void decode_bf16(const std::byte* __restrict codes, std::size_t count, std::byte* __restrict data) {
  for (std::size_t i = 0; i < count; ++i)
    store_u16(data + i * sizeof(Bf16), e4m3_as_bf16[static_cast<std::size_t>(codes[i])]);
}

void decode_fp32(const std::byte* __restrict codes, std::size_t count, std::byte* __restrict data) {
  for (std::size_t i = 0; i < count; ++i)
    store_element<float>(data, i, e4m3_values[static_cast<std::size_t>(codes[i])]);
}

constexpr Fp8Kernels portable_bf16{encode<Bf16>, decode_bf16};
constexpr Fp8Kernels portable_fp32{encode<float>, decode_fp32};

#if defined(__x86_64__)
__attribute__((target("avx2"))) void encode_fp32_avx2(const std::byte* data, std::size_t count, std::byte* codes) {
  encode_plain<float>(data, count, codes);
}
constexpr Fp8Kernels avx2_fp32{encode_fp32_avx2, decode_fp32};
#endif

}  // namespace

const Fp8Kernels& fp8_kernels(bool is_bf16, Isa isa) {
#if defined(__x86_64__)
  if (isa >= Isa::avx512 && is_bf16) return fp8_kernels_avx512;
  if (isa >= Isa::avx2) return is_bf16 ? fp8_kernels_avx2 : avx2_fp32;
#endif
  static_cast<void>(isa);
  return is_bf16 ? portable_bf16 : portable_fp32;
}

}  // namespace kvantage::inline codecs
