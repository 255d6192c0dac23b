#include "tiers/ssd_tier.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "tiers/entry_writing.h"
#include "tiers/file_entry.h"
#include "tiers/store_header.h"

namespace kvantage {

Expected<std::unique_ptr<SsdStore>> SsdStore::open(std::string name, std::filesystem::path directory,
                                                   std::shared_ptr<FileDevice> device) {
  const auto named = [&name](Error error) {
    return tl::unexpected(Error{error.code, "tier " + name + ": " + error.message});
  };
  if (const Status made = device->make_directory(directory); !made) return named(made.error());
  auto lock = DirectoryLock::acquire(directory);
  if (!lock) return named(std::move(lock).error());
  auto read_scratch = MappedMemory::map(ScratchSlots::all_bytes, true);
  if (!read_scratch) return named(std::move(read_scratch).error());
  auto write_scratch = MappedMemory::map(ScratchSlots::all_bytes, true);
  if (!write_scratch) return named(std::move(write_scratch).error());
  std::unique_ptr<SsdStore> store(new SsdStore(name, std::move(directory), std::move(device), std::move(*lock),
                                               std::move(*read_scratch), std::move(*write_scratch)));
  if (const Status writable = store->probe(); !writable) return named(writable.error());
  return store;
}

Status SsdStore::probe() {
  struct statfs system {};
  const bool in_memory = ::statfs(directory_.c_str(), &system) == 0 && system.f_type == TMPFS_MAGIC;
  const std::filesystem::path path = directory_ / "probe.part";
  bool direct = false;
  {
    auto file = device_->open(path, true);
    if (!file) return tl::unexpected(std::move(file).error());
    const auto page = write_scratch_.bytes().first(page_bytes);
    // A full disk still serves reads; its writes will say no_space themselves.
    if ((*file)->write(0, page)) (void)(*file)->read(0, page);
    direct = (*file)->direct();
  }
  registered_read_ = device_->register_memory(read_scratch_.bytes(), false);
  registered_write_ = device_->register_memory(write_scratch_.bytes(), true);
  note_ = device_->note();
  const auto add = [this](const char* more) { note_ += (note_.empty() ? "" : "; ") + std::string(more); };
  if (in_memory)
    add("the folder lies in memory (tmpfs): times are not a disk's");
  else
    add(direct ? "O_DIRECT" : "page cache dropped after each read: O_DIRECT refused here");
  return device_->remove(path);
}

Expected<RecoveredEntries> SsdStore::recover() {
  auto paths = device_->list(directory_);
  if (!paths) return tl::unexpected(std::move(paths).error());
  RecoveredEntries recovered;
  std::unordered_map<Digest128, std::shared_ptr<StoredEntry>> newest;
  for (const std::filesystem::path& path : *paths) {
    const auto name = parse_entry_file_name(path.filename().string());
    if (!name) continue;
    last_sequence_ = std::max(last_sequence_, name->sequence);
    if (name->part) {
      ++recovered.swept_files;
      (void)device_->remove(path);
      continue;
    }
    auto entry = recover_file(path);
    if (!entry) {
      const ErrorCode code = entry.error().code;
      if (code == ErrorCode::rejected_input) return tl::unexpected(std::move(entry).error());
      if (code == ErrorCode::corrupt) {
        ++recovered.swept_files;
        (void)device_->remove(path);
      } else {
        ++recovered.unreadable_files;
      }
      continue;
    }
    auto& kept = newest[name->key];
    if (kept != nullptr) ++recovered.swept_files;  // a replacement was cut short before the old version went
    if (kept == nullptr || kept->sequence() < (*entry)->sequence()) std::swap(kept, *entry);
    if (*entry != nullptr) (*entry)->retire();
  }
  for (auto& [key, entry] : newest) recovered.entries.push_back(std::move(entry));
  return recovered;
}

Expected<std::shared_ptr<StoredEntry>> SsdStore::recover_file(const std::filesystem::path& path) {
  const auto corrupt = [&path](const std::string& what) {
    return fail(ErrorCode::corrupt, path.string() + ": " + what);
  };
  auto file = device_->open(path, false);
  if (!file) return tl::unexpected(std::move(file).error());
  const auto size = (*file)->size();
  if (!size) return tl::unexpected(size.error());
  if (*size < page_bytes) return corrupt("shorter than a header");
  auto page = read_scratch_.bytes().first(page_bytes);
  KV_TRY((*file)->read(0, page));
  const auto length = peek_store_header(page);
  if (!length || *length > *size) return corrupt("no header");
  auto header = [&]() -> Expected<StoreHeader> {
    if (*length <= page_bytes) return decode_store_header(page);
    auto memory = MappedMemory::map(*length, false);  // a label longer than a page
    if (!memory) return tl::unexpected(std::move(memory).error());
    KV_TRY((*file)->read(0, memory->bytes()));
    return decode_store_header(memory->bytes());
  }();
  if (!header) return tl::unexpected(Error{header.error().code, path.string() + ": " + header.error().message});
  const auto name = parse_entry_file_name(path.filename().string());
  if (!name || name->key != header->info.key || name->sequence != header->sequence)
    return corrupt("its header names another entry");
  if (*size != FileEntry::file_bytes(*header)) return corrupt("its length does not fit its header");
  return std::make_shared<FileEntry>(std::move(*header), device_, path);
}

Expected<std::shared_ptr<StoredEntry>> SsdStore::put(const EntryInfo& info, std::span<const std::byte> bytes,
                                                     const std::atomic<bool>& cancelled) {
  if (info.label.size() > max_label_bytes)
    return fail(ErrorCode::rejected_input, name_ + ": label of entry " + info.key.hex() + " is longer than 1 MiB");
  StoreHeader header{info, ++last_sequence_, checksum_of(bytes), checksum_of(bytes.first(info.header_bytes))};
  const std::filesystem::path path = directory_ / entry_file_name(info.key, header.sequence);
  std::filesystem::path part = path;
  part += part_suffix;

  Status done = write_file(part, encode_store_header(header), bytes, cancelled);
  if (done) done = device_->rename(part, path);
  if (!done) {
    (void)device_->remove(part);
    return tl::unexpected(std::move(done).error());
  }
  if (const Status synced = device_->sync_directory(directory_); !synced) {
    (void)device_->remove(path);
    return tl::unexpected(synced.error());
  }
  return std::make_shared<FileEntry>(std::move(header), device_, path);
}

Status SsdStore::write_file(const std::filesystem::path& path, std::span<const std::byte> header,
                            std::span<const std::byte> bytes, const std::atomic<bool>& cancelled) {
  auto file = device_->open(path, true);
  if (!file) return tl::unexpected(std::move(file).error());
  KV_TRY((*file)->reserve(0, header.size() + round_up_to_page(bytes.size())));
  EntryWriting writing(header, bytes, write_scratch_.bytes(), cancelled);
  KV_TRY((*file)->write_many(writing));
  if (!writing.complete() || cancelled) return fail(ErrorCode::cancelled, name_ + ": cancelled");
  return (*file)->sync();
}

}  // namespace kvantage
