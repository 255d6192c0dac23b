// fp8 rows (e4m3: no infinities, maximum 448), one byte per element and no scale, byte-identical to
// core/kv/codecs/fp8.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// Encodes bf16 rows[i] to codes[i], i < count: to nearest, ties to even, saturating at 448, NaN stays NaN. Both
/// aligned to 16 bytes. The encoding has no shape: the concatenated rows of all heads are one call.
Status launch_fp8_encode(const std::uint16_t* rows, std::size_t count, std::uint8_t* codes, Stream stream);
/// Decodes exactly: every e4m3 number is a bf16 number.
Status launch_fp8_decode(const std::uint8_t* codes, std::size_t count, std::uint16_t* rows, Stream stream);

/// Reference on host memory.
void fp8_encode_reference(const std::uint16_t* rows, std::size_t count, std::uint8_t* codes);
void fp8_decode_reference(const std::uint8_t* codes, std::size_t count, std::uint16_t* rows);

}  // namespace kvantage::gpu
