#include "gpu/kernels/kivi_words.h"

namespace kvantage::gpu {
namespace {

constexpr int keys_rows = 4;  // per thread, whose codes are loaded before the first is used

__device__ __forceinline__ bool infinite(std::uint32_t half) { return (half & 0x7c00U) == 0x7c00U; }

/// code * step is exact in fp32 (8 bits times 11), so fusing it with the sum does not change the result. step and low:
/// of each channel, or of all.
template <int Bits, class Parameter>
__device__ __forceinline__ void store_numbers(std::uint16_t* to, const KiviOctet<Bits>& codes, const Parameter& step,
                                              const Parameter& low) {
  std::uint32_t pairs[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // Puts a quantized value in the low bits of 2^23, minus 2^23: full rate, while a conversion has a quarter of it.
    const float first = as_float(0x4b000000U | codes.get(2 * i)) - 0x1p23F,
                second = as_float(0x4b000000U | codes.get(2 * i + 1)) - 0x1p23F;
    pairs[i] = packed_numbers(first * step[2 * i] + low[2 * i], second * step[2 * i + 1] + low[2 * i + 1]);
  }
  *reinterpret_cast<uint4*>(to) = uint4{pairs[0], pairs[1], pairs[2], pairs[3]};
}

/// Eight halves as numbers; true if one is not finite.
__device__ __forceinline__ bool widen_halves(const uint4& held, float (&numbers)[8]) {
  const std::uint32_t pairs[4] = {held.x, held.y, held.z, held.w};
  bool found = false;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    numbers[2 * i] = from_half(static_cast<std::uint16_t>(pairs[i] & 0xffffU));
    numbers[2 * i + 1] = from_half(static_cast<std::uint16_t>(pairs[i] >> 16));
    found = found || infinite(pairs[i]) || infinite(pairs[i] >> 16);
  }
  return found;
}

/// Rows [first, ...) before `end`, which were stored as held, of a thread.
template <bool blocks>
__device__ __forceinline__ void load_as_held(const KiviShape& shape, const KiviThread& thread, const HeadRows& rows,
                                             const KiviLayout& at, const unsigned char* in, int head, int first,
                                             int end) {
  for (int row = first; row < end; row += shape.at_once)
    if (row >= static_cast<int>(at.quantized))
      *reinterpret_cast<uint4*>(rows.row<blocks>(head, row) + thread.octet * 8) =
          load_16(in + at.as_held() + static_cast<std::size_t>(row - static_cast<int>(at.quantized)) * at.row +
                  static_cast<std::size_t>(thread.octet) * 16);
}

/// A thread has eight channels of some rows of a group, whose steps and minima it reads once. Bound by write bandwidth:
/// 2 bytes per element, against slightly more than bits / 8 read.
template <int Bits, bool blocks>
__global__ void __launch_bounds__(kivi_threads)
    decode_keys(KiviShape shape, KiviHeads heads, const unsigned char* encoded, HeadRows rows, std::int32_t* corrupt) {
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head],
            begin = static_cast<int>(blockIdx.x) * shape.group;
  const KiviThread thread(shape);
  if (begin >= count || !thread.works) return;
  const KiviLayout at = shape.layout(count);
  const unsigned char* const in = encoded + heads.first_byte[head];
  const int end = min(count, begin + shape.group), quantized_end = min(static_cast<int>(at.quantized), end);
  if (begin < quantized_end) {
    const std::size_t from = (static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(shape.head_dim) +
                              static_cast<std::size_t>(thread.octet) * 8) *
                             2;
    const uint4 scales = load_16(in + from), minima = load_16(in + at.minima() + from);
    const unsigned char* const in_codes = in + at.codes() + static_cast<std::size_t>(thread.octet * Bits);
    float step[8] = {}, low[8] = {};
    bool broken = false;
    for (int first = begin + thread.row; first < quantized_end; first += keys_rows * shape.at_once) {
      KiviOctet<Bits> codes[keys_rows];
      std::uint16_t* to[keys_rows];
#pragma unroll
      for (int i = 0; i < keys_rows; ++i) {
        const int row = min(first + i * shape.at_once, quantized_end - 1);
        codes[i].load(in_codes + static_cast<std::size_t>(row) * at.row_codes);
        to[i] = rows.row<blocks>(head, row) + thread.octet * 8;
      }
      if (first == begin + thread.row) {
        broken = widen_halves(scales, step);
        broken = widen_halves(minima, low) || broken;
      }
#pragma unroll
      for (int i = 0; i < keys_rows; ++i)
        if (first + i * shape.at_once < quantized_end) store_numbers<Bits>(to[i], codes[i], step, low);
    }
    if (broken) *corrupt = 1;
  }
  load_as_held<blocks>(shape, thread, rows, at, in, head, begin + thread.row, end);
}

