// The one door of all store I/O, so that faults (torn writes, bit flips, ENOSPC, lost fsync) can be put under it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

/// An open file. Positioned reads and writes; offsets, sizes and addresses are multiples of 4096 where
/// `direct()` holds. Short transfers are completed or reported, never hidden. Errors: not_found (no such file), no_space
/// (disk or quota full), corrupt (a read reaches beyond the end of the file), io (everything else the system refuses).
class DeviceFile {
 public:
  virtual ~DeviceFile() = default;
  virtual Status read(std::uint64_t offset, std::span<std::byte> target) = 0;
  virtual Status write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// Data on stable storage when this returns (fdatasync).
  virtual Status sync() = 0;
  virtual Expected<std::uint64_t> size() = 0;
  virtual Status resize(std::uint64_t bytes) = 0;
  /// Whether reads bypass the page cache (O_DIRECT); a store says so in its description.
  virtual bool direct() const = 0;
};

class FileDevice {
 public:
  virtual ~FileDevice() = default;
  /// create = true: a new, empty file, or an old one as it is.
  virtual Expected<std::unique_ptr<DeviceFile>> open(const std::filesystem::path& path, bool create) = 0;
  virtual Status remove(const std::filesystem::path& path) = 0;
  virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  /// Parents included; one that is there already is fine.
  virtual Status make_directory(const std::filesystem::path& path) = 0;
  /// Paths of the plain files in it, in no order.
  virtual Expected<std::vector<std::filesystem::path>> list(const std::filesystem::path& directory) = 0;
  /// Entries of the directory itself on stable storage.
  virtual Status sync_directory(const std::filesystem::path& path) = 0;
};

}  // namespace kvantage
