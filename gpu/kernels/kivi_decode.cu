#include "gpu/kernels/kivi_words.h"

namespace kvantage::gpu {
namespace {

__device__ __forceinline__ bool infinite(std::uint32_t half) { return (half & 0x7c00U) == 0x7c00U; }

/// code * step is exact in fp32 (8 bits times 11), so fusing it with the sum does not change the result.
template <int Bits>
__device__ __forceinline__ void store_numbers(std::uint16_t* to, const KiviOctet<Bits>& codes, const float (&step)[8],
                                              const float (&low)[8]) {
  std::uint32_t pairs[4];
  for (int i = 0; i < 4; ++i) {
    // Puts a quantized value in the low bits of 2^23, minus 2^23: full rate, while a conversion has a quarter of it.
    const float first = as_float(0x4b000000U | codes.get(2 * i)) - 0x1p23F,
                second = as_float(0x4b000000U | codes.get(2 * i + 1)) - 0x1p23F;
    pairs[i] = packed_numbers(first * step[2 * i] + low[2 * i], second * step[2 * i + 1] + low[2 * i + 1]);
  }
  *reinterpret_cast<uint4*>(to) = uint4{pairs[0], pairs[1], pairs[2], pairs[3]};
}

/// A thread has eight channels of some rows of a group, whose steps and minima it reads once. Bound by write bandwidth:
/// 2 bytes per element, against slightly more than bits / 8 read.
template <int Bits>
__global__ void __launch_bounds__(kivi_threads)
    decode_keys(KiviForm form, KiviHeads heads, const unsigned char* encoded, HeadRows rows, std::int32_t* corrupt) {
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head], octets = form.head_dim / 8,
            at_once = kivi_rows_at_once(form.head_dim);
  const int begin = static_cast<int>(blockIdx.x) * form.group, mine = static_cast<int>(threadIdx.x);
  if (begin >= count || mine >= at_once * octets) return;
  const KiviLayout at = kivi_layout(form, count);
  const unsigned char* const in = encoded + heads.first_byte[head];
  const int quantized = static_cast<int>(at.quantized), end = count - begin < form.group ? count : begin + form.group,
            octet = mine % octets;
  float step[8] = {}, low[8] = {};
  if (begin < quantized) {
    const std::size_t from = (static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(form.head_dim) +
                              static_cast<std::size_t>(octet) * 8) *
                             2;
    const uint4 scales = load_16(in + from), minima = load_16(in + at.minima() + from);
    const std::uint32_t of_scales[4] = {scales.x, scales.y, scales.z, scales.w},
                        of_minima[4] = {minima.x, minima.y, minima.z, minima.w};
    for (int c = 0; c < 8; ++c) {
      const std::uint32_t scale = of_scales[c / 2] >> (c % 2 * 16) & 0xffffU,
                          minimum = of_minima[c / 2] >> (c % 2 * 16) & 0xffffU;
      if (infinite(scale) || infinite(minimum)) *corrupt = 1;
      step[c] = from_half(static_cast<std::uint16_t>(scale));
      low[c] = from_half(static_cast<std::uint16_t>(minimum));
    }
  }
  for (int row = begin + mine / octets; row < end; row += at_once) {
    std::uint16_t* const to = rows.row(head, row) + octet * 8;
    if (row >= quantized) {
      *reinterpret_cast<uint4*>(to) = load_16(in + at.as_held() + static_cast<std::size_t>(row - quantized) * at.row +
                                              static_cast<std::size_t>(octet) * 16);
      continue;
    }
    KiviOctet<Bits> codes;
    codes.load(in + at.codes() + static_cast<std::size_t>(row) * at.row_codes + static_cast<std::size_t>(octet * Bits));
    store_numbers<Bits>(to, codes, step, low);
  }
}

/// Eight channels share a step and a minimum, which the lanes of a group read together.
template <int Bits>
__global__ void __launch_bounds__(kivi_threads)
    decode_values(KiviForm form, KiviHeads heads, const unsigned char* encoded, HeadRows rows, std::int32_t* corrupt) {
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head], octets = form.head_dim / 8,
            at_once = kivi_rows_at_once(form.head_dim);
  const int begin = static_cast<int>(blockIdx.x) * at_once * values_rows, mine = static_cast<int>(threadIdx.x);
  if (begin >= count || mine >= at_once * octets) return;
  const KiviLayout at = kivi_layout(form, count);
  const unsigned char* const in = encoded + heads.first_byte[head];
  const int quantized = static_cast<int>(at.quantized), octet = mine % octets;
  const int group_channels = form.group < form.head_dim ? form.group : form.head_dim,
            row_groups = form.head_dim / group_channels;
  const auto group = static_cast<std::size_t>(octet * 8 / group_channels);
  for (int i = 0; i < values_rows; ++i) {
    const int row = begin + i * at_once + mine / octets;
    if (row >= count) return;
    std::uint16_t* const to = rows.row(head, row) + octet * 8;
    if (row >= quantized) {
      *reinterpret_cast<uint4*>(to) = load_16(in + at.as_held() + static_cast<std::size_t>(row - quantized) * at.row +
                                              static_cast<std::size_t>(octet) * 16);
      continue;
    }
    const std::size_t from = (static_cast<std::size_t>(row) * static_cast<std::size_t>(row_groups) + group) * 2;
    const std::uint16_t scale = *reinterpret_cast<const std::uint16_t*>(in + from),
                        minimum = *reinterpret_cast<const std::uint16_t*>(in + at.minima() + from);
    if (infinite(scale) || infinite(minimum)) *corrupt = 1;
    KiviOctet<Bits> codes;
    codes.load(in + at.codes() + static_cast<std::size_t>(row) * at.row_codes + static_cast<std::size_t>(octet * Bits));
    float step[8], low[8];
    for (int c = 0; c < 8; ++c) step[c] = from_half(scale), low[c] = from_half(minimum);
    store_numbers<Bits>(to, codes, step, low);
  }
}

template <int Bits>
void launch(const KiviForm& form, const KiviHeads& heads, const unsigned char* encoded, const HeadRows& rows,
            std::int32_t* corrupt, Stream stream) {
  const int most = form.keys ? form.group : values_rows * kivi_rows_at_once(form.head_dim);
  const dim3 grid(static_cast<unsigned>((heads.max_rows + most - 1) / most), static_cast<unsigned>(heads.heads));
  if (form.keys)
    KV_LAUNCH(decode_keys<Bits>, grid, dim3(kivi_threads), 0, stream, form, heads, encoded, rows, corrupt);
  else
    KV_LAUNCH(decode_values<Bits>, grid, dim3(kivi_threads), 0, stream, form, heads, encoded, rows, corrupt);
}

}  // namespace

Status launch_kivi_decode(const KiviForm& form, const KiviHeads& heads, const unsigned char* encoded,
                          const HeadRows& rows, std::int32_t* corrupt, Stream stream) {
  KV_TRY(kivi_fits(form));
  if (heads.heads == 0 || heads.max_rows == 0) return {};
  KV_TRY(check_grid_heads(heads.heads, "kivi"));
  if (form.bits == 8) launch<8>(form, heads, encoded, rows, corrupt, stream);
  if (form.bits == 4) launch<4>(form, heads, encoded, rows, corrupt, stream);
  if (form.bits == 2) launch<2>(form, heads, encoded, rows, corrupt, stream);
  return launched("kivi_decode");
}

}  // namespace kvantage::gpu
