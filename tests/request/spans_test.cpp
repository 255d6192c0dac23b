// links: app_wiring
// Time lines of requests: what they add up to is the split of TTFT that the requests themselves report, whatever served
// them, alone and several together; and keeping them costs little and a fixed amount of memory. In virtual time.
#include <QtTest>

#include <algorithm>
#include <ctime>
#include <limits>

#include "core/request/span_log.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace spans_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Kind = RequestSpan::Kind;
constexpr double tolerance_seconds = 2e-6;  // times are kept in whole nanoseconds, and summed

template <class T>
QByteArray message(const Expected<T>& result) {
  return result ? QByteArray() : QByteArray::fromStdString(result.error().message);
}

bool of_the_engine(Kind kind) { return kind != Kind::read; }
bool before_first_token(Kind kind) { return kind != Kind::decode; }

}  // namespace

class SpansTest : public QObject {
  Q_OBJECT

  static void compare(double spans, double timing, const char* what, const RequestRecord& record) {
    QVERIFY2(std::abs(spans - timing) < tolerance_seconds,
             qPrintable(QString("request %1: %2: %3 s in spans, %4 s in its timing")
                            .arg(record.id)
                            .arg(what)
                            .arg(spans, 0, 'g', 9)
                            .arg(timing, 0, 'g', 9)));
  }

  // The conservation law, for one request.
  static void check(const RequestSpans& spans, const RequestRecord& record) {
    const RequestTiming& t = record.timing;
    compare(span_seconds(spans, Kind::queue), t.queue_seconds, "queueing", record);
    compare(span_seconds(spans, Kind::lookup), t.lookup_seconds, "lookup", record);
    compare(span_seconds(spans, Kind::wait), t.load_seconds, "waiting for bytes", record);
    compare(span_seconds(spans, Kind::unpack), t.decode_seconds, "unpacking", record);
    compare(span_seconds(spans, Kind::context_prefill), t.context_prefill_seconds, "context prefill", record);
    compare(span_seconds(spans, Kind::question_prefill), t.question_prefill_seconds, "question prefill", record);

    // On the engine's thread one thing is done at a time, so that the parts and what lies between them are TTFT.
    std::vector<RequestSpan> engine;
    for (const RequestSpan& span : spans.spans)
      if (of_the_engine(span.kind)) engine.push_back(span);
    // One that takes no virtual time comes before the one that begins at its end.
    std::ranges::sort(engine, {}, [](const RequestSpan& span) { return std::pair(span.start_ns, span.end_ns()); });
    std::int64_t end = 0, between = 0, busy = 0;
    const auto ttft_ns = static_cast<std::int64_t>(t.ttft_seconds * 1e9);
    for (const RequestSpan& span : engine) {
      QVERIFY2(span.start_ns >= end,
               qPrintable(QString("request %1: %2 begins %3 ns before the end of what was before it")
                              .arg(record.id)
                              .arg(to_string(span.kind))
                              .arg(end - span.start_ns)));
      QVERIFY(span.duration_ns >= 0);
      if (before_first_token(span.kind)) {
        QVERIFY2(span.end_ns() <= ttft_ns + 2000, to_string(span.kind));
        between += span.start_ns - end;
        busy += span.duration_ns;
        end = span.end_ns();
      } else {
        QVERIFY(span.start_ns + 2000 >= ttft_ns);
        end = span.end_ns();
      }
    }
    double parts = 0;
    for (const Kind kind :
         {Kind::queue, Kind::lookup, Kind::wait, Kind::unpack, Kind::context_prefill, Kind::question_prefill})
      parts += span_seconds(spans, kind);
    QVERIFY2(parts <= t.ttft_seconds + tolerance_seconds, "parts are more than the whole");
    QVERIFY(std::abs(parts - static_cast<double>(busy) * 1e-9) < 1e-9);
    QVERIFY2(between >= 0, "spans overlap");

    // Reads are the tier's: one after the other, and what they bring is what the request says.
    std::uint64_t read = 0;
    std::int64_t read_end = std::numeric_limits<std::int64_t>::min();
    for (const RequestSpan& span : spans.spans) {
      if (span.kind != Kind::read) continue;
      QVERIFY(span.start_ns >= read_end);
      QVERIFY(span.end_ns() <= ttft_ns + 2000);
      read_end = span.end_ns();
      read += span.bytes;
    }
    if (read > 0 && record.source != "prefill") QCOMPARE(read, record.bytes_loaded);
  }

