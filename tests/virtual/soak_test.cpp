// links: kv_runtime kv_tiers
// A session in virtual time serves request after request, over memory, a folder and a server: memory, open files and
// threads of the process do not grow with the requests, and what tiers hold is what went in and was not freed.
// KVANTAGE_LONG=1: 1,000,000 requests instead of 80,000, with bounds that much closer. KVANTAGE_SOAK_REQUESTS=N: so
// many, with the bounds of the short form.
#include <malloc.h>
#include <unistd.h>

#include <QtTest>

#include "tests/support/drawn_sessions.h"
#include "tests/support/process_growth.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"

namespace soak_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Bytes per request.
struct Bounds {
  std::uint64_t requests;
  double resident_bytes, live_bytes;
};
// The newest 200,000 spans are kept: the first quarter of the requests has more.
constexpr Bounds short_form{80'000, 128, 32}, long_form{1'000'000, 32, 8};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keeps_freed_memory = true;
#else
constexpr bool keeps_freed_memory = false;
#endif

/// As malloc says.
double live_heap() {
  const struct mallinfo2 heap = ::mallinfo2();
  return static_cast<double>(heap.uordblks) + static_cast<double>(heap.hblkhd);
}

VirtualSessionOptions long_session(std::uint64_t requests) {
  VirtualSessionOptions options;
  options.model = folders().model;
  options.locks = folders().locks;
  options.seed = 7;
  options.workload = small_workload(12, 5, 11);
  SessionSettings& settings = options.settings;
  settings.policy = "evicpress";
  settings.alpha = 0.05;
  settings.methods = {"knorm"};
  settings.removed_fractions = {0.3, 0.6};
  settings.request_limit = requests;
  settings.max_batch = 2;
  settings.compute_or_load = "off";
  settings.tiers = {{.name = "dram", .budget = std::uint64_t{200} << 10, .throttle = {2e8, 1e-4}},
                    {.name = "ssd", .budget = std::uint64_t{400} << 10, .throttle = {5e7, 1e-3}},
                    {.name = "pool",
                     .budget = std::uint64_t{600} << 10,
                     .throttle = {2e7, 2e-3},
                     .options = {{"url", "redis://memory:6379"}},
                     .kind = "remote"}};
  return options;
}

/// Looks at the process once in so many requests.
class Watch {
 public:
  explicit Watch(std::uint64_t every) : every_(every) {}
  void take(const Event& event) {
    const auto* const finished = std::get_if<events::RequestFinished>(&event.payload);
    if (finished == nullptr) return;
    hits_ += finished->record.bytes_loaded > 0 ? 1 : 0;
    if (++requests_ % every_ != 0) return;
    auto sample = sample_of(::getpid(), static_cast<double>(requests_));
    if (!sample) return;
    sample->live_bytes = live_heap();
    samples_.push_back(*sample);
  }
  std::uint64_t requests() const { return requests_; }
  std::uint64_t hits() const { return hits_; }
  const std::vector<ProcessSample>& samples() const { return samples_; }

 private:
  std::uint64_t every_, requests_ = 0, hits_ = 0;
  std::vector<ProcessSample> samples_;
};

}  // namespace

class SoakTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: its tokenizer is wanted");
  }

  void nothingGrowsWithTheRequests() {
    if (keeps_freed_memory) QSKIP("a sanitizer keeps what was freed");
    const Bounds bounds = soak_bounds(short_form, long_form);
    Watch watch(std::max<std::uint64_t>(1, bounds.requests / 500));
    VirtualSessionOptions options = long_session(bounds.requests);
    options.watcher = [&watch](const Event& event) { watch.take(event); };
    VirtualSession session(std::move(options));
    session.engine().start();
    while (session.wait() == RunState::running) {
    }
    QVERIFY2(session.engine().state() == RunState::finished, session.engine().failure().message.c_str());
    QVERIFY2(session.broken().empty(), session.broken().empty() ? "" : session.broken().front().c_str());
    QVERIFY(watch.requests() >= bounds.requests);
    QVERIFY(session.engine().drain(1).empty());  // nobody is shown events: they would be kept for ever
    QVERIFY2(watch.hits() > bounds.requests / 10, std::to_string(watch.hits()).c_str());
    session.executor().pass(5);  // what is being written arrives
    QCOMPARE(session.leased_bytes(), std::uint64_t{0});
    for (const VirtualSession::Opened& opened : session.tiers())
      QVERIFY2(opened.ledger->in_bytes == opened.tier->used_bytes() + opened.ledger->freed_bytes, opened.name.c_str());

    const double requests = static_cast<double>(bounds.requests);
    const ProcessGrowth growth(served_between(watch.samples(), requests / 4, requests + 1));
    qInfo("%llu hits; %s", static_cast<unsigned long long>(watch.hits()), growth.text().c_str());
    QVERIFY2(growth.samples >= 100 && growth.requests > requests / 2, growth.text().c_str());
    QVERIFY2(growth.resident_bytes <= bounds.resident_bytes, growth.text().c_str());
    QVERIFY2(growth.live_bytes <= bounds.live_bytes, growth.text().c_str());
    QVERIFY2(growth.files * requests < 1, growth.text().c_str());
    QVERIFY2(growth.threads * requests < 1, growth.text().c_str());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs("KVANTAGE_SOAK_REQUESTS");
  return run_test<SoakTest, QCoreApplication>(argc, argv);
}

}  // namespace soak_test

#include "soak_test.moc"
