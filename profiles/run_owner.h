// Tracks which runs are being recorded. A recording process holds a lock on the run's byte of a file next to the
// database ("NAME-live"). The kernel releases it when the process ends in any way: an unfinished run without a lock was
// aborted. The file stays empty and may be deleted when nothing records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>

namespace kvantage::inline profiles {

class RunOwner {
 public:
  explicit RunOwner(const std::filesystem::path& database);
  ~RunOwner();
  RunOwner(const RunOwner&) = delete;
  RunOwner& operator=(const RunOwner&) = delete;

  /// Holds the run of this row until the next hold(), release() or destruction. Without lock support in the file
  /// system, nothing is held, and others see the run as aborted until it ends.
  void hold(std::int64_t row);
  /// Releases the run if it is the one held.
  void release(std::int64_t row);
  /// Whether another object, in this process or another, holds this run.
  bool is_held_elsewhere(std::int64_t row);

 private:
  bool open(bool make);
  void unlock();

  std::filesystem::path path_;
  std::mutex mutex_;
  int file_ = -1;
  bool writable_ = false;
  std::int64_t held_ = 0;
};

}  // namespace kvantage::inline profiles
