// Copies into staging memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kvantage::gpu {

/// As memcpy, but with stores that bypass the caches: a device reads memory more slowly while it has to fetch changed
/// lines from them. `to` is aligned to 64 bytes and at least as long as `from`.
inline void copy_past_caches(std::span<std::byte> to, std::span<const std::byte> from) {
  std::size_t done = 0;
#if defined(__SSE2__)
  for (; done + 64 <= from.size(); done += 64) {
    const auto* const source = reinterpret_cast<const __m128i*>(from.data() + done);
    auto* const target = reinterpret_cast<__m128i*>(to.data() + done);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1), c = _mm_loadu_si128(source + 2),
                  d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a), _mm_stream_si128(target + 1, b), _mm_stream_si128(target + 2, c),
        _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
#endif
  if (done < from.size()) std::memcpy(to.data() + done, from.data() + done, from.size() - done);
}

}  // namespace kvantage::gpu
