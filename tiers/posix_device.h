// FileDevice on the operating system: positioned reads and writes that bypass the page cache (O_DIRECT) where the file
// system allows, and otherwise drop what they left in it, so that times are the disk's and memory stays the caller's.
#pragma once

#include <string>

#include "core/ports/file_device.h"
#include "tiers/unique_fd.h"

namespace kvantage {

class PosixDevice : public FileDevice {
 public:
  struct Options {
    bool bypass_page_cache = true;  // try O_DIRECT
    std::string note = {};          // what note() says
  };

  PosixDevice() = default;
  explicit PosixDevice(Options options) : options_(std::move(options)) {}

  Expected<std::unique_ptr<DeviceFile>> open(const std::filesystem::path& path, bool create) override;
  Expected<std::unique_ptr<DeviceFile>> open_cached(const std::filesystem::path& path, bool create) override;
  Status remove(const std::filesystem::path& path) override;
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Status make_directory(const std::filesystem::path& path) override;
  Expected<std::vector<std::filesystem::path>> list(const std::filesystem::path& directory) override;
  Status sync_directory(const std::filesystem::path& path) override;
  std::string note() const override { return options_.note; }

 protected:
  struct Handle {
    UniqueFd fd;
    bool direct = false;
  };
  static Expected<Handle> open_handle(const std::filesystem::path& path, bool create, bool direct);

 private:
  Options options_;
};

}  // namespace kvantage
