// Streams the lines of a text file, with their numbers.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline trace {

/// Bounded memory: a line of more than 16 MiB is refused.
class LineSource {
 public:
  static constexpr std::size_t max_line_bytes = std::size_t{16} << 20;

  LineSource(std::unique_ptr<std::istream> stream, std::string name);

  /// The next non-blank line, without its end (LF or CRLF), valid until the next call; false at the end of the file. A
  /// byte-order mark before the first line is skipped. rejected_input for a line that is too long.
  Expected<bool> next(std::string_view& line);
  /// "file:12", the last line that next() returned.
  std::string where() const { return name_ + ":" + std::to_string(number_); }
  const std::string& name() const { return name_; }
  std::unique_ptr<std::istream> release() { return std::move(stream_); }

 private:
  Expected<bool> read_line(std::string_view& line);

  std::unique_ptr<std::istream> stream_;
  std::string name_, buffer_;
  std::size_t begin_ = 0;  // start of the unconsumed bytes
  std::uint64_t number_ = 0;
  bool at_end_ = false;
};

/// The first non-blank line, empty where there is none; the stream is at its start before and after. Errors as
/// LineSource.
Expected<std::string> first_line_of(std::unique_ptr<std::istream>& stream, const std::string& name);

}  // namespace kvantage::inline trace
