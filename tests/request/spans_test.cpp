// links: app_wiring
// Time lines of requests: what they add up to is the split of TTFT that the requests themselves report, whatever served
// them, alone and several together; and keeping them costs little and a fixed amount of memory. In virtual time.
#include <QtTest>

#include <algorithm>
#include <ctime>
#include <limits>

#include "core/request/span_log.h"
#include "tests/request/span_checks.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace spans_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Kind = RequestSpan::Kind;

template <class T>
QByteArray message(const Expected<T>& result) {
  return result ? QByteArray() : QByteArray::fromStdString(result.error().message);
}

}  // namespace

class SpansTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void theyAddUpToTtft_data() {
    QTest::addColumn<QStringList>("tiers");
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("together");
    QTest::addColumn<double>("rate");
    // Each of them in the steps of the processor and in those of a device, which decodes all layers in one.
    QTest::newRow("memory, uncompressed") << QStringList{"dram=256MiB"} << "lru" << 1 << 0.0;
    QTest::newRow("a disk that waits") << QStringList{"ssd=256MiB,latency=20ms"} << "lru" << 1 << 0.0;
    QTest::newRow("a slow disk") << QStringList{"ssd=256MiB,bandwidth=100MB/s"} << "lru" << 1 << 0.0;
    QTest::newRow("quantized") << QStringList{"ssd=256MiB"} << "fixed(kivi4,0)" << 1 << 0.0;
    QTest::newRow("tokens removed") << QStringList{"dram=256MiB"} << "fixed(keydiff,0.6)" << 1 << 0.0;
    QTest::newRow("rotated again") << QStringList{"dram=256MiB"} << "fixed(rerotate(streaming_llm),0.6)" << 1 << 0.0;
    QTest::newRow("nothing stored") << QStringList{"dram=256MiB"} << "full_prefill" << 1 << 0.0;
    QTest::newRow("four together, read ahead") << QStringList{"ssd=256MiB,latency=5ms"} << "lru" << 4 << 100000.0;
    QTest::newRow("queued, read ahead") << QStringList{"ssd=256MiB,latency=20ms"} << "lru" << 1 << 100000.0;
  }
  void theyAddUpToTtft() {
    addUpToTtft(ModelKind::ticking);
    if (!QTest::currentTestFailed()) addUpToTtft(ModelKind::hashed);
  }

 private:
  static void addUpToTtft(ModelKind model) {
    QFETCH(QStringList, tiers);
    QFETCH(QString, policy);
    QFETCH(int, together);
    QFETCH(double, rate);
    std::vector<std::string> texts;
    for (const QString& tier : tiers) texts.push_back(tier.toStdString());
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(4, 60, 3), texts, policy.toStdString(),
                                false, {}, model);
    QVERIFY2(harness.has_value(), message(harness));
    SessionSettings settings = (*harness)->engine().settings();
    settings.max_batch = together;
    settings.compute_or_load = "off";  // loads and prefills, each on its own
    QVERIFY((*harness)->engine().apply(settings));
    const auto cold = (*harness)->serve(policy.toStdString(), 8);
    QVERIFY2(cold.has_value(), message(cold));
    check_all_spans((*harness)->engine(), *cold);
    settings = (*harness)->engine().settings();
    settings.requests_per_second = rate;
    QVERIFY((*harness)->engine().apply(settings));
    const auto warm = (*harness)->serve(policy.toStdString(), 16);
    QVERIFY2(warm.has_value(), message(warm));
    check_all_spans((*harness)->engine(), *warm);
    const bool stores = policy != "full_prefill";
    const int layers = (*harness)->engine().info().layers;
    bool hit = false;
    for (const RequestRecord& record : *warm) {
      const auto spans = (*harness)->engine().spans_of(record.id);
      QCOMPARE(spans->layers, layers);
      if (record.source == "prefill") {
        QVERIFY(spans_of_kind(*spans, Kind::context_prefill) > 0 &&
                spans_of_kind(*spans, Kind::context_prefill) % layers == 0);
        continue;
      }
      hit = true;
      QCOMPARE(spans_of_kind(*spans, Kind::unpack), layers);
      if (record.source != write_back_source) QVERIFY(spans_of_kind(*spans, Kind::read) >= layers);
      QCOMPARE(spans_of_kind(*spans, Kind::question_prefill) % layers, 0);
      const int steps = model == ModelKind::ticking ? layers : 1;  // of a pass
      const int passes = spans_of_kind(*spans, Kind::decode) / steps;
      QCOMPARE(spans_of_kind(*spans, Kind::decode) % steps, 0);
      QVERIFY2(passes == record.answer_tokens || passes == record.answer_tokens - 1,
               qPrintable(QString("%1 passes, %2 tokens").arg(passes).arg(record.answer_tokens)));
    }
    QCOMPARE(hit, stores);
  }

 private slots:
  // The clock of serving stands still while an answer is scored, and a device does not wait for that: what arrives
  // meanwhile stands behind what arrived before, also where the clock says otherwise.
  void readsNeverOverlap() {
    constexpr std::int64_t ms = 1'000'000;
    SpanLog log;
    log.begin(7, 2, 100 * ms);
    log.add_read(101 * ms, 104 * ms, 0.002, 110 * ms, {.layer = 0, .bytes = 10});
    log.add_read(101 * ms, 103 * ms, 0.002, 110 * ms,
                 {.layer = 1, .bytes = 20});  // came during a millisecond that did not happen
    log.add_read(102 * ms, 120 * ms, 0.5, 112 * ms, {.layer = 2, .bytes = 30});  // its stamp is behind the present
    const RequestSpans spans = log.take();
    QCOMPARE(spans.spans.size(), 3u);
    const std::int64_t starts[] = {2 * ms, 4 * ms, 4 * ms}, ends[] = {4 * ms, 4 * ms, 12 * ms};
    for (std::size_t i = 0; i < 3; ++i) {
      QCOMPARE(spans.spans[i].kind, Kind::read);
      QCOMPARE(spans.spans[i].start_ns, starts[i]);
      QCOMPARE(spans.spans[i].end_ns(), ends[i]);
      QCOMPARE(spans.spans[i].bytes, 10 * (i + 1));
    }
  }

  // A run counts from the start: what was before it is not taken for its own.
  void anotherRunHasItsOwn() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(2, 40, 2), {"dram=256MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY((*harness)->serve("lru", 6).has_value());
    const auto second = (*harness)->serve("lru", 2);
    QVERIFY(second.has_value());
    check_all_spans((*harness)->engine(), *second);
    QVERIFY(!(*harness)->engine().spans_of(second->back().id + 1));
    QVERIFY(!(*harness)->engine().spans_of(0));
  }

  void recordingCostsLittle() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(4, 60, 3), {"dram=256MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY((*harness)->serve("lru", 8).has_value());
    const auto records = (*harness)->serve("lru", 24);
    QVERIFY(records.has_value());
    double spans = 0, seconds = 0;
    for (const RequestRecord& record : *records) {
      const auto kept = (*harness)->engine().spans_of(record.id);
      spans += static_cast<double>(kept->spans.size());
      seconds += record.timing.e2e_seconds - record.timing.queue_seconds;
    }
    spans /= static_cast<double>(records->size());
    seconds /= static_cast<double>(records->size());
    SpanKeeper keeper;
    constexpr int requests = 2000, of_each = 200;
    const auto cpu_seconds = [] {  // of this thread, so that other work on the machine counts for nothing
      timespec now{};
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
      return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    };
    const double begin = cpu_seconds();
    for (int r = 0; r < requests; ++r) {
      SpanLog log;
      log.begin(static_cast<std::uint64_t>(r) + 1, 6, 0);
      for (int s = 0; s < of_each; ++s) log.add(Kind::unpack, 10 * s, 10 * s + 9, {.layer = 1});
      keeper.keep(log.take());
    }
    const double each = (cpu_seconds() - begin) / (requests * of_each);
    qInfo("%.1f spans a request of %.2f ms; %.1f ns a span: %.4f %% of its time", spans, 1e3 * seconds, 1e9 * each,
          100 * spans * each / seconds);
    QVERIFY(spans * each < 0.01 * seconds);
    QVERIFY(keeper.span_count() <= SpanKeeper::max_spans);
    QVERIFY(keeper.of(requests) && !keeper.of(1));
  }

  void longAnswersStayWithinBounds() {
    SpanLog log;
    log.begin(1, 36, 0);
    std::int64_t now = 0;
    constexpr int tokens = 6000;
    for (int token = 1; token <= tokens; ++token)
      for (int layer = 0; layer < 36; ++layer, now += 1000)
        log.add(Kind::decode, now, now + 900, {.layer = static_cast<std::int16_t>(layer), .step = token, .tokens = 1});
    const RequestSpans spans = log.take();
    QCOMPARE(spans.spans.size(), RequestSpans::max_spans);
    QVERIFY(spans.left_out > 0);
    // Where layers are put together, a token is as long as it was.
    const RequestSpan& whole = spans.spans.back();
    QCOMPARE(whole.layer, std::int16_t{-1});
    QCOMPARE(whole.duration_ns, std::int64_t{35 * 1000 + 900});
  }
};

KV_TEST_GUILESS_MAIN(SpansTest)

}  // namespace spans_test

#include "spans_test.moc"
