#include "core/base/last_line.h"

#include <unistd.h>

#include <exception>
#include <new>

#include "core/base/json.h"
#include "core/base/shown_text.h"

namespace kvantage {
namespace {

void say_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

constexpr std::string_view out_of_memory =
    "out of memory; close other programs, or use a smaller model, fewer contexts or smaller budgets";

}  // namespace

void end_with_line(std::string_view line) {
  say_to_stderr(error_prefix);
  say_to_stderr(line);
  say_to_stderr("\n");
  ::_exit(1);
}

void end_with_current_exception() {
  try {
    if (std::current_exception() == nullptr) end_with_line("the program ended itself; report how to repeat it");
    throw;
  } catch (const std::bad_alloc&) {
    end_with_line(out_of_memory);
  } catch (const std::exception& error) {
    try {
      end_with_line(message_line(
          "unexpected failure (" + printable(error.what()) + "); report it with the command that you called",
          max_message_characters - error_prefix.size()));
    } catch (const std::bad_alloc&) {  // for the line itself
      end_with_line(out_of_memory);
    }
  } catch (...) {
    end_with_line("unexpected failure (of no known kind); report it with the command that you called");
  }
}

void install_last_line() { std::set_terminate(end_with_current_exception); }

}  // namespace kvantage
