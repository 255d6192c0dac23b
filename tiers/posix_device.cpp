#include "tiers/posix_device.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tiers/unique_fd.h"

namespace kvantage {
namespace {

class PosixFile final : public DeviceFile {
 public:
  PosixFile(UniqueFd fd, std::filesystem::path path, bool direct)
      : fd_(std::move(fd)), path_(std::move(path)), direct_(direct) {}

  ~PosixFile() override { drop_page_cache(0, 0); }

  Status read(std::uint64_t offset, std::span<std::byte> target) override {
    const std::uint64_t first = offset;
    for (std::span<std::byte> rest = target; !rest.empty();) {
      const ssize_t got = ::pread(fd_.get(), rest.data(), rest.size(), static_cast<off_t>(offset));
      if (got < 0) {
        if (errno == EINTR || leave_direct_mode(errno)) continue;
        return fail_errno(errno, path_, "cannot be read");
      }
      if (got == 0)
        return fail(ErrorCode::corrupt, path_.string() + ": ends at byte " + std::to_string(offset) + ", " +
                                            std::to_string(rest.size()) + " more were expected");
      rest = rest.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    drop_page_cache(first, target.size());
    return {};
  }

  Status write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t done = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
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

  Status sync() override {
    if (::fdatasync(fd_.get()) != 0) return fail_errno(errno, path_, "cannot be flushed to disk");
    return {};
  }

  Expected<std::uint64_t> size() override {
    struct stat status {};
    if (::fstat(fd_.get(), &status) != 0) return fail_errno(errno, path_, "has no size");
    return static_cast<std::uint64_t>(status.st_size);
  }

  Status resize(std::uint64_t bytes) override {
    if (::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0) return fail_errno(errno, path_, "cannot be resized");
    return {};
  }

  bool direct() const override { return direct_; }

 private:
  // Some file systems take O_DIRECT at open and refuse the transfer: go on through the page cache then.
  bool leave_direct_mode(int code) {
    if (code != EINVAL || !direct_) return false;
    const int flags = ::fcntl(fd_.get(), F_GETFL);
    if (flags < 0 || ::fcntl(fd_.get(), F_SETFL, flags & ~O_DIRECT) != 0) return false;
    direct_ = false;
    return true;
  }

  void drop_page_cache(std::uint64_t offset, std::uint64_t bytes) {
    if (!direct_)
      ::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
  }

  UniqueFd fd_;
  std::filesystem::path path_;
  bool direct_;
};

}  // namespace

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

Expected<std::unique_ptr<DeviceFile>> PosixDevice::open(const std::filesystem::path& path, bool create) {
  const int flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0);
  bool direct = options_.bypass_page_cache;
  UniqueFd fd(::open(path.c_str(), flags | (direct ? O_DIRECT : 0), 0644));
  if (!fd && direct && errno == EINVAL) {
    direct = false;
    fd = UniqueFd(::open(path.c_str(), flags, 0644));
  }
  if (!fd) return fail_errno(errno, path, create ? "cannot be created" : "cannot be opened");
  return std::make_unique<PosixFile>(std::move(fd), path, direct);
}

Status PosixDevice::remove(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0) return fail_errno(errno, path, "cannot be removed");
  return {};
}

Status PosixDevice::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return fail_errno(errno, from, "cannot be renamed");
  return {};
}

Status PosixDevice::make_directory(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return fail_errno(code.value(), path, "folder cannot be made");
  return {};
}

Expected<std::vector<std::filesystem::path>> PosixDevice::list(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  std::error_code code;
  std::filesystem::directory_iterator it(directory, code);
  for (; !code && it != std::filesystem::directory_iterator(); it.increment(code)) {
    std::error_code unknown;
    if (it->is_regular_file(unknown)) paths.push_back(it->path());
  }
  if (code) return fail_errno(code.value(), directory, "folder cannot be listed");
  return paths;
}

Status PosixDevice::sync_directory(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return fail_errno(errno, path, "folder cannot be flushed to disk");
  return {};
}

}  // namespace kvantage
