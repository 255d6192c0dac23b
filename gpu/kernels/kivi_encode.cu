#include <type_traits>

#include "gpu/kernels/kivi_words.h"

namespace kvantage::gpu {
namespace {

constexpr int warps = static_cast<int>(kivi_threads) / 32;

/// Stores a thread's rows of [first, end) as they are held, in bf16.
template <bool blocks>
__device__ __forceinline__ void store_as_held(const KiviShape& shape, const KiviThread& thread, const HeadRows& rows,
                                              const KiviParts& at, int head, int first, int end) {
  if (!thread.works) return;
  for (int row = first + thread.row; row < end; row += shape.at_once)
    store_16(thread.part(at.as_held, row - at.quantized, shape.row_bytes, 16),
             *reinterpret_cast<const uint4*>(rows.row<blocks>(head, row) + thread.octet * 8));
}

/// Stores the parameters of a group.
__device__ __forceinline__ void store_group(const KiviGroup& group, const KiviParts& at, int index) {
  const std::uint64_t to = std::uint64_t{static_cast<std::uint32_t>(index)} * 2;
  *reinterpret_cast<std::uint16_t*>(at.scales + to) = group.scale;
  *reinterpret_cast<std::uint16_t*>(at.minima + to) = group.minimum;
}

/// The low or the high number of a pair.
__device__ __forceinline__ float of_pair(std::uint32_t pair, int high) {
  return as_float(high != 0 ? pair & 0xffff0000U : pair << 16);
}

/// A block has one group of tokens of a head, a thread eight channels of `each` of its rows, in registers: they are
/// read once. Ranges are combined by shuffles, then through shared memory, where one thread per channel turns them into
/// parameters. For groups of `each` times the rows at once; octets: a power of two up to 32. Memory-bound (2 bytes in,
/// slightly more than bits / 8 out, per element), with instructions close behind.
template <int Bits, int each, bool blocks>
__global__ void __launch_bounds__(kivi_threads)
    encode_key_group(KiviShape shape, HeadRows rows, KiviHeads heads, unsigned char* encoded) {
  KV_SHARED uint4 min_of[warps][32], max_of[warps][32];  // [warp][octet]
  KV_SHARED float4 low_of[64], inverse_of[64];           // [head_dim]
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head],
            begin = static_cast<int>(blockIdx.x) * shape.group;
  if (begin >= count) return;
  const KiviThread thread(shape);
  const KiviParts at = shape.parts(encoded + heads.first_byte[head], count);
  const int end = min(count, begin + shape.group), here = min(at.quantized, end) - begin;
  if (here > 0) {
    const std::uint16_t* sources[each];
    uint4 held[each];
#pragma unroll
    for (int i = 0; i < each; ++i)  // beyond the last row: that row again, which changes no range
      sources[i] = rows.row<blocks>(head, begin + min(i * shape.at_once + thread.row, here - 1)) + thread.octet * 8;
#pragma unroll
    for (int i = 0; i < each; ++i) held[i] = *reinterpret_cast<const uint4*>(sources[i]);

    OctetRange range = range_of(held);
    for (int other = shape.octets; other < 32; other *= 2) range.add_lane(static_cast<unsigned>(other));
    const int lane = thread.mine % 32, warp = thread.mine / 32;
    if (lane < shape.octets) {
      min_of[warp][lane] = uint4{range.least[0], range.least[1], range.least[2], range.least[3]};
      max_of[warp][lane] = uint4{range.greatest[0], range.greatest[1], range.greatest[2], range.greatest[3]};
    }
    __syncthreads();
    for (int channel = thread.mine; channel < shape.head_dim; channel += static_cast<int>(kivi_threads)) {
      std::uint32_t least = reinterpret_cast<const std::uint32_t*>(min_of[0])[channel / 2],
                    greatest = reinterpret_cast<const std::uint32_t*>(max_of[0])[channel / 2];
#pragma unroll
      for (int w = 1; w < warps; ++w) {
        least = lesser_pair(least, reinterpret_cast<const std::uint32_t*>(min_of[w])[channel / 2]);
        greatest = greater_pair(greatest, reinterpret_cast<const std::uint32_t*>(max_of[w])[channel / 2]);
      }
      const KiviGroup group = kivi_group<Bits>(of_pair(least, channel % 2), of_pair(greatest, channel % 2));
      reinterpret_cast<float*>(low_of)[channel] = group.low;
      reinterpret_cast<float*>(inverse_of)[channel] = group.inverse;
      store_group(group, at, static_cast<int>(blockIdx.x) * shape.head_dim + channel);
    }
    __syncthreads();

    float low[8], inverse[8];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 lows = low_of[thread.octet * 2 + half], inverses = inverse_of[thread.octet * 2 + half];
      low[4 * half] = lows.x, low[4 * half + 1] = lows.y, low[4 * half + 2] = lows.z, low[4 * half + 3] = lows.w;
      inverse[4 * half] = inverses.x, inverse[4 * half + 1] = inverses.y, inverse[4 * half + 2] = inverses.z,
                  inverse[4 * half + 3] = inverses.w;
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int row = i * shape.at_once + thread.row;
      if (row < here)
        quantized<Bits>(held[i], low, inverse).store(thread.part(at.codes, begin + row, shape.row_codes, Bits));
    }
  }
  store_as_held<blocks>(shape, thread, rows, at, head, begin + max(here, 0), end);
}

