// ggml's quantized storage: blocks of 32 or 256 numbers of a row share scales and small integers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kvantage::inline model {

/// Dequantizes whole blocks to fp32, bit for bit like ggml's reference. `bytes` may be unaligned; `numbers` has exactly
/// the number of elements in `bytes`.
using WidenBlocks = void (*)(std::span<const std::byte> bytes, std::span<float> numbers);

/// By ggml's type name ("F16", "Q4_K"); nullptr for an unsupported type.
WidenBlocks widen_blocks(std::string_view type);
/// "F32, F16, BF16, Q8_0, ...": for messages.
std::string widened_types();

}  // namespace kvantage::inline model
