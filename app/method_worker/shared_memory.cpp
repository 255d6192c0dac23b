#include "app/method_worker/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace kvantage::inline method_worker {
namespace {

constexpr std::size_t memory_step = std::size_t{1} << 20;  // a worker maps it again after each growth

tl::unexpected<Error> memory_refused(const char* what) {
  return fail(ErrorCode::no_space, std::string("memory shared with the method worker: ") + what + ": " +
                                       std::generic_category().message(errno) + "; free some memory");
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (start_ != nullptr) ::munmap(start_, size_);
}

Status SharedMemory::grow(std::size_t bytes) {
  if (bytes <= size_ && file_) return {};
  const std::size_t wanted = (bytes + memory_step) / memory_step * memory_step;
  if (!file_) {
    file_ = UniqueFd(::memfd_create("kvantage-method", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file_) return memory_refused("memfd_create");
    if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) return memory_refused("F_SEAL_SHRINK");
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(wanted)) != 0) return memory_refused("ftruncate");
  void* const mapped = start_ == nullptr ? ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0)
                                         : ::mremap(start_, size_, wanted, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) return memory_refused("mmap");
  start_ = static_cast<std::byte*>(mapped);
  size_ = wanted;
  return {};
}

}  // namespace kvantage::inline method_worker
