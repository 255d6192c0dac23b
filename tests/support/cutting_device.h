// A FileDevice whose power is cut before a given operation that changes something, counted over all its files. Not for
// several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "core/ports/file_device.h"

namespace kvantage::test {

class CuttingDevice final : public FileDevice {
 public:
  /// `cut` is called once, before operation `after` + 1.
  CuttingDevice(std::shared_ptr<FileDevice> inner, std::uint64_t after, std::function<void()> cut)
      : inner_(std::move(inner)), count_(std::make_shared<Count>(Count{after, 0, std::move(cut)})) {}

  /// Writes, flushes, changes of size and of names so far.
  std::uint64_t changes() const { return count_->made; }

  Expected<std::unique_ptr<DeviceFile>> open(const std::filesystem::path& path, bool create) override {
    if (create) count_->one_more();
    return counted(inner_->open(path, create));
  }
  Expected<std::unique_ptr<DeviceFile>> open_cached(const std::filesystem::path& path, bool create) override {
    if (create) count_->one_more();
    return counted(inner_->open_cached(path, create));
  }
  Status remove(const std::filesystem::path& path) override {
    count_->one_more();
    return inner_->remove(path);
  }
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    count_->one_more();
    return inner_->rename(from, to);
  }
  Status make_directory(const std::filesystem::path& path) override { return inner_->make_directory(path); }
  Expected<std::vector<std::filesystem::path>> list(const std::filesystem::path& directory) override {
    return inner_->list(directory);
  }
  Status sync_directory(const std::filesystem::path& path) override {
    count_->one_more();
    return inner_->sync_directory(path);
  }

 private:
  struct Count {
    std::uint64_t after = 0, made = 0;
    std::function<void()> cut;
    void one_more() {
      if (made++ == after) cut();
    }
  };
  class File final : public DeviceFile {
   public:
    File(std::unique_ptr<DeviceFile> inner, std::shared_ptr<Count> count)
        : inner_(std::move(inner)), count_(std::move(count)) {}
    Status read(std::uint64_t offset, std::span<std::byte> target) override { return inner_->read(offset, target); }
    Status write(std::uint64_t offset, std::span<const std::byte> bytes) override {
      count_->one_more();
      return inner_->write(offset, bytes);
    }
    Status reserve(std::uint64_t offset, std::uint64_t bytes) override { return inner_->reserve(offset, bytes); }
    Status sync() override {
      count_->one_more();
      return inner_->sync();
    }
    Expected<std::uint64_t> size() override { return inner_->size(); }
    std::uint64_t next_data(std::uint64_t offset) override { return inner_->next_data(offset); }
    Status resize(std::uint64_t bytes) override {
      count_->one_more();
      return inner_->resize(bytes);
    }
    bool direct() const override { return inner_->direct(); }

   private:
    std::unique_ptr<DeviceFile> inner_;
    std::shared_ptr<Count> count_;
  };
  Expected<std::unique_ptr<DeviceFile>> counted(Expected<std::unique_ptr<DeviceFile>> file) {
    if (file) return std::make_unique<File>(std::move(*file), count_);
    return file;
  }

  std::shared_ptr<FileDevice> inner_;
  std::shared_ptr<Count> count_;  // of open files, too
};

}  // namespace kvantage::test
