// Shared by the KIVI kernels: eight channels at a time, 16 bytes unquantized.
#pragma once

#include "gpu/kernels/division.h"
#include "gpu/kernels/half_words.h"
#include "gpu/kernels/kivi.h"

namespace kvantage::gpu {

constexpr unsigned kivi_threads = 128;
constexpr int values_rows = 4;  // per thread, all loaded before the first is used

/// Rows that a block processes at a time; their octets are `head_dim / 8` adjacent lanes.
inline int kivi_rows_at_once(int head_dim) { return static_cast<int>(kivi_threads) / (head_dim / 8); }

/// A head's encoding, by its parts; and how many of its rows are quantized.
struct KiviParts {
  unsigned char* scales;
  unsigned char* minima;
  unsigned char* codes;
  unsigned char* as_held;
  int quantized;
};

/// A form as kernels take it, prepared at launch.
struct KiviShape : KiviForm {
  int octets, at_once;
  std::uint32_t row_codes, row_bytes;  // of a row, encoded and before
  int group_channels, row_groups;      // values: channels of a group, groups of a row
  Division by_octets, by_group, by_group_channels, by_residual;

  KiviShape(const KiviForm& form)  // implicit: launches pass what they were given
      : KiviForm(form),
        octets(form.head_dim / 8),
        at_once(kivi_rows_at_once(form.head_dim)),
        row_codes(static_cast<std::uint32_t>(octets * form.bits)),
        row_bytes(static_cast<std::uint32_t>(form.head_dim) * std::uint32_t{sizeof(std::uint16_t)}),
        group_channels(form.group < form.head_dim ? form.group : form.head_dim),
        row_groups((form.head_dim + form.group - 1) / form.group),
        by_octets(octets),
        by_group(form.group),
        by_group_channels(group_channels),
        by_residual(form.residual < 1 ? 1 : form.residual) {}

  /// As kivi_layout(), which divides and multiplies in 64 bits: that takes longer than to quantize a row.
  __device__ __forceinline__ KiviParts parts(unsigned char* encoded, int count) const {
    KiviParts at;
    at.quantized = count - (keys ? by_residual.rest(count) : min(count, residual));
    const auto groups = static_cast<std::uint32_t>(keys ? by_group.quotient(at.quantized + group - 1) * head_dim
                                                        : at.quantized * row_groups);
    at.scales = encoded;
    at.minima = at.scales + std::uint64_t{groups} * 2;
    at.codes = at.minima + std::uint64_t{groups} * 2;
    at.as_held = at.codes + std::uint64_t{static_cast<std::uint32_t>(at.quantized)} * row_codes;
    return at;
  }
};

/// What a thread works on: eight channels of rows row, row + at_once, ... of a block.
struct KiviThread {
  int mine = static_cast<int>(threadIdx.x), row, octet;
  bool works;  // false: rows do not fill the block

  /// This thread's part of a row, of rows of that many bytes, with its octet's at a multiple of octet_bytes.
  template <class Byte>
  __device__ __forceinline__ Byte* part(Byte* rows, int number, std::uint32_t row_bytes, int octet_bytes) const {
    return rows + std::uint64_t{static_cast<std::uint32_t>(number)} * row_bytes +
           static_cast<std::uint32_t>(octet * octet_bytes);
  }

  __device__ __forceinline__ explicit KiviThread(const KiviShape& shape)
      : row(shape.by_octets.quotient(mine)), octet(mine - row * shape.octets), works(row < shape.at_once) {}
};

/// core's format aligns parts only to multiples of 4: stores 16 bytes if aligned, else by fours.
__device__ __forceinline__ void store_16(unsigned char* to, const uint4& held) {
  if (reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
    *reinterpret_cast<uint4*>(to) = held;
    return;
  }
  auto* words = reinterpret_cast<std::uint32_t*>(to);
  words[0] = held.x, words[1] = held.y, words[2] = held.z, words[3] = held.w;
}
__device__ __forceinline__ uint4 load_16(const unsigned char* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0) return *reinterpret_cast<const uint4*>(from);
  const auto* words = reinterpret_cast<const std::uint32_t*>(from);
  uint4 held;
  held.x = words[0], held.y = words[1], held.z = words[2], held.w = words[3];
  return held;
}

