#include "tests/gpu/fake/fake_streams.h"

#include <algorithm>
#include <utility>

namespace kvantage::testing {

void FakeStreams::remove(FakeStream& stream) {
  run_all(stream);
  std::erase(streams_, &stream);
}

void FakeStreams::submit(FakeStream& stream, FakeWork work) {
  now_ += 1e-6;
  work.submitted = now_;
  stream.work.push_back(std::move(work));
}

void FakeStreams::advance() {
  if (streams_.empty() || lateness_ == Lateness::latest) return;
  if (lateness_ == Lateness::at_once) return run_everything();
  for (std::uint64_t left = random_.below(3); left > 0; --left) step(*streams_[random_.below(streams_.size())]);
}

void FakeStreams::run_all(FakeStream& stream) {
  while (!stream.work.empty()) step_with_what_it_needs(stream);
  now_ = std::max(now_, stream.now);
}

void FakeStreams::run_everything() {
  for (FakeStream* const stream : streams_) run_all(*stream);
}

void FakeStreams::run_to(const FakeEvent& event) {
  while (!event.is_over()) step_with_what_it_needs(*event.stream);
  now_ = std::max(now_, event.when);
}

bool FakeStreams::step(FakeStream& stream) {
  if (stream.work.empty() || stream.work.front().is_blocked()) return false;
  const FakeWork work = std::exchange(stream.work.front(), {});
  stream.work.pop_front();
  const double awaited = work.waits != nullptr ? work.waits->when : 0;
  stream.now = std::max({stream.now, work.submitted, awaited}) + work.seconds;
  if (work.run && works_) work.run();
  if (work.marks != nullptr) {
    ++work.marks->passed;
    work.marks->when = stream.now;
  }
  return true;
}

// An event is recorded before a stream can wait for it, so the streams' waits have no cycle.
void FakeStreams::step_with_what_it_needs(FakeStream& stream) {
  while (!stream.work.empty() && !step(stream)) step_with_what_it_needs(*stream.work.front().waits->stream);
}

}  // namespace kvantage::testing
