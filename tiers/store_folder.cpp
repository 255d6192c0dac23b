#include "tiers/store_folder.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "tiers/file_entry.h"
#include "tiers/ssd_tier.h"

namespace kvantage {
namespace {

constexpr std::size_t first_read = 4096;

Expected<StoreHeader> read_header(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(first_read);
  const auto read = [&](std::size_t from) {
    file.read(reinterpret_cast<char*>(bytes.data() + from), static_cast<std::streamsize>(bytes.size() - from));
    return static_cast<bool>(file);
  };
  if (!read(0)) return fail(ErrorCode::corrupt, path.string() + ": shorter than a header");
  const auto length = peek_store_header(bytes);
  if (!length) return tl::unexpected(length.error());
  if (*length > bytes.size()) {
    bytes.resize(*length);
    if (!read(first_read)) return fail(ErrorCode::corrupt, path.string() + ": ends within its header");
  }
  return decode_store_header(std::span(bytes).first(*length));
}

}  // namespace

std::uint64_t FolderListing::entry_bytes() const {
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.header.info.bytes;
  return bytes;
}

Expected<FolderListing> list_store_folder(const std::filesystem::path& folder) {
  FolderListing listing;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto name = parse_entry_file_name(at->path().filename().string());
    std::error_code gone;  // a tier in use may remove what was just listed
    const std::uint64_t bytes = name ? at->file_size(gone) : 0;
    if (!name || gone) continue;
    listing.file_bytes += bytes;
    if (name->part) {
      ++listing.unfinished_files;
    } else if (auto header = read_header(at->path())) {
      listing.entries.push_back({at->path(), std::move(*header), bytes});
    } else {
      ++listing.unreadable_files;
    }
  }
  if (error) return fail(ErrorCode::io, folder.string() + ": cannot be read (" + error.message() + "); check the path and its permissions");
  std::ranges::sort(listing.entries, {}, &FolderListing::Entry::path);
  return listing;
}

std::vector<std::filesystem::path> find_store_folders(const std::filesystem::path& root) {
  std::set<std::filesystem::path> folders;
  std::error_code error;
  using Options = std::filesystem::directory_options;
  for (std::filesystem::recursive_directory_iterator at(root, Options::skip_permission_denied, error), end; !error && at != end;
       at.increment(error))
    if (parse_entry_file_name(at->path().filename().string())) folders.insert(at->path().parent_path());
  return {folders.begin(), folders.end()};
}

Expected<FolderCheck> check_store_folder(const std::filesystem::path& folder, std::shared_ptr<FileDevice> device, bool erase_bad,
                                         const std::function<bool(std::uint64_t, std::uint64_t)>& progress) {
  auto store = SsdStore::open(folder.filename().string(), folder, std::move(device));
  if (!store) return tl::unexpected(std::move(store).error());
  auto found = (*store)->recover();
  if (!found) return tl::unexpected(std::move(found).error());
  FolderCheck check;
  check.swept_files = found->swept_files;
  std::uint64_t done = 0;
  for (const auto& entry : found->entries) {
    const TransferStatus status = (*store)->verify(*entry);
    if (status) {
      ++check.good_entries;
      check.good_bytes += entry->info().bytes;
    } else {
      check.bad.push_back({entry->info().key.hex(), to_string(status.error().reason), entry->info().bytes});
      if (erase_bad && condemns_entry(status.error().reason)) entry->retire();
    }
    if (progress && !progress(++done, found->entries.size())) return fail(ErrorCode::cancelled, "the check was stopped");
  }
  return check;
}

}  // namespace kvantage
