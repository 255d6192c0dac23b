#include "gpu/kernels/leaf_checksums.h"

#include "gpu/kernels/cuda_check.h"

namespace kvantage::gpu {
namespace {

// XXH3-64 as in the specification of xxHash 0.8: blocks of 16 stripes of 64 bytes. The stripes of a block only add to
// eight accumulators, so a warp computes them side by side; between blocks the accumulators are scrambled. The last
// stripe has other words of the secret.
constexpr int warps = 4, lanes = 32, blocks_of_leaf = 4, pairs = 4, stripes_of_block = 16;
constexpr std::uint64_t stripe_bytes = 64;
constexpr std::uint64_t low_half = 0xffffffffU;
constexpr std::uint64_t prime32_1 = 0x9e3779b1U, prime32_2 = 0x85ebca77U, prime32_3 = 0xc2b2ae3dU;
constexpr std::uint64_t prime64_1 = 0x9e3779b185ebca87U, prime64_2 = 0xc2b2ae3d27d4eb4fU,
                        prime64_3 = 0x165667b19e3779f9U, prime64_4 = 0x85ebca77c2b2ae63U,
                        prime64_5 = 0x27d4eb2f165667c5U;

/// Words of the specification's default secret, at the offsets where each step reads them.
struct LeafSecret {
  std::uint64_t stripes[24];  // stripe s of a block reads 8 from word s on; scrambling the last 8
  std::uint64_t ending[8];    // of the last stripe: byte 121
  std::uint64_t merging[8];   // byte 11
  std::uint64_t start[8];     // of the accumulators
};
constexpr LeafSecret default_secret = {
    {
        0xbe4ba423396cfeb8U, 0x1cad21f72c81017cU, 0xdb979083e96dd4deU, 0x1f67b3b7a4a44072U, 0x78e5c0cc4ee679cbU,
        0x2172ffcc7dd05a82U, 0x8e2443f7744608b8U, 0x4c263a81e69035e0U, 0xcb00c391bb52283cU, 0xa32e531b8b65d088U,
        0x4ef90da297486471U, 0xd8acdea946ef1938U, 0x3f349ce33f76faa8U, 0x1d4f0bc7c7bbdcf9U, 0x3159b4cd4be0518aU,
        0x647378d9c97e9fc8U, 0xc3ebd33483acc5eaU, 0xeb6313faffa081c5U, 0x49daf0b751dd0d17U, 0x9e68d429265516d3U,
        0xfca1477d58be162bU, 0xce31d07ad1b8f88fU, 0x280416958f3acb45U, 0x7e404bbbcafbd7afU,
    },
    {
        0xea647378d9c97e9fU,
        0xc5c3ebd33483acc5U,
        0x17eb6313faffa081U,
        0xd349daf0b751dd0dU,
        0x2b9e68d429265516U,
        0x8ffca1477d58be16U,
        0x45ce31d07ad1b8f8U,
        0xaf280416958f3acbU,
    },
    {
        0x6dd4de1cad21f72cU,
        0xa44072db979083e9U,
        0xe679cb1f67b3b7a4U,
        0xd05a8278e5c0cc4eU,
        0x4608b82172ffcc7dU,
        0x9035e08e2443f774U,
        0x52283c4c263a81e6U,
        0x65d088cb00c391bbU,
    },
    {prime32_3, prime64_1, prime64_2, prime64_3, prime64_4, prime32_2, prime64_5, prime32_1},
};

/// Two neighboring words, of accumulators or secrets; a lane adds to the same pair of accumulators in all its stripes.
struct Pair {
  std::uint64_t first = 0, second = 0;
};
__device__ __forceinline__ Pair pair_at(const std::uint64_t* words, int at) { return {words[at], words[at + 1]}; }

__device__ __forceinline__ std::uint64_t mixed(std::uint64_t key) { return (key & low_half) * (key >> 32); }

__device__ __forceinline__ void add_piece(Pair& sums, const uint4& piece, const Pair& keys) {
  const std::uint64_t first = static_cast<std::uint64_t>(piece.y) << 32 | piece.x,
                      second = static_cast<std::uint64_t>(piece.w) << 32 | piece.z;
  sums.first += second + mixed(first ^ keys.first);
  sums.second += first + mixed(second ^ keys.second);
}

__device__ __forceinline__ std::uint64_t scrambled(std::uint64_t sum, std::uint64_t key) {
  return (sum ^ sum >> 47 ^ key) * prime32_1;
}

/// The halves of the 128-bit product, combined by xor.
__device__ __forceinline__ std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = (a & low_half) * (b & low_half), cross = (a >> 32) * (b & low_half),
                      other = (a & low_half) * (b >> 32), high = (a >> 32) * (b >> 32);
  const std::uint64_t middle = (low >> 32) + (cross & low_half) + other;
  return (high + (cross >> 32) + (middle >> 32)) ^ (middle << 32 | (low & low_half));
}

/// Adds what the lanes with the same accumulators have; every lane gets the sum.
__device__ __forceinline__ void add_over_lanes(Pair& sum, Pair added) {
#pragma unroll
  for (unsigned apart = pairs; apart < lanes; apart *= 2) {
    added.first += __shfl_xor_sync(0xffffffffU, added.first, apart);
    added.second += __shfl_xor_sync(0xffffffffU, added.second, apart);
  }
  sum.first += added.first;
  sum.second += added.second;
}

/// The checksum of `bytes` bytes from the accumulators of a warp, in every lane.
__device__ __forceinline__ std::uint64_t merged_sums(const Pair& sum, const Pair& merging, std::uint64_t bytes) {
  std::uint64_t merged = folded_product(sum.first ^ merging.first, sum.second ^ merging.second);
  for (unsigned apart = 1; apart < pairs; apart *= 2) merged += __shfl_xor_sync(0xffffffffU, merged, apart);
  merged += bytes * prime64_1;
  merged = (merged ^ merged >> 37) * 0x165667919e3779f9U;
  return merged ^ merged >> 32;
}

/// The 16 bytes at `offset` of a leaf that ends at `end`, and zeros behind it.
__device__ __forceinline__ uint4 piece_before(const std::byte* leaf, std::uint64_t offset, std::uint64_t end) {
  if (offset + sizeof(uint4) <= end) return *reinterpret_cast<const uint4*>(leaf + offset);
  std::uint64_t low = 0, high = 0;
  for (unsigned i = 0; offset + i < end; ++i) {
    const auto byte = static_cast<std::uint64_t>(leaf[offset + i]);
    if (i < 8)
      low |= byte << 8 * i;
    else
      high |= byte << 8 * (i - 8);
  }
  return uint4{static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
               static_cast<unsigned>(high >> 32)};
}

/// Memory-bound: a warp per leaf, 16 bytes per lane at a time, all of them requested before the first is used.
__global__ void __launch_bounds__(warps* lanes)
    leaf_checksums(const std::byte* bytes, std::uint64_t leaves, std::uint64_t last_bytes, LeafSecret secret,
                   std::uint64_t* sums) {
  const std::uint64_t leaf = static_cast<std::uint64_t>(blockIdx.x) * warps + threadIdx.x / lanes;
  if (leaf >= leaves) return;
  const int lane = static_cast<int>(threadIdx.x) % lanes, pair = lane % pairs, stripe = lane / pairs;
  const std::byte* const here = bytes + leaf * leaf_bytes;
  const uint4* const mine = reinterpret_cast<const uint4*>(here) + lane;
  uint4 pieces[2 * blocks_of_leaf];
  if (leaf + 1 < leaves || last_bytes == leaf_bytes) {
#pragma unroll
    for (int i = 0; i < 2 * blocks_of_leaf; ++i) pieces[i] = mine[i * lanes];
  } else {
#pragma unroll
    for (int i = 0; i < 2 * blocks_of_leaf; ++i)
      pieces[i] = piece_before(here, static_cast<std::uint64_t>(i * lanes + lane) * sizeof(uint4), last_bytes);
  }
  const Pair of_first = pair_at(secret.stripes, stripe + 2 * pair),
             of_second = pair_at(secret.stripes, 8 + stripe + 2 * pair),
             of_last = stripe == 7 ? pair_at(secret.ending, 2 * pair) : of_second,
             scrambling = pair_at(secret.stripes, 16 + 2 * pair), merging = pair_at(secret.merging, 2 * pair);
  Pair sum = pair_at(secret.start, 2 * pair);
#pragma unroll
  for (int block = 0; block < blocks_of_leaf; ++block) {
    const bool last = block + 1 == blocks_of_leaf;
    Pair added;
    add_piece(added, pieces[2 * block], of_first);
    add_piece(added, pieces[2 * block + 1], last ? of_last : of_second);
    add_over_lanes(sum, added);
    if (last) break;
    sum.first = scrambled(sum.first, scrambling.first);
    sum.second = scrambled(sum.second, scrambling.second);
  }
  const std::uint64_t whole = merged_sums(sum, merging, leaf_bytes);
  if (lane == 0) sums[leaf] = whole;
}

/// A lane's pieces of the stripes of one block of XXH3; zeros behind the last stripe, which nobody adds.
struct StripePieces {
  uint4 pieces[2];
};
__device__ __forceinline__ StripePieces stripe_pieces(const uint4* bytes, std::uint64_t block, int stripe, int pair,
                                                      std::uint64_t stripes) {
  StripePieces found{};
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t at = block * stripes_of_block + static_cast<std::uint64_t>(stripe + 8 * half);
    if (at < stripes) found.pieces[half] = bytes[at * pairs + static_cast<std::uint64_t>(pair)];
  }
  return found;
}

