// Experiments in the window's own process, on a thread of theirs: the cells of `kvantage-cli sweep`, served by the same
// code.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "ui/experiments/experiment_host.h"

namespace kvantage {

class ExperimentThread final : public ExperimentHost {
 public:
  struct Setup {
    SweepPlan base;                    // what the window's session was opened with
    std::filesystem::path database;    // of runs and profiles
    std::filesystem::path stores;      // folder in which a temporary store is made
    std::vector<std::string> remotes;  // servers that the user allowed
    std::uint64_t requests = 0;        // of the workload; 0: not known
  };

  explicit ExperimentThread(Setup setup, QObject* parent = nullptr);
  /// Aborts the running cell and waits for it: as long as its running step takes.
  ~ExperimentThread() override;

  void start(const QString& folder) override;
  void pause() override { pause_ = true; }
  void cancel() override { stop_ = true; }
  bool running() const override { return running_; }
  SweepPlan base_plan() const override { return setup_.base; }
  std::uint64_t workload_requests() const override { return setup_.requests; }
  QString command(const QString& folder) const override;

 private:
  void run(const std::filesystem::path& folder);
  Status serve(const std::filesystem::path& folder);
  template <class Act>
  void post(Act act);

  Setup setup_;
  std::thread thread_;
  std::atomic<bool> stop_ = false, pause_ = false;
  bool running_ = false;
};

}  // namespace kvantage
