// What fuzzers share: each is one function of a text that somebody else wrote, and ends the process where a promise of
// the parser does not hold.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace kvantage::test {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline std::vector<std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  const auto* const from = reinterpret_cast<const std::byte*>(data);
  return {from, from + size};
}

/// Inputs of several files: record separators (0x1E) are between them.
inline std::vector<std::string> sections_of(std::string_view text) {
  std::vector<std::string> sections;
  for (;;) {
    const std::size_t end = text.find('\x1e');
    sections.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return sections;
    text.remove_prefix(end + 1);
  }
}

/// `bytes`, not empty, with the changes that the input begins with: their number, then for each its place (3 bytes),
/// its length (1 byte) and its bytes. `data` and `size`: what follows them.
inline std::string changed(std::string bytes, const std::uint8_t*& data, std::size_t& size) {
  if (size == 0) return bytes;
  int changes = data[0];
  for (++data, --size; changes > 0 && size >= 4; --changes) {
    const std::size_t at =
        (static_cast<std::size_t>(data[0]) << 16 | static_cast<std::size_t>(data[1]) << 8 | data[2]) % bytes.size();
    const std::size_t length = std::min({static_cast<std::size_t>(data[3]), size - 4, bytes.size() - at});
    std::memcpy(bytes.data() + at, data + 4, length);
    data += 4 + length;
    size -= 4 + length;
  }
  return bytes;
}

inline void must_hold(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

inline void check_refusal(const Error& error) { must_hold(!error.message.empty(), "an error says something"); }
/// Of a file: also one line, whatever the file holds.
inline void check_file_refusal(const Error& error) {
  check_refusal(error);
  must_hold(error.message.find('\n') == std::string::npos, "an error is one line");
}

/// Writes the checksum of the first `end` bytes behind them, so that a parser does not stop there.
inline void mend_checksum(std::span<std::byte> bytes, std::size_t end) {
  if (end + sizeof(std::uint64_t) > bytes.size()) return;
  const std::uint64_t checksum = checksum_of(bytes.first(end));
  std::memcpy(bytes.data() + end, &checksum, sizeof checksum);
}

template <class Number>
Number number_at(std::span<const std::byte> bytes, std::size_t at) {
  Number number = 0;
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

inline bool is_inside(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

/// A file in memory, for parsers that take a path. Readable for the user only, as files of secrets must be.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (file_ < 0 || ::fchmod(file_, 0600) != 0) std::exit(1);
  }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }
  void write(std::string_view text) const {
    if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      std::exit(1);
  }

 private:
  int file_;
};

/// A folder in memory where there is such a file system; the end of the process removes it.
class MemoryFolder {
 public:
  MemoryFolder() {
    std::error_code ignored;
    const auto parent = std::filesystem::exists("/dev/shm", ignored) ? std::filesystem::path("/dev/shm")
                                                                     : std::filesystem::temp_directory_path();
    std::string name = (parent / "kvantage-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::exit(1);
    path_ = name;
  }
  ~MemoryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const char* name, std::string_view text) const {
    std::ofstream stream(path_ / name, std::ios::binary | std::ios::trunc);
    stream << text;
  }
  void remove(const char* name) const {
    std::error_code ignored;
    std::filesystem::remove(path_ / name, ignored);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace kvantage::test
