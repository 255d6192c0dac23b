// Block layouts as in ggml-common.h. All sums and products are in fp32 and in the order of ggml's reference, so that
// results match its bits (tests/parity/make_gguf_goldens.py).
#include "core/model/gguf_blocks.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace kvantage::inline model {
namespace {

using Bytes = const std::uint8_t*;

/// IEEE half precision, little-endian.
float half_at(Bytes bytes) {
  const std::uint32_t bits = bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8;
  const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 31U, fraction = bits & 0x3FFU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float tiny = static_cast<float>(fraction) * 0x1p-24F;  // subnormal, or zero
  return sign != 0 ? -tiny : tiny;
}

float low(std::uint8_t byte) { return static_cast<float>(byte & 15); }
float high(std::uint8_t byte) { return static_cast<float>(byte >> 4); }

struct F32 {
  static constexpr std::size_t bytes = 4, numbers = 1;
  static void widen(Bytes from, float* to) { std::memcpy(to, from, 4); }
};

struct F16 {
  static constexpr std::size_t bytes = 2, numbers = 1;
  static void widen(Bytes from, float* to) { *to = half_at(from); }
};

struct Bf16Number {
  static constexpr std::size_t bytes = 2, numbers = 1;
  static void widen(Bytes from, float* to) {
    *to = std::bit_cast<float>(static_cast<std::uint32_t>(from[0]) << 16 | static_cast<std::uint32_t>(from[1]) << 24);
  }
};

/// Scale, then 32 8-bit quants.
struct Q8_0 {
  static constexpr std::size_t bytes = 34, numbers = 32;
  static void widen(Bytes from, float* to) {
    const float scale = half_at(from);
    for (std::size_t i = 0; i < 32; ++i) to[i] = scale * static_cast<float>(static_cast<std::int8_t>(from[2 + i]));
  }
};

/// Scale, then 16 bytes of two quants each: number i in the low nibble, number i + 16 in the high one.
struct Q4_0 {
  static constexpr std::size_t bytes = 18, numbers = 32;
  static void widen(Bytes from, float* to) {
    const float scale = half_at(from);
    for (std::size_t i = 0; i < 16; ++i) {
      to[i] = scale * (low(from[2 + i]) - 8);
      to[i + 16] = scale * (high(from[2 + i]) - 8);
    }
  }
};

/// Scale and minimum, then quants as in Q4_0.
struct Q4_1 {
  static constexpr std::size_t bytes = 20, numbers = 32;
  static void widen(Bytes from, float* to) {
    const float scale = half_at(from), minimum = half_at(from + 2);
    for (std::size_t i = 0; i < 16; ++i) {
      to[i] = scale * low(from[4 + i]) + minimum;
      to[i + 16] = scale * high(from[4 + i]) + minimum;
    }
  }
};

/// The fifth bits of 32 quants are in four separate bytes.
float fifth_bit(Bytes bits, std::size_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0 ? 16.0F : 0.0F; }

struct Q5_0 {
  static constexpr std::size_t bytes = 22, numbers = 32;
  static void widen(Bytes from, float* to) {
    const float scale = half_at(from);
    for (std::size_t i = 0; i < 16; ++i) {
      to[i] = scale * (low(from[6 + i]) + fifth_bit(from + 2, i) - 16);
      to[i + 16] = scale * (high(from[6 + i]) + fifth_bit(from + 2, i + 16) - 16);
    }
  }
};

struct Q5_1 {
  static constexpr std::size_t bytes = 24, numbers = 32;
  static void widen(Bytes from, float* to) {
    const float scale = half_at(from), minimum = half_at(from + 2);
    for (std::size_t i = 0; i < 16; ++i) {
      to[i] = scale * (low(from[8 + i]) + fifth_bit(from + 4, i)) + minimum;
      to[i + 16] = scale * (high(from[8 + i]) + fifth_bit(from + 4, i + 16)) + minimum;
    }
  }
};

/// Scale and minimum of part j out of eight, six bits each, packed in twelve bytes.
std::pair<float, float> scale_and_minimum(Bytes packed, std::size_t j) {
  if (j < 4) return {static_cast<float>(packed[j] & 63), static_cast<float>(packed[j + 4] & 63)};
  return {static_cast<float>((packed[j + 4] & 15) | (packed[j - 4] >> 6 << 4)),
          static_cast<float>((packed[j + 4] >> 4) | (packed[j] >> 6 << 4))};
}

/// 256 numbers in eight parts: two super-block scales, twelve bytes of part scales, 128 bytes of quants; 32 bytes of
/// quants hold part 2k in the low nibbles and part 2k + 1 in the high ones.
struct Q4_K {
  static constexpr std::size_t bytes = 144, numbers = 256;
  static void widen(Bytes from, float* to) {
    const float whole = half_at(from), whole_minimum = half_at(from + 2);
    for (std::size_t part = 0; part < 8; ++part) {
      const auto [scale, minimum] = scale_and_minimum(from + 4, part);
      const float d = whole * scale, m = whole_minimum * minimum;
      const Bytes codes = from + 16 + part / 2 * 32;
      for (std::size_t i = 0; i < 32; ++i) to[part * 32 + i] = d * (part % 2 == 0 ? low(codes[i]) : high(codes[i])) - m;
    }
  }
};

/// As Q4_K, with 32 bytes before the quants: bit j of byte i is the fifth bit of number i of part j.
struct Q5_K {
  static constexpr std::size_t bytes = 176, numbers = 256;
  static void widen(Bytes from, float* to) {
    const float whole = half_at(from), whole_minimum = half_at(from + 2);
    for (std::size_t part = 0; part < 8; ++part) {
      const auto [scale, minimum] = scale_and_minimum(from + 4, part);
      const float d = whole * scale, m = whole_minimum * minimum;
      const Bytes fifth = from + 16, codes = from + 48 + part / 2 * 32;
      for (std::size_t i = 0; i < 32; ++i) {
        const float code =
            (part % 2 == 0 ? low(codes[i]) : high(codes[i])) + ((fifth[i] >> part & 1) != 0 ? 16.0F : 0.0F);
        to[part * 32 + i] = d * code - m;
      }
    }
  }
};

/// 128 bytes of the lower four bits, 64 bytes of the upper two, 16 8-bit scales for 16 numbers each, the super-block
/// scale. Each half of the numbers is in four parts of 32: lower bits of parts 0 and 2 share bytes, as do those of 1
/// and 3.
struct Q6_K {
  static constexpr std::size_t bytes = 210, numbers = 256;
  static void widen(Bytes from, float* to) {
    const float whole = half_at(from + 208);
    for (std::size_t half = 0; half < 2; ++half) {
      const Bytes lower = from + half * 64, upper = from + 128 + half * 32, scales = from + 192 + half * 8;
      for (std::size_t part = 0; part < 4; ++part) {
        for (std::size_t i = 0; i < 32; ++i) {
          const std::uint8_t four = lower[part % 2 * 32 + i];
          const int code = (part < 2 ? four & 15 : four >> 4) | (upper[i] >> (2 * part) & 3) << 4;
          const float scale = whole * static_cast<float>(static_cast<std::int8_t>(scales[part * 2 + i / 16]));
          to[half * 128 + part * 32 + i] = scale * static_cast<float>(code - 32);
        }
      }
    }
  }
};

template <class Block>
void widen_all(std::span<const std::byte> bytes, std::span<float> numbers) {
  const auto* from = reinterpret_cast<Bytes>(bytes.data());
  for (std::size_t i = 0; (i + 1) * Block::bytes <= bytes.size() && (i + 1) * Block::numbers <= numbers.size(); ++i)
    Block::widen(from + i * Block::bytes, numbers.data() + i * Block::numbers);
}

constexpr std::array<std::pair<std::string_view, WidenBlocks>, 11> types{{
    {"F32", widen_all<F32>},
    {"F16", widen_all<F16>},
    {"BF16", widen_all<Bf16Number>},
    {"Q8_0", widen_all<Q8_0>},
    {"Q4_0", widen_all<Q4_0>},
    {"Q4_1", widen_all<Q4_1>},
    {"Q5_0", widen_all<Q5_0>},
    {"Q5_1", widen_all<Q5_1>},
    {"Q4_K", widen_all<Q4_K>},
    {"Q5_K", widen_all<Q5_K>},
    {"Q6_K", widen_all<Q6_K>},
}};

}  // namespace

WidenBlocks widen_blocks(std::string_view type) {
  for (const auto& [name, widen] : types)
    if (name == type) return widen;
  return nullptr;
}

std::string widened_types() {
  std::string list;
  for (const auto& [name, widen] : types) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

}  // namespace kvantage::inline model
