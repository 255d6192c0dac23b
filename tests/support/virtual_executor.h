// Virtual time: every body that VirtualExecutor starts runs on the caller's thread, each on a stack of its own, and
// yields to another only where it waits through the clock. Waits end in the order of (time, sequence): whoever can
// resume does, the longest waiting one first; when nobody can, the clock moves to the earliest end of a wait. So a
// session runs the same way each time, and a second of waiting takes no real time.
#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/executor.h"

namespace kvantage::test {

class VirtualExecutor final : public Executor {
 public:
  VirtualExecutor() : current_(&caller_) {
    caller_.name = "the caller";
    pthread_attr_t attributes;
    std::size_t bytes = 0;
    ::pthread_getattr_np(::pthread_self(), &attributes);
    ::pthread_attr_getstack(&attributes, &caller_.stack, &bytes);
    ::pthread_attr_destroy(&attributes);
    caller_.bytes = bytes;
  }
  ~VirtualExecutor() override {
    for (void* stack : free_stacks_) ::munmap(stack, stack_bytes);
  }
  VirtualExecutor(const VirtualExecutor&) = delete;
  VirtualExecutor& operator=(const VirtualExecutor&) = delete;

  const Clock& clock() const override { return clock_; }
  std::unique_ptr<Thread> start(const std::string& name, ThreadPriority /*rank*/, std::function<void()> body) override {
    return std::make_unique<Joined>(*this, name, std::move(body));
  }
  /// Lets so much time pass for whoever calls it, 10 us at least; the others run meanwhile.
  void pass(double seconds) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    clock_.wait(lock, never, seconds, [] { return false; });
  }
  /// From now on each look at the clock takes so long: computing takes time, too, but the others do not run meanwhile.
  void set_look_seconds(double seconds) { tick_ns_ = static_cast<std::int64_t>(seconds * 1e9); }
  /// How often one yielded to another.
  std::uint64_t switches() const { return switches_; }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{8} << 20;  // touched pages alone take memory
  static constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();
  // Polling takes a while, too: a loop that polls must not stop the time.
  static constexpr double look_ns = 10'000;
  static constexpr std::int64_t utc_at_start_ns = 1'767'225'600'000'000'000;  // 2026-01-01

  /// A body with its stack, or the caller of all this.
  struct Strand {
    std::string name;
    std::function<void()> body;
    ucontext_t context{};
    void* stack = nullptr;  // its lowest address
    std::size_t bytes = stack_bytes;
    void* fake_stack = nullptr;  // of AddressSanitizer, while it waits
    bool ended = false;
    // What it waits for; a body that has not begun waits for nothing.
    std::unique_lock<std::mutex>* lock = nullptr;
    const std::function<bool()>* over = nullptr;
    std::int64_t due_ns = 0;
  };

  class VirtualClock final : public Clock {
   public:
    explicit VirtualClock(VirtualExecutor& executor) : executor_(executor) {}
    std::int64_t monotonic_ns() const override { return executor_.now_ns_ += executor_.tick_ns_; }
    std::int64_t utc_ns() const override { return utc_at_start_ns + executor_.now_ns_; }
    bool is_virtual() const override { return true; }
    bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable& /*changed*/, double seconds,
              const std::function<bool()>& over) const override {
      return executor_.wait(lock, seconds, over);
    }

