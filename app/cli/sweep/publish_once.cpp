#include "app/cli/sweep/publish_once.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2: POSIX's header has it
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/unique_fd.h"

namespace kvantage::cli {
namespace {

tl::unexpected<Error> cannot_publish(const std::filesystem::path& path, int reason) {
  return fail(code_of_path_error(reason),
              path.string() + ": cannot be written (" + std::strerror(reason) + "); check the folder and its space");
}

bool written_to_device(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(file) == 0;
}

/// A server of files may repeat a request whose answer was lost: then the link is there although it says that it was.
bool is_linked_twice(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 && facts.st_nlink > 1;
}

/// 0, or errno; `temporary` may be gone then.
int moved_once(const char* temporary, const char* path, int file) {
  if (::link(temporary, path) == 0 || (errno == EEXIST && is_linked_twice(file))) return 0;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK) return errno;
  return ::renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

}  // namespace

Expected<bool> publish_once(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path temporary;
  const UniqueFd file = create_unique_file(path.string() + ".new-", temporary);
  if (!file) return cannot_publish(path, errno);
  const int error =
      written_to_device(file.get(), text) ? moved_once(temporary.c_str(), path.c_str(), file.get()) : errno;
  ::unlink(temporary.c_str());
  if (error == EEXIST) return false;
  if (error != 0) return cannot_publish(path, error);
  return true;
}

}  // namespace kvantage::cli
