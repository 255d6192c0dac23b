#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kvantage {

Expected<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  const auto refused = [&] {
    return fail(ErrorCode::rejected_input,
                path.string() + ": " + std::strerror(errno) + "; check the path and its permissions");
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return refused();
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (!known || !S_ISREG(status.st_mode) || status.st_size <= 0) {
    ::close(descriptor);
    return fail(ErrorCode::rejected_input, path.string() + ": not a file with contents; fetch the file again");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int problem = errno;
  ::close(descriptor);
  errno = problem;
  if (data == MAP_FAILED) return refused();
  return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(data_), size_); }

}  // namespace kvantage