/// Values of a group: finite numbers within the range of fp16 and bf16.
__device__ __forceinline__ std::uint32_t sane_pair(std::uint32_t pair) {
  std::uint32_t sane = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const std::uint32_t number = pair >> shift & 0xffffU, magnitude = number & 0x7fffU;
    const std::uint32_t known = magnitude > 0x7f80U   ? 0U                            // NaN
                                : magnitude > 0x477fU ? (number & 0x8000U) | 0x477fU  // 65,280
                                                      : number;
    sane |= known << shift;
  }
  return sane;
}
/// Has one of beyond_bits if one of a pair of bf16 is NaN or beyond that range: its magnitude is above 0x477f.
constexpr std::uint32_t beyond_bits = 0x80008000U;
__device__ __forceinline__ std::uint32_t beyond(std::uint32_t pair) { return (pair & 0x7fff7fffU) + 0x38803880U; }

/// Least and greatest number of each of eight channels, in pairs.
struct OctetRange {
  std::uint32_t least[4], greatest[4];

  __device__ __forceinline__ explicit OctetRange(const uint4& held)
      : least{held.x, held.y, held.z, held.w}, greatest{held.x, held.y, held.z, held.w} {}
  __device__ __forceinline__ void add(const uint4& held) {
    const std::uint32_t pairs[4] = {held.x, held.y, held.z, held.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
      least[i] = lesser_pair(least[i], pairs[i]), greatest[i] = greater_pair(greatest[i], pairs[i]);
  }
  __device__ __forceinline__ void add_lane(unsigned other) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      least[i] = lesser_pair(least[i], __shfl_xor_sync(0xffffffffU, least[i], other));
      greatest[i] = greater_pair(greatest[i], __shfl_xor_sync(0xffffffffU, greatest[i], other));
    }
  }
  __device__ __forceinline__ bool unruly() const {
    std::uint32_t found = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) found |= beyond(least[i]) | beyond(greatest[i]);
    return (found & beyond_bits) != 0;
  }
};
/// The range of a thread's rows, whose numbers become sane. Those that are not are rare: the ranges alone show whether
/// there are any.
template <int rows>
__device__ __forceinline__ OctetRange range_of(uint4 (&held)[rows]) {
  OctetRange range(held[0]);
#pragma unroll
  for (int i = 1; i < rows; ++i) range.add(held[i]);
  if (!range.unruly()) return range;
#pragma unroll
  for (int i = 0; i < rows; ++i)
    held[i] = uint4{sane_pair(held[i].x), sane_pair(held[i].y), sane_pair(held[i].z), sane_pair(held[i].w)};
  OctetRange sane(held[0]);
#pragma unroll
  for (int i = 1; i < rows; ++i) sane.add(held[i]);
  return sane;
}

struct KiviGroup {
  std::uint16_t scale, minimum;  // fp16, as stored
  float low, inverse;  // quantization parameters: the minimum as decoded, and 1 / step, or 0 for a constant group
};
/// number / (2^Bits - 1), correctly rounded (Markstein 1990: the reciprocal is, and the remainder is exact) where the
/// remainder is no subnormal; smaller quotients are zero in fp16 however they are rounded.
template <int Bits>
__device__ __forceinline__ float over_codes(float number) {
  constexpr auto codes = static_cast<float>((1 << Bits) - 1);
  constexpr float inverse = 1.0F / codes;
  const float quotient = __fmul_rn(number, inverse);
  return __fmaf_rn(__fmaf_rn(-quotient, codes, number), inverse, quotient);
}
/// Each operation is rounded separately: a fused multiply-add would give other bytes than the CPU's.
template <int Bits>
__device__ __forceinline__ KiviGroup kivi_group(float least, float most) {
  KiviGroup group;
  group.minimum =
      to_half_below(__fadd_rn(least, 0.0F));  // no negative zero: which zero comes first depends on the order
  group.low = from_half(group.minimum);
  group.scale = to_half(over_codes<Bits>(__fsub_rn(__fadd_rn(most, 0.0F), group.low)));
  const float step = from_half(group.scale);
  group.inverse = step > 0 ? __frcp_rn(step) : 0.0F;
  return group;
}

