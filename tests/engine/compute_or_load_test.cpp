// links: app_wiring
// Sessions compute the front of a stored context while they read its back, where the fits say that this is sooner:
// first tokens and answers are those of loading alone, of compressed caches as well, whatever fails on the way. They
// compute all of it where that is soonest; else they load. On the machine's clock: the processor computes the front,
// which takes no virtual time.
#include <QtTest>

#include "core/request/compute_or_load_choice.h"
#include "tests/request/span_checks.h"
#include "tests/support/engine_harness.h"
#include "tests/support/test_program.h"

namespace compute_or_load_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int sentences = 150;

template <class T>
QByteArray message(const Expected<T>& result) {
  return result ? QByteArray() : QByteArray::fromStdString(result.error().message);
}

}  // namespace

class ComputeOrLoadTest : public QObject {
  Q_OBJECT

  /// A tier in a folder, at rest as fast as the disk is; every context stored by `policy`.
  static Expected<std::unique_ptr<EngineHarness>> open(const QTemporaryDir& folder, const std::string& policy,
                                                       const std::string& tier = "ssd=256MiB", bool frozen = false,
                                                       int sentences_each = sentences) {
    auto harness = EngineHarness::open(folder.path().toStdString(), small_workload(2, sentences_each, 3), {tier},
                                       policy, false, {.model = {}, .frozen = frozen});
    if (!harness) return harness;
    KV_TRY((*harness)->serve(policy, 8));
    return harness;
  }

  /// Shapes the tier so that reading a stored context takes `share` of its prefill, as this machine computes now.
  static Status shape(EngineHarness& harness, double share, const std::string& way, const std::string& faults = {}) {
    const auto snapshot = harness.engine().snapshot();
    SessionSettings settings = harness.engine().settings();
    const auto stored = std::ranges::max_element(snapshot->contexts, {}, &ContextState::stored_bytes);
    settings.tiers[0].throttle.bytes_per_second =
        static_cast<double>(stored->stored_bytes) / (share * snapshot->prefill.seconds(stored->tokens));
    settings.tiers[0].faults = faults;
    settings.compute_or_load = way;
    return harness.engine().apply(settings);
  }

  static int used(const std::vector<RequestRecord>& records) {
    return static_cast<int>(
        std::ranges::count_if(records, [](const RequestRecord& record) { return record.compute_or_load.used(); }));
  }

  static void compare(const std::vector<RequestRecord>& with, const std::vector<RequestRecord>& without) {
    QCOMPARE(with.size(), without.size());
    for (std::size_t i = 0; i < with.size(); ++i) {
      QCOMPARE(with[i].question, without[i].question);
      QCOMPARE(with[i].answer, without[i].answer);
      QCOMPARE(with[i].kept_tokens, without[i].kept_tokens);
    }
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void theAnswersOfLoadingAlone_data() {
    QTest::addColumn<QString>("policy");
    QTest::newRow("uncompressed") << "lru";
    QTest::newRow("tokens removed") << "fixed(keydiff,0.6)";
    QTest::newRow("heads of different lengths") << "fixed(adakv(snapkv),0.5)";
  }
  void theAnswersOfLoadingAlone() {
    QFETCH(QString, policy);
    const std::string name = policy.toStdString();
    QTemporaryDir folder;
    auto harness = open(folder, name);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(shape(**harness, 1.0, "off"));
    const auto without = (*harness)->serve(name, 8);
    QVERIFY2(without.has_value(), message(without));
    QCOMPARE(used(*without), 0);
    QVERIFY(shape(**harness, 1.0, "auto"));
    const auto with = (*harness)->serve(name, 8);
    QVERIFY2(with.has_value(), message(with));
    compare(*with, *without);
    QVERIFY2(used(*with) >= 4, qPrintable(QString("%1 of %2").arg(used(*with)).arg(with->size())));
    for (std::size_t i = 0; i < with->size(); ++i) {
      const RequestRecord& record = (*with)[i];
      const ComputeOrLoadRecord& split = record.compute_or_load;
      if (!split.used()) continue;
      QCOMPARE(split.computed_tokens + split.loaded_tokens, record.context_tokens);
      QVERIFY(split.predicted_seconds > 0 && split.predicted_seconds < split.load_alone_seconds);
      QVERIFY(split.seconds > 0 && split.seconds <= record.timing.ttft_service_seconds);
      QVERIFY(record.timing.context_prefill_seconds > 0 || split.computed_tokens == 0);
      if (split.loaded_tokens == 0) continue;
      QCOMPARE(record.source, std::string("ssd"));
      QCOMPARE(record.method, (*without)[i].method);
      QCOMPARE(record.provenance, Provenance::throttled);
      if (split.computed_tokens > 0) QVERIFY(record.bytes_loaded < (*without)[i].bytes_loaded);
      // What a plan sees is what serving decides by; it takes pieces to be alike.
      const double planned = record.predicted_ttft_seconds / split.predicted_seconds;
      QVERIFY2(planned > 0.9 && planned < 1.1, qPrintable(QString::number(planned)));
    }
  }

  void whereNothingIsGainedItIsLoaded_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<double>("share");
    QTest::newRow("a tier much faster than the model") << "lru" << 0.0005;
    QTest::newRow("quantized") << "fixed(kivi4,0)" << 1.0;
    QTest::newRow("keys that move after reading") << "fixed(rerotate(streaming_llm),0.6)" << 1.0;
  }
  void whereNothingIsGainedItIsLoaded() {
    QFETCH(QString, policy);
    QFETCH(double, share);
    QTemporaryDir folder;
    auto harness = open(folder, policy.toStdString());
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(shape(**harness, share, "auto"));
    const auto records = (*harness)->serve(policy.toStdString(), 6);
    QVERIFY2(records.has_value(), message(records));
    QCOMPARE(used(*records), 0);
    for (const RequestRecord& record : *records) QCOMPARE(record.source, std::string("ssd"));
  }

