// Progress on a terminal: one line of stderr with a bar and the time that is left. Nothing where stderr is no terminal,
// or a JSON line for each change of it, for programs (--progress json).
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "core/base/clock.h"

namespace kvantage::cli {

struct ProgressState {
  std::string what;
  double done = 0, total = 0;  // total 0: of unknown length
  double seconds_left = -1;    // below 0: not known yet
};

/// "lru  [=====>     ]  12/200  ETA 0:42", at most `columns` letters. The bar goes first where they are few, then the
/// end of `what`. `color`: with escapes, which are not counted.
std::string progress_text(const ProgressState& state, std::size_t columns, bool color);

/// Whether stderr is a terminal that understands escapes (TERM is not dumb).
bool terminal_on_stderr();
/// As above, and NO_COLOR is not set (https://no-color.org).
bool color_on_stderr();

/// Columns of the terminal that stdout is, at least 80; 0: it is none.
std::size_t stdout_columns();

/// "error: ", in bold red where stderr has colors.
std::string error_mark();

/// The progress line of this process. Thread-safe.
class ProgressLine {
 public:
  /// `shown` false: show() does nothing before use_json().
  ProgressLine(const Clock& clock, bool shown) : clock_(clock), shown_(shown) {}

  /// From here on show() prints {"stage", "done", "total"} and, once it is known, "seconds_left", a line each, in place
  /// of the bar, whatever stderr is.
  void use_json() { json_ = true; }
  bool is_json() const { return json_; }
  /// Such a line of the caller's own; nothing before use_json().
  void say_json(const std::string& line);

  /// Draws at most ten times a second, but for another `what` at once. The time that is left is that of the remainder
  /// at the pace since `pace` began, a name for what has one in common; empty: `what`.
  void show(const std::string& what, double done, double total, const std::string& pace = {});
  /// Erases the line until the next show(), for output on the same terminal.
  void erase();
  /// Erases the line; what comes next has a pace of its own.
  void clear();
  /// `what` is done: clear(), behind the last line where lines are JSON.
  void end(const std::string& what, double total);
  /// A whole line of stderr, above the progress: a message_line() (core/base/shown_text.h).
  void say(const std::string& text);
  /// The same as a shown_line(), however long it is: what is to be copied must not be shortened.
  void say_whole(const std::string& text);
  /// The same behind error_mark().
  void say_error(const std::string& text);

 private:
  void write_line(const std::string& line);

  const Clock& clock_;
  const bool shown_;
  std::atomic<bool> json_ = false;
  std::mutex mutex_;
  bool drawn_ = false;
  std::string what_, pace_;
  double begun_at_ = 0, begun_with_ = 0, drawn_at_ = 0;  // seconds; `done` when the pace began
};

/// Of this process's stderr.
ProgressLine& stderr_progress();

}  // namespace kvantage::cli
