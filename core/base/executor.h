// Threads are injected, with the clock that they wait on. SystemExecutor runs each body on an OS thread; the virtual
// one (tests/support/virtual_executor.h) runs all of them on the caller's thread in virtual time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/thread_priority.h"

namespace kvantage {

class Executor {
 public:
  virtual ~Executor() = default;
  virtual const Clock& clock() const = 0;

  class Thread {
   public:
    /// Waits until its body has returned.
    virtual ~Thread() = default;
  };
  /// Runs `body` concurrently with the caller. Every wait inside it must use clock(). `name`: as shown by top, cut to
  /// 15 characters.
  virtual std::unique_ptr<Thread> start(const std::string& name, ThreadPriority rank, std::function<void()> body) = 0;
};

class SystemExecutor final : public Executor {
 public:
  const Clock& clock() const override { return clock_; }
  std::unique_ptr<Thread> start(const std::string& name, ThreadPriority rank, std::function<void()> body) override;

 private:
  SystemClock clock_;
};

/// The executor of this process.
Executor& system_executor();

}  // namespace kvantage