/// Any group that fits in shared memory: one thread per channel for the range, then one per eight channels of a row.
template <int Bits, bool blocks>
__global__ void __launch_bounds__(kivi_threads)
    encode_keys(KiviShape shape, HeadRows rows, KiviHeads heads, unsigned char* encoded) {
  KV_DYNAMIC_SHARED(shared);
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head], head_dim = shape.head_dim,
            begin = static_cast<int>(blockIdx.x) * shape.group;
  if (begin >= count) return;
  const KiviThread thread(shape);
  const KiviParts at = shape.parts(encoded + heads.first_byte[head], count);
  auto* const staged = reinterpret_cast<std::uint32_t*>(shared);                    // [group, head_dim / 2]: pairs
  auto* const low = reinterpret_cast<float*>(staged + shape.group * head_dim / 2);  // [head_dim]
  float* const inverse = low + head_dim;
  const int end = min(count, begin + shape.group), here = min(at.quantized, end) - begin;

  for (int row = thread.row; thread.works && row < here; row += shape.at_once) {
    uint4 held[1] = {*reinterpret_cast<const uint4*>(rows.row<blocks>(head, begin + row) + thread.octet * 8)};
    (void)range_of(held);
    *reinterpret_cast<uint4*>(staged + row * head_dim / 2 + thread.octet * 4) = held[0];
  }
  __syncthreads();
  for (int channel = thread.mine; here > 0 && channel < head_dim; channel += static_cast<int>(kivi_threads)) {
    const std::uint32_t* pair = staged + channel / 2;
    std::uint32_t least = *pair, greatest = *pair;
    for (int row = 1; row < here; ++row) {
      pair += head_dim / 2;
      least = lesser_pair(least, *pair), greatest = greater_pair(greatest, *pair);
    }
    const KiviGroup group = kivi_group<Bits>(of_pair(least, channel % 2), of_pair(greatest, channel % 2));
    low[channel] = group.low, inverse[channel] = group.inverse;
    store_group(group, at, static_cast<int>(blockIdx.x) * head_dim + channel);
  }
  __syncthreads();
  for (int row = thread.row; thread.works && row < here; row += shape.at_once)
    quantized<Bits>(*reinterpret_cast<const uint4*>(staged + row * head_dim / 2 + thread.octet * 4),
                    low + thread.octet * 8, inverse + thread.octet * 8)
        .store(thread.part(at.codes, begin + row, shape.row_codes, Bits));
  store_as_held<blocks>(shape, thread, rows, at, head, begin + max(here, 0), end);
}

/// The range of all channels of a row that are in a group's adjacent lanes, whose numbers become sane.
struct GroupRange {
  std::uint32_t least, greatest;  // pairs that are still to be combined

  __device__ __forceinline__ explicit GroupRange(uint4& held) {
    combine(held);
    if (((beyond(least) | beyond(greatest)) & beyond_bits) == 0) return;
    held = uint4{sane_pair(held.x), sane_pair(held.y), sane_pair(held.z), sane_pair(held.w)};
    combine(held);
  }
  __device__ __forceinline__ void combine(const uint4& held) {
    least = lesser_pair(lesser_pair(held.x, held.y), lesser_pair(held.z, held.w));
    greatest = greater_pair(greater_pair(held.x, held.y), greater_pair(held.z, held.w));
  }
  __device__ __forceinline__ void add_lane(unsigned other) {
    least = lesser_pair(least, __shfl_xor_sync(0xffffffffU, least, other));
    greatest = greater_pair(greatest, __shfl_xor_sync(0xffffffffU, greatest, other));
  }
};

