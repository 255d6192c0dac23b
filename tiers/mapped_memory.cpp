#include "tiers/mapped_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/units.h"

namespace kvantage::inline tiers {

namespace {

tl::unexpected<Error> mapping_refused(std::size_t bytes) {
  return fail(ErrorCode::no_space, "memory: " + format_bytes(bytes) + " refused by the system (" +
                                       std::strerror(errno) + "); lower the budgets");
}

std::byte* map_anonymous(std::size_t bytes) {
  void* const address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

/// Aligned to a huge page; the excess mapping is unmapped.
std::byte* map_aligned(std::size_t bytes) {
  std::byte* const base = map_anonymous(bytes + huge_page_bytes);
  if (base == nullptr) return nullptr;
  const std::size_t before =
      (huge_page_bytes - reinterpret_cast<std::uintptr_t>(base) % huge_page_bytes) % huge_page_bytes;
  if (before > 0) ::munmap(base, before);
  ::munmap(base + before + bytes, huge_page_bytes - before);
  ::madvise(base + before, bytes, MADV_HUGEPAGE);  // falls back to small pages
  return base + before;
}

}  // namespace

Status MappedMemory::prefault(std::span<std::byte> part) {
  if (part.empty()) return {};
#ifdef MADV_POPULATE_WRITE
  if (::madvise(part.data(), part.size(), MADV_POPULATE_WRITE) == 0) return {};
  if (errno != EINVAL) return mapping_refused(part.size());
#endif
  for (std::size_t at = 0; at < part.size(); at += page_bytes) {  // a kernel before 5.14
    auto* const byte = reinterpret_cast<volatile std::byte*>(part.data() + at);
    *byte = *byte;
  }
  return {};
}

Expected<MappedMemory> MappedMemory::map(std::size_t bytes, bool prefault) {
  MappedMemory memory;
  const std::size_t rounded = round_up_to_page(bytes);
  std::byte* const address = rounded >= huge_page_bytes ? map_aligned(rounded) : map_anonymous(rounded);
  if (address == nullptr) return mapping_refused(rounded);
  memory.data_ = address;
  memory.bytes_ = rounded;
  if (prefault) KV_TRY(MappedMemory::prefault(memory.bytes()));
  return memory;
}

MappedMemory::~MappedMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace kvantage::inline tiers
