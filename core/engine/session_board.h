// What a session shows to others and what they ask of it, between their threads and the engine's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/ports/session.h"
#include "core/ports/stores.h"

namespace kvantage::inline engine {

/// Thread-safe.
class SessionBoard {
 public:
  /// Posted by others, coalesced until the engine takes them.
  struct Commands {
    bool start = false, pause = false, step = false, stop = false, close = false, profile = false;
    bool settings = false;  // there are new ones
    bool inspect = false;   // its mailbox has news
    bool any() const { return start || pause || step || stop || close || profile || settings || inspect; }
  };
  /// The latest state of everything that is planned on.
  struct View {
    std::shared_ptr<const Snapshot> snapshot;
    std::shared_ptr<const std::vector<TierReport>> tier_reports;
    std::optional<ModelDeviceGauges> model_device;
  };
  struct Taken {
    Commands commands;
    SessionSettings settings;
    RunState state = RunState::ready;  // before them
    bool settings_wait = false;        // for running requests to end
  };

  /// clock: that waiting goes by; outlives it.
  SessionBoard(SessionSettings settings, const Clock& clock) : clock_(clock), settings_(std::move(settings)) {}

  // For others.
  RunState state() const { return state_.load(); }
  SessionInfo info() const;
  SessionSettings settings() const;
  View view() const;
  ProfileScope scope() const;
  Error failure() const;
  /// Adds `more` to what waits; what cannot wait for the end of a long step interrupts it.
  void post(const Commands& more);
  /// Settings that were checked. usage: they name other tiers than the session has.
  Status post_settings(SessionSettings settings);
  /// Waits until the state is none of loading and running, or for `seconds`. What was asked for and has not begun
  /// counts as running.
  RunState wait_while_busy(double seconds) const;

  // For the engine's thread.
  bool interrupted() const { return interrupt_.load(std::memory_order_relaxed); }
  /// busy: requests are running, and settings change between requests.
  Taken take(bool busy);
  /// Waits for a command, or for `seconds`.
  void wait_for_command(double seconds);
  void set_state(RunState state);
  /// Wakes whoever waits for a state.
  void wake() { changed_.notify_all(); }
  void show(View view);
  void set_info(SessionInfo info);
  void set_run_id(const std::string& id);
  /// Budgets in percent are of this from now on: all contexts uncompressed.
  void set_full_bytes(std::uint64_t bytes);
  void set_scope(ProfileScope scope);
  void set_failure(Error failure);

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Commands commands_;
  SessionSettings settings_;
  std::uint64_t full_bytes_ = 0;  // 0 while loading
  SessionInfo info_;
  View view_{.snapshot = std::make_shared<const Snapshot>(), .tier_reports = nullptr, .model_device = {}};
  ProfileScope scope_;
  Error failure_;
  std::atomic<RunState> state_{RunState::loading};
  std::atomic<bool> interrupt_{false};
};

}  // namespace kvantage::inline engine
