// The part of SsdStore that opens a folder: checks the index against the files, and scans the files when there is no
// trustworthy index.
#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "tiers/ssd/segment_scan.h"
#include "tiers/ssd/ssd_tier.h"

namespace kvantage::inline ssd {
namespace {

// Earlier versions stored each entry in its own file.
bool is_file_of_old_layout(const std::string& name) {
  return name.ends_with(".kventry") || name.ends_with(".kventry.part");
}

// An entry that was being moved exists twice under one sequence: one copy suffices, the other is free space.
void drop_copies(std::vector<SegmentRow>& found, const std::vector<SegmentRow>& known) {
  std::set<std::uint64_t> seen;
  for (const SegmentRow& row : known) seen.insert(row.header.sequence);
  std::erase_if(found, [&seen](const SegmentRow& row) { return !seen.insert(row.header.sequence).second; });
}

// Two rows claim the same bytes after a commit that failed but was durable: the later one owns them.
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
  auto rows = read_index();
  if (rows && !index_->empty())
    if (const Status found = find_forgotten(*rows, recovered); !found) rows = tl::unexpected(found.error());
  if (rows ? index_->empty() : rows.error().code == ErrorCode::corrupt) rows = rebuild_index(recovered);
  if (!rows) return named(std::move(rows).error());
  add_recovered(std::move(*rows), recovered);
  trim_segments(recovered);
  settle();
  reusable_bytes_ = space_.free_bytes();
  return recovered;
}

Expected<std::vector<SegmentRow>> SsdStore::read_index() {
  KV_ASSIGN(auto index, SegmentIndex::open(directory_, device_));
  index_ = std::move(index);
  if (index_->empty()) return std::vector<SegmentRow>{};
  return index_->rows();
}

Status SsdStore::list_segments(RecoveredEntries& recovered) {
  KV_ASSIGN(const auto paths, device_->list(directory_));
  for (const std::filesystem::path& path : paths) {
    const std::string name = path.filename().string();
    if (is_file_of_old_layout(name)) {
      ++recovered.swept_files;
      (void)device_->remove(path);
    }
    log_left_ = log_left_ || name == std::string(index_file_name) + "-wal";
    const auto number = parse_segment_file_name(name);
    if (!number) continue;
    const auto size_of = [&]() -> Expected<std::uint64_t> {
      KV_ASSIGN(const auto file, device_->open(path, false));
      return file->size();
    };
    const auto length = size_of();
    if (!length) recovered.leave_alone(length.error());
    files_.emplace(*number, length ? std::optional(*length) : std::nullopt);
    space_.skip_numbers_below(*number + 1);
  }
  return {};
}

Expected<std::vector<SegmentRow>> SsdStore::rebuild_index(RecoveredEntries& recovered) {
  std::vector<SegmentRow> rows;
  for (auto& [number, length] : files_)
    if (length) KV_TRY(scan_or_leave(number, length, 0, *length, rows, recovered));
  drop_copies(rows, {});
  if (index_ == nullptr || !index_->empty()) {
    index_.reset();
    KV_TRY(SegmentIndex::remove(directory_, *device_));
    KV_ASSIGN(auto index, SegmentIndex::open(directory_, device_));
    index_ = std::move(index);
  }
  KV_TRY(index_->create(rows));
  if (!rows.empty()) note_ += "; index rebuilt from the segments";
  recovered.rebuilt = !rows.empty();
  return rows;
}

// After a clean shutdown the log is gone and every segment ends with its last entry. Otherwise damaged parts of the log
// may have lost commits: each row's header must be at its position, and space that the index calls free is checked
// before it is written.
Status SsdStore::find_forgotten(std::vector<SegmentRow>& rows, RecoveredEntries& recovered) {
  std::map<std::uint32_t, std::uint64_t> ends;
  for (const SegmentRow& row : rows) ends[row.extent.segment] = row.extent.end();
  const bool as_said = std::ranges::all_of(
      files_, [&ends](const auto& file) { return !file.second || *file.second == ends[file.first]; });
  if (!log_left_ && as_said) return {};
  std::vector<std::uint64_t> stale;
  std::map<std::uint32_t, std::vector<SegmentExtent>> taken;
  std::erase_if(rows, [&](const SegmentRow& row) {
    const bool another = holds_another(row);
    if (another) stale.push_back(row.header.sequence);
    if (!another) taken[row.extent.segment].push_back(row.extent);
    return another;
  });
  std::vector<SegmentRow> found;
  for (auto& [number, length] : files_) {
    std::uint64_t at = 0;
    for (const SegmentExtent& extent : taken[number]) {
      if (length && at < extent.offset)
        KV_TRY(scan_or_leave(number, length, at, std::min(extent.offset, *length), found, recovered));
      at = std::max(at, extent.end());
    }
    if (length && at < *length) KV_TRY(scan_or_leave(number, length, at, *length, found, recovered));
  }
  drop_copies(found, rows);
  if (found.empty() && stale.empty()) return {};
  KV_TRY(index_->apply(found, stale));
  if (!found.empty()) note_ += "; entries restored that the index had lost";
  recovered.rebuilt = !found.empty();
  rows.insert(rows.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  std::ranges::sort(rows, {}, [](const SegmentRow& row) { return std::pair(row.extent.segment, row.extent.offset); });
  return {};
}

// Its space was reused by another entry after the row's commit. Unreadable data is no proof.
bool SsdStore::holds_another(const SegmentRow& row) {
  const auto length = files_.find(row.extent.segment);
  if (length == files_.end() || !length->second || *length->second < row.extent.end()) return false;
  auto file = device_->open(path_of(row.extent.segment), false);
  const auto page = read_scratch_.bytes().first(page_bytes);
  if (!file || !(*file)->read(row.extent.offset, page)) return false;
  const std::vector<std::byte> header = encode_store_header(row.header);
  return !std::ranges::equal(page, std::span(header).first(page_bytes));
}

// On a read error the file is left alone: nothing is written to it or removed from it.
Status SsdStore::scan_or_leave(std::uint32_t segment, std::optional<std::uint64_t>& length, std::uint64_t begin,
                               std::uint64_t end, std::vector<SegmentRow>& rows, RecoveredEntries& recovered) {
  const Status scanned = scan_file(segment, begin, end, rows);
  if (scanned || scanned.error().code == ErrorCode::rejected_input) return scanned;
  recovered.leave_alone(scanned.error());
  length.reset();
  return {};
}

Status SsdStore::scan_file(std::uint32_t segment, std::uint64_t begin, std::uint64_t end,
                           std::vector<SegmentRow>& rows) {
  KV_ASSIGN(auto file, device_->open(path_of(segment), false));
  const ReadSegment read = [&file](std::uint64_t offset, std::span<std::byte> target) {
    return file->read(offset, target);
  };
  const NextData next_data = [&file](std::uint64_t offset) { return file->next_data(offset); };
  return scan_segment(begin, end, read, next_data, [&](StoreHeader header, std::uint64_t offset) -> Expected<bool> {
    // Only the bytes distinguish an entry from a stale header whose space was reused.
    const auto bytes = read_whole(*file, header, offset);
    if (!bytes && bytes.error().reason == MissReason::checksum) return false;
    if (!bytes) return tl::unexpected(bytes.error().error);
    const std::uint64_t whole = SegmentEntry::bytes_on_disk(header);
    rows.push_back({std::move(header), {segment, offset, whole}});
    return true;
  });
}

void SsdStore::add_recovered(std::vector<SegmentRow> rows, RecoveredEntries& recovered) {
  const auto forget = [&](const SegmentRow& row) {
    ++recovered.swept_files;
    returned_items_.push_back({{}, row.header.sequence});  // removes the row; there is no space to free
  };
  for (const SegmentRow& row : rows) last_sequence_ = std::max(last_sequence_, row.header.sequence);
  for (const SegmentRow& row : drop_overlapped(rows)) forget(row);
  std::unordered_map<Digest128, std::shared_ptr<SegmentEntry>> newest;
  for (SegmentRow& row : rows) {
    const auto file = files_.find(row.extent.segment);
    const bool unreadable = file != files_.end() && !file->second;
    if (unreadable) continue;  // keeps the row, and nothing is written to that file
    const bool gone = file == files_.end() || *file->second < row.extent.end();
    recovered.lost_entries += gone;
    if (gone || !space_.occupy(row.extent)) {
      forget(row);
      continue;
    }
    auto entry = keep(std::move(row.header), row.extent);
    auto& kept = newest[entry->info().key];
    if (kept != nullptr) ++recovered.swept_files;  // a replacement was interrupted before the old version was removed
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
    ++recovered.swept_files;  // interrupted writes
    if (used == 0) {
      (void)device_->remove(path_of(number));
      files_.erase(number);
    } else if (auto file = device_->open(path_of(number), false)) {
      (void)(*file)->resize(used);
    }
  }
}

}  // namespace kvantage::inline ssd
