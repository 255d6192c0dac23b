// The session that the window shows: the live one, or a recorded run in its place. Whoever holds the switch needs not
// know which. One thread, that of the window.
#pragma once

#include "core/ports/session.h"

namespace kvantage {

class SessionSwitch final : public Session {
 public:
  explicit SessionSwitch(Session& live) : live_(live), shown_(&live) {}
  Session& live() { return live_; }
  bool shows_live() const { return shown_ == &live_; }
  void show(Session& session) { shown_ = &session; }
  void show_live() { shown_ = &live_; }

  RunState state() const override { return shown_->state(); }
  SessionInfo info() const override { return shown_->info(); }
  void start() override { shown_->start(); }
  void pause() override { shown_->pause(); }
  void step() override { shown_->step(); }
  void stop() override { shown_->stop(); }
  Status apply(const SessionSettings& settings) override { return shown_->apply(settings); }
  SessionSettings settings() const override { return shown_->settings(); }
  std::shared_ptr<const Snapshot> snapshot() const override { return shown_->snapshot(); }
  std::shared_ptr<const std::vector<TierReport>> tier_reports() const override { return shown_->tier_reports(); }
  std::vector<Event> drain(std::size_t limit) override { return shown_->drain(limit); }

 private:
  Session& live_;
  Session* shown_;
};

}  // namespace kvantage
