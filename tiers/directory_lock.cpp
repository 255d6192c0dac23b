#include "tiers/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string>

#include "tiers/posix_file.h"

namespace kvantage::inline tiers {

Expected<DirectoryLock> DirectoryLock::acquire(const std::filesystem::path& directory, const Use& use) {
  const std::filesystem::path path = directory / use.file;
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!fd && errno != ELOOP && errno != ENXIO)
    return fail_errno(errno, directory, (use.what + std::string(" cannot be opened for writing")).c_str());
  struct stat status {};
  if (!fd || (::fstat(fd.get(), &status) == 0 && !S_ISREG(status.st_mode)))
    return fail(ErrorCode::rejected_input,
                path.string() + ": is a link, pipe or device in place of a lock; move it away");
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, path, "cannot be locked");
    std::array<char, 24> owner{};
    const ssize_t length = ::pread(fd.get(), owner.data(), owner.size() - 1, 0);
    std::string process(owner.data(), static_cast<std::size_t>(length > 0 ? length : 0));
    while (!process.empty() && process.back() == '\n') process.pop_back();
    const std::string in_use = directory.string() + ": " + use.what + " in use by ";
    if (process == std::to_string(::getpid())) return fail(ErrorCode::busy, in_use + use.by_this_process);
    return fail(ErrorCode::busy,
                in_use + (process.empty() ? "another process" : "process " + process) + "; " + use.advice);
  }
  // The holder, for the message above; the lock does not depend on it.
  const std::string process = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), process.data(), process.size(), 0) != static_cast<ssize_t>(process.size())) {
    if (errno != ENOSPC && errno != EDQUOT) return fail_errno(errno, path, "cannot be written");
  }
  return DirectoryLock(std::move(fd));
}

}  // namespace kvantage::inline tiers
