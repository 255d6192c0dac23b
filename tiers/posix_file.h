// An open file of the operating system: positioned reads and writes, neighbours of a batch as one system call.
#pragma once

#include <filesystem>
#include <span>

#include "core/ports/file_device.h"
#include "tiers/unique_fd.h"

namespace kvantage {

enum class PageCache {
  bypassed,  // opened with O_DIRECT
  dropped,   // what a transfer left in it goes at once
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
  Status resize(std::uint64_t bytes) override;
  bool direct() const override { return cache_ == PageCache::bypassed; }

  int fd() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }
  /// Some file systems take O_DIRECT at open and refuse the transfer: true when `code` says so and the file goes
  /// through the page cache from now on.
  bool leave_direct_mode(int code);
  /// So that times stay the disk's and memory the caller's where O_DIRECT is refused; 0 bytes = to the end.
  void drop_page_cache(std::uint64_t offset, std::uint64_t bytes);

 private:
  UniqueFd fd_;
  std::filesystem::path path_;
  PageCache cache_;
};

/// "PATH: ends at byte N, ...": a read beyond the end of a file.
tl::unexpected<Error> fail_cut_off(const std::filesystem::path& path, std::uint64_t offset, std::uint64_t missing);
/// The project's error for an errno: "PATH: what (reason)".
tl::unexpected<Error> fail_errno(int code, const std::filesystem::path& path, const char* what);

}  // namespace kvantage
