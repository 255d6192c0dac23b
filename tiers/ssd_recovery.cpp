// The part of SsdStore that opens a folder: what the index says, held against the files; a scan of the files when there
// is no index to trust.
#include <algorithm>
#include <unordered_map>

#include "tiers/segment_scan.h"
#include "tiers/ssd_tier.h"

namespace kvantage {
namespace {

// Earlier versions kept an entry in a file of its own.
bool is_file_of_old_layout(const std::string& name) {
  return name.ends_with(".kventry") || name.ends_with(".kventry.part");
}

// Two rows that claim the same bytes, after a commit that failed and was durable all the same: the later one owns them.
std::vector<SegmentRow> drop_overlapped(std::vector<SegmentRow>& rows) {
  std::vector<SegmentRow> kept, dropped;
  for (SegmentRow& row : rows) {
    bool overlapped = false;
    while (!overlapped && !kept.empty() && kept.back().extent.segment == row.extent.segment &&
           kept.back().extent.end() > row.extent.offset) {
      overlapped = kept.back().header.sequence > row.header.sequence;
      if (overlapped) break;
      dropped.push_back(std::move(kept.back()));
      kept.pop_back();
    }
    (overlapped ? dropped : kept).push_back(std::move(row));
  }
  rows = std::move(kept);
  return dropped;
}

}  // namespace

Expected<RecoveredEntries> SsdStore::recover() {
  RecoveredEntries recovered;
  const auto named = [this](Error error) {
    return tl::unexpected(Error{error.code, "tier " + name_ + ": " + error.message});
  };
  if (const Status listed = list_segments(recovered); !listed) return named(listed.error());
  auto index = SegmentIndex::open(directory_, device_);
  Expected<std::vector<SegmentRow>> rows;
  if (index) {
    index_ = std::move(*index);
    rows = index_->rows();
  } else {
    rows = tl::unexpected(index.error());
  }
  const bool lost = index_ != nullptr && index_->made() && !files_.empty();
  if (lost || (!rows && rows.error().code == ErrorCode::corrupt)) rows = rebuild_index(recovered);
  if (!rows) return named(std::move(rows).error());
  take_in(std::move(*rows), recovered);
  trim_segments(recovered);
  settle();
  reusable_bytes_ = space_.free_bytes();
  return recovered;
}

Status SsdStore::list_segments(RecoveredEntries& recovered) {
  const auto paths = device_->list(directory_);
  if (!paths) return tl::unexpected(paths.error());
  for (const std::filesystem::path& path : *paths) {
    const std::string name = path.filename().string();
    if (is_file_of_old_layout(name)) {
      ++recovered.swept_files;
      (void)device_->remove(path);
    }
    const auto number = parse_segment_file_name(name);
    if (!number) continue;
    std::optional<std::uint64_t> length;
    if (auto file = device_->open(path, false)) {
      if (const auto size = (*file)->size()) length = *size;
    }
    recovered.unreadable_files += !length;
    files_.emplace(*number, length);
    space_.skip_numbers_below(*number + 1);
  }
  return {};
}

Expected<std::vector<SegmentRow>> SsdStore::rebuild_index(RecoveredEntries& recovered) {
  index_.reset();
  KV_TRY(SegmentIndex::remove(directory_, *device_));
  std::vector<SegmentRow> rows;
  for (auto& [number, length] : files_) {
    if (!length) continue;
    const Status scanned = scan_file(number, *length, rows);
    if (scanned) continue;
    if (scanned.error().code == ErrorCode::rejected_input) return tl::unexpected(scanned.error());
    ++recovered.unreadable_files;
    length.reset();
  }
  auto index = SegmentIndex::open(directory_, device_);
  if (!index) return tl::unexpected(std::move(index).error());
  KV_TRY((*index)->apply(rows, {}));
  index_ = std::move(*index);
  if (!rows.empty()) note_ += "; index rebuilt from the segments";
  return rows;
}

Status SsdStore::scan_file(std::uint32_t segment, std::uint64_t length, std::vector<SegmentRow>& rows) {
  auto file = device_->open(path_of(segment), false);
  if (!file) return tl::unexpected(std::move(file).error());
  const ReadSegment read = [&file](std::uint64_t offset, std::span<std::byte> target) {
    return (*file)->read(offset, target);
  };
  return scan_segment(length, read, [&](StoreHeader header, std::uint64_t offset) -> Expected<bool> {
    // Only bytes tell an entry from the header of one whose room was given to others.
    const std::uint64_t header_bytes = store_header_bytes(header.info.label.size());
    auto memory = MappedMemory::map(header.info.bytes, false);
    if (!memory) return tl::unexpected(std::move(memory).error());
    KV_TRY((*file)->read(offset + header_bytes, memory->bytes()));
    if (checksum_of(memory->bytes().first(header.info.bytes)) != header.entry_checksum) return false;
    const std::uint64_t whole = SegmentEntry::bytes_on_disk(header);
    rows.push_back({std::move(header), {segment, offset, whole}});
    return true;
  });
}

void SsdStore::take_in(std::vector<SegmentRow> rows, RecoveredEntries& recovered) {
  const auto forget = [&](const SegmentRow& row) {
    ++recovered.swept_files;
    returned_items_.push_back({{}, row.header.sequence});  // the row goes; there is no room to give back
  };
  for (const SegmentRow& row : rows) last_sequence_ = std::max(last_sequence_, row.header.sequence);
  for (const SegmentRow& row : drop_overlapped(rows)) forget(row);
  std::unordered_map<Digest128, std::shared_ptr<SegmentEntry>> newest;
  for (SegmentRow& row : rows) {
    const auto file = files_.find(row.extent.segment);
    const bool unreadable = file != files_.end() && !file->second;
    if (file == files_.end() || (file->second && *file->second < row.extent.end()) || !space_.occupy(row.extent)) {
      forget(row);
      continue;
    }
    if (unreadable) continue;  // the row stays, and its room
    auto entry = keep(std::move(row.header), row.extent);
    auto& kept = newest[entry->info().key];
    if (kept != nullptr) ++recovered.swept_files;  // a replacement was cut short before the old version went
    if (kept == nullptr || kept->sequence() < entry->sequence()) std::swap(kept, entry);
    if (entry != nullptr) entry->retire();
  }
  for (auto& [key, entry] : newest) recovered.entries.push_back(std::move(entry));
}

void SsdStore::trim_segments(RecoveredEntries& recovered) {
  for (auto at = files_.begin(); at != files_.end();) {
    const auto [number, length] = *at++;
    const std::uint64_t used = space_.length(number);
    if (!length || *length == used) continue;
    ++recovered.swept_files;  // writes that were cut short
    if (used == 0) {
      (void)device_->remove(path_of(number));
      files_.erase(number);
    } else if (auto file = device_->open(path_of(number), false)) {
      (void)(*file)->resize(used);
    }
  }
}

}  // namespace kvantage