/// Eight channels share a step and a minimum, which the lanes of a group read together.
template <int Bits, bool blocks>
__global__ void __launch_bounds__(kivi_threads)
    decode_values(KiviShape shape, KiviHeads heads, const unsigned char* encoded, HeadRows rows,
                  std::int32_t* corrupt) {
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head],
            begin = static_cast<int>(blockIdx.x) * shape.at_once * values_rows;
  const KiviThread thread(shape);
  if (begin >= count || !thread.works) return;
  const KiviLayout at = shape.layout(count);
  const unsigned char* const in = encoded + heads.first_byte[head];
  const int first = begin + thread.row, quantized_end = static_cast<int>(at.quantized);
  if (first < quantized_end) {
    const int group_lanes = shape.group_channels / 8;
    const unsigned char* const in_scales = in + thread.octet / group_lanes * 2;
    const unsigned char* const in_codes = in + at.codes() + static_cast<std::size_t>(thread.octet * Bits);
    std::uint16_t scales[values_rows], minima[values_rows];
    KiviOctet<Bits> codes[values_rows];
    std::uint16_t* to[values_rows];
#pragma unroll
    for (int i = 0; i < values_rows; ++i) {
      const auto row = static_cast<std::size_t>(min(first + i * shape.at_once, quantized_end - 1));
      const std::size_t from = row * static_cast<std::size_t>(shape.row_groups) * 2;
      scales[i] = *reinterpret_cast<const std::uint16_t*>(in_scales + from);
      minima[i] = *reinterpret_cast<const std::uint16_t*>(in_scales + at.minima() + from);
      codes[i].load(in_codes + row * at.row_codes);
      to[i] = rows.row<blocks>(head, static_cast<int>(row)) + thread.octet * 8;
    }
    bool broken = false;
#pragma unroll
    for (int i = 0; i < values_rows; ++i) {
      broken = broken || infinite(scales[i]) || infinite(minima[i]);
      if (first + i * shape.at_once < quantized_end)
        store_numbers<Bits>(to[i], codes[i], OfAll{from_half(scales[i])}, OfAll{from_half(minima[i])});
    }
    if (broken) *corrupt = 1;
  }
  load_as_held<blocks>(shape, thread, rows, at, in, head, first, min(count, begin + shape.at_once * values_rows));
}

template <int Bits, bool blocks>
void launch(const KiviForm& form, const KiviHeads& heads, const unsigned char* encoded, const HeadRows& rows,
            std::int32_t* corrupt, Stream stream) {
  const int most = form.keys ? form.group : values_rows * kivi_rows_at_once(form.head_dim);
  const dim3 grid(static_cast<unsigned>((heads.max_rows + most - 1) / most), static_cast<unsigned>(heads.heads));
  if (form.keys)
    KV_LAUNCH((decode_keys<Bits, blocks>), grid, dim3(kivi_threads), 0, stream, form, heads, encoded, rows, corrupt);
  else
    KV_LAUNCH((decode_values<Bits, blocks>), grid, dim3(kivi_threads), 0, stream, form, heads, encoded, rows, corrupt);
}
template <int Bits>
void launch(const KiviForm& form, const KiviHeads& heads, const unsigned char* encoded, const HeadRows& rows,
            std::int32_t* corrupt, Stream stream) {
  if (rows.in_blocks())
    launch<Bits, true>(form, heads, encoded, rows, corrupt, stream);
  else
    launch<Bits, false>(form, heads, encoded, rows, corrupt, stream);
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
