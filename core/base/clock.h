// Time is injected: the live engine gets SystemClock; the simulator and tests get a ManualClock or a virtual clock.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace kvantage {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t monotonic_ns() const = 0;  // for durations
  virtual std::int64_t utc_ns() const = 0;        // for journals, since 1970-01-01
  double seconds() const { return static_cast<double>(monotonic_ns()) * 1e-9; }
  /// Whether time is virtual: durations from such a clock are simulated and must never be reported as measured.
  virtual bool is_virtual() const { return false; }

  /// Waits with `lock` released until `over()` holds, at most `seconds` (infinity: no limit). `changed` is notified
  /// when what over() reads changes; `lock` is held while over() runs and on return. Returns over(). The default
  /// implementation waits in real time.
  virtual bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, double seconds,
                    const std::function<bool()>& over) const;
};

class SystemClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override;
  std::int64_t utc_ns() const override;
};

/// For app and tests, which pass it down.
inline std::shared_ptr<const Clock> machine_clock() { return std::make_shared<SystemClock>(); }

/// A clock that only moves when set: virtual time in the simulator, determinism in tests.
class ManualClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override { return now_ns_; }
  std::int64_t utc_ns() const override { return now_ns_; }
  void advance_seconds(double seconds) { now_ns_ += static_cast<std::int64_t>(seconds * 1e9); }

 private:
  std::int64_t now_ns_ = 0;
};

}  // namespace kvantage
