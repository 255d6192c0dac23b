// Blocks of 4 to 6 bits as ggml defines them, in plain loops written after ggml-quants.c (dequantize_row_*,
// quantize_row_q8_0_ref, quantize_row_q8_K_ref): what kernels/packed.h is held against.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "core/model/kernels/packed.h"

namespace kvantage::test {

inline constexpr std::array packed_all{PackedType::q4_0, PackedType::q5_0, PackedType::q4_k, PackedType::q6_k};

/// Half precision by powers of two, another way than the runtime's.
inline double half_value(const std::byte* at) {
  const unsigned bits = std::to_integer<unsigned>(at[0]) | std::to_integer<unsigned>(at[1]) << 8;
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const double fraction = bits & 1023U,
               size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000U) != 0 ? -size : size;
}

/// Random blocks of `rows` rows; scales of half precision around 2^-8 of either sign.
inline std::vector<std::byte> drawn_blocks(PackedType type, int rows, int columns, unsigned seed) {
  const PackedForm& form = packed_form(type);
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows * (columns / form.columns) * form.bytes));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255U);
  const auto size = static_cast<std::size_t>(form.bytes);
  for (std::size_t block = 0; block < bytes.size(); block += size)
    for (const std::size_t at : {std::size_t{type == PackedType::q6_k ? 208U : 0U}, std::size_t{2}}) {
      if (at == 2 && type != PackedType::q4_k) continue;
      const auto half = static_cast<std::uint16_t>(0x1c00U + (random() & 0x83ffU));
      std::memcpy(&bytes[block + at], &half, 2);
    }
  return bytes;
}

/// The numbers of a row in double precision.
inline std::vector<double> plain_row(PackedType type, std::span<const std::byte> blocks) {
  const PackedForm& form = packed_form(type);
  std::vector<double> numbers;
  const auto byte = [&](std::size_t at) { return std::to_integer<int>(blocks[at]); };
  for (std::size_t b = 0; b < blocks.size(); b += static_cast<std::size_t>(form.bytes)) {
    const std::byte* const block = &blocks[b];
    for (std::size_t n = 0; n < static_cast<std::size_t>(form.columns); ++n) {
      if (type == PackedType::q4_0 || type == PackedType::q5_0) {
        const std::size_t codes = b + (type == PackedType::q4_0 ? 2 : 6);
        int code = n < 16 ? byte(codes + n) & 15 : byte(codes + n - 16) >> 4;
        if (type == PackedType::q5_0 && (byte(b + 2 + n / 8) >> (n % 8) & 1) != 0) code += 16;
        numbers.push_back(half_value(block) * (code - (type == PackedType::q4_0 ? 8 : 16)));
      } else if (type == PackedType::q4_k) {  // get_scale_min_k4
        const std::size_t j = n / 32, s = b + 4;
        const int scale = j < 4 ? byte(s + j) & 63 : (byte(s + j + 4) & 15) | (byte(s + j - 4) >> 6 << 4),
                  minimum = j < 4 ? byte(s + j + 4) & 63 : (byte(s + j + 4) >> 4) | (byte(s + j) >> 6 << 4);
        const int pair = byte(b + 16 + n / 64 * 32 + n % 32), code = n % 64 < 32 ? pair & 15 : pair >> 4;
        numbers.push_back(half_value(block) * scale * code - half_value(block + 2) * minimum);
      } else {
        const std::size_t half = n / 128, l = n % 32, quarter = n % 128 / 32;
        const int lower = byte(b + half * 64 + l + (quarter % 2) * 32), upper = byte(b + 128 + half * 32 + l);
        const int code = ((quarter < 2 ? lower & 15 : lower >> 4) | (upper >> (2 * quarter) & 3) << 4) - 32;
        const auto scale = static_cast<signed char>(byte(b + 192 + half * 8 + l / 16 + 2 * quarter));
        numbers.push_back(half_value(block + 208) * scale * code);
      }
    }
  }
  return numbers;
}

/// The nearest number of half precision, by its step.
inline double nearest_half(double number) {
  if (number == 0) return 0;
  const double step = std::ldexp(1.0, std::max(std::ilogb(number), -14) - 10);
  return std::nearbyint(number / step) * step;
}

/// What an input counts as, rounded to 8 bits beside a matrix of this type.
inline std::vector<double> plain_rounded(PackedType type, std::span<const float> input) {
  const auto size = static_cast<std::size_t>(packed_form(type).columns);
  std::vector<double> numbers;
  for (std::size_t b = 0; b < input.size(); b += size) {
    float largest = 0;
    for (const float x : input.subspan(b, size)) largest = std::max(largest, std::abs(x));
    const float inverse = largest > 0 ? 127.0F / largest : 0;
    const double scale = largest == 0 ? 0
                         : size == 32 ? nearest_half(static_cast<double>(largest / 127.0F))
                                      : static_cast<double>(1.0F / inverse);
    for (const float x : input.subspan(b, size))
      numbers.push_back(scale * static_cast<double>(std::nearbyint(x * inverse)));
  }
  return numbers;
}

/// A matrix packed from drawn blocks, with its numbers.
struct DrawnMatrix {
  std::vector<std::byte> stored, memory;
  PackedMatrix matrix;
  std::vector<std::vector<double>> numbers;  // [rows][columns]

  DrawnMatrix(PackedType type, int rows, int columns, unsigned seed) : stored(drawn_blocks(type, rows, columns, seed)) {
    memory.resize(packed_bytes(type, rows, columns) + 64);
    const auto start = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
    auto* const tiles = reinterpret_cast<std::byte*>(start);
    for (int row = 0; row < rows; ++row) {
      numbers.push_back(plain_row(type, blocks(row, rows)));
      pack_row(type, columns, blocks(row, rows), row, tiles);
    }
    matrix = {type, rows, columns, tiles};
  }
  std::span<const std::byte> blocks(int row, int rows) const {
    const std::size_t bytes = stored.size() / static_cast<std::size_t>(rows);
    return std::span(stored).subspan(static_cast<std::size_t>(row) * bytes, bytes);
  }
};

}  // namespace kvantage::test
