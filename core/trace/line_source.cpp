#include "core/trace/line_source.h"

namespace kvantage::inline trace {

LineSource::LineSource(std::unique_ptr<std::istream> stream, std::string name)
    : stream_(std::move(stream)), name_(std::move(name)) {}

Expected<bool> LineSource::read_line(std::string_view& line) {
  constexpr std::size_t piece = std::size_t{64} << 10;
  std::size_t searched = begin_;
  std::size_t end = buffer_.find('\n', searched);
  while (end == std::string::npos && !at_end_) {
    searched = buffer_.size() - begin_;
    if (searched > max_line_bytes)
      return fail(ErrorCode::rejected_input, name_ + ":" + std::to_string(number_ + 1) +
                                                 ": the line is longer than 16 MiB; give a trace of shorter lines");
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t held = buffer_.size();
    buffer_.resize(held + piece);
    stream_->read(buffer_.data() + held, static_cast<std::streamsize>(piece));
    buffer_.resize(held + static_cast<std::size_t>(stream_->gcount()));
    if (stream_->bad())
      return fail(ErrorCode::rejected_input,
                  name_ + ":" + std::to_string(number_ + 1) + ": cannot be read further; check the device");
    at_end_ = !*stream_;
    end = buffer_.find('\n', searched);
  }
  if (end == std::string::npos) {
    if (begin_ == buffer_.size()) return false;
    end = buffer_.size();
  }
  line = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = std::min(end + 1, buffer_.size());
  ++number_;
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

Expected<bool> LineSource::next(std::string_view& line) {
  for (;;) {
    const auto there = read_line(line);
    if (!there || !*there) return there;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) return true;
  }
}

Expected<std::string> first_line_of(std::unique_ptr<std::istream>& stream, const std::string& name) {
  LineSource lines(std::move(stream), name);
  std::string_view line;
  const auto there = lines.next(line);
  std::string first = there && *there ? std::string(line) : std::string();
  stream = lines.release();
  stream->clear();
  stream->seekg(0);
  if (!there) return tl::unexpected(there.error());
  return first;
}

}  // namespace kvantage::inline trace
