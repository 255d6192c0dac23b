// Block layouts as in ggml-common.h. All sums and products are in fp32 and in the order of ggml's reference, so that
// results match its bits (tests/parity/make_gguf_goldens.py).
#include "core/model/gguf_blocks.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/model/kernels/packed.h"

namespace kvantage::inline model {
namespace {

using Bytes = const std::uint8_t*;

/// Little-endian.
float half_at(Bytes bytes) { return from_half(static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8)); }

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

/// Two-bit number `i` of `codes`, which hold 128 numbers in 32 bytes: 32 in each pair of bits, lowest first.
int two_bits(Bytes codes, std::size_t i) { return codes[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3; }

/// 16 bytes of scale and minimum, four bits each, for 16 numbers each; 64 bytes of quants; the two super-block scales.
struct Q2_K {
  static constexpr std::size_t bytes = 84, numbers = 256;
  static void widen(Bytes from, float* to) {
    const float whole = half_at(from + 80), whole_minimum = half_at(from + 82);
    for (std::size_t i = 0; i < numbers; ++i) {
      const float d = whole * low(from[i / 16]), m = whole_minimum * high(from[i / 16]);
      to[i] = d * static_cast<float>(two_bits(from + 16, i)) - m;
    }
  }
};

/// 32 bytes of third bits (0 there means 4 less), 64 bytes of the lower two, 16 scales of six bits in 12 bytes, the
/// super-block scale.
struct Q3_K {
  static constexpr std::size_t bytes = 110, numbers = 256;
  static void widen(Bytes from, float* to) {
    const float whole = half_at(from + 108);
    const Bytes scales = from + 96;
    for (std::size_t i = 0; i < numbers; ++i) {
      const std::size_t j = i / 16;
      const int four = j < 8 ? scales[j] & 15 : scales[j - 8] >> 4;
      const int scale = (four | (scales[8 + j % 4] >> (j / 4 * 2) & 3) << 4) - 32;
      const int code = two_bits(from + 32, i) - ((from[i % 32] >> (i / 32) & 1) != 0 ? 0 : 4);
      to[i] = whole * static_cast<float>(scale) * static_cast<float>(code);
    }
  }
};

/// The numbers that IQ4's four bits stand for.
constexpr std::array<float, 16> iq4_levels{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// 16 bytes of two codes each, in the order of Q4_0: times a scale, of a table.
void widen_levels(Bytes codes, float scale, const std::array<float, 16>& levels, float* to) {
  for (std::size_t i = 0; i < 16; ++i) {
    to[i] = scale * levels[codes[i] & 15];
    to[i + 16] = scale * levels[codes[i] >> 4];
  }
}

struct IQ4_NL {
  static constexpr std::size_t bytes = 18, numbers = 32;
  static void widen(Bytes from, float* to) { widen_levels(from + 2, half_at(from), iq4_levels, to); }
};

/// Super-block scale, eight scales of six bits (upper two, then lower four), 128 bytes of codes.
struct IQ4_XS {
  static constexpr std::size_t bytes = 136, numbers = 256;
  static void widen(Bytes from, float* to) {
    const float whole = half_at(from);
    const int upper = from[2] | from[3] << 8;
    for (std::size_t part = 0; part < 8; ++part) {
      const int four = from[4 + part / 2] >> (part % 2 * 4) & 15;
      const int scale = (four | (upper >> (2 * part) & 3) << 4) - 32;
      widen_levels(from + 8 + part * 16, whole * static_cast<float>(scale), iq4_levels, to + part * 32);
    }
  }
};

/// An exponent, then codes of E2M1 numbers (OCP Microscaling Formats 1.0). Twice each number is a whole one, so the
/// scale is half of what the exponent says.
struct MXFP4 {
  static constexpr std::size_t bytes = 17, numbers = 32;
  static void widen(Bytes from, float* to) {
    static constexpr std::array<float, 16> levels{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    const std::uint32_t exponent = from[0];
    const float scale = std::bit_cast<float>(exponent < 2 ? 0x00200000U << exponent : (exponent - 1) << 23);
    widen_levels(from + 1, scale, levels, to);
  }
};

constexpr char iq3_grid[] =
#include "core/model/gguf_iq3_grid.inc"
    ;
static_assert(sizeof(iq3_grid) == 512 * 4 + 1);

/// Super-block scale, 64 bytes and 8 bytes of ninth bits of indexes into a table of four magnitudes each, 32 bytes of
/// signs, eight scales of four bits.
struct IQ3_S {
  static constexpr std::size_t bytes = 110, numbers = 256;
  static void widen(Bytes from, float* to) {
    const float whole = half_at(from);
    const Bytes indexes = from + 2, ninth = from + 66, signs = from + 74, scales = from + 106;
    for (std::size_t i = 0; i < numbers; ++i) {
      const std::size_t group = i / 4;
      const std::size_t index = indexes[group] | static_cast<std::size_t>(ninth[group / 8] >> (group % 8) & 1) << 8;
      const float scale = whole * static_cast<float>(1 + 2 * (scales[i / 64] >> (i / 32 % 2 * 4) & 15));
      const float magnitude = scale * static_cast<float>(2 * (iq3_grid[index * 4 + i % 4] - '0') + 1);
      to[i] = (signs[i / 8] >> (i % 8) & 1) != 0 ? -magnitude : magnitude;
    }
  }
};

template <class Block>
void widen_all(std::span<const std::byte> bytes, std::span<float> numbers) {
  const auto* from = reinterpret_cast<Bytes>(bytes.data());
  for (std::size_t i = 0; (i + 1) * Block::bytes <= bytes.size() && (i + 1) * Block::numbers <= numbers.size(); ++i)
    Block::widen(from + i * Block::bytes, numbers.data() + i * Block::numbers);
}

constexpr std::array<std::pair<std::string_view, WidenBlocks>, 17> types{{
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
    {"Q2_K", widen_all<Q2_K>},
    {"Q3_K", widen_all<Q3_K>},
    {"IQ4_NL", widen_all<IQ4_NL>},
    {"IQ4_XS", widen_all<IQ4_XS>},
    {"IQ3_S", widen_all<IQ3_S>},
    {"MXFP4", widen_all<MXFP4>},
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