/// Memory-bound: a warp per cache block; the next pieces are requested before the present ones are used.
__global__ void __launch_bounds__(warps* lanes)
    check_blocks(BlockChecksums blocks, LeafSecret secret, std::uint32_t* changed) {
  const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.x) * warps + threadIdx.x / lanes;
  if (block >= blocks.count) return;
  const int lane = static_cast<int>(threadIdx.x) % lanes, pair = lane % pairs, stripe = lane / pairs;
  const auto* const bytes = reinterpret_cast<const uint4*>(blocks.blocks + block * blocks.block_bytes);
  const std::uint64_t stripes = blocks.block_bytes / stripe_bytes,
                      parts = (stripes + stripes_of_block - 1) / stripes_of_block;
  const Pair of_halves[2] = {pair_at(secret.stripes, stripe + 2 * pair),
                             pair_at(secret.stripes, 8 + stripe + 2 * pair)},
             ending = pair_at(secret.ending, 2 * pair), scrambling = pair_at(secret.stripes, 16 + 2 * pair);
  Pair sum = pair_at(secret.start, 2 * pair);
  StripePieces now = stripe_pieces(bytes, 0, stripe, pair, stripes);
  for (std::uint64_t part = 0; part < parts; ++part) {
    const StripePieces next = stripe_pieces(bytes, part + 1, stripe, pair, stripes);
    Pair added;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t at = part * stripes_of_block + static_cast<std::uint64_t>(stripe + 8 * half);
      if (at < stripes) add_piece(added, now.pieces[half], at + 1 == stripes ? ending : of_halves[half]);
    }
    add_over_lanes(sum, added);
    now = next;
    if (part + 1 == parts) break;
    sum.first = scrambled(sum.first, scrambling.first);
    sum.second = scrambled(sum.second, scrambling.second);
  }
  const std::uint64_t whole = merged_sums(sum, pair_at(secret.merging, 2 * pair), blocks.block_bytes);
  if (lane == 0 && whole != blocks.sums[block]) atomicAdd(changed, 1U);
}

