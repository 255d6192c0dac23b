#include "tiers/mapped_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/units.h"

namespace kvantage {

Expected<MappedMemory> MappedMemory::map(std::size_t bytes, bool prefault) {
  MappedMemory memory;
  const std::size_t rounded = round_up_to_page(bytes);
  void* address = ::mmap(nullptr, rounded, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | (prefault ? MAP_POPULATE : 0), -1, 0);
  if (address == MAP_FAILED)
    return fail(ErrorCode::no_space, "memory: " + format_bytes(rounded) + " refused by the system (" +
                                         std::strerror(errno) + "); lower the budgets");
  memory.data_ = static_cast<std::byte*>(address);
  memory.bytes_ = rounded;
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

}  // namespace kvantage
