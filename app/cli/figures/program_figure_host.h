// Figures in a program: sessions are opened as `run` opens them, on a store of the figure's own.
#pragma once

#include <functional>
#include <memory>

#include "app/cli/base/request_counter.h"
#include "core/experiments/figures/figure_makers.h"

namespace kvantage::cli {

class ProgramFigureHost : public FigureHost {
 public:
  /// `stop`: whether the user canceled the work, asked on any thread.
  explicit ProgramFigureHost(std::function<bool()> stop) : stop_(std::move(stop)) {}

  const Clock& clock() const override;
  bool interrupted() const override { return stop_(); }
  std::filesystem::path default_model() const override;
  Expected<std::unique_ptr<FigureSession>> open_session(const FigureArguments& arguments, std::uint64_t seed,
                                                        const std::vector<std::string>& methods) override;
  Expected<std::unique_ptr<StorageTier>> open_memory_tier(double bytes_per_second) override;
  std::unique_ptr<BufferLender> make_buffers(std::size_t bytes) override;

 protected:
  /// Shows warnings of a figure's session, and counts its requests.
  virtual std::unique_ptr<RequestCounter> make_sink(const FigureArguments& arguments) const = 0;

 private:
  std::function<bool()> stop_;
};

}  // namespace kvantage::cli
