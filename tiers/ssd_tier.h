// The tier in a folder: one file an entry, a store header (tiers/store_header.h) before it. There is no other index:
// opening reads the headers, so there is nothing that could disagree with the data or be lost.
//
// Order of a write: data into NAME.part, fdatasync, rename to NAME, directory synced, then visible. A kill or power cut
// at any moment leaves either a whole entry or a .part file, which the next opening removes. Each version of a key has
// its own name (key and sequence number), so replacing never touches the file that a read has open. Cost of an entry
// beside its bytes: 4 KiB of header, one create, two flushes, one rename when written; one open when read.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/ports/file_device.h"
#include "tiers/directory_lock.h"
#include "tiers/entry_store.h"
#include "tiers/mapped_memory.h"

namespace kvantage {

class SsdStore final : public EntryStore {
 public:
  /// Takes the folder (made if absent) for this process. busy when another store has it, io when it is not writable.
  static Expected<std::unique_ptr<SsdStore>> open(std::string name, std::filesystem::path directory,
                                                  std::shared_ptr<FileDevice> device);

  TierDescription describe() const override { return {name_, "file system", false, note_}; }
  Expected<RecoveredEntries> recover() override;
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override;
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override;
  TransferStatus verify(const StoredEntry& entry) override;

 private:
  SsdStore(std::string name, std::filesystem::path directory, std::shared_ptr<FileDevice> device, DirectoryLock lock,
           MappedMemory read_scratch, MappedMemory write_scratch)
      : name_(std::move(name)),
        directory_(std::move(directory)),
        device_(std::move(device)),
        lock_(std::move(lock)),
        read_scratch_(std::move(read_scratch)),
        write_scratch_(std::move(write_scratch)) {}

  Status probe();
  Expected<std::shared_ptr<StoredEntry>> recover_file(const std::filesystem::path& path);
  Status write_file(const std::filesystem::path& path, std::span<const std::byte> header,
                    std::span<const std::byte> bytes, const std::atomic<bool>& cancelled);

  std::string name_;
  std::filesystem::path directory_;
  std::shared_ptr<FileDevice> device_;
  DirectoryLock lock_;
  MappedMemory read_scratch_;   // the reading thread's
  MappedMemory write_scratch_;  // the writing thread's
  std::shared_ptr<void> registered_read_, registered_write_;  // with the device; let go before the memory is
  std::string note_;
  std::uint64_t last_sequence_ = 0;
};

}  // namespace kvantage
