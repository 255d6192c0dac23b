// Figures on the command line: sessions of this program, results on stdout, Ctrl-C ends the work.
#pragma once

#include "app/cli/session_options.h"
#include "core/experiments/figures/figure_makers.h"

namespace kvantage::cli {

class ConsoleFigureHost : public FigureHost {
 public:
  const Clock& clock() const override { return system_executor().clock(); }
  bool interrupted() const override;
  std::filesystem::path default_model() const override;
  Expected<std::unique_ptr<FigureSession>> open_session(const FigureArguments& arguments, std::uint64_t seed,
                                                        const std::vector<std::string>& methods) override;
  Expected<std::unique_ptr<StorageTier>> open_memory_tier(double bytes_per_second) override;
  std::unique_ptr<BufferLender> make_buffers(std::size_t bytes) override;

 protected:
  void write(const std::string& text) override;
};

}  // namespace kvantage::cli