/// The parameters of the groups that a lane is in, one per row: each lane of a group computes those of every
/// group_lanes-th row, stores them with store(row, group), and the others get them by shuffles.
template <int Bits, class Store>
__device__ __forceinline__ void share_groups(const std::uint32_t (&least)[values_rows],
                                             const std::uint32_t (&greatest)[values_rows], int group_lanes,
                                             float (&low)[values_rows], float (&inverse)[values_rows],
                                             const Store& store) {
  const int lane = static_cast<int>(threadIdx.x) % 32, in_group = lane & (group_lanes - 1), first = lane - in_group;
  for (int base = 0; base < values_rows; base += group_lanes) {
    const int mine = base + in_group;
    std::uint32_t my_min = least[0], my_max = greatest[0];
#pragma unroll
    for (int i = 1; i < values_rows; ++i)
      if (mine == i) my_min = least[i], my_max = greatest[i];
    const KiviGroup group =
        kivi_group<Bits>(fminf(of_pair(my_min, 0), of_pair(my_min, 1)), fmaxf(of_pair(my_max, 0), of_pair(my_max, 1)));
    if (mine < values_rows) store(mine, group);
#pragma unroll
    for (int i = 0; i < values_rows; ++i) {
      if (i < base || i >= base + group_lanes) continue;
      low[i] = __shfl_sync(0xffffffffU, group.low, static_cast<unsigned>(first + i - base));
      inverse[i] = __shfl_sync(0xffffffffU, group.inverse, static_cast<unsigned>(first + i - base));
    }
  }
}

/// A group is in adjacent lanes, which exchange its range by shuffles: no shared memory, one read. Memory-bound, with
/// instructions close behind.
template <int Bits, bool blocks>
__global__ void __launch_bounds__(kivi_threads)
    encode_values(KiviShape shape, HeadRows rows, KiviHeads heads, unsigned char* encoded) {
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head];
  const int begin = static_cast<int>(blockIdx.x) * shape.at_once * values_rows;
  if (begin >= count) return;
  const KiviThread thread(shape);
  const KiviParts at = shape.parts(encoded + heads.first_byte[head], count);
  const int first = begin + thread.row, group_lanes = shape.group_channels / 8;
  // Lanes left over where rows do not fill a block, and rows beyond the last: that row again, for the shuffles.
  const std::uint16_t* sources[values_rows];
  uint4 held[values_rows];
#pragma unroll
  for (int i = 0; i < values_rows; ++i)
    sources[i] = rows.row<blocks>(head, min(first + i * shape.at_once, count - 1)) + thread.octet * 8;
#pragma unroll
  for (int i = 0; i < values_rows; ++i) held[i] = *reinterpret_cast<const uint4*>(sources[i]);
  std::uint32_t least[values_rows], greatest[values_rows];
#pragma unroll
  for (int i = 0; i < values_rows; ++i) {
    const int row = first + i * shape.at_once;
    uint4 known = held[i];
    GroupRange range(known);
    for (int other = 1; other < group_lanes; other *= 2) range.add_lane(static_cast<unsigned>(other));
    least[i] = range.least, greatest[i] = range.greatest;
    if (row < at.quantized) held[i] = known;
  }
  float low[values_rows], inverse[values_rows];
  share_groups<Bits>(least, greatest, group_lanes, low, inverse, [&](int i, const KiviGroup& group) {
    const int row = first + i * shape.at_once;
    if (thread.works && row < at.quantized)
      store_group(group, at, row * shape.row_groups + shape.by_group_channels.quotient(thread.octet * 8));
  });
  if (!thread.works) return;
#pragma unroll
  for (int i = 0; i < values_rows; ++i) {
    const int row = first + i * shape.at_once;
    if (row < at.quantized)
      quantized<Bits>(held[i], OfAll{low[i]}, OfAll{inverse[i]})
          .store(thread.part(at.codes, row, shape.row_codes, Bits));
    else if (row < count)
      store_16(thread.part(at.as_held, row - at.quantized, shape.row_bytes, 16), held[i]);
  }
}

