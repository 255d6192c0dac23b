// A host of figures that opens nothing: for what is said before a session, and for figures that need none.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/experiments/studies/figure_arguments.h"

namespace kvantage::test {

class ClosedHost : public FigureHost {
 public:
  ClosedHost() { set_patience({.rounds = 1, .repeats = 0}); }  // its times are compared with nothing
  const Clock& clock() const override { return *clock_; }
  bool interrupted() const override { return false; }
  std::filesystem::path default_model() const override { return {}; }
  Expected<std::unique_ptr<StorageTier>> open_memory_tier(double) override {
    return fail(ErrorCode::internal, "this host opens no tier");
  }
  std::unique_ptr<BufferLender> make_buffers(std::size_t) override { return nullptr; }

  std::string written;

 protected:
  void write(const std::string& text) override { written += text; }

 private:
  std::shared_ptr<const Clock> clock_ = machine_clock();
};

inline FigureArguments arguments_for(ClosedHost& host, const std::string& figure) {
  FigureArguments arguments;
  arguments.figure = figure;
  arguments.host = &host;
  arguments.lines = std::make_shared<FigureProgress>(host.clock(), std::function<void(const std::string&)>());
  return arguments;
}

}  // namespace kvantage::test
