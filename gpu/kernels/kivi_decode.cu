#include "gpu/kernels/kivi_words.h"

namespace kvantage::gpu {
namespace {

constexpr int keys_rows = 4;  // per thread, whose codes are loaded before the first is used

/// Has one of infinite_bits if one of a pair of halves is infinite or NaN: its exponent is all ones.
constexpr std::uint32_t infinite_bits = 0x80008000U;
__device__ __forceinline__ std::uint32_t infinite(std::uint32_t halves) { return (halves & 0x7c007c00U) + 0x04000400U; }

/// code * step is exact in fp32 (8 bits times 11), so fusing it with the sum does not change the result. step and low:
/// of each channel, or of all.
template <int Bits, class Parameter>
__device__ __forceinline__ void store_numbers(std::uint16_t* to, const KiviOctet<Bits>& codes, const Parameter& step,
                                              const Parameter& low) {
  std::uint32_t pairs[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    pairs[i] = packed_numbers(codes.number(2 * i) * step[2 * i] + low[2 * i],
                              codes.number(2 * i + 1) * step[2 * i + 1] + low[2 * i + 1]);
  }
  *reinterpret_cast<uint4*>(to) = uint4{pairs[0], pairs[1], pairs[2], pairs[3]};
}

/// Eight halves as numbers; has one of infinite_bits if one is not finite.
__device__ __forceinline__ std::uint32_t widen_halves(const uint4& held, float (&numbers)[8]) {
  const std::uint32_t pairs[4] = {held.x, held.y, held.z, held.w};
  std::uint32_t found = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    numbers[2 * i] = from_half(static_cast<std::uint16_t>(pairs[i] & 0xffffU));
    numbers[2 * i + 1] = from_half(static_cast<std::uint16_t>(pairs[i] >> 16));
    found |= infinite(pairs[i]);
  }
  return found;
}

/// A thread's rows of [first, end), which were stored as held.
template <bool blocks>
__device__ __forceinline__ void load_as_held(const KiviShape& shape, const KiviThread& thread, const HeadRows& rows,
                                             const KiviParts& at, int head, int first, int end) {
  for (int row = first + thread.row; row < end; row += shape.at_once)
    if (row >= at.quantized)
      *reinterpret_cast<uint4*>(rows.row<blocks>(head, row) + thread.octet * 8) =
          load_16(thread.part(at.as_held, row - at.quantized, shape.row_bytes, 16));
}

/// A row of a head, whose place is known where rows are in blocks.
template <bool blocks>
__device__ __forceinline__ std::uint16_t* row_at(const HeadRows& rows, int head, int row,
                                                 const KernelHeads::Place& place) {
  if constexpr (!blocks) return rows.row<false>(head, row);
  std::uint16_t* const key = rows.paged.key(place);
  return rows.values ? rows.paged.value_beside(key) : key;
}

/// A thread has eight channels of some rows of a group, whose steps and minima it reads once. Bound by write bandwidth:
/// 2 bytes per element, against slightly more than bits / 8 read.
template <int Bits, bool blocks>
__global__ void __launch_bounds__(kivi_threads, blocks      ? (Bits == 8 ? 9 : 10)
                                                : Bits == 8 ? 10
                                                            : 12)  // as many as do not spill
    decode_keys(KiviShape shape, KiviHeads heads, unsigned char* encoded, HeadRows rows, std::int32_t* corrupt) {
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head],
            begin = static_cast<int>(blockIdx.x) * shape.group;
  const KiviThread thread(shape);
  if (begin >= count || !thread.works) return;
  const KiviParts at = shape.parts(encoded + heads.first_byte[head], count);
  const int end = min(count, begin + shape.group), quantized_end = min(at.quantized, end);
  if (begin < quantized_end) {
    const std::uint64_t from = std::uint64_t{blockIdx.x * static_cast<std::uint32_t>(shape.head_dim) +
                                             static_cast<std::uint32_t>(thread.octet) * 8} *
                               2;
    const uint4 scales = load_16(at.scales + from), minima = load_16(at.minima + from);
    KiviOctet<Bits> codes[keys_rows];
    KernelHeads::Place places[keys_rows];  // not used, and gone, where rows are gathered
    const auto load = [&](int first) {
#pragma unroll
      for (int i = 0; i < keys_rows; ++i) {
        const int row = min(first + i * shape.at_once, quantized_end - 1);
        codes[i].load(thread.part(at.codes, row, shape.row_codes, Bits));
        if constexpr (blocks) places[i] = rows.paged.place(head, row);
      }
    };
    int first = begin + thread.row;
    load(first);  // with the group's parameters, before one of them is used
    float step[8], low[8];
    const std::uint32_t found = widen_halves(scales, step) | widen_halves(minima, low);
    while (first < quantized_end) {
#pragma unroll
      for (int i = 0; i < keys_rows; ++i)
        if (first + i * shape.at_once < quantized_end)
          store_numbers<Bits>(row_at<blocks>(rows, head, first + i * shape.at_once, places[i]) + thread.octet * 8,
                              codes[i], step, low);
      first += keys_rows * shape.at_once;
      if (first < quantized_end) load(first);
    }
    if ((found & infinite_bits) != 0) *corrupt = 1;
  }
  load_as_held<blocks>(shape, thread, rows, at, head, begin, end);
}

