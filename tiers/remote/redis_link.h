// Connectivity state of the server, shared by the threads of a remote store. While it is down, everything fails
// immediately; one thread (the watch) retries with growing pauses, and nobody else waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "tiers/remote/redis_connection.h"

namespace kvantage::inline remote {

class RedisLink {
 public:
  RedisLink(std::string tier, RedisUrl url, RedisTimeouts timeouts, RedisTransport transport)
      : tier_(std::move(tier)), url_(std::move(url)), timeouts_(timeouts), transport_(std::move(transport)) {}

  bool up() const { return up_; }
  void set_up();
  void set_down(const std::string& reason);
  /// Why it is down; empty while it is up.
  std::string trouble() const;
  std::string address() const { return url_.shown(); }

  /// A new connection, whatever the state.
  Expected<std::unique_ptr<RedisConnection>> connect(const GiveUp& give_up) const;
  /// The connection in `slot`, reopened if closed. io immediately while the link is down.
  Expected<RedisConnection*> ready(std::unique_ptr<RedisConnection>& slot, const GiveUp& give_up);
  /// Handles a failed command: marks the link as down, unless it was canceled. The error names the tier.
  Error failed(const Error& error);
  Error unavailable() const;

  /// For the watch: waits up to `seconds`, less when woken; true when woken.
  bool wait(double seconds);
  void wake();

 private:
  const std::string tier_;
  const RedisUrl url_;
  const RedisTimeouts timeouts_;
  const RedisTransport transport_;
  std::atomic<bool> up_{false};
  mutable std::mutex mutex_;
  std::condition_variable wakes_;
  bool woken_ = false;
  std::string trouble_ = "not tried yet";
};

}  // namespace kvantage::inline remote