/// For keys in shared memory: a group's rows, and the parameters of each channel.
std::size_t shared_bytes(const KiviForm& form) {
  return static_cast<std::size_t>(form.head_dim) *
         (static_cast<std::size_t>(form.group) * sizeof(std::uint16_t) + 2 * sizeof(float));
}

template <int Bits, bool blocks>
void launch_keys(const KiviForm& form, const HeadRows& rows, const KiviHeads& heads, unsigned char* encoded,
                 Stream stream) {
  const dim3 grid(static_cast<unsigned>((heads.max_rows + form.group - 1) / form.group),
                  static_cast<unsigned>(heads.heads));
  const int octets = form.head_dim / 8, at_once = kivi_rows_at_once(form.head_dim);
  const bool in_registers = (octets & (octets - 1)) == 0 && form.group % at_once == 0;
  const auto whole = [&](auto rows_of_thread) {
    KV_LAUNCH((encode_key_group<Bits, decltype(rows_of_thread)::value, blocks>), grid, dim3(kivi_threads), 0, stream,
              form, rows, heads, encoded);
  };
  if (in_registers && form.group == at_once) return whole(std::integral_constant<int, 1>{});
  if (in_registers && form.group == 2 * at_once) return whole(std::integral_constant<int, 2>{});
  if (in_registers && form.group == 4 * at_once) return whole(std::integral_constant<int, 4>{});
  if (in_registers && form.group == 8 * at_once) return whole(std::integral_constant<int, 8>{});
  KV_LAUNCH((encode_keys<Bits, blocks>), grid, dim3(kivi_threads), shared_bytes(form), stream, form, rows, heads,
            encoded);
}

template <int Bits, bool blocks>
void launch(const KiviForm& form, const HeadRows& rows, const KiviHeads& heads, unsigned char* encoded, Stream stream) {
  if (form.keys) return launch_keys<Bits, blocks>(form, rows, heads, encoded, stream);
  const int most = values_rows * kivi_rows_at_once(form.head_dim);
  const dim3 grid(static_cast<unsigned>((heads.max_rows + most - 1) / most), static_cast<unsigned>(heads.heads));
  KV_LAUNCH((encode_values<Bits, blocks>), grid, dim3(kivi_threads), 0, stream, form, rows, heads, encoded);
}

template <int Bits>
void launch(const KiviForm& form, const HeadRows& rows, const KiviHeads& heads, unsigned char* encoded, Stream stream) {
  if (rows.in_blocks())
    launch<Bits, true>(form, rows, heads, encoded, stream);
  else
    launch<Bits, false>(form, rows, heads, encoded, stream);
}

}  // namespace

Status kivi_fits(const KiviForm& form) {
  const auto rejected = [](const char* why) {
    return fail(ErrorCode::rejected_input, std::string("kivi on a GPU: ") + why + "; the processor's codec takes it");
  };
  if (form.bits != 2 && form.bits != 4 && form.bits != 8) return rejected("2, 4 or 8 bits");
  if (form.residual < 0 || form.group < 2) return rejected("a group of at least 2, a residual of at least 0");
  if (form.head_dim < 16 || form.head_dim > 256 || form.head_dim % 16 != 0)
    return rejected("a head dimension of whole 16s to 256");
  if (form.keys)
    return shared_bytes(form) <= std::size_t{48} << 10 ? Status{} : rejected("a group of keys that fits in 48 KiB");
  const int group = form.group < form.head_dim ? form.group : form.head_dim;
  if (group % 8 != 0 || (group / 8 & (group / 8 - 1)) != 0 || form.head_dim % group != 0)
    return rejected("groups of 8 times a power of 2 channels that fill a row");
  return {};
}

Status launch_kivi_encode(const KiviForm& form, const HeadRows& rows, const KiviHeads& heads, unsigned char* encoded,
                          Stream stream) {
  KV_TRY(kivi_fits(form));
  if (heads.heads == 0 || heads.max_rows == 0) return {};
  KV_TRY(check_grid_heads(heads.heads, "kivi"));
  if (form.bits == 8) launch<8>(form, rows, heads, encoded, stream);
  if (form.bits == 4) launch<4>(form, rows, heads, encoded, stream);
  if (form.bits == 2) launch<2>(form, rows, heads, encoded, stream);
  return launched("kivi_encode");
}

}  // namespace kvantage::gpu
