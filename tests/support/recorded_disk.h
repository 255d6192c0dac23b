// Files in memory that remember each change, in order, so that a test can derive what a power cut before any of them
// leaves on a real disk. Thread-safe.
//
// A cut leaves at least what was flushed. Beyond that, each sector of a file and the size of a file are as they were at
// any moment since its last flush, and each name is as it was at any moment since names were last flushed. Sectors have
// 512 or 4,096 bytes; none holds a mixture of two moments. A page cache on ext4 leaves no more than that: it writes
// pages whole, in any order, and the journal of names is in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/random.h"

namespace kvantage::test {

class RecordedDisk {
 public:
  using Files = std::map<std::string, std::string>;  // content by name

  struct Change {
    enum class Kind : std::uint8_t { write, resize, flush, create, remove, flush_names };
    Kind kind{};
    std::size_t file = 0;      // number of the file; those of flush_names have none
    std::uint64_t offset = 0;  // of a write; of a resize: the new size
    std::string bytes = {};    // of a write
    std::string name = {};     // of a create or remove
  };
  /// Which flushes of a file are believed. False: the disk confirms the flush, and later it may have lost all of it.
  using Believed = bool (*)(const std::string& name);

  /// `files` are there and flushed.
  explicit RecordedDisk(const Files& files = {}) {
    for (const auto& [name, content] : files) {
      names_[name] = files_.size();
      files_.push_back({name, content});
    }
    before_ = files_;
    names_before_ = names_;
  }

