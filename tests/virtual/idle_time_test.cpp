// links: kv_runtime kv_tiers
// Sessions on virtual time that leave out idle time: the same happens at the same times of the engine's clock as where
// the engine waits, in fewer seconds of the machine's; whatever works in the meantime forbids a leap.
#include <QtTest>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/support/drawn_sessions.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"

namespace idle_time_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

// An engine that waits takes no shorter pause than half a millisecond, so it may begin a request late by so much.
constexpr double tolerance_seconds = 6e-4;

struct Seen {
  Event event;
  std::int64_t machine_ns = 0;
  std::int64_t ahead_ns() const { return event.monotonic_ns - machine_ns; }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&event.payload);
  }
};

/// Of one run. seconds: of the machine's clock.
struct Ran {
  std::vector<Seen> seen;
  double seconds = 0;
  RunState state = RunState::loading;

  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const Seen& one : seen)
      if (const T* payload = one.as<T>()) found.push_back(*payload);
    return found;
  }
  double leaped_seconds() const { return static_cast<double>(seen.back().ahead_ns() - seen.front().ahead_ns()) * 1e-9; }
};

using Drive = std::function<void(VirtualSession& session, const Ran& so_far)>;

Ran run(VirtualSessionOptions options, bool leave_out_idle, const Drive& drive = {}) {
  Ran ran;
  VirtualSession* session = nullptr;
  options.leave_out_idle = leave_out_idle;
  options.watcher = [&](const Event& event) {
    if (session != nullptr) ran.seen.push_back({event, session->executor().clock().monotonic_ns()});
  };
  VirtualSession opened(std::move(options));
  session = &opened;
  const double begun = opened.executor().clock().seconds();
  opened.engine().start();
  if (drive) drive(opened, ran);
  ran.state = opened.wait();
  ran.seconds = opened.executor().clock().seconds() - begun;
  session = nullptr;
  return ran;
}

TierConfig tier(const char* name, std::uint64_t budget, double bytes_per_second) {
  TierConfig setting{.name = name, .budget = budget};
  setting.throttle = {.bytes_per_second = bytes_per_second, .latency_seconds = 1e-3};
  return setting;
}

VirtualSessionOptions session_at(double requests_per_second, std::uint64_t requests, std::uint64_t seed) {
  VirtualSessionOptions options;
  options.model = folders().model;
  options.locks = folders().locks;
  options.seed = seed;
  options.workload = small_workload(4, 12, derive_seed(seed, 2));
  SessionSettings& settings = options.settings;
  settings.policy = "lru";
  settings.methods = {"knorm"};
  settings.removed_fractions = {0.5};
  settings.request_limit = requests;
  settings.max_batch = 2;
  settings.requests_per_second = requests_per_second;
  settings.compute_or_load = "off";
  settings.reprofile = false;
  settings.tiers = {tier("dram", std::uint64_t{64} << 20, 1e9)};
  return options;
}

VirtualSessionOptions drawn_session(std::uint64_t seed) {
  Random random(derive_seed(seed, 1));
  VirtualSessionOptions options = session_at(one_of<double>(random, {0.1, 0.5, 2}), 10 + random.below(10), seed);
  options.workload = small_workload(2 + static_cast<int>(random.below(4)), 6 + static_cast<int>(random.below(16)),
                                    derive_seed(seed, 2));
  options.warmup = random.below(3);
  SessionSettings& settings = options.settings;
  settings.policy = one_of<std::string>(
      random, {"lru", "lfu", "fixed(knorm,0.5)", "evicpress(drop=best)", "adaptcache", "full_prefill"});
  settings.alpha = 1;
  settings.max_batch = 1 + static_cast<int>(random.below(4));
  settings.tiers = {tier("dram", (64 + random.below(500)) << 10, 2e8),
                    tier("ssd", (64 + random.below(2000)) << 10, 2e7)};
  return options;
}

bool near(double one, double other) { return std::abs(one - other) <= tolerance_seconds; }

