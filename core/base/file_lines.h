// The lines of a text file, of which one is in memory at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace kvantage {

class FileLines {
 public:
  static constexpr std::size_t max_line_bytes = std::size_t{64} << 20;

  /// As read_text_file().
  static Expected<FileLines> open(const std::filesystem::path& path, std::uint64_t max_bytes);

  /// The next line without its line feed, valid until the next call; nothing at the end. rejected_input, with the
  /// line's number, for one that is too long, and as read_text_file().
  Expected<std::optional<std::string_view>> next();
  /// "file:12", the last line of next().
  std::string where() const { return path_.string() + ":" + std::to_string(number_); }
  /// Did the last line of next() end with a line feed?
  bool is_ended() const { return is_ended_; }
  /// Bytes read so far, and of the whole file as it was opened.
  std::uint64_t read_bytes() const { return max_bytes_ - left_; }
  std::uint64_t file_bytes() const { return file_bytes_; }

 private:
  FileLines(std::filesystem::path path, UniqueFd file, std::uint64_t file_bytes, std::uint64_t max_bytes)
      : path_(std::move(path)),
        file_(std::move(file)),
        file_bytes_(file_bytes),
        left_(max_bytes),
        max_bytes_(max_bytes) {}
  /// Appends a piece of the file; false at its end.
  Expected<bool> read_more();

  std::filesystem::path path_;
  UniqueFd file_;
  std::uint64_t file_bytes_, left_, max_bytes_;
  std::string held_;       // read, from the beginning of a line on
  std::size_t begin_ = 0;  // of the next line in it
  std::size_t number_ = 0;
  bool is_ended_ = true;
};

}  // namespace kvantage
