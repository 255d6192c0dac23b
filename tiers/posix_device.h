// FileDevice on the operating system: positioned reads and writes that bypass the page cache (O_DIRECT) where the file
// system allows it, and otherwise drop their pages from it. So times are the disk's and no memory is used for caching.
#pragma once

#include <string>

#include "core/base/unique_fd.h"
#include "core/ports/file_device.h"

namespace kvantage::inline tiers {

/// What somebody put in place of a file of a store, and what to do: a link would lead writes out of its folder.
/// `corrupt`: whatever was stored there is lost.
Error no_store_file(const std::filesystem::path& path);

class PosixDevice : public FileDevice {
 public:
  struct Options {
    bool bypass_page_cache = true;  // try O_DIRECT
    std::string note = {};          // the text of note()
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

}  // namespace kvantage::inline tiers