  std::size_t changes() const {
    const std::lock_guard lock(mutex_);
    return changes_.size();
  }
  std::optional<std::size_t> find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }
  /// The number of the new file, which replaces one of this name.
  std::size_t create(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const std::size_t file = names_[name] = files_.size();
    files_.push_back({name, {}});
    changes_.push_back({.kind = Change::Kind::create, .file = file, .name = name});
    return file;
  }
  /// False: there is none.
  bool remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    if (found == names_.end()) return false;
    changes_.push_back({.kind = Change::Kind::remove, .file = found->second, .name = name});
    names_.erase(found);
    return true;
  }
  void write(std::size_t file, std::uint64_t offset, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    put(files_[file].content, offset, bytes);
    changes_.push_back({.kind = Change::Kind::write, .file = file, .offset = offset, .bytes = std::string(bytes)});
  }
  void resize(std::size_t file, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    files_[file].content.resize(size);
    changes_.push_back({.kind = Change::Kind::resize, .file = file, .offset = size});
  }
  void flush(std::size_t file) {
    const std::lock_guard lock(mutex_);
    changes_.push_back({.kind = Change::Kind::flush, .file = file});
  }
  void flush_names() {
    const std::lock_guard lock(mutex_);
    changes_.push_back({.kind = Change::Kind::flush_names});
  }
  std::size_t read(std::size_t file, std::uint64_t offset, char* target, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    const std::string& content = files_[file].content;
    const std::size_t there = offset < content.size() ? std::min<std::size_t>(bytes, content.size() - offset) : 0;
    std::memcpy(target, content.data() + std::min<std::size_t>(offset, content.size()), there);
    return there;
  }
  std::size_t size(std::size_t file) const {
    const std::lock_guard lock(mutex_);
    return files_[file].content.size();
  }

  /// What is left when power fails before change `cut` + 1, as drawn by `random`.
  Files after_cut(std::size_t cut, Random& random, Believed believed = nullptr) const {
    const std::lock_guard lock(mutex_);
    return Remains(*this, std::min(cut, changes_.size()), random, believed).files();
  }

 private:
  struct File {
    std::string name, content;
  };

  static void put(std::string& content, std::uint64_t offset, std::string_view bytes) {
    content.resize(std::max<std::size_t>(content.size(), offset + bytes.size()));
    bytes.copy(content.data() + offset, bytes.size());
  }

  /// One draw of what a cut leaves.
  class Remains {
   public:
    Remains(const RecordedDisk& disk, std::size_t cut, Random& random, Believed believed)
        : disk_(disk), cut_(cut), random_(random), flushed_(disk.files_.size(), 0) {
      for (std::size_t i = 0; i < cut; ++i) {
        const Change& change = disk.changes_[i];
        if (change.kind == Change::Kind::flush_names) names_flushed_ = i + 1;
        if (change.kind == Change::Kind::flush && (!believed || believed(disk.files_[change.file].name)))
          flushed_[change.file] = i + 1;
      }
      sector_bytes_ = random.below(2) == 0 ? 512 : 4096;
      how_ = static_cast<How>(random.below(5));
      share_ = random.uniform();
    }

    Files files() {
      content_.resize(disk_.files_.size());
      sizes_.resize(disk_.files_.size());
      for (std::size_t i = 0; i < disk_.before_.size(); ++i) {
        content_[i] = disk_.before_[i].content;
        sizes_[i] = content_[i].size();
      }
      auto names = disk_.names_before_;
      for (std::size_t i = 0; i < cut_; ++i) {
        const Change& change = disk_.changes_[i];
        if (change.kind == Change::Kind::write) write(i, change);
        if (change.kind == Change::Kind::resize) resize(i, change);
        if ((change.kind == Change::Kind::create || change.kind == Change::Kind::remove) &&
            i < moment(names_at_, change.name, names_flushed_)) {
          names.erase(change.name);
          if (change.kind == Change::Kind::create) names[change.name] = change.file;
        }
      }
      Files left;
      for (const auto& [name, file] : names) {
        content_[file].resize(sizes_[file]);
        left[name] = content_[file];
      }
      return left;
    }

   private:
    // The whole is lost; all of it arrives; each part either is lost or arrives; each part is of some moment; the
    // latest changes of each part are missing or not.
    enum class How : std::uint8_t { none, all, either, any, nearly_all };
    using Moments = std::map<std::pair<std::size_t, std::uint64_t>, std::size_t>;

    /// Up to which change this part counts, at least all before `flushed`.
    template <class Map, class Part>
    std::size_t moment(Map& moments, const Part& part, std::size_t flushed) {
      const auto [found, is_new] = moments.try_emplace(part, cut_);
      if (is_new) found->second = draw(flushed);
      return found->second;
    }
    std::size_t draw(std::size_t flushed) {
      if (how_ == How::none) return flushed;
      if (how_ == How::all) return cut_;
      if (how_ == How::either) return random_.uniform() < share_ ? flushed : cut_;
      if (how_ == How::nearly_all && random_.below(8) != 0) return cut_;
      return flushed + random_.below(cut_ - flushed + 1);
    }

    void write(std::size_t number, const Change& change) {
      const std::uint64_t end = change.offset + change.bytes.size();
      for (std::uint64_t at = change.offset; at < end;) {
        const std::uint64_t sector = at / sector_bytes_, stop = std::min((sector + 1) * sector_bytes_, end);
        if (number < sector_moment(change.file, sector))
          put(content_[change.file], at, std::string_view(change.bytes).substr(at - change.offset, stop - at));
        at = stop;
      }
      if (number < size_moment(change.file)) sizes_[change.file] = std::max(sizes_[change.file], end);
    }
    void resize(std::size_t number, const Change& change) {
      std::string& content = content_[change.file];
      for (std::uint64_t at = change.offset; at < content.size();) {
        const std::uint64_t sector = at / sector_bytes_;
        const std::uint64_t stop = std::min<std::uint64_t>((sector + 1) * sector_bytes_, content.size());
        if (number < sector_moment(change.file, sector)) std::fill_n(content.data() + at, stop - at, '\0');
        at = stop;
      }
      if (number < size_moment(change.file)) sizes_[change.file] = change.offset;
    }
    std::size_t sector_moment(std::size_t file, std::uint64_t sector) {
      return moment(sectors_at_, std::pair(file, sector), flushed_[file]);
    }
    std::size_t size_moment(std::size_t file) { return moment(sizes_at_, file, flushed_[file]); }

    const RecordedDisk& disk_;
    std::size_t cut_;
    Random& random_;
    std::vector<std::size_t> flushed_;
    std::size_t names_flushed_ = 0;
    std::uint64_t sector_bytes_ = 512;
    How how_ = How::none;
    double share_ = 0;
    Moments sectors_at_;
    std::map<std::size_t, std::size_t> sizes_at_;
    std::map<std::string, std::size_t> names_at_;
    std::vector<std::string> content_;
    std::vector<std::uint64_t> sizes_;
  };

  mutable std::mutex mutex_;
  std::vector<File> files_, before_;  // by number, also of those without a name
  std::map<std::string, std::size_t> names_, names_before_;
  std::vector<Change> changes_;
};

}  // namespace kvantage::test
