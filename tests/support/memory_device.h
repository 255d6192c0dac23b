// A FileDevice in memory: the real store code over it runs on virtual time without a disk.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/ports/file_device.h"

namespace kvantage::test {

class MemoryDevice final : public FileDevice {
 public:
  Expected<std::unique_ptr<DeviceFile>> open(const std::filesystem::path& path, bool create) override {
    const std::lock_guard lock(mutex_);
    auto found = files_.find(path);
    if (found == files_.end()) {
      if (!create) return absent(path);
      found = files_.emplace(path, std::make_shared<Content>()).first;
    }
    return std::make_unique<File>(found->second, path);
  }
  Expected<std::unique_ptr<DeviceFile>> open_cached(const std::filesystem::path& path, bool create) override {
    return open(path, create);
  }
  Status remove(const std::filesystem::path& path) override {
    const std::lock_guard lock(mutex_);
    if (files_.erase(path) == 0) return absent(path);
    return {};
  }
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    const std::lock_guard lock(mutex_);
    auto node = files_.extract(from);
    if (node.empty()) return absent(from);
    files_.erase(to);
    node.key() = to;
    files_.insert(std::move(node));
    return {};
  }
  Status make_directory(const std::filesystem::path&) override { return {}; }
  Expected<std::vector<std::filesystem::path>> list(const std::filesystem::path& directory) override {
    const std::lock_guard lock(mutex_);
    std::vector<std::filesystem::path> paths;
    for (const auto& [path, content] : files_)
      if (path.parent_path() == directory) paths.push_back(path);
    return paths;
  }
  Status sync_directory(const std::filesystem::path&) override { return {}; }

 private:
  struct Content {
    std::mutex mutex;
    std::vector<std::byte> bytes;
  };
  class File final : public DeviceFile {
   public:
    File(std::shared_ptr<Content> content, std::filesystem::path path)
        : content_(std::move(content)), path_(std::move(path)) {}
    Status read(std::uint64_t offset, std::span<std::byte> target) override {
      const std::lock_guard lock(content_->mutex);
      if (offset + target.size() > content_->bytes.size())
        return fail(ErrorCode::corrupt, path_.string() + ": ends before what is read");
      std::copy_n(content_->bytes.begin() + static_cast<std::ptrdiff_t>(offset), target.size(), target.begin());
      return {};
    }
    Status write(std::uint64_t offset, std::span<const std::byte> bytes) override {
      const std::lock_guard lock(content_->mutex);
      content_->bytes.resize(std::max<std::size_t>(content_->bytes.size(), offset + bytes.size()));
      std::ranges::copy(bytes, content_->bytes.begin() + static_cast<std::ptrdiff_t>(offset));
      return {};
    }
    Status sync() override { return {}; }
    Expected<std::uint64_t> size() override {
      const std::lock_guard lock(content_->mutex);
      return content_->bytes.size();
    }
    Status resize(std::uint64_t bytes) override {
      const std::lock_guard lock(content_->mutex);
      content_->bytes.resize(bytes);
      return {};
    }
    bool direct() const override { return false; }

   private:
    std::shared_ptr<Content> content_;
    std::filesystem::path path_;
  };
  static tl::unexpected<Error> absent(const std::filesystem::path& path) {
    return fail(ErrorCode::not_found, path.string() + ": no such file");
  }

  std::mutex mutex_;
  std::map<std::filesystem::path, std::shared_ptr<Content>> files_;
};

}  // namespace kvantage::test