/// What differs between two requests; empty: nothing.
std::string difference(const RequestRecord& one, const RequestRecord& other) {
  const std::string id = "request " + std::to_string(one.id);
  if (one.id != other.id || one.context_id != other.context_id || one.question != other.question)
    return id + " asks something else";
  if (one.answer != other.answer || one.cancelled != other.cancelled) return id + " is answered otherwise";
  if (one.source != other.source || one.method != other.method || one.removed_fraction != other.removed_fraction ||
      one.bytes_loaded != other.bytes_loaded || one.miss_reason != other.miss_reason)
    return id + " is served from " + other.source + ", not " + one.source;
  const RequestTiming &took = one.timing, &others = other.timing;
  if (!near(took.ttft_service_seconds, others.ttft_service_seconds) || !near(took.ttft_seconds, others.ttft_seconds) ||
      !near(took.mean_itl_seconds, others.mean_itl_seconds) || !near(took.e2e_seconds, others.e2e_seconds))
    return id + " has a TTFT of " + std::to_string(others.ttft_seconds) + " s, not " +
           std::to_string(took.ttft_seconds);
  return {};
}

std::string difference(const Seen& one, const Seen& other) {
  if (std::string(event_type(one.event.payload)) != event_type(other.event.payload))
    return std::string(event_type(other.event.payload)) + ", not " + event_type(one.event.payload);
  if (const auto* finished = one.as<events::RequestFinished>())
    return difference(finished->record, other.as<events::RequestFinished>()->record);
  if (const auto* committed = one.as<events::PlacementCommitted>()) {
    const PlacementAction &action = committed->action, &others = other.as<events::PlacementCommitted>()->action;
    if (action.context != others.context || action.from != others.from || action.to != others.to ||
        action.bytes_after != others.bytes_after)
      return "context " + committed->context_id + " is placed otherwise";
  }
  return {};
}

std::string difference(const Ran& waits, const Ran& leaps) {
  for (std::size_t i = 0; i < std::min(waits.seen.size(), leaps.seen.size()); ++i) {
    const Seen &one = waits.seen[i], &other = leaps.seen[i];
    std::string text = difference(one, other);
    const auto seconds = [](const Ran& ran, const Seen& at) {
      return static_cast<double>(at.event.monotonic_ns - ran.seen.front().event.monotonic_ns) * 1e-9;
    };
    if (text.empty() && !near(seconds(waits, one), seconds(leaps, other)))
      text = "at " + std::to_string(seconds(leaps, other)) + " s, not " + std::to_string(seconds(waits, one));
    if (!text.empty()) return "event " + std::to_string(i) + ": " + text;
  }
  if (waits.seen.size() == leaps.seen.size()) return {};
  return std::to_string(leaps.seen.size()) + " events, not " + std::to_string(waits.seen.size());
}

/// Places in the run's events behind a leap.
std::vector<std::size_t> leaps_of(const Ran& ran) {
  std::vector<std::size_t> found;
  for (std::size_t i = 1; i < ran.seen.size(); ++i)
    if (ran.seen[i].ahead_ns() > ran.seen[i - 1].ahead_ns()) found.push_back(i);
  return found;
}

}  // namespace

class IdleTimeTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: its tokenizer is wanted");
  }

  void theSameHappensAtTheSameTimes() {
    std::size_t hits = 0, placed = 0, leaps = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Ran waits = run(drawn_session(seed), false), ran = run(drawn_session(seed), true);
      const std::string named = "seed " + std::to_string(seed) + ": ";
      QCOMPARE(waits.state, RunState::finished);
      QCOMPARE(ran.state, RunState::finished);
      const std::string text = difference(waits, ran);
      QVERIFY2(text.empty(), (named + text).c_str());
      QVERIFY(leaps_of(waits).empty());
      QVERIFY2(std::abs(waits.seconds - ran.seconds - ran.leaped_seconds()) <= 2 * tolerance_seconds, named.c_str());
      leaps += leaps_of(ran).size();
      placed += ran.all<events::PlacementCommitted>().size();
      for (const auto& finished : ran.all<events::RequestFinished>()) hits += finished.record.bytes_loaded > 0 ? 1 : 0;
    }
    QVERIFY(hits > 20);
    QVERIFY(placed > 20);
    QVERIFY(leaps > 100);
  }

  // What remains is serving, and for each request a rest and a look at its writes.
  void theWaitIsGone() {
    constexpr std::uint64_t requests = 12;
    const Ran waits = run(session_at(0.05, requests, 1), false), leaps = run(session_at(0.05, requests, 1), true);
    double serving = 0;
    for (const auto& finished : leaps.all<events::RequestFinished>())
      serving += finished.record.timing.e2e_seconds - finished.record.timing.queue_seconds;
    QCOMPARE(leaps.all<events::RequestFinished>().size(), std::size_t{requests});
    QVERIFY2(leaps.seconds <= serving + 0.2 * requests, qPrintable(QString::number(leaps.seconds)));
    QVERIFY2(waits.seconds > 10 * leaps.seconds, qPrintable(QString::number(waits.seconds)));
  }

  void noWriteSpansALeap() {
    std::size_t leaps = 0, waits = 0, written = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      VirtualSessionOptions options = session_at(0.3, 24, seed);
      options.settings.tiers = {tier("dram", std::uint64_t{64} << 20, 3e4)};
      const Ran ran = run(std::move(options), true);
      QCOMPARE(ran.state, RunState::finished);
      const std::vector<std::size_t> found = leaps_of(ran);
      leaps += found.size();
      for (std::size_t i = 1; i < ran.seen.size(); ++i) {
        const Seen &one = ran.seen[i], &before = ran.seen[i - 1];
        if (one.as<events::RequestStarted>() != nullptr && one.ahead_ns() == before.ahead_ns() &&
            one.machine_ns - before.machine_ns > 100'000'000)
          ++waits;
        const auto* committed = one.as<events::PlacementCommitted>();
        if (committed == nullptr) continue;
        ++written;
        const auto began_ns = one.event.monotonic_ns - static_cast<std::int64_t>(committed->seconds * 1e9);
        for (const std::size_t leap : found) QVERIFY(leap > i || began_ns >= ran.seen[leap].event.monotonic_ns - 1000);
      }
    }
    QVERIFY(leaps > 50);
    QVERIFY(written > 20);
    QVERIFY(waits > 0);  // requests arrived while a write was in flight
  }

  // Re-profiling uses idle time, whether or not there is something to profile at the moment.
  void noLeapWhileReprofiling() {
    VirtualSessionOptions options = session_at(1, 8, 3);
    options.settings.reprofile = true;
    const Ran waits = run(options, false), ran = run(options, true);
    QVERIFY(leaps_of(ran).empty());
    QCOMPARE(ran.seconds, waits.seconds);
  }

  void aClosedLoopHasNothingToLeaveOut() {
    const Ran waits = run(session_at(0, 12, 4), false), ran = run(session_at(0, 12, 4), true);
    QVERIFY(leaps_of(ran).empty());
    QCOMPARE(ran.seconds, waits.seconds);
    QCOMPARE(difference(waits, ran), std::string());
  }

  void itStopsWhileItAwaitsARequest() {
    const Ran ran = run(session_at(0.01, 40, 5), true, [](VirtualSession& session, const Ran&) {
      session.executor().pass(0.05);
      session.engine().stop();
    });
    QCOMPARE(ran.state, RunState::ready);
    const auto ended = ran.all<events::RunFinished>();
    QCOMPARE(ended.size(), std::size_t{1});
    QCOMPARE(ended.front().outcome, std::string("stopped"));
    QVERIFY(!leaps_of(ran).empty());
    QVERIFY(ran.seconds < 1);
    QVERIFY(ran.all<events::RequestFinished>().size() < 40);
  }

  void aPausedSessionDoesNotLeap() {
    bool was_paused = false, was_quiet = false;
    const Ran ran = run(session_at(0.01, 40, 6), true, [&](VirtualSession& session, const Ran& so_far) {
      session.executor().pass(0.05);
      session.engine().pause();
      was_paused = session.wait() == RunState::paused;
      session.executor().pass(2);  // a running request ends
      const std::size_t events = so_far.seen.size();
      session.executor().pass(30);
      was_quiet = so_far.seen.size() == events;
      session.engine().start();
    });
    QVERIFY(was_paused && was_quiet);
    QCOMPARE(ran.state, RunState::finished);
    QCOMPARE(ran.all<events::RequestFinished>().size(), std::size_t{40});
    QVERIFY(ran.seconds > 32);
  }
};

KV_TEST_GUILESS_MAIN(IdleTimeTest)

}  // namespace idle_time_test

#include "idle_time_test.moc"
