// The record of a run: its journal from RunStarted to RunFinished, the inputs of its decisions, and its counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/stores.h"
#include "core/store/engine_services.h"
#include "core/store/journal_sink.h"
#include "core/store/run_counters.h"
#include "core/store/run_journal.h"

namespace kvantage::inline store {

/// "20261121T093000Z-1a2b...": sorts by time, unique enough for one store of runs.
std::string new_run_id(std::int64_t utc_ns);

class RunRecorder final : public RunJournal {
 public:
  /// runs: the run store; null: none. journal: one of the sinks of the services' bus.
  RunRecorder(const EngineServices& services, JournalSink& journal, RunStore* runs)
      : services_(services), journal_(journal), runs_(runs) {}

  /// Opens the record of a run, until finish(). A failure to record is reported, and the run continues. facts: stored
  /// with it.
  void open(const std::string& id, Json facts);
  /// Starts the opened run's journal; its events are numbered from 1.
  void begin();
  /// outcome: "finished", "stopped", "closed".
  void finish(const std::string& outcome);
  bool in_run() const override { return !id_.empty(); }
  /// Keeps the times of a fixed load around a run (run_calibration.h) with its record, where it has one.
  Status save_calibration(const std::string& id, const std::vector<double>& seconds);

  void publish_snapshot(const std::string& reason) override;
  /// Publishes the fitted costs if they have changed. Only during a run.
  void publish_costs();
  /// Publishes the engine thread's counters.
  void publish_counted();

  RunCounters& counters() { return counters_; }
  void on_first_token();

 private:
  void publish_tier(std::size_t tier);
  /// Says it when what is recorded is lost.
  void publish_trouble();

  EngineServices services_;
  JournalSink& journal_;
  RunStore* runs_;
  std::string id_;  // empty: no run
  Json facts_;      // until the run begins
  std::uint64_t served_ = 0;
  RunCounters counters_;
  std::vector<TierStatistics> tiers_before_;        // at the start of the run
  std::optional<ModelDeviceGauges> device_before_;  // at the start of the run
  std::optional<events::CostsFitted> published_costs_;
};

}  // namespace kvantage::inline store
