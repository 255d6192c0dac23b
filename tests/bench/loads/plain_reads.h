// What a disk gives to a plain loop of preads, as many at once as a tier has in flight: the measure of a load where fio
// is not installed.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/unique_fd.h"
#include "tiers/mapped_memory.h"

namespace kvantage::testing {

class PlainReads {
 public:
  /// Reads `bytes` from `offset` of the file in blocks, `depth` of them at a time, past the page cache where `direct`.
  PlainReads(const std::filesystem::path& file, std::uint64_t offset, std::uint64_t bytes, std::uint64_t block,
             std::uint64_t depth, bool direct)
      : fd_(::open(file.c_str(), O_RDONLY | (direct ? O_DIRECT : 0))),
        offset_(offset),
        bytes_(bytes),
        block_(block),
        depth_(depth) {
    for (std::uint64_t reader = 0; reader < depth; ++reader) {
      auto memory = MappedMemory::map(std::max<std::uint64_t>(block, huge_page_bytes), true);
      if (memory) memory_.push_back(std::move(*memory));
    }
  }

  /// So many passes over the bytes; false: a read failed. Each reader takes the next block that none has taken.
  bool pass(std::uint64_t passes) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> good{static_cast<bool>(fd_) && memory_.size() == depth_};
    const std::uint64_t blocks = (bytes_ + block_ - 1) / block_;
    {
      std::vector<std::jthread> readers;
      for (std::uint64_t reader = 0; reader < depth_ && good; ++reader)
        readers.emplace_back([&, reader] {
          for (std::uint64_t at = next++; at < blocks * passes && good; at = next++) {
            const std::uint64_t begin = at % blocks * block_, count = std::min(block_, bytes_ - begin);
            if (::pread(fd_.get(), memory_[reader].data(), count, static_cast<off_t>(offset_ + begin)) !=
                static_cast<ssize_t>(count))
              good = false;
          }
        });
    }
    return good;
  }

 private:
  UniqueFd fd_;
  std::uint64_t offset_, bytes_, block_, depth_;
  std::vector<MappedMemory> memory_;
};

}  // namespace kvantage::testing
