// Serves the cells of a sweep one after the other on an open session; another seed opens another one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/session_options.h"
#include "core/sweep/sweep_plan.h"

namespace kvantage::cli {

class SweepRunner {
 public:
  /// `folder`: of stores and database. `model` stands in for the plan's where it is not empty.
  SweepRunner(SweepPlan plan, std::filesystem::path folder, std::filesystem::path database, std::filesystem::path model, int threads, bool quiet);
  ~SweepRunner();

  /// The cell's figures (sweep_figures, requests, run_id, provenance, quality_metric). cancelled when interrupted.
  Expected<Json> run(const SweepCell& cell);
  const SweepPlan& plan() const { return plan_; }

 private:
  Status open(std::uint64_t seed);
  Expected<SessionSettings> settings_of(const SweepCell& cell) const;

  SweepPlan plan_;
  SessionOptions options_;
  ConsoleSink console_;
  std::optional<LiveSession> session_;
  SessionSettings base_;
  bool profiled_ = false;
};

}  // namespace kvantage::cli
