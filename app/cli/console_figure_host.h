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

 protected:
  void write(const std::string& text) override;
  std::unique_ptr<RequestCounter> make_sink(const FigureArguments& arguments) const override;
};

/// Keeps what it is shown, and prints nothing.
class KeepingFigureHost final : public ConsoleFigureHost {
 protected:
  void write(const std::string&) override {}
};

/// To stdout, where the progress line was.
void print_figure(const std::string& text);

}  // namespace kvantage::cli
