#include "app/cli/sweep/worker_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/base/folders.h"

namespace kvantage::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* lock_suffix = ".worker";

/// Nothing where another process holds it.
UniqueFd locked(const fs::path& file, int flags) {
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600));
  if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return UniqueFd();
  // Another cleanup may have removed it between opening and locking.
  struct stat found {};
  return ::fstat(fd.get(), &found) == 0 && found.st_nlink > 0 ? std::move(fd) : UniqueFd();
}

void remove_left(const fs::path& root) {
  std::error_code error;
  for (const fs::path& entry : entries_of(root, error)) {
    if (entry.extension() != lock_suffix) continue;
    const UniqueFd lock = locked(entry, 0);
    if (!lock) continue;
    std::error_code ignored;
    fs::path folder = entry;
    fs::remove_all(folder.replace_extension(), ignored);
    fs::remove(entry, ignored);
  }
}

}  // namespace

Expected<WorkerFolder> WorkerFolder::make(const fs::path& root, const std::string& name) {
  KV_TRY(make_writable_folder(root));
  remove_left(root);
  const fs::path file = root / (name + lock_suffix);
  UniqueFd lock;
  for (int attempt = 0; attempt < 10 && !lock; ++attempt) lock = locked(file, O_CREAT);
  if (!lock)
    return fail(ErrorCode::busy,
                file.string() + ": cannot be locked; give the worker a folder of its own with --store");
  KV_TRY(make_writable_folder(root / name));
  return WorkerFolder(root / name, std::move(lock));
}

WorkerFolder::~WorkerFolder() {
  if (!lock_) return;  // moved from
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  fs::path file = path_;
  fs::remove(file += lock_suffix, ignored);
}

}  // namespace kvantage::cli
