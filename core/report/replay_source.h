// Replays a recorded run from its journal: every decision and value as recorded, nothing recomputed. What a window
// reads from a live session (state, settings, snapshot, events) is available for any moment of the run.
//
// A moment is the number of past events, 0 to size(). Its snapshot is rebuilt from the events: placements, tier usage,
// frequencies, fitted costs, profiles. A checkpoint is kept every 256 events, or 256 times over a longer run, so that
// seeking applies few events. A move in flight appears when it was committed, as in the journal. Single-threaded.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/session.h"
#include "core/ports/stores.h"
#include "core/report/recorded_run.h"

namespace kvantage::inline report {

/// The state after a number of events.
struct ReplayState {
  std::size_t events = 0;      // number of past events
  std::uint64_t sequence = 0;  // of the last one
  double seconds = 0;          // from the first event to the last past one
  Json settings;               // of the session, changes included
  Snapshot snapshot;           // as the engine had it; without contexts in runs recorded before snapshots were
  std::map<std::string, events::TierOccupancy> occupancy;  // as in the engine; without contexts in runs recorded before
                                                           // snapshots existed
  std::uint64_t requests_started = 0, requests_finished = 0;
  std::string outcome;  // empty before the end
};

class ReplaySource final : public Session {
 public:
  /// rejected_input: a run without events, or with gaps between events.
  static Expected<std::unique_ptr<ReplaySource>> open(RecordedRun run);
  /// All events of `run_id`. not_found for an unknown run.
  static Expected<std::unique_ptr<ReplaySource>> load(RunStore& store, const std::string& run_id);

  const RunSummary& summary() const { return run_.summary; }
  const RecordedRun& recorded() const { return run_; }
  std::size_t size() const { return run_.events.size(); }
  const Event& event(std::size_t index) const { return run_.events[index]; }
  /// Seconds from the first event to event `index`, by the monotonic clock of the run.
  double seconds_at(std::size_t index) const;
  double duration() const { return size() == 0 ? 0 : seconds_at(size() - 1); }
  /// The number of events up to `seconds` after the first.
  std::size_t moment_at(double seconds) const;
  /// Requests answered by then, in order; valid as long as the source.
  std::vector<const RequestRecord*> records_until(std::size_t moment) const;

  /// Seeks to the moment after `moment` events (at most size()).
  const ReplayState& seek(std::size_t moment);
  const ReplayState& now() const { return state_; }
  /// The moment right after the next answer; size() when there is none.
  std::size_t next_answer() const;
  /// While running: advances by `seconds` of the run. Pass real time times the playback speed. Pauses at the end.
  void advance(double seconds);

  // Session interface, at the current moment.
  RunState state() const override;
  SessionInfo info() const override;
  void start() override { running_ = state_.events < size(); }
  void pause() override { running_ = false; }
  void step() override;
  /// Back to the start.
  void stop() override;
  /// usage: a recording is read-only.
  Status apply(const SessionSettings& settings) override;
  SessionSettings settings() const override;
  std::shared_ptr<const Snapshot> snapshot() const override;
  /// Events between the last drain and now; after seeking back, those of a restarted run, from the first on.
  std::vector<Event> drain(std::size_t limit) override;
  /// Skips all events up to now: the caller has read them from recorded().
  void drained_up_to_now() { drained_ = state_.events; }

 private:
  explicit ReplaySource(RecordedRun run);
  void take(ReplayState& state, const Event& event) const;

  RecordedRun run_;
  std::size_t spacing_;  // events between two checkpoints
  ReplayState start_, state_;
  std::map<std::size_t, ReplayState> kept_;  // by moment
  mutable std::shared_ptr<const Snapshot> shown_;
  std::size_t drained_ = 0;
  double ahead_seconds_ = 0;  // played, but before the next event
  bool running_ = false;
};

}  // namespace kvantage::inline report
