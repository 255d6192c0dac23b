// KIVI's arithmetic on blocks of rows, one table per instruction set; all tables give identical bytes.
//
// Every kernel works on `rows` rows of `head_dim` bf16 elements, unaligned. A "range" is the minimum and maximum of a
// group; a "step" is (maximum - minimum) / (2^bits - 1). Quantized values of a row are packed little end first; each
// row starts at a byte boundary.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/kernels/isa.h"

namespace kvantage::inline codecs {

/// Rows with one group pattern. Keys: groups are columns, `rows` is at most one group of tokens. Values: groups are
/// within a row, `group` channels each, the last may be shorter.
struct KiviBlock {
  int rows = 0;
  int head_dim = 0;
  int bits = 0;   // 8, 4 or 2
  int group = 0;  // channels that share a step; 0: one step per channel for all rows of the block

  std::size_t groups_per_row() const {
    return static_cast<std::size_t>(group == 0 ? head_dim : (head_dim + group - 1) / group);
  }
  /// Ranges and steps of the block.
  std::size_t groups() const { return groups_per_row() * static_cast<std::size_t>(group == 0 ? 1 : rows); }
  std::size_t row_code_bytes() const { return (static_cast<std::size_t>(head_dim * bits) + 7) / 8; }
};

struct KiviKernels {
  /// low, high: [block.groups()]. NaN counts as 0; values beyond fp16 count as its largest number. True only when the
  /// block has no such elements; false is inconclusive.
  bool (*ranges)(const KiviBlock& block, const std::byte* data, float* low, float* high);
  /// scales, lows: fp16 [count], unaligned. Overwrites low with the minimum as decoded, and high with the reciprocal of
  /// the step as decoded, or 0 for a constant group.
  void (*parameters)(std::size_t count, int bits, float* low, float* high, std::byte* scales, std::byte* lows);
  /// codes: [rows, row_code_bytes()]; sane: the result of ranges(); inverse_step as left by parameters().
  void (*quantize)(const KiviBlock& block, bool sane, const std::byte* data, const float* low,
                   const float* inverse_step, std::byte* codes);
  /// data = code * step + low, rounded to bf16; step, low: [block.groups()].
  void (*dequantize)(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                     std::byte* data);
  /// fp16 to fp32; false if one is not finite.
  bool (*widen)(std::size_t count, const std::byte* half, float* out);
};

/// The table for rows in bf16 or fp32.
const KiviKernels& kivi_kernels(bool is_bf16, Isa isa);

}  // namespace kvantage::inline codecs
