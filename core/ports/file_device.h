// The single interface for all store I/O, so that faults (torn writes, bit flips, ENOSPC, lost fsync) can be injected
// below it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline ports {

/// One positioned read or write of a batch, of at least one byte; size and address requirements as in DeviceFile.
struct Transfer {
  std::uint64_t offset = 0;
  std::span<std::byte> bytes;
};

/// Supplies the transfers of a batch one by one and is notified of each completion. Called on the thread that called
/// read_many or write_many, while later transfers are in flight.
class TransferBatch {
 public:
  virtual ~TransferBatch() = default;
  /// The next transfer. Nothing: none for now; polled again after the next done(). The batch ends when none is in
  /// flight.
  virtual std::optional<Transfer> next() = 0;
  /// Transfer `index` (counted by next()) is complete; in order, once each. An error ends the batch: no new transfer
  /// starts, and those in flight are awaited.
  virtual Status done(std::size_t index) = 0;
};

/// An open file. Positioned reads and writes; offsets, sizes and addresses are multiples of 4096 where `direct()`
/// holds. Short transfers are completed or reported, never hidden. Errors: not_found (no such file), no_space (disk or
/// quota full), corrupt (a read extends past the end of the file), io (any other system error).
class DeviceFile {
 public:
  virtual ~DeviceFile() = default;
  virtual Status read(std::uint64_t offset, std::span<std::byte> target) = 0;
  virtual Status write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// Batches: several transfers may be in flight at once, adjacent ones merged into one request. Returns when none is
  /// in flight, with the first error. The default runs one transfer at a time through read() and write().
  virtual Status read_many(TransferBatch& batch);
  virtual Status write_many(TransferBatch& batch);
  /// Announces which part of the file will be written; no_space when it is already known not to fit. Otherwise a hint.
  virtual Status reserve(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) { return {}; }
  /// Data on stable storage when this returns (fdatasync).
  virtual Status sync() = 0;
  virtual Expected<std::uint64_t> size() = 0;
  /// The first byte at or after `offset` that the file system stores, where it tells; up to there are zeros, a hole of
  /// a sparse file. UINT64_MAX: none is left. The default knows of no holes.
  virtual std::uint64_t next_data(std::uint64_t offset) { return offset; }
  virtual Status resize(std::uint64_t bytes) = 0;
  /// Whether reads bypass the page cache (O_DIRECT); shown in the store's description.
  virtual bool direct() const = 0;
};

class FileDevice {
 public:
  virtual ~FileDevice() = default;
  /// create = true: creates the file if missing, otherwise opens it unchanged.
  virtual Expected<std::unique_ptr<DeviceFile>> open(const std::filesystem::path& path, bool create) = 0;
  /// For small records at any offset and of any size (an index): through the page cache.
  virtual Expected<std::unique_ptr<DeviceFile>> open_cached(const std::filesystem::path& path, bool create) = 0;
  virtual Status remove(const std::filesystem::path& path) = 0;
  virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  /// Creates parents as well; an existing directory is fine.
  virtual Status make_directory(const std::filesystem::path& path) = 0;
  /// Paths of the files in it, and of links, pipes and devices in place of files; unordered.
  virtual Expected<std::vector<std::filesystem::path>> list(const std::filesystem::path& directory) = 0;
  /// Flushes the directory entries to stable storage.
  virtual Status sync_directory(const std::filesystem::path& path) = 0;
  /// Registers memory for repeated reads or writes, for the lifetime of the handle; null where that has no benefit. The
  /// memory must outlive the handle.
  virtual std::shared_ptr<void> register_memory(std::span<std::byte> /*memory*/, bool /*for_writes*/) {
    return nullptr;
  }
  /// How transfers are made, in a few words for the description of a tier; may be empty.
  virtual std::string note() const { return {}; }
};

}  // namespace kvantage::inline ports
