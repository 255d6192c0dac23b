// Whether the server of a bucket answers, shared by the threads of a store. While it is down, everything fails
// immediately; one thread (the watch) retries with growing pauses, and nobody else waits.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "tiers/wake_signal.h"

namespace kvantage::inline s3 {

class S3Link {
 public:
  S3Link(std::string tier, const Clock& clock) : tier_(std::move(tier)), wakes_(clock) {}

  bool up() const { return up_; }
  void set_up();
  void set_down(const Error& reason);
  /// What describes the tier: its address and limitation, or why it is down and what is done about it.
  std::string note(const std::string& address) const;
  /// What the server cannot do, from now on.
  void limit(const std::string& limitation);
  /// Handles a failed request: marks the link as down, unless it was canceled. The error names the tier.
  Error failed(const Error& error);
  Error unavailable() const;
  /// Whether it is down because the server refuses this program's keys: another try with them is not worth much.
  bool refused() const;

  /// For the watch: waits up to `seconds`, less when woken.
  void wait(double seconds) { (void)wakes_.wait(seconds); }
  void wake() { wakes_.wake(); }

 private:
  bool is_refused() const;  // both with the mutex locked
  std::string down_text() const;

  const std::string tier_;
  std::atomic<bool> up_{false};
  mutable std::mutex mutex_;
  std::optional<Error> trouble_ = Error{ErrorCode::io, "not tried yet"};  // why it is down; none while it is up
  std::string limitation_;
  WakeSignal wakes_;
};

}  // namespace kvantage::inline s3
