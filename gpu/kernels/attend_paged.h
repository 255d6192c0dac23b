// Decode attention over ragged paged heads, each head's tokens split over thread blocks (flash-decoding, Dao et al.
// 2023):
//   out[h, g] = sum over t of p(h, g, t) value(h, t),   p = softmax over t of scale * <query(h, g), key(h, t)>
// Every kept token of a head is visible: the newest one was appended before. Heads may belong to several sequences.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

struct DecodeAttention {
  const std::uint16_t* queries = nullptr;  // [heads, group, head_dim] bf16 after RoPE; aligned to 4 bytes
  int group = 1;                           // query heads per KV head
  float scale = 1;                         // 1 / sqrt(head_dim) in all supported models
};

/// Scratch bytes of launch_attend_paged(), for heads of at most `longest` tokens. Must be zero before the first launch;
/// each launch restores the zeros it needs, so that a captured graph can reuse it. One launch at a time.
std::size_t attend_scratch_bytes(const PagedHeads& heads, const DecodeAttention& job, int longest);
/// out: [heads, group, head_dim] bf16, aligned to 4 bytes; zeros for an empty head. longest: upper bound of kept
/// tokens; the launch depends on it and not on current lengths, so a graph captured with spare capacity stays valid.
/// Deterministic. usage: head_dim that is not a multiple of 8 up to 256.
Status launch_attend_paged(const PagedHeads& heads, const DecodeAttention& job, int longest, void* scratch,
                           std::uint16_t* out, Stream stream);
/// Reference on host memory, in double.
void attend_paged_reference(const PagedHeads& heads, const DecodeAttention& job, std::uint16_t* out);

}  // namespace kvantage::gpu
