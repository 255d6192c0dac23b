// What a view shows of a run, as it follows from the run's events: live, and at any moment of a recorded run. Each is
// registered once, as a row of run_projections.cpp: RunModel then stashes it, keeps keyframes of it and rebuilds it
// with all others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/ports/events.h"
#include "core/ports/session.h"

namespace kvantage {

/// What RunModel knows at an event.
struct RunMoment {
  double seconds = 0;       // since the first event of the session or of the recorded run
  bool rebuilding = false;  // a recorded run is gone through: a run that begins clears nothing
  /// Those that requests are served under from this event on; null: the event changes none.
  const SessionSettings* settings = nullptr;
  const std::unordered_map<Digest128, std::uint64_t>& full_bytes;  // of contexts, uncompressed, as far as known
};

/// A recorded run up to a moment.
struct RunPast {
  const std::vector<Event>& events;
  std::size_t count = 0;  // that happened
  bool whole = true;      // false: the newest rows are enough, as a hand moves through time
  std::function<std::uint64_t(std::size_t moment)> answered_until;  // requests that were answered by then
};

class RunProjection {
 public:
  /// What a keyframe holds: later events leave it alone. Null: as before the first event.
  using State = std::shared_ptr<const void>;
  /// What is not shown now. Null: nothing was shown yet.
  using Stashed = std::shared_ptr<void>;

  virtual ~RunProjection() = default;
  virtual void apply(const Event& event, const RunMoment& moment) = 0;
  virtual State save() const = 0;
  /// `state`: of save(), of this kind of projection.
  virtual void restore(const State& state) = 0;
  /// Exchanges all that is shown with `stashed`; moves it, however much it is.
  virtual void swap(Stashed& stashed) = 0;

  /// Rows of the newest events: has no keyframes, and gets the events of a rebuilt run by fill(), not by apply().
  virtual bool logs() const { return false; }
  virtual void fill(const RunPast& /*past*/) {}
  /// Of a snapshot. `first`: nothing is known of the session or of the recorded run yet but what its events say.
  virtual void set_tiers(const std::vector<TierState>& /*tiers*/, bool /*first*/) {}
  /// What comes between is reported to views at once.
  virtual void begin_batch() {}
  virtual void end_batch() {}
};

}  // namespace kvantage
