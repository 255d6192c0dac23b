// Time comes in from outside: the live engine gets SystemClock, the simulator and tests a ManualClock.
#pragma once

#include <cstdint>

namespace kvantage {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t monotonic_ns() const = 0;  // for durations
  virtual std::int64_t utc_ns() const = 0;        // for journals, since 1970-01-01
  double seconds() const { return static_cast<double>(monotonic_ns()) * 1e-9; }
};

class SystemClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override;
  std::int64_t utc_ns() const override;
};

/// A clock that stands still until told: virtual time in the simulator, determinism in tests.
class ManualClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override { return now_ns_; }
  std::int64_t utc_ns() const override { return now_ns_; }
  void advance_seconds(double seconds) { now_ns_ += static_cast<std::int64_t>(seconds * 1e9); }

 private:
  std::int64_t now_ns_ = 0;
};

}  // namespace kvantage
