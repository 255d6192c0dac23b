#include "tiers/posix_device.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/folders.h"
#include "tiers/posix_file.h"

namespace kvantage::inline tiers {
namespace {

// Entries are computed from private documents.
constexpr mode_t private_file = S_IRUSR | S_IWUSR;

}  // namespace

Error no_store_file(const std::filesystem::path& path) {
  std::error_code unknown;
  return {ErrorCode::corrupt,
          path.string() + (std::filesystem::is_symlink(path, unknown)
                               ? ": is a link in place of a file of the store; put the file itself there, or remove "
                                 "the link"
                               : ": is a pipe or device in place of a file of the store; move it away")};
}

Expected<PosixDevice::Handle> PosixDevice::open_handle(const std::filesystem::path& path, bool create, bool direct) {
  const int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | (create ? O_CREAT : 0);
  UniqueFd fd(::open(path.c_str(), flags | (direct ? O_DIRECT : 0), private_file));
  if (!fd && direct && errno == EINVAL) {
    direct = false;
    fd = UniqueFd(::open(path.c_str(), flags, private_file));
  }
  if (!fd && (errno == ELOOP || errno == ENXIO)) return tl::unexpected(no_store_file(path));
  if (!fd) return fail_errno(errno, path, create ? "cannot be created" : "cannot be opened");
  struct stat status {};
  if (::fstat(fd.get(), &status) == 0 && !S_ISREG(status.st_mode)) return tl::unexpected(no_store_file(path));
  return Handle{std::move(fd), direct};
}

Expected<std::unique_ptr<DeviceFile>> PosixDevice::open(const std::filesystem::path& path, bool create) {
  KV_ASSIGN(auto handle, open_handle(path, create, options_.bypass_page_cache));
  return std::make_unique<PosixFile>(std::move(handle.fd), path,
                                     handle.direct ? PageCache::bypassed : PageCache::dropped);
}

Expected<std::unique_ptr<DeviceFile>> PosixDevice::open_cached(const std::filesystem::path& path, bool create) {
  KV_ASSIGN(auto handle, open_handle(path, create, false));
  return std::make_unique<PosixFile>(std::move(handle.fd), path, PageCache::kept);
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
  if (const std::error_code code = make_private_folders(path))
    return fail_errno(code.value(), path, "folder cannot be created");
  return {};
}

Expected<std::vector<std::filesystem::path>> PosixDevice::list(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  std::error_code code;
  std::filesystem::directory_iterator it(directory, code);
  for (; !code && it != std::filesystem::directory_iterator(); it.increment(code)) {
    std::error_code unknown;
    if (it->symlink_status(unknown).type() != std::filesystem::file_type::directory) paths.push_back(it->path());
  }
  if (code) return fail_errno(code.value(), directory, "folder cannot be listed");
  return paths;
}

Status PosixDevice::sync_directory(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return fail_errno(errno, path, "folder cannot be flushed to disk");
  return {};
}

}  // namespace kvantage::inline tiers