   private:
    VirtualExecutor& executor_;
  };

  class Joined final : public Thread {
   public:
    Joined(VirtualExecutor& executor, const std::string& name, std::function<void()> body) : executor_(executor) {
      strand_.name = name;
      strand_.body = std::move(body);
      executor_.begin(strand_);
    }
    ~Joined() override {
      std::mutex mutex;
      std::condition_variable ended;
      std::unique_lock lock(mutex);
      executor_.clock_.wait(lock, ended, std::numeric_limits<double>::infinity(), [this] { return strand_.ended; });
      executor_.free_stacks_.push_back(strand_.stack);
    }

   private:
    VirtualExecutor& executor_;
    Strand strand_;
  };

  void begin(Strand& strand) {
    if (free_stacks_.empty()) {
      void* made =
          ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (made == MAP_FAILED) fail_hard("no memory for a stack");
      ::mprotect(made, 4096, PROT_NONE);  // who needs more than that must not write over a neighbor
      free_stacks_.push_back(made);
    }
    strand.stack = free_stacks_.back();
    free_stacks_.pop_back();
    ::getcontext(&strand.context);
    strand.context.uc_stack.ss_sp = strand.stack;
    strand.context.uc_stack.ss_size = stack_bytes;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    ::makecontext(&strand.context, reinterpret_cast<void (*)()>(&VirtualExecutor::run_current), 2,
                  static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    strand.due_ns = now_ns_;
    waiting_.push_back(&strand);
  }

  static void run_current(unsigned high, unsigned low) {
    auto& self = *reinterpret_cast<VirtualExecutor*>(std::uintptr_t{high} << 32 | low);
    Strand& strand = *self.current_;
    resumed(strand);
    strand.body();
    strand.body = {};
    strand.ended = true;
    self.current_ = &self.take_next();
    leaving(nullptr, *self.current_);
    ::setcontext(&self.current_->context);
    std::abort();  // it does not return
  }

  // AddressSanitizer must know which stack is in use. from: null where it ends.
  static void leaving([[maybe_unused]] Strand* from, [[maybe_unused]] const Strand& to) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(from != nullptr ? &from->fake_stack : nullptr, to.stack, to.bytes);
#endif
  }
  static void resumed([[maybe_unused]] const Strand& self) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(self.fake_stack, nullptr, nullptr);
#endif
  }

  bool wait(std::unique_lock<std::mutex>& lock, double seconds, const std::function<bool()>& over) {
    if (std::this_thread::get_id() != owner_) fail_hard("a thread of the machine waits in virtual time");
    if (over()) return true;
    Strand& self = *current_;
    self.lock = &lock;
    self.over = &over;
    const double wanted = std::ceil(std::max(seconds * 1e9, look_ns));
    self.due_ns = wanted < 9e18 - static_cast<double>(now_ns_) ? now_ns_ + static_cast<std::int64_t>(wanted) : for_ever;
    lock.unlock();
    waiting_.push_back(&self);
    Strand& next = take_next();
    if (&next != &self) {
      ++switches_;
      current_ = &next;
      leaving(&self, next);
      ::swapcontext(&self.context, &next.context);
      resumed(self);
    }
    self.lock = nullptr;
    return over();
  }

  /// Whoever resumes now, its lock held.
  Strand& take_next() {
    const auto can_resume = [](const Strand* strand) {
      if (strand->lock == nullptr) return true;     // a body that has not begun
      if (!strand->lock->try_lock()) return false;  // held by one that waits for something else
      if ((*strand->over)()) return true;
      strand->lock->unlock();
      return false;
    };
    auto next = std::ranges::find_if(waiting_, can_resume);
    while (next == waiting_.end()) {
      // min_element gives the first of several: the one that has waited for longest.
      next = std::ranges::min_element(waiting_, {}, &Strand::due_ns);
      if ((*next)->due_ns == for_ever) fail_hard("everybody waits for ever");
      now_ns_ = std::max(now_ns_, (*next)->due_ns);
      if (!(*next)->lock->try_lock()) fail_hard("a wait ended whose lock another one holds while it waits");
    }
    Strand& chosen = **next;
    waiting_.erase(next);
    return chosen;
  }

  [[noreturn]] void fail_hard(const char* what) const {
    std::fprintf(stderr, "virtual time, %.9f s: %s\n", static_cast<double>(now_ns_) * 1e-9, what);
    for (const Strand* strand : waiting_)
      std::fprintf(stderr, "  %s waits%s\n", strand->name.c_str(), strand->due_ns == for_ever ? " for ever" : "");
    std::abort();
  }

  const std::thread::id owner_ = std::this_thread::get_id();
  VirtualClock clock_{*this};
  std::int64_t now_ns_ = 0, tick_ns_ = 0;
  Strand caller_;
  Strand* current_;
  std::vector<Strand*> waiting_;  // by the sequence in which they began to
  std::vector<void*> free_stacks_;
  std::uint64_t switches_ = 0;
};

}  // namespace kvantage::test
