// A file as memory: read where it lies, by the page, never copied as a whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/error.h"

namespace kvantage {

/// A file mapped for reading; unmapped with the last owner.
class MappedFile {
 public:
  /// rejected_input with the system's reason, or for what is no file with contents.
  static Expected<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  const std::byte* data_;
  std::size_t size_;
};

}  // namespace kvantage
