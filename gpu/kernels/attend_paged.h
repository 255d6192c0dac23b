// Decode attention over ragged heads in blocks, each head's tokens split over thread blocks (flash-decoding, Dao et al.
// 2023):
//   out[h, g] = sum over t of p(h, g, t) value(h, t),   p = softmax over t of scale * <query(h, g), key(h, t)>
// Every kept token of a head is seen: the newest one was appended before. Heads may be those of several sequences.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

struct DecodeAttention {
  const std::uint16_t* queries = nullptr;  // [heads, group, head_dim] bf16 after RoPE; aligned to 4 bytes
  int group = 1;                           // query heads a KV head
  float scale = 1;                         // 1 / sqrt(head_dim) in every model here
};

/// Bytes that launch_attend_paged() works in, for heads of at most `longest` tokens: zeros before the first launch,
/// zeros where it matters after each, so that a captured graph can use them again and again. One launch at a time.
std::size_t attend_scratch_bytes(const PagedHeads& heads, const DecodeAttention& job, int longest);
/// out: [heads, group, head_dim] bf16, aligned to 4 bytes; zeros for a head that keeps nothing. longest: no head keeps
/// more; the launch depends on it, not on what heads keep now, so a graph captured with room to grow stays valid. The
/// same numbers every time. usage: head_dim that is no multiple of 8 up to 256.
Status launch_attend_paged(const PagedHeads& heads, const DecodeAttention& job, int longest, void* scratch,
                           std::uint16_t* out, Stream stream);
/// The same of host memory, in double.
void attend_paged_twin(const PagedHeads& heads, const DecodeAttention& job, std::uint16_t* out);

}  // namespace kvantage::gpu
