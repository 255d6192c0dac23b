#include "core/base/file_lines.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/files.h"

namespace kvantage {

Expected<FileLines> FileLines::open(const std::filesystem::path& path, std::uint64_t max_bytes) {
  KV_ASSIGN(auto file, open_regular_file(path));
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return cannot_read_file(path, errno);
  const auto file_bytes = static_cast<std::uint64_t>(facts.st_size);
  if (file_bytes > max_bytes) return file_too_large(path, max_bytes);
  return FileLines(path, std::move(file), file_bytes, max_bytes);
}

Expected<bool> FileLines::read_more() {
  constexpr std::size_t step = std::size_t{1} << 20;
  const std::size_t held = held_.size();
  held_.resize(held + step);
  ssize_t got = -1;
  do got = ::read(file_.get(), held_.data() + held, step);
  while (got < 0 && errno == EINTR);
  const int reason = errno;
  held_.resize(held + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) return cannot_read_file(path_, reason);
  if (static_cast<std::uint64_t>(got) > left_) return file_too_large(path_, max_bytes_);  // it grew
  left_ -= static_cast<std::uint64_t>(got);
  return got > 0;
}

Expected<std::optional<std::string_view>> FileLines::next() {
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = held_.find('\n', searched);
    if (end != std::string::npos) {
      const auto line = std::string_view(held_).substr(begin_, end - begin_);
      begin_ = end + 1;
      ++number_;
      return line;
    }
    held_.erase(0, begin_);
    begin_ = 0;
    searched = held_.size();
    if (searched > max_line_bytes)
      return fail(ErrorCode::rejected_input, path_.string() + ":" + std::to_string(number_ + 1) +
                                                 ": the line is longer than " + std::to_string(max_line_bytes >> 20) +
                                                 " MiB; split it");
    KV_ASSIGN(const bool more, read_more());
    if (more) continue;
    if (held_.empty()) return std::nullopt;
    begin_ = held_.size();
    is_ended_ = false;
    ++number_;
    return std::string_view(held_);
  }
}

}  // namespace kvantage
