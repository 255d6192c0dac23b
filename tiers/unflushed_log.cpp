#include "tiers/unflushed_log.h"

#include <algorithm>
#include <iterator>

#include "tiers/mapped_memory.h"

namespace kvantage::inline tiers {
namespace {

constexpr const char* hidden_suffix = ".removed.part";

}  // namespace

bool UnflushedLog::is_hidden(const std::filesystem::path& path) { return path.string().ends_with(hidden_suffix); }

Expected<std::vector<UnflushedLog::Block>> UnflushedLog::contents(DeviceFile& file, std::uint64_t begin,
                                                                  std::uint64_t end, std::uint64_t size) {
  KV_ASSIGN(auto page, MappedMemory::map(page_bytes, false));
  std::vector<Block> blocks;
  for (std::uint64_t at = round_down_to_page(begin); at < end; at += page_bytes) {
    Block block{at, {}};
    if (at < size) {  // the last page of an index may be partial
      const auto old = page.bytes().first(std::min<std::uint64_t>(page_bytes, size - at));
      KV_TRY(file.read(at, old));
      block.old_bytes.assign(old.begin(), old.end());
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

Status UnflushedLog::before_write(const std::filesystem::path& path, DeviceFile& file, std::uint64_t offset,
                                  std::uint64_t bytes) {
  KV_ASSIGN(const auto size, file.size());
  KV_ASSIGN(auto blocks, contents(file, offset, offset + bytes, size));
  FileChanges& changes = files_[path];
  if (offset + bytes > size) changes.sizes.push_back(size);
  std::ranges::move(blocks, std::back_inserter(changes.blocks));
  return {};
}

Status UnflushedLog::before_resize(const std::filesystem::path& path, DeviceFile& file, std::uint64_t bytes) {
  KV_ASSIGN(const auto size, file.size());
  if (size == bytes) return {};
  KV_ASSIGN(auto blocks, contents(file, bytes, size, size));  // none where it grows
  FileChanges& changes = files_[path];
  for (Block& block : blocks) {
    block.cut_by = changes.sizes.size();
    changes.blocks.push_back(std::move(block));
  }
  changes.sizes.push_back(size);
  return {};
}

void UnflushedLog::after_create(const std::filesystem::path& path) {
  files_[path];
  changes_.push_back({NameChange::created, path, {}});
}

void UnflushedLog::after_rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (auto node = files_.extract(from); !node.empty()) {
    node.key() = to;
    files_.insert(std::move(node));
  }
  changes_.push_back({NameChange::renamed, to, from});
}

Status UnflushedLog::remove(const std::filesystem::path& path) {
  std::filesystem::path hidden = path;
  hidden += std::to_string(++hidden_count_);
  hidden += hidden_suffix;
  KV_TRY(inner_->rename(path, hidden));
  if (auto node = files_.extract(path); !node.empty()) {
    node.key() = hidden;
    files_.insert(std::move(node));
  }
  changes_.push_back({NameChange::removed, path, hidden});
  return {};
}

void UnflushedLog::file_flushed(const std::filesystem::path& path) { files_.erase(path); }

Status UnflushedLog::directory_flushed(const std::filesystem::path& directory) {
  for (const Change& change : changes_)
    if (change.path.parent_path() == directory && change.kind == NameChange::removed) {
      files_.erase(change.other);
      KV_TRY(inner_->remove(change.other));
    }
  std::erase_if(changes_, [&](const Change& change) { return change.path.parent_path() == directory; });
  return {};
}

Status UnflushedLog::lose_of(const std::filesystem::path& path, const FileChanges& changes, Random& random) {
  KV_ASSIGN(auto file, inner_->open_cached(path, false));
  KV_ASSIGN(auto page, MappedMemory::map(page_bytes, false));
  KV_ASSIGN(const auto size, file->size());
  const std::size_t kept_sizes = random.below(changes.sizes.size() + 1);
  for (auto block = changes.blocks.rbegin(); block != changes.blocks.rend(); ++block) {
    // Truncated bytes are restored where the file regains its length; of the others some reached the disk.
    const bool stays = block->cut_by ? *block->cut_by < kept_sizes : random.below(2) == 0;
    if (stays) continue;
    std::fill(page.bytes().begin(), page.bytes().end(), std::byte{0});
    std::copy(block->old_bytes.begin(), block->old_bytes.end(), page.bytes().begin());
    KV_TRY(file->write(block->offset, page.bytes()));
  }
  return file->resize(kept_sizes < changes.sizes.size() ? changes.sizes[kept_sizes] : size);
}

Status UnflushedLog::lose(Random& random) {
  for (const auto& [path, changes] : files_) KV_TRY(lose_of(path, changes, random));
  files_.clear();
  // Name changes follow the order of the file system's journal: a prefix survives.
  const std::size_t kept = random.below(changes_.size() + 1);
  for (std::size_t i = changes_.size(); i > kept; --i) KV_TRY(undo(changes_[i - 1]));
  for (std::size_t i = 0; i < kept; ++i)
    if (changes_[i].kind == NameChange::removed) KV_TRY(inner_->remove(changes_[i].other));
  changes_.clear();
  return {};
}

Status UnflushedLog::undo(const Change& change) {
  switch (change.kind) {
    case NameChange::created:
      return inner_->remove(change.path);
    case NameChange::renamed:
      return inner_->rename(change.path, change.other);
    case NameChange::removed:
      return inner_->rename(change.other, change.path);
  }
  return {};
}

}  // namespace kvantage::inline tiers
