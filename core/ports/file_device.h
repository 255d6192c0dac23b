// The one door of all store I/O, so that faults (torn writes, bit flips, ENOSPC, lost fsync) can be put under it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

/// One positioned read or write of a batch, of at least one byte; sizes and addresses as DeviceFile asks for them.
struct Transfer {
  std::uint64_t offset = 0;
  std::span<std::byte> bytes;
};

/// Gives the transfers of a batch one after the other and hears of each when it is over. Called on the thread that
/// called read_many or write_many, while later transfers are under way.
class TransferBatch {
 public:
  virtual ~TransferBatch() = default;
  /// The next transfer. Nothing: none for now; asked again after the next done(), and the end when none is under way.
  virtual std::optional<Transfer> next() = 0;
  /// Transfer `index` (counted by next()) is complete; in order, each once. An error ends the batch: nothing more is
  /// started and what is under way is waited for.
  virtual Status done(std::size_t index) = 0;
};

/// An open file. Positioned reads and writes; offsets, sizes and addresses are multiples of 4096 where
/// `direct()` holds. Short transfers are completed or reported, never hidden. Errors: not_found (no such file),
/// no_space (disk or quota full), corrupt (a read reaches beyond the end of the file), io (everything else the system
/// refuses).
class DeviceFile {
 public:
  virtual ~DeviceFile() = default;
  virtual Status read(std::uint64_t offset, std::span<std::byte> target) = 0;
  virtual Status write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// Batches: several transfers may be under way at once, neighbours as one request. Return when nothing is under way
  /// any more, with the first error. As they stand here, one transfer after the other through read() and write().
  virtual Status read_many(TransferBatch& batch);
  virtual Status write_many(TransferBatch& batch);
  /// Tells which part of the file will be written; no_space when it is known already not to fit. A hint else.
  virtual Status reserve(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) { return {}; }
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
  /// For small records at any offset and of any size (an index): through the page cache, which keeps them.
  virtual Expected<std::unique_ptr<DeviceFile>> open_cached(const std::filesystem::path& path, bool create) = 0;
  virtual Status remove(const std::filesystem::path& path) = 0;
  virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  /// Parents included; one that is there already is fine.
  virtual Status make_directory(const std::filesystem::path& path) = 0;
  /// Paths of the plain files in it, in no order.
  virtual Expected<std::vector<std::filesystem::path>> list(const std::filesystem::path& directory) = 0;
  /// Entries of the directory itself on stable storage.
  virtual Status sync_directory(const std::filesystem::path& path) = 0;
  /// Tells that many reads will go to this memory, or many writes come from it, as long as the handle lives; null where
  /// that helps nothing. The memory must outlive the handle.
  virtual std::shared_ptr<void> register_memory(std::span<std::byte> /*memory*/, bool /*for_writes*/) {
    return nullptr;
  }
  /// How transfers are made, in a few words for the description of a tier; may be empty.
  virtual std::string note() const { return {}; }
};

}  // namespace kvantage
