// Tiles: codes of 32 columns (a piece) are in vectors of 64 bytes, four columns of each of 16 rows. Vector p of the
// first four has columns 8 p .. 8 p + 3 in the lower halves of its bytes and the next four in the upper halves. Fifth
// bits follow in one vector, bit s for columns 4 s .. 4 s + 3; fifth and sixth bits in two, of 16 columns each.
// Scales of a block: half-precision numbers of 16 rows, then those of pieces (scales_at).
#include "core/model/kernels/packed.h"

#include <array>
#include <cstring>

namespace kvantage::inline model_kernels {
namespace {

constexpr int piece_columns = 32;
using PieceCodes = std::array<unsigned, piece_columns>;

constexpr std::array<PackedForm, packed_types> packed_forms{{
    {"Q4_0", 32, 18, 16, 160},
    {"Q5_0", 32, 22, 20, 160},
    {"Q4_K", 256, 144, 128, 1104},
    {"Q6_K", 256, 210, 192, 1296},
}};

int upper_bits_of(PackedType type) { return type == PackedType::q5_0 ? 1 : type == PackedType::q6_k ? 2 : 0; }

unsigned byte_at(const std::byte* bytes, std::size_t at) { return std::to_integer<unsigned>(bytes[at]); }
std::byte to_byte(unsigned number) { return static_cast<std::byte>(number & 255U); }

/// Codes of one row in a piece: `at` is the row's first byte in the piece's first vector.
void write_piece(const PieceCodes& codes, int upper_bits, std::byte* at) {
  for (std::size_t pair = 0; pair < 4; ++pair)
    for (std::size_t j = 0; j < 4; ++j)
      at[pair * 64 + j] = to_byte((codes[8 * pair + j] & 15U) | (codes[8 * pair + 4 + j] & 15U) << 4);
  const std::size_t steps = upper_bits == 1 ? 8 : 4;  // in a vector of upper bits
  for (std::size_t vector = 0; upper_bits > 0 && vector * steps < 8; ++vector)
    for (std::size_t j = 0; j < 4; ++j) {
      unsigned bits = 0;
      for (std::size_t step = 0; step < steps; ++step)
        bits |= codes[4 * (vector * steps + step) + j] >> 4 << (step * static_cast<std::size_t>(upper_bits));
      at[256 + vector * 64 + j] = to_byte(bits);
    }
}

PieceCodes read_piece(const std::byte* at, int upper_bits) {
  PieceCodes codes{};
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const std::size_t step = c / 4, j = c % 4;
    codes[c] = byte_at(at, step / 2 * 64 + j) >> (step % 2 * 4) & 15U;
    if (upper_bits == 1) codes[c] |= (byte_at(at, 256 + j) >> step & 1U) << 4;
    if (upper_bits == 2) codes[c] |= (byte_at(at, 256 + step / 4 * 64 + j) >> (step % 4 * 2) & 3U) << 4;
  }
  return codes;
}

/// Four bits of each of 32 bytes.
PieceCodes lower_bits(const std::byte* codes, std::size_t shift) {
  PieceCodes result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = byte_at(codes, i) >> shift & 15U;
  return result;
}

/// Of the blocks as a file has them (gguf_blocks.cpp).
PieceCodes stored_codes(PackedType type, const std::byte* block, std::size_t piece) {
  if (type == PackedType::q4_k) return lower_bits(block + 16 + piece / 2 * 32, piece % 2 * 4);
  if (type == PackedType::q6_k) {
    const std::size_t half = piece / 4, part = piece % 4;
    PieceCodes codes = lower_bits(block + half * 64 + part % 2 * 32, part / 2 * 4);
    for (std::size_t i = 0; i < codes.size(); ++i)
      codes[i] |= (byte_at(block, 128 + half * 32 + i) >> (2 * part) & 3U) << 4;
    return codes;
  }
  const std::byte* const quants = block + (type == PackedType::q4_0 ? 2 : 6);
  PieceCodes codes{};
  for (std::size_t i = 0; i < 16; ++i) {
    codes[i] = byte_at(quants, i) & 15U;
    codes[i + 16] = byte_at(quants, i) >> 4;
  }
  for (std::size_t i = 0; type == PackedType::q5_0 && i < codes.size(); ++i)
    codes[i] |= (byte_at(block, 2 + i / 8) >> (i % 8) & 1U) << 4;
  return codes;
}

/// Scale and minimum of a piece of Q4_K, six bits each.
std::array<unsigned, 2> stored_scales(const std::byte* packed, std::size_t piece) {
  if (piece < 4) return {byte_at(packed, piece) & 63U, byte_at(packed, piece + 4) & 63U};
  return {(byte_at(packed, piece + 4) & 15U) | byte_at(packed, piece - 4) >> 6 << 4,
          byte_at(packed, piece + 4) >> 4 | byte_at(packed, piece) >> 6 << 4};
}

/// What a block has besides codes. lane: the row in its tile.
void write_scales(PackedType type, const std::byte* block, std::size_t lane, std::byte* scales) {
  if (type == PackedType::q6_k) {
    std::memcpy(scales + 2 * lane, block + 208, 2);
    for (std::size_t part = 0; part < 16; ++part) scales[32 + 16 * part + lane] = block[192 + part];
    return;
  }
  std::memcpy(scales + 2 * lane, block, 2);
  if (type != PackedType::q4_k) return;
  std::memcpy(scales + 32 + 2 * lane, block + 2, 2);
  for (std::size_t piece = 0; piece < 8; piece += 2) {
    const auto even = stored_scales(block + 4, piece), odd = stored_scales(block + 4, piece + 1);
    scales[64 + 16 * piece + lane] = to_byte((even[0] & 15U) | even[1] << 4);
    scales[64 + 16 * (piece + 1) + lane] = to_byte((odd[0] & 15U) | odd[1] << 4);
    scales[192 + 8 * piece + lane] = to_byte(even[0] >> 4 | even[1] >> 4 << 2 | odd[0] >> 4 << 4 | odd[1] >> 4 << 6);
  }
}

float half_of_bytes(const std::byte* bytes) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, 2);
  return from_half(bits);
}

