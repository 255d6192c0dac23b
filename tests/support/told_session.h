// A session without an engine, which keeps what programs tell it, for tests of what they may say.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/policy/types.h"
#include "core/ports/asker.h"
#include "core/ports/session.h"

namespace kvantage::test {

/// A session with two tiers and two contexts, which keeps what it is told.
class ToldSession final : public Session, public Asker {
 public:
  ToldSession() {
    settings_.policy = "lru";
    settings_.tiers = {{.name = "dram", .budget = 1000}, {.name = "ssd", .budget = TierBudget::unlimited()}};
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->alpha = 2;
    for (const char* id : {"a", "b"}) {
      ContextState context;
      context.id = id;
      context.full_bytes = 4000;
      snapshot->contexts.push_back(context);
    }
    snapshot_ = std::move(snapshot);
  }

  RunState state() const override { return state_; }
  SessionInfo info() const override {
    SessionInfo info;
    info.run_id = "r";
    return info;
  }
  void start() override {}
  void pause() override {}
  void step() override {}
  void stop() override {}
  Status apply(const SessionSettings& settings) override {
    if (settings.alpha < 0) return fail(ErrorCode::usage, "alpha: must be 0 or greater");
    const std::lock_guard lock(mutex_);
    settings_ = settings;
    return {};
  }
  SessionSettings settings() const override {
    const std::lock_guard lock(mutex_);
    return settings_;
  }
  std::shared_ptr<const Snapshot> snapshot() const override { return snapshot_; }
  std::vector<Event> drain(std::size_t) override { return {}; }

  std::uint64_t ask(const AskRequest& request) override {
    const std::lock_guard lock(mutex_);
    asked_for_ = request;
    result_ = AskResult();
    result_.ticket = ++tickets_;
    return tickets_;
  }
  void stop_asking() override { ++stops_; }
  std::optional<AskResult> asked_since(const AskSeen&) const override {
    const std::lock_guard lock(mutex_);
    return tickets_ == 0 ? std::nullopt : std::optional(result_);
  }
  std::string ask_work() const override { return {}; }

  /// The answer of two tokens to what was asked last.
  void answer() {
    const std::lock_guard lock(mutex_);
    AskAnswer given;
    given.column = asked_for_.columns.front();
    given.tokens = {{"for", 0.1}, {"ty", 0.2}};
    given.ttft_seconds = 0.5;
    result_.answers = {given};
    result_.complete = true;
  }
  AskRequest asked_for() const {
    const std::lock_guard lock(mutex_);
    return asked_for_;
  }
  int stops() const { return stops_; }
  void set_state(RunState state) { state_ = state; }

 private:
  mutable std::mutex mutex_;
  SessionSettings settings_;
  std::shared_ptr<const Snapshot> snapshot_;
  AskRequest asked_for_;
  AskResult result_;
  std::uint64_t tickets_ = 0;
  std::atomic<int> stops_ = 0;
  std::atomic<RunState> state_ = RunState::running;
};

}  // namespace kvantage::test
