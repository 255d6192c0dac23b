// An open OS file: positioned reads and writes; adjacent transfers of a batch use one system call.
#pragma once

#include <filesystem>
#include <span>

#include "core/base/unique_fd.h"
#include "core/ports/file_device.h"

namespace kvantage::inline tiers {

enum class PageCache {
  bypassed,  // opened with O_DIRECT
  dropped,   // pages of a transfer are dropped immediately
  kept,
};

class PosixFile : public DeviceFile {
 public:
  PosixFile(UniqueFd fd, std::filesystem::path path, PageCache cache)
      : fd_(std::move(fd)), path_(std::move(path)), cache_(cache) {}
  ~PosixFile() override { drop_page_cache(0, 0); }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  Status read(std::uint64_t offset, std::span<std::byte> target) override;
  Status write(std::uint64_t offset, std::span<const std::byte> bytes) override;
  Status read_many(TransferBatch& batch) override;
  Status reserve(std::uint64_t offset, std::uint64_t bytes) override;
  Status sync() override;
  Expected<std::uint64_t> size() override;
  std::uint64_t next_data(std::uint64_t offset) override;
  Status resize(std::uint64_t bytes) override;
  bool direct() const override { return cache_ == PageCache::bypassed; }

  int fd() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }
  /// Some file systems accept O_DIRECT at open but reject transfers: true when `code` shows that, and the file uses the
  /// page cache from now on.
  bool leave_direct_mode(int code);
  /// Keeps times and memory use realistic where O_DIRECT is rejected; 0 bytes = to the end.
  void drop_page_cache(std::uint64_t offset, std::uint64_t bytes);

 private:
  UniqueFd fd_;
  std::filesystem::path path_;
  PageCache cache_;
};

/// "PATH: ends at byte N, ...": a read past the end of a file.
tl::unexpected<Error> fail_cut_off(const std::filesystem::path& path, std::uint64_t offset, std::uint64_t missing);
/// Error for an errno: "PATH: what (reason)".
tl::unexpected<Error> fail_errno(int code, const std::filesystem::path& path, const char* what);

}  // namespace kvantage::inline tiers
