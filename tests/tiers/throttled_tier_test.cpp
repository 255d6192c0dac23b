// links: kv_base kv_tiers
// A throttled tier is as slow as configured, reports it, and is otherwise the tier below. In virtual time.
#include "tiers/throttled_tier.h"

#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tests/tiers/tier_testing.h"

namespace throttled_tier_test {

using namespace kvantage;
using namespace kvantage::test;
using namespace kvantage::testing;

namespace {

constexpr double poll_seconds = 1e-4;      // what looking for completions may add
constexpr double rounding_seconds = 1e-9;  // the clock counts nanoseconds

}  // namespace

class ThrottledTierTest : public QObject {
  Q_OBJECT

 private:
  VirtualExecutor executor_;
  BufferPool pool_{64 << 20};

  double now() const { return executor_.clock().seconds(); }
  std::unique_ptr<StorageTier> open(const char* option) {
    return open_or_fail(*parse_tier_option(option), {.executor = executor_});
  }

 private slots:
  void bandwidthAndLatencyAreAsAsked_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<double>("bandwidth");
    QTest::addColumn<double>("latency");
    QTest::newRow("20 MB/s") << "dram=unlimited,bandwidth=20MB/s" << 20e6 << 0.0;
    QTest::newRow("100 MB/s + 5 ms") << "dram=unlimited,bandwidth=100MB/s,latency=5ms" << 100e6 << 0.005;
    QTest::newRow("latency alone") << "dram=unlimited,latency=20ms" << 1e18 << 0.020;
  }
  void bandwidthAndLatencyAreAsAsked() {
    QFETCH(QString, option);
    QFETCH(double, bandwidth);
    QFETCH(double, latency);
    const auto tier = open(option.toUtf8().constData());
    const auto bytes = random_bytes(1, 1 << 20);
    QVERIFY(write_entry(*tier, "entry", bytes));
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, 4096), extent_of(*bytes, 4096, 500000),
                                          extent_of(*bytes, 504096, (1 << 20) - 504096)};
    const double asked = latency + static_cast<double>(bytes->size()) / bandwidth;
    constexpr int repeats = 10;
    double device = 0, fastest = 1e9;
    const double start = now();
    for (int i = 0; i < repeats; ++i) {
      const ReadOutcome outcome = read_extents(*tier, pool_, "entry", extents);
      QVERIFY(outcome.ok());
      device += outcome.device_seconds;
      fastest = std::min(fastest, outcome.device_seconds);
    }
    const double elapsed = now() - start;
    qInfo("asked %.3f ms a read, took %.3f ms (x %.3f), fastest x %.3f, device time %.3f ms", asked * 1e3,
          elapsed / repeats * 1e3, elapsed / repeats / asked, fastest / asked, device / repeats * 1e3);
    QVERIFY(elapsed / repeats >= asked - rounding_seconds && fastest >= asked * 0.999);
    QVERIFY(elapsed / repeats < asked + poll_seconds && fastest < asked + poll_seconds);
    QVERIFY(device <= elapsed + rounding_seconds && device / repeats >= asked * 0.99);
    const auto samples = tier->statistics().samples;
    QCOMPARE(samples.size(), std::size_t{repeats + 1});
    for (const TransferSample& sample : samples) {
      QCOMPARE(sample.bytes, bytes->size());
      QVERIFY(sample.seconds >= asked * 0.99);
    }
  }

  void queuedReadsShareTheBandwidth() {
    CompletionQueue queue(executor_.clock());
    const auto tier = open("dram=unlimited,bandwidth=50MB/s,latency=10ms");
    const auto bytes = random_bytes(1, 500000);
    QVERIFY(write_entry(*tier, "entry", bytes));
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, bytes->size())};
    const double start = now();
    for (int i = 0; i < 20; ++i) tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
    for (int ended = 0; ended < 20;) ended += static_cast<int>(queue.wait(60).size());
    // The latencies run side by side, the bytes one after the other.
    const double asked = 0.010 + 20 * 500000 / 50e6;
    const double elapsed = now() - start;
    qInfo("asked %.1f ms, took %.1f ms", asked * 1e3, elapsed * 1e3);
    QVERIFY(elapsed >= asked - rounding_seconds && elapsed < asked + poll_seconds);
  }

  void idleTimeSavesNoCredit() {
    const auto tier = open("dram=unlimited,bandwidth=20MB/s");
    const auto bytes = random_bytes(1, 400000);
    QVERIFY(write_entry(*tier, "entry", bytes));
    executor_.pass(0.2);
    const double start = now();
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
    QVERIFY(now() - start >= 0.020 - rounding_seconds && now() - start < 0.020 + poll_seconds);
  }

  void writesDoNotSlowReads() {
    CompletionQueue queue(executor_.clock());
    const auto tier = open("dram=unlimited,bandwidth=20MB/s");
    const auto small = random_bytes(1, 20000), large = random_bytes(2, 10000000);
    QVERIFY(write_entry(*tier, "small", small));
    const Ticket ticket = tier->submit_write(info_of("large", *large), large, queue);
    const double start = now();
    QVERIFY(read_entry(*tier, pool_, "small", *small).ok());
    QVERIFY(now() - start < 0.001 + poll_seconds);  // the write takes 0.5 s
    tier->cancel(ticket);
    const auto done = queue.wait(60);
    QCOMPARE(done.size(), std::size_t{1});
    QVERIFY(now() - start < 0.001 + 2 * poll_seconds);  // a cancel does not wait for the throttle
    QCOMPARE(done[0].status.has_value(), tier->contains(key_of("large")));
  }

  void theCallerNeverWaits() {
    CompletionQueue queue(executor_.clock());
    const auto tier = open("dram=unlimited,bandwidth=1MB/s,latency=1s");
    const auto bytes = random_bytes(1, 1 << 20);
    const double start = now();
    tier->submit_write(info_of("entry", *bytes), bytes, queue);
    while (!tier->contains(key_of("entry")) && now() - start < 0.9) executor_.pass(1e-3);
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, bytes->size())};
    const Ticket ticket = tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
    executor_.pass(0.02);
    tier->cancel(ticket);
    const auto done = queue.wait(60);
    QCOMPARE(done.size(), std::size_t{1});
    QCOMPARE(done[0].ticket, ticket);
    QCOMPARE(done[0].status.error().code, ErrorCode::cancelled);
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
    QVERIFY(now() - start < 0.9);
  }

  void theThrottleChangesWhileTransfersAreInFlight() {
    CompletionQueue queue(executor_.clock());
    auto inner = open("dram=unlimited");
    ThrottledTier tier(std::move(inner), {20e6, 0});
    const auto bytes = random_bytes(1, 2000000);  // 100 ms
    QVERIFY(write_entry(tier, "entry", bytes));
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, bytes->size())};
    const double start = now();
    const Ticket slow = tier.submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
    QVERIFY(tier.set_limits({}));
    QVERIFY(!tier.describe().throttled);
    const Ticket fast = tier.submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
    auto done = queue.wait(60);
    QCOMPARE(done.size(), std::size_t{1});
    QCOMPARE(done[0].ticket, fast);
    QVERIFY(now() - start < poll_seconds);
    done = queue.wait(60);
    QCOMPARE(done.size(), std::size_t{1});
    QCOMPARE(done[0].ticket, slow);  // keeps the throttle it began with
    QVERIFY(now() - start >= 0.1 - rounding_seconds && now() - start < 0.1 + poll_seconds);
    QVERIFY(tier.set_limits({100e6, 0}));
    const double again = now();
    QVERIFY(read_entry(tier, pool_, "entry", *bytes).ok());
    QVERIFY(now() - again >= 0.02 - rounding_seconds && now() - again < 0.02 + poll_seconds);
    QCOMPARE(tier.statistics().samples.size(), std::size_t{1});  // of the present throttle
  }

  void descriptionSaysThatItIsThrottled() {
    const auto tier = open("dram=64MiB,bandwidth=200MB/s,latency=1ms");
    const TierDescription description = tier->describe();
    QCOMPARE(description.name, std::string("dram"));
    QVERIFY(description.throttled);
    QCOMPARE(description.note, std::string("throttled: 200.0 MB/s + 1.0 ms"));
    QVERIFY(!open("dram=64MiB")->describe().throttled);
  }
};

KV_TEST_GUILESS_MAIN(ThrottledTierTest)

}  // namespace throttled_tier_test

#include "throttled_tier_test.moc"
