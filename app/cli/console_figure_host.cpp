#include "app/cli/console_figure_host.h"

#include <cstdio>

#include "app/cli/base/progress_line.h"
#include "app/cli/session_options.h"

namespace kvantage::cli {

void ConsoleFigureHost::write(const std::string& text) {
  stderr_progress().clear();
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Quiet where stdout is for JSON. The figure has the progress line.
std::unique_ptr<RequestCounter> ConsoleFigureHost::make_sink(const FigureArguments& arguments) const {
  return std::make_unique<ConsoleSink>(arguments.json || arguments.progress == "none", false);
}

}  // namespace kvantage::cli