/// Eight channels share a step and a minimum, which the lanes of a group read together.
template <int Bits, bool blocks>
__global__ void __launch_bounds__(kivi_threads, 12)
    decode_values(KiviShape shape, KiviHeads heads, unsigned char* encoded, HeadRows rows, std::int32_t* corrupt) {
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head],
            begin = static_cast<int>(blockIdx.x) * shape.at_once * values_rows;
  const KiviThread thread(shape);
  if (begin >= count || !thread.works) return;
  const KiviParts at = shape.parts(encoded + heads.first_byte[head], count);
  const int first = begin + thread.row;
  if (first < at.quantized) {
    const int group = shape.by_group_channels.quotient(thread.octet * 8);
    std::uint16_t scales[values_rows], minima[values_rows];
    KiviOctet<Bits> codes[values_rows];
    std::uint16_t* to[values_rows];
#pragma unroll
    for (int i = 0; i < values_rows; ++i) {
      const int row = min(first + i * shape.at_once, at.quantized - 1);
      const std::uint64_t from = std::uint64_t{static_cast<std::uint32_t>(row * shape.row_groups + group)} * 2;
      scales[i] = *reinterpret_cast<const std::uint16_t*>(at.scales + from);
      minima[i] = *reinterpret_cast<const std::uint16_t*>(at.minima + from);
      codes[i].load(thread.part(at.codes, row, shape.row_codes, Bits));
      to[i] = rows.row<blocks>(head, row) + thread.octet * 8;
    }
    std::uint32_t found = 0;
#pragma unroll
    for (int i = 0; i < values_rows; ++i) {
      found |= infinite(scales[i]) | infinite(minima[i]);
      if (first + i * shape.at_once < at.quantized)
        store_numbers<Bits>(to[i], codes[i], OfAll{from_half(scales[i])}, OfAll{from_half(minima[i])});
    }
    if ((found & infinite_bits) != 0) *corrupt = 1;
  }
  load_as_held<blocks>(shape, thread, rows, at, head, begin, min(count, begin + shape.at_once * values_rows));
}

template <int Bits, bool blocks>
void launch(const KiviForm& form, const KiviHeads& heads, const unsigned char* encoded, const HeadRows& rows,
            std::int32_t* corrupt, Stream stream) {
  const int most = form.keys ? form.group : values_rows * kivi_rows_at_once(form.head_dim);
  auto* const from = const_cast<unsigned char*>(encoded);  // KiviParts is of both directions; nothing is written there
  const dim3 grid(static_cast<unsigned>((heads.max_rows + most - 1) / most), static_cast<unsigned>(heads.heads));
  if (form.keys)
    KV_LAUNCH((decode_keys<Bits, blocks>), grid, dim3(kivi_threads), 0, stream, form, heads, from, rows, corrupt);
  else
    KV_LAUNCH((decode_values<Bits, blocks>), grid, dim3(kivi_threads), 0, stream, form, heads, from, rows, corrupt);
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
