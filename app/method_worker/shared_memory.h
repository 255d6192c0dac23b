// Memory that the program shares with its method worker. The worker cannot make it shorter, so that reading it here
// never ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace kvantage::inline method_worker {

class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// At least so many bytes; what was there stays. no_space with the system's reason.
  Status grow(std::size_t bytes);
  std::span<std::byte> bytes() const { return {start_, size_}; }
  /// After grow().
  int file() const { return file_.get(); }

 private:
  UniqueFd file_;
  std::byte* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kvantage::inline method_worker
