// Products with weights of 4 to 6 bits as GGUF files pack them: blocks of 32 or 256 columns of a row share scales.
// They stay packed in memory, rearranged into tiles of 16 rows, and are unpacked in registers. Inputs are rounded to 8
// bits with a scale per block, as ggml rounds them (Q8_0 beside Q4_0 and Q5_0, Q8_K beside Q4_K and Q6_K): products
// within a block are exact integer sums. Blocks are added in order, so an output depends only on its row of weights and
// on its input, neither on the number of inputs nor on the split over threads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/model/kernels/kernels.h"

namespace kvantage::inline model_kernels {

enum class PackedType { q4_0, q5_0, q4_k, q6_k };
inline constexpr std::size_t packed_types = 4;

struct PackedForm {
  const char* name;  // ggml's
  int columns;       // of a block
  int bytes;         // of a row's block
  int code_bytes;    // of these, the quantized numbers; the others are scales
  int panel_bytes;   // of a block's columns of packed_panel inputs, rounded
};

inline constexpr int packed_tile = 16;  // rows
inline constexpr int packed_panel = 4;  // inputs

const PackedForm& packed_form(PackedType type);
/// By ggml's type name; nothing for another type, or for rows that are not whole blocks.
std::optional<PackedType> packed_type(std::string_view name, std::int64_t columns);

/// A matrix in tiles: the quantized numbers of all its blocks, then the scales of all (packed.cpp).
struct PackedMatrix {
  PackedType type = PackedType::q4_0;
  int rows = 0;
  int columns = 0;
  const std::byte* tiles = nullptr;  // packed_bytes() long, aligned to 64
};
std::size_t packed_tile_bytes(PackedType type, int columns);
std::size_t packed_bytes(PackedType type, std::int64_t rows, int columns);
/// Writes a row into the tiles of a matrix; blocks: as the file has them. Any thread, also for rows of the same tile.
/// Rows of the last tile that the matrix lacks are never written: zero that tile first.
void pack_row(PackedType type, int columns, std::span<const std::byte> blocks, int row, std::byte* tiles);
/// The numbers [columns] of a row, bit for bit like widen_blocks() of what was packed.
void unpack_row(const PackedMatrix& matrix, int row, float* numbers);

/// Bytes of `tokens` rounded inputs, in panels.
std::size_t packed_input_bytes(PackedType type, int columns, int tokens);

/// Rounds the inputs [first, last) to 8 bits per block; first is a multiple of packed_panel. A number that is not
/// finite makes its block's scale NaN, so that it shows in every product.
struct PackedInput {
  PackedType type = PackedType::q4_0;
  int columns = 0;
  const void* input = nullptr;  // [tokens, stride]
  Element element = Element::fp32;
  std::ptrdiff_t stride = 0;
  int first = 0;
  int last = 0;
  std::byte* panels = nullptr;  // of all inputs
};

/// output[t, r] = bias[r] + weight row r . input t, for the rows of the tiles [first_tile, last_tile).
struct PackedProduct {
  PackedMatrix matrix;
  int first_tile = 0;
  int last_tile = 0;
  const std::byte* panels = nullptr;  // rounded for the matrix's type
  int tokens = 0;
  const float* bias = nullptr;  // [rows] or null
  void* output = nullptr;       // [tokens, output_stride]
  std::ptrdiff_t output_stride = 0;
  Element element = Element::fp32;  // of output
};

struct PackedKernels {
  void (*round_inputs)(const PackedInput& job);
  void (*multiply)(const PackedProduct& job);
};

/// The table of one instruction set, which this CPU must support.
const PackedKernels& packed_kernels(Isa isa);

/// IEEE half precision.
inline float from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 31U, fraction = bits & 0x3FFU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float tiny = static_cast<float>(fraction) * 0x1p-24F;  // subnormal, or zero
  return sign != 0 ? -tiny : tiny;
}
/// The nearest number of half precision, ties to even; numbers beyond its range stay as they are. 0 or positive, or
/// NaN.
inline float rounded_to_half(float number) {
  if (!(number < 65520.0F)) return number;
  if (number < 0x1p-14F) return (number + 0.5F) - 0.5F;  // steps of 2^-24
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return std::bit_cast<float>((bits + 0xFFFU + (bits >> 13 & 1U)) & ~0x1FFFU);
}

}  // namespace kvantage::inline model_kernels
