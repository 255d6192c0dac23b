#include "tiers/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "tiers/request_planner.h"

namespace kvantage::inline tiers {

Status PosixFile::read(std::uint64_t offset, std::span<std::byte> target) {
  const std::uint64_t first = offset;
  for (std::span<std::byte> rest = target; !rest.empty();) {
    const ssize_t got = ::pread(fd(), rest.data(), rest.size(), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR || leave_direct_mode(errno)) continue;
      return fail_errno(errno, path_, "cannot be read");
    }
    if (got == 0) return fail_cut_off(path_, offset, rest.size());
    rest = rest.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  drop_page_cache(first, target.size());
  return {};
}

Status PosixFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0) {
      if (errno == EINTR || leave_direct_mode(errno)) continue;
      return fail_errno(errno, path_, "cannot be written");
    }
    if (done == 0) return fail_errno(ENOSPC, path_, "cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return {};
}

Status PosixFile::read_many(TransferBatch& batch) {
  RequestPlanner planner(batch, RequestLimits{});
  while (auto request = planner.next()) {
    const std::uint64_t first = request->offset;
    while (request->bytes > 0) {
      const ssize_t got = ::preadv(fd(), request->parts.data(), static_cast<int>(request->parts.size()),
                                   static_cast<off_t>(request->offset));
      if (got < 0) {
        if (errno == EINTR || leave_direct_mode(errno)) continue;
        return fail_errno(errno, path_, "cannot be read");
      }
      if (got == 0) return fail_cut_off(path_, request->offset, request->bytes);
      request->advance(static_cast<std::size_t>(got));
    }
    drop_page_cache(first, request->offset - first);
    planner.finish(*request);
    KV_TRY(planner.deliver());
  }
  return {};
}

Status PosixFile::reserve(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return {};
  while (::fallocate(fd(), 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0) {
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS) return {};
    return fail_errno(errno, path_, "has no space left");
  }
  return {};
}

Status PosixFile::sync() {
  if (::fdatasync(fd()) != 0) return fail_errno(errno, path_, "cannot be flushed to disk");
  return {};
}

Expected<std::uint64_t> PosixFile::size() {
  struct stat status {};
  if (::fstat(fd(), &status) != 0) return fail_errno(errno, path_, "has no size");
  return static_cast<std::uint64_t>(status.st_size);
}

std::uint64_t PosixFile::next_data(std::uint64_t offset) {
  // Only moves a position that no positioned read or write uses.
  const off_t found = ::lseek(fd(), static_cast<off_t>(offset), SEEK_DATA);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  return errno == ENXIO ? std::numeric_limits<std::uint64_t>::max() : offset;
}

Status PosixFile::resize(std::uint64_t bytes) {
  if (::ftruncate(fd(), static_cast<off_t>(bytes)) != 0) return fail_errno(errno, path_, "cannot be resized");
  return {};
}

bool PosixFile::leave_direct_mode(int code) {
  if (code != EINVAL || !direct()) return false;
  const int flags = ::fcntl(fd(), F_GETFL);
  if (flags < 0 || ::fcntl(fd(), F_SETFL, flags & ~O_DIRECT) != 0) return false;
  cache_ = PageCache::dropped;
  return true;
}

void PosixFile::drop_page_cache(std::uint64_t offset, std::uint64_t bytes) {
  if (cache_ == PageCache::dropped)
    ::posix_fadvise(fd(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
}

tl::unexpected<Error> fail_cut_off(const std::filesystem::path& path, std::uint64_t offset, std::uint64_t missing) {
  return fail(ErrorCode::corrupt, path.string() + ": ends at byte " + std::to_string(offset) + ", " +
                                      std::to_string(missing) + " more were expected");
}

tl::unexpected<Error> fail_errno(int code, const std::filesystem::path& path, const char* what) {
  ErrorCode kind = ErrorCode::io;
  std::string mend;
  if (code == ENOENT) kind = ErrorCode::not_found;
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) {
    kind = ErrorCode::no_space;
    mend = "; free some space or choose another folder";
  }
  if (code == EROFS || code == EACCES || code == EPERM) mend = "; choose a writable folder";
  if (code == ENOTDIR || code == EEXIST || code == ELOOP || code == ENAMETOOLONG) mend = "; choose another folder";
  return fail(kind, path.string() + ": " + what + " (" + std::strerror(code) + ")" + mend);
}

}  // namespace kvantage::inline tiers
