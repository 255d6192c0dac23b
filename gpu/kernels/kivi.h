// KIVI (arXiv 2402.02750) on ragged heads, byte-identical to core/kv/codecs/kivi.cpp: keys quantized per channel over
// groups of consecutive kept tokens, values per token over groups of channels, the newest rows unquantized. Scale and
// minimum of a group are fp16, the minimum rounded down.
#pragma once

#include "gpu/kernels/device.h"
#include "gpu/kernels/head_rows.h"

namespace kvantage::gpu {

struct KiviForm {
  int bits = 4;        // 8, 4 or 2
  int residual = 128;  // R: keys leave their newest (count mod R) rows unquantized, values the newest R; 0: all are
                       // quantized
  int group = 32;      // tokens (keys) or channels (values) that share a scale and a minimum
  int head_dim = 0;
  bool keys = true;
};

/// Layout of one head's encoding, in bytes from its start: scales [groups], minima [groups], quantized values
/// [quantized rows, row_codes], newest rows. Keys: group (token / group, channel); values: group (token, channel /
/// group). Quantized values of a row are packed little end first.
struct KiviLayout {
  std::size_t quantized = 0;  // rows
  std::size_t groups = 0;
  std::size_t row_codes = 0;  // bytes
  std::size_t row = 0;        // bytes before encoding
  std::size_t newest = 0;     // rows

  __host__ __device__ std::size_t minima() const { return groups * 2; }
  __host__ __device__ std::size_t codes() const { return groups * 4; }
  __host__ __device__ std::size_t as_held() const { return codes() + quantized * row_codes; }
  __host__ __device__ std::size_t bytes() const { return as_held() + newest * row; }
};

__host__ __device__ inline KiviLayout kivi_layout(const KiviForm& form, int count) {
  const int left = form.residual == 0      ? 0
                   : form.keys             ? count % form.residual
                   : count < form.residual ? count
                                           : form.residual;
  const auto head_dim = static_cast<std::size_t>(form.head_dim), group = static_cast<std::size_t>(form.group);
  KiviLayout at;
  at.newest = static_cast<std::size_t>(left);
  at.quantized = static_cast<std::size_t>(count - left);
  at.groups =
      form.keys ? (at.quantized + group - 1) / group * head_dim : at.quantized * ((head_dim + group - 1) / group);
  at.row_codes = (head_dim * static_cast<std::size_t>(form.bits) + 7) / 8;
  at.row = head_dim * sizeof(std::uint16_t);
  return at;
}

/// The heads of a launch; device addresses.
struct KiviHeads {
  int heads = 0;
  int max_rows = 0;                         // maximum over all heads
  const std::int32_t* counts = nullptr;     // [heads]: rows
  const std::size_t* first_byte = nullptr;  // [heads]: start of a head's encoding; multiples of 16
};

/// rejected_input if kernels do not support the form: they require head dimensions in multiples of 16 up to 256, for
/// values groups of 8 times a power of 2 that divide the row, for keys groups that fit in 48 KiB. The CPU codec handles
/// the others.
Status kivi_fits(const KiviForm& form);

/// Writes kivi_layout(form, counts[h]).bytes() bytes of head h's rows to encoded + first_byte[h]. encoded is aligned to
/// 16 bytes. rejected_input as above.
Status launch_kivi_encode(const KiviForm& form, const HeadRows& rows, const KiviHeads& heads, unsigned char* encoded,
                          Stream stream);
/// Decodes, gathered or directly into blocks. *corrupt, on the device, is set to 1 if a scale or minimum is not finite,
/// and unchanged otherwise; rows are then unspecified.
Status launch_kivi_decode(const KiviForm& form, const KiviHeads& heads, const unsigned char* encoded,
                          const HeadRows& rows, std::int32_t* corrupt, Stream stream);

/// One head on host memory, any form: rows [count, head_dim], encoded of kivi_layout(form, count).bytes().
void kivi_encode_reference(const KiviForm& form, int count, const std::uint16_t* rows, unsigned char* encoded);
/// False: corrupt.
bool kivi_decode_reference(const KiviForm& form, int count, const unsigned char* encoded, std::uint16_t* rows);

}  // namespace kvantage::gpu
