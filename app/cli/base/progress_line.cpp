#include "app/cli/base/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/base/executor.h"
#include "core/base/json.h"
#include "core/base/last_line.h"
#include "core/base/shown_text.h"

namespace kvantage::cli {
namespace {

constexpr std::string_view erase_line = "\r\033[K";

constexpr std::size_t default_columns = 80;

std::size_t terminal_columns(int file) {
  winsize size{};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : default_columns;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  char text[32];
  if (whole < 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  return text;
}

std::string bar_text(double share, std::size_t width, bool color) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  std::string filled(full, '=');
  if (full < width) filled += '>';
  const std::string rest(width - filled.size(), ' ');
  return color ? "[\033[36m" + filled + "\033[0m" + rest + "]" : "[" + filled + rest + "]";
}

std::string progress_json(const ProgressState& state) {
  OrderedJson line{{"stage", state.what},
                   {"done", static_cast<std::uint64_t>(std::max(0.0, state.done))},
                   {"total", static_cast<std::uint64_t>(std::max(0.0, state.total))}};
  if (state.seconds_left >= 0) line["seconds_left"] = state.seconds_left;
  return dump_json(line);
}

void print_json_line(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

}  // namespace

std::string progress_text(const ProgressState& state, std::size_t columns, bool color) {
  std::string after;
  if (state.total > 0) {
    char counts[64];
    std::snprintf(counts, sizeof counts, "%.0f/%.0f", std::floor(state.done), state.total);
    after = "  " + std::string(counts);
  }
  if (state.seconds_left >= 0) after += "  ETA " + duration_text(state.seconds_left);
  const std::size_t room = columns - std::min(columns, after.size());
  std::string what = state.what;
  if (what.size() > room) {
    what.resize(room);
    while (!what.empty() && (static_cast<unsigned char>(what.back()) & 0xc0) == 0x80) what.pop_back();
    if (!what.empty() && (static_cast<unsigned char>(what.back()) & 0x80) != 0) what.pop_back();  // cut in a letter
  }
  constexpr std::size_t narrowest = 10, widest = 30, around = 4;  // two spaces and two brackets
  const std::size_t left = room - what.size();
  if (state.total <= 0 || left < narrowest + around) return what + after.substr(0, columns - what.size());
  const double share = std::clamp(state.done / state.total, 0.0, 1.0);
  return what + "  " + bar_text(share, std::min(left - around, widest), color) + after;
}

bool terminal_on_stderr() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (term == nullptr || std::string_view(term) != "dumb");
}

bool color_on_stderr() {
  const char* without = std::getenv("NO_COLOR");
  return terminal_on_stderr() && (without == nullptr || *without == '\0');
}

std::size_t stdout_columns() {
  return ::isatty(STDOUT_FILENO) != 0 ? std::max(default_columns, terminal_columns(STDOUT_FILENO)) : 0;
}

std::string error_mark() { return color_on_stderr() ? "\033[1;31merror:\033[0m " : std::string(error_prefix); }

void ProgressLine::show(const std::string& what, double done, double total, const std::string& pace) {
  if (!shown_ && !json_) return;
  const std::lock_guard lock(mutex_);
  const double now = clock_.seconds();
  const std::string& of = pace.empty() ? what : pace;
  const bool restarts = of != pace_ || done < begun_with_, began = restarts || what != what_;
  what_ = what;
  if (restarts) {
    pace_ = of;
    begun_at_ = now;
    begun_with_ = done;
  }
  constexpr double between_seconds = 0.1, steady_seconds = 1;
  const bool soon = now - drawn_at_ < between_seconds;
  if (!began && soon && (json_ ? total <= 0 || done < total : drawn_)) return;  // the last of its JSON lines is printed
  ProgressState state{what, done, total, -1};
  const double elapsed = now - begun_at_, gained = done - begun_with_;
  if (total > 0 && gained > 0 && elapsed >= steady_seconds)
    state.seconds_left = elapsed / gained * std::max(0.0, total - done);
  if (json_) {
    drawn_at_ = now;
    print_json_line(progress_json(state));
    return;
  }
  // The last column stays free: some terminals wrap when it is filled.
  const std::string text = progress_text(state, terminal_columns(STDERR_FILENO) - 1, color_on_stderr());
  std::fprintf(stderr, "%s%s", erase_line.data(), text.c_str());
  std::fflush(stderr);
  drawn_ = true;
  drawn_at_ = now;
}

void ProgressLine::say_json(const std::string& line) {
  if (!json_) return;
  const std::lock_guard lock(mutex_);
  print_json_line(line);
}

void ProgressLine::end(const std::string& what, double total) {
  if (json_) show(what, total, total);
  clear();
}

void ProgressLine::clear() {
  erase();
  const std::lock_guard lock(mutex_);
  what_.clear();
  pace_.clear();
}

void ProgressLine::erase() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(drawn_, false)) return;
  std::fprintf(stderr, "%s", erase_line.data());
  std::fflush(stderr);
}

void ProgressLine::say(const std::string& text) { write_line(message_line(text)); }

void ProgressLine::say_whole(const std::string& text) { write_line(shown_line(text)); }

void ProgressLine::say_error(const std::string& text) {
  write_line(error_mark() + message_line(text, max_message_characters - error_prefix.size()));
}

void ProgressLine::write_line(const std::string& line) {
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "%s%s\n", std::exchange(drawn_, false) ? erase_line.data() : "", line.c_str());
  std::fflush(stderr);
}

ProgressLine& stderr_progress() {
  static ProgressLine line(system_executor().clock(), terminal_on_stderr());
  return line;
}

}  // namespace kvantage::cli