/// The quantized values of eight channels: 8, 4 or 2 bytes, at a multiple of 4 (of 2).
template <int Bits>
struct KiviOctet {
  static constexpr int per_word = 32 / Bits < 8 ? 32 / Bits : 8, count = 8 / per_word;
  std::uint32_t words[count];

  /// As a number: its bits, masked in place, are the last ones of 2^(23 - their position). A conversion has a quarter
  /// of the rate.
  __device__ __forceinline__ float number(int i) const {
    const int at = i % per_word * Bits, shift = at + Bits > 23 ? 16 : 0, position = at - shift;
    const std::uint32_t codes = words[i / per_word] >> shift & ((1U << Bits) - 1U) << position;
    return __fsub_rn(as_float(codes | static_cast<std::uint32_t>(127 + 23 - position) << 23),
                     static_cast<float>(1 << (23 - position)));
  }
  __device__ __forceinline__ void store(unsigned char* to) const {
    if constexpr (Bits == 2) *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(words[0]);
    if constexpr (Bits == 4) *reinterpret_cast<std::uint32_t*>(to) = words[0];
    if constexpr (Bits == 8) {
      if (reinterpret_cast<std::uintptr_t>(to) % 8 == 0)
        *reinterpret_cast<uint2*>(to) = uint2{words[0], words[1]};
      else
        reinterpret_cast<std::uint32_t*>(to)[0] = words[0], reinterpret_cast<std::uint32_t*>(to)[1] = words[1];
    }
  }
  __device__ __forceinline__ void load(const unsigned char* from) {
    if constexpr (Bits == 2) words[0] = *reinterpret_cast<const std::uint16_t*>(from);
    if constexpr (Bits == 4) words[0] = *reinterpret_cast<const std::uint32_t*>(from);
    if constexpr (Bits == 8) {
      if (reinterpret_cast<std::uintptr_t>(from) % 8 == 0) {
        const uint2 both = *reinterpret_cast<const uint2*>(from);
        words[0] = both.x, words[1] = both.y;
      } else {
        words[0] = reinterpret_cast<const std::uint32_t*>(from)[0];
        words[1] = reinterpret_cast<const std::uint32_t*>(from)[1];
      }
    }
  }
};

/// Quantizes eight sane numbers. low and inverse: of each channel, or of all.
template <int Bits, class Parameter>
__device__ __forceinline__ KiviOctet<Bits> quantized(const uint4& held, const Parameter& low,
                                                     const Parameter& inverse) {
  const std::uint32_t pairs[4] = {held.x, held.y, held.z, held.w};
  KiviOctet<Bits> codes;
  std::uint32_t surplus = 0;
#pragma unroll
  for (int i = 0; i < codes.per_word; ++i) surplus += 0x4b000000U << (i * Bits);
#pragma unroll
  for (int w = 0; w < codes.count; ++w) codes.words[w] = 0U - surplus;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float number = as_float(i % 2 == 0 ? pairs[i / 2] << 16 : pairs[i / 2] & 0xffff0000U);
    const float code = __fmul_rn(__fsub_rn(number, low[i]), inverse[i]);
    // Adding 2^23 rounds to an integer, to nearest, ties to even, and leaves it in the low bits of 0x4b000000.
    const std::uint32_t rounded = as_bits(__fadd_rn(fminf(code, static_cast<float>((1 << Bits) - 1)), 0x1p23F));
    codes.words[i / codes.per_word] += rounded << (i % codes.per_word * Bits);
  }
  return codes;
}
/// One number for all channels.
struct OfAll {
  float number;
  __device__ __forceinline__ float operator[](int) const { return number; }
};

}  // namespace kvantage::gpu
