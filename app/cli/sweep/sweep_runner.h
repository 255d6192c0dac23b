// Serves the cells of a sweep sequentially on an open session; another seed opens another one.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "app/cli/base/interrupts.h"
#include "app/cli/session_options.h"
#include "core/sweep/sweep_plan.h"

namespace kvantage::cli {

class SweepRunner {
 public:
  /// `folder`: for stores and database. `model` overrides the plan's if not empty.
  SweepRunner(SweepPlan plan, std::filesystem::path folder, std::filesystem::path database, std::filesystem::path model,
              int threads, bool quiet, RemoteConsent remotes);
  ~SweepRunner();
  /// Asked often while a session opens and a cell is served: true aborts it. If not set: interrupted().
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  /// Loads the model and checks workload and model against the plan, so that errors surface before a cell is taken.
  /// rejected_input, usage as open_session. No effect where the seed's session is open.
  Status open(std::uint64_t seed);
  /// The cell's metrics (sweep_metrics, requests, run_id, provenance, quality_metric, host, hardware). cancelled when
  /// interrupted. After a failure the next cell opens a new session.
  Expected<Json> run(const SweepCell& cell);
  /// The recorded run of the last served cell, in the format of `runs export`.
  Expected<std::string> run_text(const std::string& run_id);
  /// Of the last served cell: of the fixed load before and after it.
  Status keep_calibration(const std::string& run_id, const std::vector<double>& seconds);
  const SweepPlan& plan() const { return plan_; }

 private:
  Status check_model();
  Expected<Json> serve(const SweepCell& cell);
  Expected<SessionSettings> settings_of(const SweepCell& cell) const;

  SweepPlan plan_;
  SessionOptions options_;
  ConsoleSink console_;
  std::optional<LiveSession> session_;
  SessionSettings base_;
  bool profiled_ = false, model_checked_ = false;
  std::function<bool()> stop_ = interrupted;
};

}  // namespace kvantage::cli
