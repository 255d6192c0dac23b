#include "gpu/kernels/kivi_words.h"

namespace kvantage::gpu {
namespace {

/// A block handles whole groups of tokens of one head in shared memory, so that device memory is read once; then one
/// thread per column for the range, and one thread per eight channels of a row for quantization. Memory-bound (2 bytes
/// in, slightly more than bits / 8 out, per element), with the column scan close behind: 16-bit reads of shared memory,
/// without bank conflicts.
template <int Bits>
__global__ void __launch_bounds__(kivi_threads)
    encode_keys(KiviForm form, HeadRows rows, KiviHeads heads, unsigned char* encoded, int groups_per_block) {
  KV_DYNAMIC_SHARED(shared);
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head], head_dim = form.head_dim,
            octets = head_dim / 8;
  const int most = groups_per_block * form.group, begin = static_cast<int>(blockIdx.x) * most;
  if (begin >= count) return;
  const KiviLayout at = kivi_layout(form, count);
  unsigned char* const out = encoded + heads.first_byte[head];
  auto* staged = reinterpret_cast<std::uint16_t*>(shared);  // [most, head_dim]
  auto* low = reinterpret_cast<float*>(
      staged + static_cast<std::size_t>(most) * static_cast<std::size_t>(head_dim));  // [groups_per_block, head_dim]
  float* inverse = low + groups_per_block * head_dim;
  const int quantized = static_cast<int>(at.quantized), end = count - begin < most ? count : begin + most;
  const int here = quantized <= begin ? 0 : (quantized < end ? quantized : end) - begin;  // rows to quantize

  const int mine = static_cast<int>(threadIdx.x), threads = static_cast<int>(kivi_threads);
  for (int i = mine; i < (end - begin) * octets; i += threads) {
    const int row = i / octets, octet = i % octets;
    const std::uint16_t* source = rows.row(head, begin + row) + octet * 8;
    if (row < here)
      copy_async(staged + i * 8, source);
    else
      store_16(out + at.as_held() + static_cast<std::size_t>(begin + row - quantized) * at.row +
                   static_cast<std::size_t>(octet) * 16,
               *reinterpret_cast<const uint4*>(source));
  }
  copy_async_commit();
  copy_async_wait<0>();
  __syncthreads();

  for (int column = mine; column < groups_per_block * head_dim; column += threads) {
    const int first = column / head_dim * form.group, last = first + form.group < here ? first + form.group : here;
    if (first >= last) break;
    const std::uint16_t* number = staged + first * head_dim + column % head_dim;
    float least = sane(widened(*number)), greatest = least;
    for (int row = first + 1; row < last; ++row) {
      number += head_dim;
      const float next = sane(widened(*number));
      least = next < least ? next : least;
      greatest = next > greatest ? next : greatest;
    }
    const KiviGroup group = kivi_group(least, greatest, Bits);
    low[column] = group.low;
    inverse[column] = group.inverse;
    const std::size_t to =
        (static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(groups_per_block * head_dim) +
         static_cast<std::size_t>(column)) *
        2;
    *reinterpret_cast<std::uint16_t*>(out + to) = group.scale;
    *reinterpret_cast<std::uint16_t*>(out + at.minima() + to) = group.minimum;
  }
  __syncthreads();

