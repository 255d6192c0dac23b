#include "tiers/ssd/store_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "tiers/directory_lock.h"
#include "tiers/posix_device.h"
#include "tiers/posix_file.h"
#include "tiers/ssd/segment_scan.h"
#include "tiers/ssd/ssd_tier.h"

namespace kvantage::inline ssd {
namespace {

Status list_segment(std::uint32_t segment, const std::filesystem::path& path, std::uint64_t length,
                    FolderListing& listing) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return {};  // an active tier has removed it
  if (!fd) return fail_errno(errno, path, "cannot be read");
  PosixFile file(std::move(fd), path, PageCache::kept);
  const ReadSegment read = [&](std::uint64_t offset, std::span<std::byte> target) { return file.read(offset, target); };
  const NextData next_data = [&](std::uint64_t offset) { return file.next_data(offset); };
  return scan_segment(0, length, read, next_data, [&](StoreHeader header, std::uint64_t offset) -> Expected<bool> {
    listing.entries.push_back({std::move(header), segment, offset});
    return true;
  });
}

}  // namespace

std::uint64_t FolderListing::entry_bytes() const {
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.header.info.bytes;
  return bytes;
}

std::uint64_t FolderListing::reusable_bytes() const {
  std::uint64_t taken = 0;
  for (const Entry& entry : entries) taken += SegmentEntry::bytes_on_disk(entry.header);
  return file_bytes - std::min(file_bytes, taken);
}

Expected<FolderListing> list_store_folder(const std::filesystem::path& folder) {
  FolderListing listing;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const auto segment = parse_segment_file_name(name);
    const bool index = name.starts_with(index_file_name);
    std::error_code unknown;
    const std::filesystem::file_type type = at->symlink_status(unknown).type();
    const bool is_file = type == std::filesystem::file_type::regular;
    std::uint64_t bytes = is_file && (segment || index) ? at->file_size(unknown) : 0;
    // An active tier may remove a file after it was listed.
    if (type == std::filesystem::file_type::not_found || unknown == std::errc::no_such_file_or_directory) continue;
    if (unknown) bytes = 0;
    if (index) listing.index_bytes += bytes;
    if (!segment) continue;
    ++listing.segments;
    listing.file_bytes += bytes;
    const auto list = [&]() -> Status {
      if (unknown) return fail_errno(unknown.value(), at->path(), "cannot be read");
      if (!is_file) return tl::unexpected(no_store_file(at->path()));  // anybody can give a link or a pipe its name
      return list_segment(*segment, at->path(), bytes, listing);
    };
    if (const Status listed = list(); !listed) {
      ++listing.unreadable_files;
      listing.unreadable.push_back(listed.error().message);
    }
  }
  if (error)
    return fail(ErrorCode::io,
                folder.string() + ": cannot be read (" + error.message() + "); check the path and its permissions");
  listing.disk_bytes = disk_bytes(folder);
  std::ranges::sort(listing.entries, {},
                    [](const FolderListing::Entry& entry) { return std::pair(entry.segment, entry.offset); });
  return listing;
}

std::uint64_t disk_bytes(const std::filesystem::path& folder) {
  constexpr std::uint64_t block_bytes = 512;  // of st_blocks, whatever the file system's
  std::uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (struct stat file{}; ::lstat(at->path().c_str(), &file) == 0 && S_ISREG(file.st_mode))
      bytes += static_cast<std::uint64_t>(file.st_blocks) * block_bytes;
  return bytes;
}

std::vector<std::filesystem::path> find_store_folders(const std::filesystem::path& root) {
  std::set<std::filesystem::path> folders;
  std::error_code error;
  using Options = std::filesystem::directory_options;
  for (std::filesystem::recursive_directory_iterator at(root, Options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error))
    if (const std::string name = at->path().filename().string();
        parse_segment_file_name(name) || name == index_file_name)
      folders.insert(at->path().parent_path());
  return {folders.begin(), folders.end()};
}

bool has_store_folders(const std::filesystem::path& root) {
  std::error_code error;
  using Options = std::filesystem::directory_options;
  for (std::filesystem::recursive_directory_iterator at(root, Options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error))
    if (at->path().filename() == DirectoryLock::Use{}.file) return true;
  return false;
}

Expected<FolderCheck> check_store_folder(const std::filesystem::path& folder, std::shared_ptr<FileDevice> device,
                                         bool erase_bad,
                                         const std::function<bool(std::uint64_t, std::uint64_t)>& progress) {
  KV_ASSIGN(auto store, SsdStore::open(folder.filename().string(), folder, std::move(device)));
  KV_ASSIGN(auto found, store->recover());
  FolderCheck check;
  check.swept = found.swept_files;
  check.lost_entries = found.lost_entries;
  check.unreadable_files = found.unreadable_files;
  check.unreadable = found.unreadable;
  check.rebuilt = found.rebuilt;
  std::uint64_t done = 0;
  const std::uint64_t all = found.entries.size();
  for (auto& entry : found.entries) {
    const TransferStatus status = store->verify(*entry);
    if (status) {
      ++check.good_entries;
      check.good_bytes += entry->info().bytes;
    } else {
      const bool erase = erase_bad && condemns_entry(status.error().reason);
      check.bad.push_back({entry->info().key.hex(), to_string(status.error().reason), entry->info().bytes, erase});
      if (erase) {
        entry->retire();
        entry.reset();
      }
    }
    if (progress && !progress(++done, all)) return fail(ErrorCode::cancelled, "the check was stopped");
  }
  store->settle();
  check.file_bytes = store->file_bytes();
  check.reusable_bytes = store->reusable_bytes();
  return check;
}

Expected<FolderCompaction> compact_store_folder(const std::filesystem::path& folder, std::shared_ptr<FileDevice> device,
                                                const std::function<bool()>& progress) {
  KV_ASSIGN(auto store, SsdStore::open(folder.filename().string(), folder, std::move(device)));
  KV_ASSIGN(const auto held, store->recover());  // to the end: compact() moves entries that somebody holds
  FolderCompaction compaction;
  compaction.file_bytes_before = store->file_bytes();
  KV_ASSIGN(const auto done, store->compact(progress));
  compaction.moved_entries = done.moved_entries;
  compaction.moved_bytes = done.moved_bytes;
  compaction.bad_entries = done.bad_entries;
  compaction.file_bytes_after = store->file_bytes();
  return compaction;
}

}  // namespace kvantage::inline ssd