  static void check_all(EngineHarness& harness, const std::vector<RequestRecord>& records,
                        std::size_t* counted = nullptr) {
    std::size_t found = 0;
    for (const RequestRecord& record : records) {
      const auto spans = harness.engine().spans_of(record.id);
      QVERIFY2(spans, qPrintable(QString("request %1 has none").arg(record.id)));
      QCOMPARE(spans->request, record.id);
      check(*spans, record);
      ++found;
    }
    QVERIFY(found > 0);
    if (counted) *counted = found;
  }

  static int count(const RequestSpans& spans, Kind kind) {
    return static_cast<int>(std::ranges::count(spans.spans, kind, &RequestSpan::kind));
  }

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
    check_all(**harness, *cold);
    settings = (*harness)->engine().settings();
    settings.requests_per_second = rate;
    QVERIFY((*harness)->engine().apply(settings));
    const auto warm = (*harness)->serve(policy.toStdString(), 16);
    QVERIFY2(warm.has_value(), message(warm));
    check_all(**harness, *warm);
    const bool stores = policy != "full_prefill";
    const int layers = (*harness)->engine().info().layers;
    bool hit = false;
    for (const RequestRecord& record : *warm) {
      const auto spans = (*harness)->engine().spans_of(record.id);
      QCOMPARE(spans->layers, layers);
      if (record.source == "prefill") {
        QVERIFY(count(*spans, Kind::context_prefill) > 0 && count(*spans, Kind::context_prefill) % layers == 0);
        continue;
      }
      hit = true;
      QCOMPARE(count(*spans, Kind::unpack), layers);
      if (record.source != write_back_source) QVERIFY(count(*spans, Kind::read) >= layers);
      QCOMPARE(count(*spans, Kind::question_prefill) % layers, 0);
      const int steps = model == ModelKind::ticking ? layers : 1;  // of a pass
      const int passes = count(*spans, Kind::decode) / steps;
      QCOMPARE(count(*spans, Kind::decode) % steps, 0);
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

  // The front computed while the back is read: both are in the time line, side by side.
  void partlyComputedOnesAddUp() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(2, 150, 3), {"ssd=256MiB"}, "lru", false,
                                {}, ModelKind::ticking);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY((*harness)->serve("lru", 6).has_value());
    const auto snapshot = (*harness)->engine().snapshot();
    SessionSettings settings = (*harness)->engine().settings();
    const ContextState& context = snapshot->contexts.front();
    settings.tiers[0].throttle.bytes_per_second =
        static_cast<double>(context.full_bytes) / (qEnvironmentVariable("KV_F","2").toDouble() * snapshot->prefill.seconds(context.tokens));
    settings.compute_or_load = "auto";
    QVERIFY((*harness)->engine().apply(settings));
    const auto records = (*harness)->serve("lru", 6);
    QVERIFY2(records.has_value(), message(records));
    check_all(**harness, *records);
    int used = 0;
    for (const RequestRecord& record : *records) {
      if (record.compute_or_load.computed_tokens == 0 || record.compute_or_load.loaded_tokens == 0) continue;
      ++used;
      const auto spans = (*harness)->engine().spans_of(record.id);
      std::int64_t beside = 0;  // of computing, while the tier read
      for (const RequestSpan& read : spans->spans)
        for (const RequestSpan& prefill : spans->spans)
          if (read.kind == Kind::read && prefill.kind == Kind::context_prefill)
            beside += std::max<std::int64_t>(
                0, std::min(read.end_ns(), prefill.end_ns()) - std::max(read.start_ns, prefill.start_ns));
      QVERIFY(beside > 0);
      std::int32_t computed = 0;
      for (const RequestSpan& span : spans->spans)
        if (span.kind == Kind::context_prefill && span.layer == 0) computed += span.tokens;
      QCOMPARE(computed, record.compute_or_load.computed_tokens);
    }
    QVERIFY2(used > 0, "none was partly computed");
  }

  // A run counts from the start: what was before it is not taken for its own.
  void anotherRunHasItsOwn() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(2, 40, 2), {"dram=256MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY((*harness)->serve("lru", 6).has_value());
    const auto second = (*harness)->serve("lru", 2);
    QVERIFY(second.has_value());
    check_all(**harness, *second);
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
    QVERIFY(keeper.span_count() <= SpanKeeper::most_spans);
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
    QCOMPARE(spans.spans.size(), RequestSpans::most_spans);
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
