// Streams and events of a fake device: queues of work without threads, in virtual time. When work runs is drawn, so
// that one seed is one interleaving; whoever waits runs what is needed. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/random.h"

namespace kvantage::testing {

enum class Lateness {
  at_once,  // work runs as soon as it can
  drawn,    // at each call, up to two pieces of any streams
  latest,   // only when somebody waits
};

struct FakeStream;

struct FakeEvent {
  FakeStream* stream = nullptr;  // of the last record
  int recorded = 0, passed = 0;
  double when = 0;  // virtual seconds
  bool is_over() const { return passed == recorded; }
};

struct FakeWork {
  std::function<void()> run;
  double seconds = 0;
  std::shared_ptr<FakeEvent> marks, waits;  // passed by this work; needed before it
  int record = 0;                           // of `waits`
  double submitted = 0;

  bool is_blocked() const { return waits != nullptr && waits->passed < record; }
};

struct FakeStream {
  std::deque<FakeWork> work;
  double now = 0;
  std::size_t agent = 0;  // of a trace
};

class FakeStreams {
 public:
  void reset(Lateness lateness, std::uint64_t seed) {
    lateness_ = lateness;
    random_ = Random(seed);
  }
  void add(FakeStream& stream) { streams_.push_back(&stream); }
  /// Runs what is left in it.
  void remove(FakeStream& stream);
  const std::vector<FakeStream*>& all() const { return streams_; }

  void submit(FakeStream& stream, FakeWork work);
  /// What runs by itself, as drawn.
  void advance();
  void run_all(FakeStream& stream);
  void run_everything();
  /// Runs what `event` needs.
  void run_to(const FakeEvent& event);
  /// From now on work does nothing, though it ends.
  void stop_working() { works_ = false; }
  void work_again() { works_ = true; }

 private:
  bool step(FakeStream& stream);
  void step_with_what_it_needs(FakeStream& stream);

  Lateness lateness_ = Lateness::drawn;
  Random random_{1};
  std::vector<FakeStream*> streams_;
  double now_ = 0;  // of the host
  bool works_ = true;
};

}  // namespace kvantage::testing
