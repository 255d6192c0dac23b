// A memory-mapped file: pages are read on demand, never copied as a whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/error.h"

namespace kvantage {

struct MappedRegion;

/// From now on, pages of any mapped file that are gone when they are read end the program with one line.
void watch_lost_pages();

/// A read-only mapping; unmapped with the last owner. Pages that are gone when they are read, as the file became
/// shorter or its disk fails, end the program with one line and exit code 1, as no reader expects it.
class MappedFile {
 public:
  /// rejected_input with the system's reason, or when it is not a non-empty file.
  static Expected<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size, MappedRegion& region)
      : data_(data), size_(size), region_(region) {}
  const std::byte* data_;
  std::size_t size_;
  MappedRegion& region_;  // for the handler of the signal
};

}  // namespace kvantage
