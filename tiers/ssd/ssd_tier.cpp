#include "tiers/ssd/ssd_tier.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>

#include "tiers/entry_writing.h"
#include "tiers/ssd/store_folder.h"

namespace kvantage::inline ssd {

Expected<std::unique_ptr<SsdStore>> SsdStore::open(std::string name, std::filesystem::path directory,
                                                   std::shared_ptr<FileDevice> device, const Options& options) {
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
                                               std::move(*read_scratch), std::move(*write_scratch), options));
  if (const Status writable = store->probe(); !writable) return named(writable.error());
  return store;
}

SsdStore::~SsdStore() {
  closing_ = true;
  (void)commit({});  // erases without a later write; if it fails, their entries reappear
}

Status SsdStore::probe() {
  struct statfs system {};
  const bool in_memory = ::statfs(directory_.c_str(), &system) == 0 && system.f_type == TMPFS_MAGIC;
  const std::filesystem::path path = directory_ / "probe.part";
  bool direct = false;
  {
    KV_ASSIGN(auto file, device_->open(path, true));
    const auto page = write_scratch_.bytes().first(page_bytes);
    // A full disk still serves reads; its writes will report no_space themselves.
    if (file->write(0, page)) (void)(file)->read(0, page);
    direct = file->direct();
  }
  registered_read_ = device_->register_memory(read_scratch_.bytes(), false);
  registered_write_ = device_->register_memory(write_scratch_.bytes(), true);
  note_ = device_->note();
  const auto add = [this](const char* more) { note_ += (note_.empty() ? "" : "; ") + std::string(more); };
  if (in_memory)
    add("the folder is in memory (tmpfs): times are not those of a disk");
  else
    add(direct ? "O_DIRECT" : "page cache dropped after each read: O_DIRECT refused here");
  return device_->remove(path);
}

std::shared_ptr<SegmentEntry> SsdStore::keep(StoreHeader header, const SegmentExtent& extent) {
  auto entry = std::make_shared<SegmentEntry>(std::move(header), std::make_shared<Room>(extent, returned_));
  live_[entry->sequence()] = entry;
  return entry;
}

Expected<std::shared_ptr<StoredEntry>> SsdStore::put(const EntryInfo& info, std::span<const std::byte> bytes,
                                                     const std::atomic<bool>& cancelled) {
  if (info.label.size() > max_label_bytes)
    return fail(ErrorCode::rejected_input, name_ + ": label of entry " + info.key.hex() + " is longer than 1 MiB");
  SegmentRow row{{info, ++last_sequence_, checksum_of(bytes), checksum_of(bytes.first(info.header_bytes))}, {}};
  const std::vector<std::byte> header = encode_store_header(row.header);
  const auto write = [&] {
    row.extent = space_.allocate(SegmentEntry::bytes_on_disk(row.header));
    const Status written = write_at(row.extent, header, bytes, cancelled);
    if (!written) {
      // The same position twice: a bad sector. It is skipped until the next opening.
      const bool again = written.error().code == ErrorCode::io && last_failed_ &&
                         last_failed_->segment == row.extent.segment && last_failed_->offset == row.extent.offset;
      if (written.error().code == ErrorCode::io) last_failed_ = row.extent;
      if (!again) free_room(row.extent);
      return written;
    }
    const Status done = commit({&row, 1});
    // A failed commit may reappear after a power cut: the space stays reserved until another has succeeded.
    if (!done) returned_items_.push_back({row.extent, row.header.sequence});
    return done;
  };
  Status done = write();
  const auto taken = [this] { return space_.length_bytes() - space_.free_bytes(); };
  if (const std::uint64_t before = taken();
      !done && done.error().code == ErrorCode::no_space && commit({}) && taken() < before)
    done = write();  // space of erased entries is available again
  KV_TRY(done);
  return keep(std::move(row.header), row.extent);
}

std::uint64_t FolderUse::bytes(const std::filesystem::path& folder, std::uint64_t changes) {
  const std::lock_guard lock(mutex_);
  if (read_at_ != changes) bytes_ = disk_bytes(folder);
  read_at_ = changes;
  return bytes_;
}

std::optional<StorageUse> SsdStore::storage_use() const {
  const std::uint64_t bytes = use_.bytes(directory_, changes_);
  return bytes == 0 ? std::nullopt : std::optional(StorageUse{bytes, 0});
}

