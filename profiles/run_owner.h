// Who still writes a run: while a process records it, that process holds a lock on the run's byte of the file beside
// the database ("NAME-live"). The kernel gives it back when the process ends, however it ends: a run without an end
// whose byte nobody holds was broken off. The file stays empty; it may be deleted when nothing records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>

namespace kvantage {

class RunOwner {
 public:
  explicit RunOwner(const std::filesystem::path& database);
  ~RunOwner();
  RunOwner(const RunOwner&) = delete;
  RunOwner& operator=(const RunOwner&) = delete;

  /// Holds the run of this row until the next, release() or the end. Where no lock can be had (a file system without
  /// them), nothing is held, and others see the run as broken off until it ends.
  void hold(std::int64_t row);
  /// Lets go of the run if it is the one that is held.
  void release(std::int64_t row);
  /// Whether some other object, in this process or another, holds this run now.
  bool held_elsewhere(std::int64_t row);

 private:
  bool open(bool make);
  void unlock();

  std::filesystem::path path_;
  std::mutex mutex_;
  int file_ = -1;
  bool writable_ = false;
  std::int64_t held_ = 0;
};

}  // namespace kvantage