  for (int i = mine; i < here * octets; i += threads) {
    const int row = i / octets, octet = i % octets, column = row / form.group * head_dim + octet * 8;
    float numbers[8];
    sane_octet(numbers, *reinterpret_cast<const uint4*>(staged + i * 8));
    KiviOctet<Bits> codes;
    for (int c = 0; c < 8; ++c) codes.set(c, kivi_code<Bits>(numbers[c], low[column + c], inverse[column + c]));
    codes.store(out + at.codes() + static_cast<std::size_t>(begin + row) * at.row_codes +
                static_cast<std::size_t>(octet * Bits));
  }
}

/// A group is in adjacent lanes, which exchange its range by shuffles: no shared memory, one read. Memory-bound.
template <int Bits>
__global__ void __launch_bounds__(kivi_threads)
    encode_values(KiviForm form, HeadRows rows, KiviHeads heads, unsigned char* encoded) {
  const int head = static_cast<int>(blockIdx.y), count = heads.counts[head], octets = form.head_dim / 8,
            at_once = kivi_rows_at_once(form.head_dim);
  const int begin = static_cast<int>(blockIdx.x) * at_once * values_rows;
  if (begin >= count) return;
  const KiviLayout at = kivi_layout(form, count);
  unsigned char* const out = encoded + heads.first_byte[head];
  const int quantized = static_cast<int>(at.quantized), mine = static_cast<int>(threadIdx.x), octet = mine % octets;
  const int group_channels = form.group < form.head_dim ? form.group : form.head_dim;
  const int group_lanes = group_channels / 8, row_groups = form.head_dim / group_channels;
  const bool works = mine < at_once * octets;  // if rows do not fill the block, its last lanes only take part in
                                               // shuffles
  uint4 held[values_rows];
  for (int i = 0; i < values_rows; ++i) {
    const int row = begin + i * at_once + mine / octets;
    held[i] = uint4{0, 0, 0, 0};
    if (works && row < count) held[i] = *reinterpret_cast<const uint4*>(rows.row(head, row) + octet * 8);
  }
  for (int i = 0; i < values_rows; ++i) {
    const int row = begin + i * at_once + mine / octets;
    float numbers[8];
    sane_octet(numbers, held[i]);
    float least = numbers[0], greatest = numbers[0];
    for (int c = 1; c < 8; ++c) {
      least = numbers[c] < least ? numbers[c] : least;
      greatest = numbers[c] > greatest ? numbers[c] : greatest;
    }
    for (int other = 1; other < group_lanes; other *= 2) {
      const float low = __shfl_xor_sync(0xffffffffU, least, other),
                  high = __shfl_xor_sync(0xffffffffU, greatest, other);
      least = low < least ? low : least;
      greatest = high > greatest ? high : greatest;
    }
    if (!works || row >= count) continue;
    if (row >= quantized) {
      store_16(out + at.as_held() + static_cast<std::size_t>(row - quantized) * at.row +
                   static_cast<std::size_t>(octet) * 16,
               held[i]);
      continue;
    }
    const KiviGroup group = kivi_group(least, greatest, Bits);
    if (octet % group_lanes == 0) {
      const std::size_t to = (static_cast<std::size_t>(row) * static_cast<std::size_t>(row_groups) +
                              static_cast<std::size_t>(octet / group_lanes)) *
                             2;
      *reinterpret_cast<std::uint16_t*>(out + to) = group.scale;
      *reinterpret_cast<std::uint16_t*>(out + at.minima() + to) = group.minimum;
    }
    KiviOctet<Bits> codes;
    for (int c = 0; c < 8; ++c) codes.set(c, kivi_code<Bits>(numbers[c], group.low, group.inverse));
    codes.store(out + at.codes() + static_cast<std::size_t>(row) * at.row_codes +
                static_cast<std::size_t>(octet * Bits));
  }
}

/// For the key kernel: the rows of its groups, and the quantization parameters of each column.
std::size_t shared_bytes(const KiviForm& form) {
  const auto columns = static_cast<std::size_t>(kivi_groups_per_block(form.head_dim) * form.head_dim);
  return columns * (static_cast<std::size_t>(form.group) * sizeof(std::uint16_t) + 2 * sizeof(float));
}

template <int Bits>
void launch(const KiviForm& form, const HeadRows& rows, const KiviHeads& heads, unsigned char* encoded, Stream stream) {
  const int groups_per_block = kivi_groups_per_block(form.head_dim);
  const int most = form.keys ? groups_per_block * form.group : values_rows * kivi_rows_at_once(form.head_dim);
  const dim3 grid(static_cast<unsigned>((heads.max_rows + most - 1) / most), static_cast<unsigned>(heads.heads));
  if (form.keys)
    KV_LAUNCH(encode_keys<Bits>, grid, dim3(kivi_threads), shared_bytes(form), stream, form, rows, heads, encoded,
              groups_per_block);
  else
    KV_LAUNCH(encode_values<Bits>, grid, dim3(kivi_threads), 0, stream, form, rows, heads, encoded);
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
