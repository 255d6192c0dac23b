// Numbers as ggml stores them: 32 or 256 of a row share a block of scales and small codes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kvantage {

/// Widens whole blocks to fp32, bit for bit as ggml's reference does. `bytes` needs no alignment; `numbers` has as many
/// places as the blocks in `bytes` hold.
using WidenBlocks = void (*)(std::span<const std::byte> bytes, std::span<float> numbers);

/// For a type by ggml's name ("F16", "Q4_K"); nullptr for a type that is not computed with.
WidenBlocks widen_blocks(std::string_view type);
/// "F32, F16, BF16, Q8_0, ...": for messages.
std::string widened_types();

}  // namespace kvantage