__global__ void reset_count(std::uint32_t* changed) { *changed = 0; }

}  // namespace

Status launch_leaf_checksums(const std::byte* bytes, std::uint64_t leaves, std::uint64_t* sums, Stream stream,
                             std::uint64_t last_bytes) {
  constexpr std::uint64_t max_leaves = std::uint64_t{1} << 31;
  if (leaves > max_leaves) return fail(ErrorCode::usage, "leaf_checksums: at most 8 TiB at once");
  if (last_bytes == 0 || last_bytes > leaf_bytes)
    return fail(ErrorCode::usage, "leaf_checksums: the last leaf has 1 to 4,096 bytes");
  if (leaves == 0) return {};
  KV_LAUNCH(leaf_checksums, dim3(static_cast<unsigned>((leaves + warps - 1) / warps)), dim3(warps * lanes), 0, stream,
            bytes, leaves, last_bytes, default_secret, sums);
  return launched("leaf_checksums");
}

Status launch_reset_count(std::uint32_t* changed, Stream stream) {
  KV_LAUNCH(reset_count, dim3(1), dim3(1), 0, stream, changed);
  return launched("reset_count");
}

Status launch_check_blocks(const BlockChecksums& blocks, std::uint32_t* changed, Stream stream) {
  constexpr std::uint64_t max_blocks = std::uint64_t{1} << 31;
  if (blocks.count > max_blocks || !can_check_blocks_of(blocks.block_bytes))
    return fail(ErrorCode::usage, "check_blocks: at most 2,147,483,648 blocks of multiples of 64 bytes, from 256 on");
  if (blocks.count == 0) return {};
  KV_LAUNCH(check_blocks, dim3(static_cast<unsigned>((blocks.count + warps - 1) / warps)), dim3(warps * lanes), 0,
            stream, blocks, default_secret, changed);
  return launched("check_blocks");
}

}  // namespace kvantage::gpu
