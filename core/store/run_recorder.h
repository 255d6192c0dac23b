// The record of a run: its journal from RunStarted to RunFinished, what its decisions rested on, and what it counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/stores.h"
#include "core/store/engine_services.h"
#include "core/store/journal_sink.h"
#include "core/store/run_counters.h"

namespace kvantage::inline store {

/// "20261121T093000Z-1a2b...": sorts by time, unique enough for one store of runs.
std::string new_run_id(std::int64_t utc_ns);

class RunRecorder {
 public:
  /// runs: where runs are kept; null: nowhere. journal: one of the sinks of the services' bus.
  RunRecorder(const EngineServices& services, JournalSink& journal, RunStore* runs)
      : services_(services), journal_(journal), runs_(runs) {}

  /// Opens the record of a run: there is one from here to finish(). What cannot be recorded is said, and the run goes
  /// on. facts: stored with it.
  void open(const std::string& id, Json facts);
  /// Of the run that was opened: from here events are journaled, numbered from 1.
  void begin();
  /// outcome: "finished", "stopped", "closed".
  void finish(const std::string& outcome);
  bool in_run() const { return !id_.empty(); }

  /// Everything that decisions rest on, where more of it changed at once than other events tell. Runs only.
  void publish_snapshot(const std::string& reason);
  /// What things cost by the fits, if that is not what was told last. Runs only.
  void publish_costs();
  /// What the engine's thread did so far.
  void publish_counted();

  RunCounters& counters() { return counters_; }
  void on_first_token() { ++served_; }

 private:
  void publish_tier(std::size_t tier);

  EngineServices services_;
  JournalSink& journal_;
  RunStore* runs_;
  std::string id_;  // empty: no run
  Json facts_;      // until it begins
  std::uint64_t served_ = 0;
  RunCounters counters_;
  std::vector<TierStatistics> tiers_before_;        // when the run began
  std::optional<ModelDeviceGauges> device_before_;  // likewise
  std::optional<events::CostsFitted> published_costs_;
};

}  // namespace kvantage::inline store
