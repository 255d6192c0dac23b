// Figures on the command line: results on stdout, Ctrl-C ends the work.
#pragma once

#include <memory>
#include <string>

#include "app/cli/base/interrupts.h"
#include "app/cli/figures/program_figure_host.h"

namespace kvantage::cli {

class ConsoleFigureHost : public ProgramFigureHost {
 public:
  ConsoleFigureHost() : ProgramFigureHost(cli::interrupted) {}
  /// To stdout, where the progress line was.
  void write(const std::string& text) override;

 protected:
  std::unique_ptr<RequestCounter> make_sink(const FigureArguments& arguments) const override;
};

/// Keeps what it is shown, and prints nothing.
class KeepingFigureHost final : public ConsoleFigureHost {
 public:
  void write(const std::string&) override {}
};

}  // namespace kvantage::cli
