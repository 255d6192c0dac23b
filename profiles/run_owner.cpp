#include "profiles/run_owner.h"

#include <fcntl.h>
#include <unistd.h>

namespace kvantage::inline profiles {
namespace {

// Open-file-description locks, not process locks: two objects in one process are distinct, and closing one file does
// not release the other's locks.
struct flock byte_of(std::int64_t row, short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = row;
  lock.l_len = 1;
  return lock;
}

}  // namespace

RunOwner::RunOwner(const std::filesystem::path& database) : path_(database.string() + "-live") {}

RunOwner::~RunOwner() {
  if (file_ >= 0) ::close(file_);
}

bool RunOwner::open(bool make) {
  if (file_ >= 0 && (writable_ || !make)) return true;
  const int opened = make ? ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)
                          : ::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0) return false;
  if (file_ >= 0) ::close(file_);
  file_ = opened;
  writable_ = make;
  return true;
}

void RunOwner::unlock() {
  if (held_ == 0) return;
  struct flock free = byte_of(held_, F_UNLCK);
  (void)::fcntl(file_, F_OFD_SETLK, &free);
  held_ = 0;
}

void RunOwner::hold(std::int64_t row) {
  const std::lock_guard guard(mutex_);
  unlock();
  struct flock lock = byte_of(row, F_WRLCK);
  if (open(true) && ::fcntl(file_, F_OFD_SETLK, &lock) == 0) held_ = row;
}

void RunOwner::release(std::int64_t row) {
  const std::lock_guard guard(mutex_);
  if (row == held_) unlock();
}

bool RunOwner::is_held_elsewhere(std::int64_t row) {
  const std::lock_guard guard(mutex_);
  struct flock asked = byte_of(row, F_WRLCK);
  return open(false) && ::fcntl(file_, F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
}

}  // namespace kvantage::inline profiles
