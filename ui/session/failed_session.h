// In the place of a session that could not be opened: it has failed from the start and says why, so that the window has
// something to show.
#pragma once

#include <utility>

#include "core/ports/session.h"

namespace kvantage {

class FailedSession final : public Session {
 public:
  explicit FailedSession(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }

  RunState state() const override { return RunState::failed; }
  SessionInfo info() const override { return {}; }
  void start() override {}
  void pause() override {}
  void step() override {}
  void stop() override {}
  Status apply(const SessionSettings&) override { return tl::unexpected(error_); }
  SessionSettings settings() const override { return {}; }
  std::shared_ptr<const Snapshot> snapshot() const override { return nullptr; }
  /// The reason, once.
  std::vector<Event> drain(std::size_t limit) override {
    if (limit == 0 || std::exchange(told_, true)) return {};
    Event event;
    event.sequence = 1;
    event.payload = events::Message{"error", error_.message};
    return {event};
  }

 private:
  Error error_;
  bool told_ = false;
};

}  // namespace kvantage