Status SsdStore::write_at(const SegmentExtent& extent, std::span<const std::byte> header,
                          std::span<const std::byte> bytes, const std::atomic<bool>& cancelled) {
  KV_ASSIGN(auto file, device_->open(path_of(extent.segment), true));
  KV_TRY(file->reserve(extent.offset, extent.bytes));
  EntryWriting writing(extent.offset, header, bytes, write_scratch_.bytes(), cancelled);
  KV_TRY(file->write_many(writing));
  if (!writing.complete() || cancelled) return fail(ErrorCode::cancelled, name_ + ": cancelled");
  KV_TRY(file->sync());
  if (files_.contains(extent.segment)) return {};
  KV_TRY(device_->sync_directory(directory_));
  files_.emplace(extent.segment, std::nullopt);
  return {};
}

Status SsdStore::commit(std::span<const SegmentRow> rows) {
  for (const ReturnedRoom::Item& item : returned_->take()) returned_items_.push_back(item);
  std::vector<std::uint64_t> retired;
  for (const ReturnedRoom::Item& item : returned_items_) {
    if (item.retired_sequence == 0) continue;
    retired.push_back(item.retired_sequence);
    if (item.extent.bytes > 0) wipe(item.extent);
  }
  // Space of a failed commit is freed only after a successful one.
  const bool in_doubt = index_ == nullptr ? !returned_items_.empty() : index_->in_doubt();
  if (!rows.empty() || !retired.empty() || in_doubt) {
    if (index_ == nullptr || index_->empty()) KV_TRY(renew_index());
    Status done = index_->apply(rows, retired);
    // A truncated log reads as a device error, so both are handled alike; a failing device fails this, too.
    if (!done && (done.error().code == ErrorCode::corrupt || done.error().code == ErrorCode::io)) {
      KV_TRY(renew_index());
      done = index_->apply(rows, retired);
    }
    KV_TRY(done);
  }
  for (const std::uint64_t sequence : retired) live_.erase(sequence);
  for (const ReturnedRoom::Item& item : std::exchange(returned_items_, {}))
    if (item.extent.bytes > 0) free_room(item.extent);
  reusable_bytes_ = space_.free_bytes();
  if (!rows.empty() || !retired.empty()) ++changes_;
  return {};
}

Status SsdStore::renew_index() {
  if (closing_) return fail(ErrorCode::io, name_ + ": its index cannot be closed; the next opening repairs it");
  // Damaged while in use: its content is known in memory.
  index_.reset();
  KV_TRY(SegmentIndex::remove(directory_, *device_));
  KV_ASSIGN(auto index, SegmentIndex::open(directory_, device_));
  std::vector<SegmentRow> rows;
  for (const auto& [sequence, weak] : live_)
    if (const auto entry = weak.lock()) rows.push_back({entry->header(), entry->room()->extent()});
  KV_TRY(index->create(rows));
  index_ = std::move(index);
  return {};
}

void SsdStore::free_room(const SegmentExtent& extent) {
  const std::uint64_t length = space_.release(extent);
  ++changes_;
  reusable_bytes_ = space_.free_bytes();
  const std::filesystem::path path = path_of(extent.segment);
  // A failure here only wastes space until the next opening.
  if (length == 0) {
    (void)device_->remove(path);
    files_.erase(extent.segment);
    return;
  }
  if (length > extent.offset) return wipe(extent);
  if (const auto file = device_->open(path, false)) (void)(*file)->resize(length);
}

// Prevents a scan from finding the entry again.
void SsdStore::wipe(const SegmentExtent& extent) {
  const auto file = device_->open(path_of(extent.segment), false);
  if (!file) return;
  const auto page = write_scratch_.bytes().first(page_bytes);
  std::ranges::fill(page, std::byte{0});
  (void)(*file)->write(extent.offset, page);
}

void SsdStore::settle() {
  if (!commit({})) return;  // retried with the next write
  const std::uint64_t holes = space_.free_bytes(), entries = space_.length_bytes() - holes;
  if (holes <= std::max(space_.segment_bytes(), entries)) return;
  for (const std::uint32_t number : space_.loose_segments()) {
    if (stuck_.contains(number)) continue;
    Compaction done;
    if (compact_segment(number, number + 1, done)) (void)commit({});
    return;
  }
}

}  // namespace kvantage::inline ssd
