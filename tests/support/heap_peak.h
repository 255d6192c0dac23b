// How much of the heap lives at once, counted in malloc itself, so that libtorch's own allocations count, too. To be
// included by one file of an executable. Under sanitizers, which have a malloc of their own, nothing is counted.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KVANTAGE_COUNTS_HEAP 0
#else
#define KVANTAGE_COUNTS_HEAP 1
#endif

namespace kvantage::test {

inline std::atomic<std::ptrdiff_t> heap_live{0}, heap_max{0};

/// Blocks that live, by size in steps of 16 bytes: what grows without end is known by it. The last step has all larger
/// ones.
inline constexpr std::size_t heap_steps = 257, heap_step_bytes = 16;
inline std::array<std::atomic<std::ptrdiff_t>, heap_steps> heap_blocks{};
inline std::atomic<std::ptrdiff_t>& heap_blocks_of(std::ptrdiff_t size) {
  return heap_blocks[std::min(static_cast<std::size_t>(size) / heap_step_bytes, heap_steps - 1)];
}

inline void* counted(void* memory) {
  if (memory == nullptr) return nullptr;
  const auto size = static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
  heap_blocks_of(size).fetch_add(1, std::memory_order_relaxed);
  const std::ptrdiff_t live = heap_live.fetch_add(size) + size;
  std::ptrdiff_t most = heap_max.load();
  while (live > most && !heap_max.compare_exchange_weak(most, live)) {
  }
  return memory;
}
inline void uncounted(void* memory) {
  if (memory == nullptr) return;
  const auto size = static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
  heap_blocks_of(size).fetch_sub(1, std::memory_order_relaxed);
  heap_live.fetch_sub(size);
}

/// Bytes beyond what lived at the start, at the worst moment of `work`.
template <class Work>
std::ptrdiff_t heap_peak_of(const Work& work) {
  const std::ptrdiff_t start = heap_live.load();
  heap_max.store(start);
  work();
  return heap_max.load() - start;
}

}  // namespace kvantage::test

#if KVANTAGE_COUNTS_HEAP
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) { return kvantage::test::counted(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) { return kvantage::test::counted(__libc_calloc(count, size)); }
void* realloc(void* memory, std::size_t size) {
  kvantage::test::uncounted(memory);
  return kvantage::test::counted(__libc_realloc(memory, size));
}
void* memalign(std::size_t alignment, std::size_t size) {
  return kvantage::test::counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  kvantage::test::uncounted(memory);
  __libc_free(memory);
}
}
#endif
