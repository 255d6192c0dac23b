// Rows in fp8 (e4m3: no infinities, largest 448), one byte an element and no scale, byte for byte as
// core/kv/codecs/fp8.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// codes[i] of bf16 rows[i], i < count: to nearest, ties to even, what is larger than 448 becomes 448, NaN stays NaN.
/// Both aligned to 16 bytes, for an encoding has no shape of its own: the rows of all heads, one behind the other, are
/// one call.
Status launch_fp8_encode(const std::uint16_t* rows, std::size_t count, std::uint8_t* codes, Stream stream);
/// The way back, which is exact: every e4m3 number is a bf16 number.
Status launch_fp8_decode(const std::uint8_t* codes, std::size_t count, std::uint16_t* rows, Stream stream);

/// The same on host memory.
void fp8_encode_twin(const std::uint16_t* rows, std::size_t count, std::uint8_t* codes);
void fp8_decode_twin(const std::uint8_t* codes, std::size_t count, std::uint16_t* rows);

}  // namespace kvantage::gpu
