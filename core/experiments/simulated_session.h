// A purely simulated session: contexts enter in order under a policy, then are requested in rotation, with the times
// that their placements predict. Policies are the real ones; nothing is stored or computed, and all metrics are
// simulated (`modelled`). For worked examples of sizes that no machine here has.
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "core/policy/policy.h"
#include "core/ports/session.h"

namespace kvantage::inline experiments {

class SimulatedSession final : public Session {
 public:
  static constexpr double turn_seconds = 0.5;  // in which each context is requested once, on the observer's clock
  using Clock = std::function<double()>;       // seconds, monotonic

  /// `snapshot`: contexts with profiles, tiers with models, nothing stored.
  SimulatedSession(std::string name, Snapshot snapshot, SessionSettings settings, Clock clock);

  RunState state() const override;
  SessionInfo info() const override;
  void start() override { command(RunState::running); }
  void pause() override { command(RunState::paused); }
  void step() override;
  void stop() override { command(RunState::finished); }
  Status apply(const SessionSettings& settings) override;
  SessionSettings settings() const override;
  std::shared_ptr<const Snapshot> snapshot() const override;
  /// First serves the requests that became due.
  std::vector<Event> drain(std::size_t limit) override;

 private:
  void command(RunState state);
  void enter_contexts();
  void serve_one();
  void publish(EventPayload payload);
  void publish_occupancy();

  mutable std::mutex mutex_;
  const std::string name_;
  const Snapshot empty_;  // as given
  SessionSettings settings_;
  Clock clock_;
  RunState state_ = RunState::loading;  // until the first observer
  std::shared_ptr<const Snapshot> snapshot_;
  Plan plan_;  // predictions of the placements
  std::deque<Event> events_;
  std::uint64_t sequence_ = 0, served_ = 0, version_ = 0;
  double next_seconds_ = 0;
  bool announced_ = false;
};

/// Used as a workload name, it selects the session below.
inline constexpr const char* worked_example_name = "worked-example";

/// The worked example of EvicPress's figure 2 as a session; starts with the compression-only scheme.
std::unique_ptr<SimulatedSession> worked_example_session(SimulatedSession::Clock clock);

}  // namespace kvantage::inline experiments