/// The numbers of a piece, in the arithmetic of ggml's reference.
void unpack_piece(PackedType type, const PieceCodes& codes, const std::byte* scales, std::size_t lane,
                  std::size_t piece, float* numbers) {
  const float whole = half_of_bytes(scales + 2 * lane);
  const auto number = [&](std::size_t i) { return static_cast<float>(codes[i]); };
  if (type == PackedType::q4_0 || type == PackedType::q5_0) {
    const float middle = type == PackedType::q4_0 ? 8 : 16;
    for (std::size_t i = 0; i < codes.size(); ++i) numbers[i] = whole * (number(i) - middle);
  } else if (type == PackedType::q4_k) {
    const unsigned lower = byte_at(scales, 64 + 16 * piece + lane),
                   upper = byte_at(scales, 192 + piece / 2 * 16 + lane) >> (piece % 2 * 4);
    const float d = whole * static_cast<float>((lower & 15U) | (upper & 3U) << 4),
                m = half_of_bytes(scales + 32 + 2 * lane) * static_cast<float>(lower >> 4 | (upper >> 2 & 3U) << 4);
    for (std::size_t i = 0; i < codes.size(); ++i) numbers[i] = d * number(i) - m;
  } else {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto part = static_cast<std::int8_t>(byte_at(scales, 32 + 16 * (2 * piece + i / 16) + lane));
      numbers[i] = whole * static_cast<float>(part) * (number(i) - 32);
    }
  }
}

/// A row in its tile.
struct RowInTile {
  std::size_t tile, lane, codes_of_block, scales_of_block, scales_of_tile;

  RowInTile(PackedType type, int columns, int row) {
    const PackedForm& form = packed_form(type);
    const auto blocks = static_cast<std::size_t>(columns / form.columns);
    tile = static_cast<std::size_t>(row / packed_tile) * packed_tile_bytes(type, columns);
    lane = static_cast<std::size_t>(row % packed_tile);
    codes_of_block = static_cast<std::size_t>(form.code_bytes * packed_tile);
    scales_of_block = static_cast<std::size_t>((form.bytes - form.code_bytes) * packed_tile);
    scales_of_tile = blocks * codes_of_block;
  }
  std::size_t codes_at(std::size_t block, std::size_t piece, std::size_t pieces) const {
    return tile + block * codes_of_block + piece * (codes_of_block / pieces) + lane * 4;
  }
  std::size_t scales_at(std::size_t block) const { return tile + scales_of_tile + block * scales_of_block; }
};

}  // namespace

const PackedForm& packed_form(PackedType type) { return packed_forms[static_cast<std::size_t>(type)]; }

std::optional<PackedType> packed_type(std::string_view name, std::int64_t columns) {
  for (std::size_t i = 0; i < packed_forms.size(); ++i)
    if (name == packed_forms[i].name && columns > 0 && columns % packed_forms[i].columns == 0)
      return static_cast<PackedType>(i);
  return std::nullopt;
}

std::size_t packed_tile_bytes(PackedType type, int columns) {
  const PackedForm& form = packed_form(type);
  const auto bytes =
      static_cast<std::size_t>(columns / form.columns) * static_cast<std::size_t>(form.bytes * packed_tile);
  return (bytes + 63) / 64 * 64;
}

std::size_t packed_bytes(PackedType type, std::int64_t rows, int columns) {
  return static_cast<std::size_t>((rows + packed_tile - 1) / packed_tile) * packed_tile_bytes(type, columns);
}

void pack_row(PackedType type, int columns, std::span<const std::byte> blocks, int row, std::byte* tiles) {
  const PackedForm& form = packed_form(type);
  const RowInTile at(type, columns, row);
  const auto block_bytes = static_cast<std::size_t>(form.bytes),
             pieces = static_cast<std::size_t>(form.columns / piece_columns);
  for (std::size_t block = 0; (block + 1) * block_bytes <= blocks.size(); ++block) {
    const std::byte* const stored = blocks.data() + block * block_bytes;
    for (std::size_t piece = 0; piece < pieces; ++piece)
      write_piece(stored_codes(type, stored, piece), upper_bits_of(type), tiles + at.codes_at(block, piece, pieces));
    write_scales(type, stored, at.lane, tiles + at.scales_at(block));
  }
}

void unpack_row(const PackedMatrix& matrix, int row, float* numbers) {
  const PackedForm& form = packed_form(matrix.type);
  const RowInTile at(matrix.type, matrix.columns, row);
  const auto blocks = static_cast<std::size_t>(matrix.columns / form.columns),
             pieces = static_cast<std::size_t>(form.columns / piece_columns);
  for (std::size_t block = 0; block < blocks; ++block)
    for (std::size_t piece = 0; piece < pieces; ++piece, numbers += piece_columns)
      unpack_piece(matrix.type,
                   read_piece(matrix.tiles + at.codes_at(block, piece, pieces), upper_bits_of(matrix.type)),
                   matrix.tiles + at.scales_at(block), at.lane, piece, numbers);
}

std::size_t packed_input_bytes(PackedType type, int columns, int tokens) {
  const PackedForm& form = packed_form(type);
  return static_cast<std::size_t>((tokens + packed_panel - 1) / packed_panel) *
         static_cast<std::size_t>(columns / form.columns) * static_cast<std::size_t>(form.panel_bytes);
}

}  // namespace kvantage::inline model_kernels
