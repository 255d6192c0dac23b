// Commands to a session and its published state, exchanged between other threads and the engine's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/engine/published_run.h"
#include "core/ports/session.h"
#include "core/ports/stores.h"

namespace kvantage::inline engine {

/// Thread-safe.
class SessionBoard final : public PublishedRun, public PublishedScope {
 public:
  /// Pending commands, coalesced until the engine takes them.
  struct Commands {
    bool start = false, pause = false, step = false, stop = false, close = false, profile = false;
    bool end_profiling = false;
    bool settings = false;  // new settings are pending
    bool inspect = false;   // the inspection mailbox has news
    void add(const Commands& more);
    bool any() const {
      return start || pause || step || stop || close || profile || end_profiling || settings || inspect;
    }
  };
  /// The latest state behind every plan.
  struct View {
    std::shared_ptr<const Snapshot> snapshot;
    std::shared_ptr<const std::vector<TierReport>> tier_reports;
    SessionGauges gauges;
  };
  struct Taken {
    Commands commands;
    SessionSettings settings;
    RunState state = RunState::ready;  // state before the commands
    bool settings_wait = false;        // for running requests to end
  };

  /// clock: for waits; must outlive it.
  SessionBoard(SessionSettings settings, const Clock& clock) : clock_(clock), settings_(std::move(settings)) {}

  // For other threads.
  RunState state() const { return state_.load(); }
  SessionInfo info() const;
  SessionSettings settings() const;
  View view() const;
  ProfileScope scope() const;
  Error failure() const;
  /// Adds `more` to the pending commands; urgent ones interrupt a long step.
  void post(const Commands& more);
  /// Takes validated settings. usage: other tiers than the session's.
  Status post_settings(SessionSettings settings);
  /// Waits until the state is neither loading nor running, at most `seconds`. A pending start counts as running.
  RunState wait_while_busy(double seconds) const;

  // For the engine's thread.
  bool interrupted() const { return interrupt_.load(std::memory_order_relaxed); }
  /// busy: requests are running, so settings stay pending until they end.
  Taken take(bool busy);
  /// Waits for a command, at most `seconds`. Whether there is one.
  bool wait_for_command(double seconds);
  void set_state(RunState state);
  /// Wakes threads that wait for a state.
  void wake() { changed_.notify_all(); }
  void show(View view);
  void set_info(SessionInfo info);
  void set_run_id(const std::string& id) override;
  /// Base of percentage budgets from now on: all contexts uncompressed.
  void set_full_bytes(std::uint64_t bytes);
  /// The tiers' throttles in place of those relative to prefill; later ones must be in bytes per second.
  void set_throttles(const std::vector<TierConfig>& tiers);
  void set_scope(ProfileScope scope) override;
  void set_failure(Error failure);

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Commands commands_, after_stop_;  // the latter: posted while a stop was pending
  SessionSettings settings_;
  std::uint64_t full_bytes_ = 0;  // 0 while loading
  bool throttles_are_set_ = false;
  SessionInfo info_;
  View view_{.snapshot = std::make_shared<const Snapshot>(), .tier_reports = nullptr, .gauges = {}};
  ProfileScope scope_;
  Error failure_;
  std::atomic<RunState> state_{RunState::loading};
  std::atomic<bool> interrupt_{false};
};

}  // namespace kvantage::inline engine
