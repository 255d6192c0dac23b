// links: app_wiring
// Where requests queue, the next one's cache is read while the one before it is answered: first tokens come sooner,
// answers are the same, and nothing stays behind when a run is stopped in between. In virtual time.
#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace prefetch_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int sentences = 120;

template <class T>
QByteArray message(const Expected<T>& result) {
  return result ? QByteArray() : QByteArray::fromStdString(result.error().message);
}

}  // namespace

class PrefetchTest : public QObject {
  Q_OBJECT

  /// An SSD that takes 30 ms for anything, behind nothing: loads are worth hiding.
  static Expected<std::unique_ptr<EngineHarness>> open(const QTemporaryDir& folder) {
    return open_virtual(folder.path().toStdString(), small_workload(5, sentences, 3), {"ssd=64MiB,latency=30ms"},
                        "lru");
  }
  static Expected<std::vector<RequestRecord>> serve_at(EngineHarness& harness, double rate, std::uint64_t limit) {
    SessionSettings settings = harness.engine().settings();
    settings.requests_per_second = rate;
    KV_TRY(harness.engine().apply(settings));
    return harness.serve("lru", limit);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void queuedRequestsFindTheirCacheRead() {
    QTemporaryDir folder;
    auto harness = open(folder);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(serve_at(**harness, 0, 16).has_value());  // fills the store
    const auto closed = serve_at(**harness, 0, 16);
    const auto queued = serve_at(**harness, 100'000, 16);  // all there at once
    QVERIFY2(closed && queued, message(closed) + message(queued));
    QCOMPARE(closed->size(), queued->size());
    std::size_t ahead = 0;
    double waited_closed = 0, waited_queued = 0;
    for (std::size_t i = 0; i < closed->size(); ++i) {
      const RequestRecord &without = (*closed)[i], &with = (*queued)[i];
      QCOMPARE(with.question, without.question);
      QCOMPARE(with.answer, without.answer);
      QCOMPARE(without.source, std::string("ssd"));
      QCOMPARE(with.source, std::string("ssd"));
      QCOMPARE(with.bytes_loaded, without.bytes_loaded);
      QCOMPARE(without.timing.prefetch_seconds, 0.0);  // nothing waits in a closed loop
      ahead += with.timing.prefetch_seconds > 0 ? 1 : 0;
      waited_closed += without.timing.load_seconds;
      waited_queued += with.timing.load_seconds;
    }
    // An answer of one token decodes nothing and hides nothing.
    QVERIFY2(ahead >= 8, qPrintable(QString("%1 of %2").arg(ahead).arg(queued->size())));
    QVERIFY2(waited_queued < waited_closed,
             qPrintable(QString("%1 s against %2 s").arg(waited_queued).arg(waited_closed)));
  }

  void writingBackHoldsUpNoOtherRequest() {
    // Each context is stored while the next one is computed: a write takes longer than that.
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(6, sentences, 1), {"ssd=64MiB,latency=1500ms"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    (*harness)->sink.clear();
    QVERIFY(serve_at(**harness, 0, 6).has_value());
    std::map<std::string, int> computed_at;  // context to how many requests had started
    int started = 0, stored = 0, overtaken = 0;
    for (const Event& event : (*harness)->sink.events()) {
      if (std::get_if<events::RequestStarted>(&event.payload) != nullptr) ++started;
      if (const auto* computed = std::get_if<events::ContextComputed>(&event.payload))
        computed_at[computed->context_id] = started;
      if (const auto* placed = std::get_if<events::PlacementCommitted>(&event.payload)) {
        ++stored;
        QVERIFY(computed_at.contains(placed->context_id));
        overtaken += started > computed_at[placed->context_id] ? 1 : 0;
        QVERIFY(placed->seconds >= 1.5);
      }
    }
    QCOMPARE(static_cast<std::size_t>(stored), computed_at.size());
    QVERIFY2(stored >= 3 && overtaken >= 2, qPrintable(QString("%1 of %2").arg(overtaken).arg(stored)));
    // Its own reader finds it, and does not wait for it either.
    const auto again = serve_at(**harness, 0, 6);
    QVERIFY2(again.has_value(), message(again));
    for (const RequestRecord& record : *again) QVERIFY(record.source == "ssd" || record.source == write_back_source);
  }

  void whatIsBeingWrittenIsServedFromMemory() {
    // One context is asked about again and again; a write takes as long as many answers.
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(1, sentences, 1), {"ssd=64MiB,latency=4s"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    const auto records = (*harness)->serve("lru", 6);
    QVERIFY2(records.has_value(), message(records));
    int from_memory = 0;
    for (std::size_t i = 0; i < records->size(); ++i) {
      const RequestRecord& record = (*records)[i];
      if (i == 0) {
        QCOMPARE(record.source, std::string("prefill"));
        continue;
      }
      QVERIFY(record.bytes_loaded > 0);
      if (record.source == "ssd") continue;
      QCOMPARE(record.source, std::string(write_back_source));
      ++from_memory;
      QCOMPARE(record.timing.device_seconds, 0.0);
      QVERIFY(record.timing.lookup_seconds + record.timing.load_seconds < 4);
    }
    QVERIFY2(from_memory >= 1,
             qPrintable(QString::number(from_memory)));  // a slow machine has the write over by the last
    // The same answers as without a cache, and as from the tier.
    const auto without = (*harness)->serve("full_prefill", 6);
    QVERIFY2(without.has_value(), message(without));
    for (std::size_t i = 0; i < records->size(); ++i) QCOMPARE((*records)[i].answer, (*without)[i].answer);
  }

  void aWriteThatIsNoLongerWantedIsGivenUp() {
    // Room for one context: each computed one takes the place of another that is still being written.
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(4, sentences, 1), {"ssd=64MiB,latency=4s"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    const std::uint64_t one = (*harness)->engine().snapshot()->contexts.front().full_bytes;
    SessionSettings settings = (*harness)->engine().settings();
    settings.tiers[0].budget = one + one / 2;
    QVERIFY((*harness)->engine().apply(settings).has_value());
    (*harness)->sink.clear();
    const auto records = (*harness)->serve("lru", 4);
    QVERIFY2(records.has_value(), message(records));
    int computed = 0, given_up = 0, stored = 0;
    for (const RequestRecord& record : *records) computed += record.source == "prefill" ? 1 : 0;
    for (const Event& event : (*harness)->sink.events()) {
      if (const auto* failed = std::get_if<events::PlacementFailed>(&event.payload))
        given_up += failed->reason.find("later decision") != std::string::npos ? 1 : 0;
      const auto* placed = std::get_if<events::PlacementCommitted>(&event.payload);
      if (placed == nullptr || !placed->action.to.stored()) continue;
      ++stored;
      given_up += placed->seconds < 4 ? 1 : 0;  // it had reached the tier and is not waited for
    }
    QVERIFY2(computed >= 2 && given_up >= 1, qPrintable(QString("%1 of %2").arg(given_up).arg(computed)));
    QVERIFY(stored <= computed);
    const auto snapshot = (*harness)->engine().snapshot();
    std::uint64_t held = 0;
    for (const ContextState& context : snapshot->contexts) held += context.stored_bytes;
    QVERIFY(held > 0 && held <= settings.tiers[0].budget.bytes());
  }

  void aQueueThatNeverEmptiesStillGetsItsCaches() {
    QTemporaryDir folder;
    auto harness =
        open_virtual(folder.path().toStdString(), small_workload(3, 24, 5), {"ssd=64MiB"}, "evicpress", true);
    QVERIFY2(harness.has_value(), message(harness));
    (*harness)->engine().profile_all();
    QCOMPARE((*harness)->wait(), RunState::ready);
    SessionSettings settings = (*harness)->engine().settings();
    settings.requests_per_second = 100'000;  // all there at once
    QVERIFY((*harness)->engine().apply(settings).has_value());
    const auto records = (*harness)->serve("evicpress", 24);
    QVERIFY2(records.has_value(), message(records));
    const auto prefilled = std::ranges::count(*records, std::string("prefill"), &RequestRecord::source);
    QVERIFY2(prefilled < 12, qPrintable(QString("%1 of 24 prefilled").arg(prefilled)));
  }

  void stoppingInBetweenGivesEverythingBack() {
    QTemporaryDir folder;
    auto harness = open(folder);
    QVERIFY2(harness.has_value(), message(harness));
    QVERIFY(serve_at(**harness, 0, 16).has_value());
    SessionSettings settings = (*harness)->engine().settings();
    settings.requests_per_second = 100'000;
    settings.request_limit = 16;
    QVERIFY((*harness)->engine().apply(settings).has_value());
    for (int round = 0; round < 8; ++round) {
      (*harness)->engine().start();
      pass(**harness, 0.02 + 0.015 * round);
      (*harness)->engine().stop();
      for (int i = 0; i < 500 && (*harness)->engine().state() != RunState::ready; ++i) pass(**harness, 0.01);
      QCOMPARE((*harness)->engine().state(), RunState::ready);
      for (const ContextState& context : (*harness)->engine().snapshot()->contexts) QVERIFY(!context.pinned);
    }
    const auto records = serve_at(**harness, 100'000, 16);
    QVERIFY2(records.has_value(), message(records));
    QCOMPARE(records->size(), std::size_t{16});
  }
};

KV_TEST_GUILESS_MAIN(PrefetchTest)

}  // namespace prefetch_test

#include "prefetch_test.moc"