  // What is stored stays, and a request that reads none of it is no hit.
  void whereComputingIsSoonestAllOfItIsComputed_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("sentences_each");
    QTest::newRow("uncompressed") << "lru" << sentences;
    QTest::newRow("tokens removed") << "fixed(keydiff,0.6)" << sentences;
    QTest::newRow("one piece") << "lru" << 12;
    QTest::newRow("one piece, tokens removed") << "fixed(keydiff,0.6)" << 12;
  }
  void whereComputingIsSoonestAllOfItIsComputed() {
    QFETCH(QString, policy);
    QFETCH(int, sentences_each);
    const std::string name = policy.toStdString();
    QTemporaryDir folder;
    auto harness = open(folder, name, "ssd=256MiB", false, sentences_each);
    QVERIFY2(harness.has_value(), message(harness));
    if (sentences_each < sentences)
      for (const ContextState& context : (*harness)->engine().snapshot()->contexts)
        QVERIFY2(context.tokens <= 256, qPrintable(QString::number(context.tokens)));
    QVERIFY(shape(**harness, 0.0005, "off"));
    const auto without = (*harness)->serve(name, 6);
    QVERIFY2(without.has_value(), message(without));
    QVERIFY(shape(**harness, 50, "auto"));
    const auto before = (*harness)->engine().snapshot();
    const auto with = (*harness)->serve(name, 6);
    QVERIFY2(with.has_value(), message(with));
    compare(*with, *without);
    QCOMPARE(used(*with), 6);
    for (std::size_t i = 0; i < with->size(); ++i) {
      const RequestRecord& record = (*with)[i];
      QCOMPARE(record.source, std::string("prefill"));
      QCOMPARE(record.miss_reason, std::string(recompute_was_faster_reason));
      QCOMPARE(record.method, (*without)[i].method);
      QCOMPARE(record.provenance, Provenance::measured);
      QCOMPARE(record.compute_or_load.computed_tokens, record.context_tokens);
      QCOMPARE(record.compute_or_load.loaded_tokens, 0);
      QVERIFY(record.compute_or_load.predicted_seconds < 0.95 * record.compute_or_load.load_alone_seconds);
      QCOMPARE(record.prefix_hit_tokens, 0);
      QCOMPARE(record.bytes_loaded, std::uint64_t{0});
      QCOMPARE(record.timing.device_seconds, 0.0);
      QVERIFY(record.timing.context_prefill_seconds > 0);
    }
    const auto after = (*harness)->engine().snapshot();
    for (std::size_t c = 0; c < after->contexts.size(); ++c) {
      QCOMPARE(after->contexts[c].placement, before->contexts[c].placement);
      QVERIFY(after->contexts[c].placement.stored());
    }
    QVERIFY((*harness)->sink.all<events::ReadFailed>().empty());
  }

  // A tier that was slow for a while and is avoided would count as slow forever; a few loads find out.
  void aTierThatIsFastAgainIsFound() {
    QTemporaryDir folder;
    auto harness = open(folder, "lru", "ssd=256MiB", false, 12);
    QVERIFY2(harness.has_value(), message(harness));
    const auto snapshot = (*harness)->engine().snapshot();
    const double prefill = snapshot->prefill.seconds(snapshot->contexts.front().tokens);
    const int delay_ms = static_cast<int>(std::ceil(250 * prefill));
    QVERIFY(shape(**harness, 0.01, "off", QStringLiteral("delay:%1ms@1").arg(delay_ms).toStdString()));
    const auto slow = (*harness)->serve("lru", 70);  // more than a fit remembers
    QVERIFY2(slow.has_value(), message(slow));
    SessionSettings settings = (*harness)->engine().settings();
    settings.tiers[0].faults.clear();
    settings.compute_or_load = "auto";
    QVERIFY((*harness)->engine().apply(settings));
    const auto fast = (*harness)->serve("lru", 400);
    QVERIFY2(fast.has_value(), message(fast));
    // Eight or more are computed before each load until one was fast; from then on they are loaded.
    int computed = 0, loads = 0;
    for (const RequestRecord& record : *fast) {
      if (record.source == "prefill") {
        QCOMPARE(record.miss_reason, std::string(recompute_was_faster_reason));
        ++computed;
        continue;
      }
      QCOMPARE(record.source, std::string("ssd"));
      if (loads++ == 0) QVERIFY2(computed >= UnreadTier::min_between, qPrintable(QString::number(computed)));
    }
    QVERIFY2(loads > 64, qPrintable(QStringLiteral("%1 loaded, %2 computed").arg(loads).arg(computed)));
    // Where the machine is busy, now and then one is not fast.
    QVERIFY(std::count_if(fast->end() - 50, fast->end(),
                          [](const RequestRecord& record) { return record.source == "ssd"; }) > 25);
  }

  void frozenRunsLoad() {
    QTemporaryDir folder;
    auto harness = open(folder, "lru", "ssd=256MiB", true);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(shape(**harness, 1.0, "auto"));
    const auto records = (*harness)->serve("lru", 6);
    QVERIFY2(records.has_value(), message(records));
    QCOMPARE(used(*records), 0);
  }

  // What a compressed entry keeps is known to who stored it, and after a start to who loaded all of it once.
  void afterAStartTheFirstLoadTellsWhatIsKept() {
    const std::string policy = "fixed(keydiff,0.6)";
    QTemporaryDir folder;
    {
      auto harness = open(folder, policy);
      QVERIFY2(harness.has_value(), message(harness));
    }
    auto harness =
        EngineHarness::open(folder.path().toStdString(), small_workload(2, sentences, 3), {"ssd=256MiB"}, policy);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(shape(**harness, 1.0, "auto"));
    const auto records = (*harness)->serve(policy, 8);
    QVERIFY2(records.has_value(), message(records));
    std::set<std::string> loaded;
    int later = 0;
    for (const RequestRecord& record : *records) {
      QCOMPARE(record.compute_or_load.used() && !loaded.contains(record.context_id), false);
      later += loaded.contains(record.context_id) && record.compute_or_load.used() ? 1 : 0;
      loaded.insert(record.context_id);
    }
    QVERIFY2(later >= 3, qPrintable(QString::number(later)));
  }

  // A piece that does not verify is computed; the store hears of it, so that the entry is not read again.
  void aDamagedPieceIsComputedAndTheEntryGoes() {
    QTemporaryDir folder;
    auto harness = open(folder, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(shape(**harness, 1.0, "off"));
    const auto without = (*harness)->serve("lru", 8);
    QVERIFY2(without.has_value(), message(without));
    QVERIFY(shape(**harness, 1.0, "auto", "flip_on_read:0.02+seed:5"));
    const auto with = (*harness)->serve("lru", 8);
    QVERIFY2(with.has_value(), message(with));
    compare(*with, *without);
    std::uint64_t dropped = 0;
    for (const auto& failed : (*harness)->sink.all<events::ReadFailed>()) dropped += failed.dropped ? 1 : 0;
    QVERIFY(dropped > 0);
    QVERIFY(used(*with) > 0);
  }

  // Both are in the time line, side by side.
  void itsTimeLineAddsUp() {
    using Kind = RequestSpan::Kind;
    QTemporaryDir folder;
    auto harness = open(folder, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(shape(**harness, 1.0, "auto"));
    const auto records = (*harness)->serve("lru", 6);
    QVERIFY2(records.has_value(), message(records));
    check_all_spans((*harness)->engine(), *records);
    int both = 0;
    for (const RequestRecord& record : *records) {
      if (record.compute_or_load.computed_tokens == 0 || record.compute_or_load.loaded_tokens == 0) continue;
      ++both;
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
    QVERIFY2(both > 0, "none was partly computed");
  }

  void stoppingInBetweenGivesEverythingBack() {
    QTemporaryDir folder;
    auto harness = open(folder, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(shape(**harness, 1.0, "auto"));
    for (int round = 0; round < 6; ++round) {
      (*harness)->engine().start();
      QTest::qWait(15 + 17 * round);
      (*harness)->engine().stop();
      for (int i = 0; i < 500 && (*harness)->engine().state() != RunState::ready; ++i) QTest::qWait(10);
      QCOMPARE((*harness)->engine().state(), RunState::ready);
      for (const ContextState& context : (*harness)->engine().snapshot()->contexts) QVERIFY(!context.pinned);
    }
    const auto records = (*harness)->serve("lru", 8);
    QVERIFY2(records.has_value(), message(records));
    QCOMPARE(records->size(), std::size_t{8});
  }
};

KV_TEST_GUILESS_MAIN(ComputeOrLoadTest)

}  // namespace compute_or_load_test

#include "compute_or_load_test.moc"
