// A recorded run, gone through again from its journal: every decision and figure as it was, nothing computed anew. What
// a window reads of a live session (state, settings, snapshot, events) is read here of any moment of the run.
//
// A moment is a number of events that have happened, 0 to size(). Its snapshot is rebuilt from the events: placements,
// occupancy, frequencies, fitted costs, profiles; every 256 events, or 256 times over a longer run, a copy is kept, so
// that going anywhere takes few of them. A move that is under way shows when it was committed, as the journal tells it.
// One thread only.
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

namespace kvantage {

/// What there is to know after a number of events.
struct ReplayState {
  std::size_t events = 0;      // that have happened
  std::uint64_t sequence = 0;  // of the last of them
  double seconds = 0;          // from the first event to the last that happened
  Json settings;               // of the session, changes included
  Snapshot snapshot;           // as the engine had it; without contexts in runs recorded before snapshots were
  std::map<std::string, events::TierOccupancy> occupancy;  // by tier
  std::uint64_t requests_started = 0, requests_finished = 0;
  std::string outcome;  // empty before the end
};

class ReplaySource final : public Session {
 public:
  /// rejected_input: a run without events, or with events missing in the middle.
  static Expected<std::unique_ptr<ReplaySource>> open(RecordedRun run);
  /// All events of `run_id`. not_found when there is no such run.
  static Expected<std::unique_ptr<ReplaySource>> load(RunStore& store, const std::string& run_id);

  const RunSummary& summary() const { return run_.summary; }
  const RecordedRun& recorded() const { return run_; }
  std::size_t size() const { return run_.events.size(); }
  const Event& event(std::size_t index) const { return run_.events[index]; }
  /// Seconds from the first event to event `index`, by the monotonic clock of the run.
  double seconds_at(std::size_t index) const;
  double duration() const { return size() == 0 ? 0 : seconds_at(size() - 1); }
  /// How many events had happened `seconds` after the first.
  std::size_t moment_at(double seconds) const;
  /// Requests answered by then, in order; they live as long as the source.
  std::vector<const RequestRecord*> records_until(std::size_t moment) const;

  /// Goes to the moment after `moment` events (at most size()).
  const ReplayState& seek(std::size_t moment);
  const ReplayState& now() const { return state_; }
  /// The moment right behind the next answer after now; size() when there is none.
  std::size_t next_answer() const;
  /// While running: goes on by `seconds` of the run. Give real time times the speed. At the end it pauses.
  void advance(double seconds);

  // Session, of the present moment.
  RunState state() const override;
  SessionInfo info() const override;
  void start() override { running_ = state_.events < size(); }
  void pause() override { running_ = false; }
  void step() override;
  /// Back to the beginning.
  void stop() override;
  /// usage: what was recorded stays as it was.
  Status apply(const SessionSettings& settings) override;
  SessionSettings settings() const override;
  std::shared_ptr<const Snapshot> snapshot() const override;
  /// Events between the last drain and now; after a step back those of a run that begins anew, from the first on.
  std::vector<Event> drain(std::size_t limit) override;
  /// Nothing up to now is drained any more: whoever asked has read it from recorded().
  void drained_up_to_now() { drained_ = state_.events; }

 private:
  explicit ReplaySource(RecordedRun run);
  void take(ReplayState& state, const Event& event) const;

  RecordedRun run_;
  std::size_t spacing_;  // events between two copies
  ReplayState start_, state_;
  std::map<std::size_t, ReplayState> kept_;  // by moment
  mutable std::shared_ptr<const Snapshot> shown_;
  std::size_t drained_ = 0;
  double ahead_seconds_ = 0;  // played, but the next event is not reached yet
  bool running_ = false;
};

}  // namespace kvantage
