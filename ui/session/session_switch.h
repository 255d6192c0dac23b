// The session that the window shows: the live one, or a recorded run in its place. Whoever holds the switch needs not
// know which. Work that the live session would disturb, or be disturbed by, has it wait. One thread, that of the
// window.
#pragma once

#include <utility>

#include "core/ports/session.h"

namespace kvantage {

class SessionSwitch final : public Session {
 public:
  explicit SessionSwitch(Session& live) : live_(live), shown_(&live) {}
  Session& live() { return live_; }
  bool shows_live() const { return shown_ == &live_; }
  void show(Session& session) { shown_ = &session; }
  void show_live() { shown_ = &live_; }

  /// The live session waits until all holds are released. It then resumes if it was running before and was not started,
  /// paused or stopped by hand since; so does its profiling.
  void hold_live() {
    if (holds_++ > 0) return;
    const ProfilingAll profiling = live_.gauges().profiling_all;
    profile_ = profiling != ProfilingAll::no;
    if (profile_) live_.stop_profiling();
    resume_ = live_.state() == RunState::running && profiling != ProfilingAll::alone;
    if (resume_) live_.pause();
  }
  void release_live() {
    if (holds_ == 0 || --holds_ > 0) return;
    if (std::exchange(profile_, false)) live_.profile_all();
    if (!std::exchange(resume_, false)) return;
    const RunState now = live_.state();
    if (now == RunState::running || now == RunState::paused) live_.start();  // running: the pause is not taken yet
  }
  bool is_held() const { return holds_ > 0; }
  /// Held, and all the same started by hand since.
  bool live_runs_anyway() const { return holds_ > 0 && !resume_ && live_.state() == RunState::running; }

  RunState state() const override { return shown_->state(); }
  SessionInfo info() const override { return shown_->info(); }
  void start() override { by_hand().start(); }
  void pause() override { by_hand().pause(); }
  void step() override { by_hand().step(); }
  void stop() override {
    profile_ = profile_ && !shows_live();
    by_hand().stop();
  }
  void profile_all() override { shown_->profile_all(); }
  void stop_profiling() override {
    profile_ = profile_ && !shows_live();
    shown_->stop_profiling();
  }
  Status apply(const SessionSettings& settings) override { return shown_->apply(settings); }
  SessionSettings settings() const override { return shown_->settings(); }
  std::shared_ptr<const Snapshot> snapshot() const override { return shown_->snapshot(); }
  std::shared_ptr<const std::vector<TierReport>> tier_reports() const override { return shown_->tier_reports(); }
  SessionGauges gauges() const override { return shown_->gauges(); }
  std::vector<Event> drain(std::size_t limit) override { return shown_->drain(limit); }

 private:
  Session& by_hand() {
    if (shows_live()) resume_ = false;
    return *shown_;
  }

  Session& live_;
  Session* shown_;
  int holds_ = 0;
  bool resume_ = false, profile_ = false;
};

}  // namespace kvantage
