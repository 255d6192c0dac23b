// links: kv_wiring
// What a start, a stop and a spoilt entry leave behind.
#include <QElapsedTimer>
#include <QtTest>

#include <fstream>

#include "tests/support/engine_harness.h"

using namespace kvantage;
using namespace kvantage::test;

class RecoveryTest : public QObject {
  Q_OBJECT
  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }
  static int spoil_files(const std::filesystem::path& folder) {
    int spoilt = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file() || entry.path().string().find("/ssd/") == std::string::npos || entry.file_size() < 100000) continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      file << std::string(4096, '\x5a');
      ++spoilt;
    }
    return spoilt;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  // The first plan after a start must not throw away what nobody has asked for since.
  void evicpressKeepsWhatItStoredBeforeARestart() {
    QTemporaryDir folder;
    const Workload workload = small_workload(3, 40, 15);
    {
      auto harness = EngineHarness::open(folder.path().toStdString(), workload, {"ssd=64MiB"}, "evicpress");
      QVERIFY2(harness.has_value(), message(harness));
      QVERIFY((*harness)->serve("evicpress", 12).has_value());
    }
    auto again = EngineHarness::open(folder.path().toStdString(), workload, {"ssd=64MiB"}, "evicpress");
    QVERIFY2(again.has_value(), message(again));
    std::size_t stored = 0;
    for (const ContextState& context : (*again)->engine().snapshot()->contexts) stored += context.placement.stored() ? 1 : 0;
    QVERIFY(stored > 0);
    const auto records = (*again)->serve("evicpress", 12);
    QVERIFY2(records.has_value(), message(records));
    std::size_t hits = 0;
    for (const RequestRecord& record : *records) hits += record.source == "ssd" ? 1 : 0;
    QVERIFY2(hits + (3 - stored) >= records->size(), qPrintable(QString("%1 hits, %2 stored").arg(hits).arg(stored)));
  }

  // The entry that failed belongs to another context than the one asked about: it is that one which goes.
  void aSpoiltPrefixIsDroppedAndNotReadAgain() {
    QTemporaryDir folder;
    Workload workload = growing_session(60, 11);
    // An order that asks the shorter one, then the longer one.
    const auto in_order = [&] {
      const auto requests = workload.requests(2, SessionOptions{}.seed);
      return requests[0].context == 0 && requests[1].context == 1;
    };
    while (!in_order()) ++workload.seed;
    auto harness = EngineHarness::open(folder.path().toStdString(), workload, {"ssd=64MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    Engine& engine = (*harness)->engine();
    const auto& sink = (*harness)->sink;
    engine.step();
    QTRY_COMPARE_WITH_TIMEOUT(sink.records().size(), std::size_t{1}, 60000);
    QTRY_VERIFY_WITH_TIMEOUT(!sink.all<events::PlacementCommitted>().empty(), 60000);
    QCOMPARE(sink.records()[0].context_id, std::string("c0"));
    QCOMPARE(spoil_files(folder.path().toStdString() + "/store"), 1);
    engine.step();
    QTRY_COMPARE_WITH_TIMEOUT(sink.records().size(), std::size_t{2}, 60000);
    const RequestRecord asked = sink.records()[1];
    QCOMPARE(asked.context_id, std::string("longer"));
    QCOMPARE(asked.miss_reason, std::string("corrupt"));
    const auto failed = sink.all<events::ReadFailed>();
    QCOMPARE(failed.size(), std::size_t{1});
    const auto shorter = [&engine] {  // contexts come in the order of their keys
      const auto snapshot = engine.snapshot();
      return *std::ranges::find(snapshot->contexts, std::string("c0"), &ContextState::id);
    };
    QVERIFY(failed[0].context == shorter().key);
    QTRY_VERIFY_WITH_TIMEOUT(!shorter().placement.stored(), 60000);
  }

  // A write that would take minutes does not hold the end up.
  void closingDuringASlowWriteIsPrompt() {
    QTemporaryDir folder;
    auto harness = EngineHarness::open(folder.path().toStdString(), small_workload(3, 60, 23), {"ssd=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    Engine& engine = (*harness)->engine();
    constexpr double bytes_per_second = 20e3;
    SessionSettings settings = engine.settings();
    settings.tiers[0].shaped_bytes_per_second = bytes_per_second;
    QVERIFY(engine.apply(settings).has_value());
    engine.start();
    QTRY_VERIFY_WITH_TIMEOUT(!(*harness)->sink.records().empty(), 60000);
    QTest::qWait(200);  // its cache is being written
    const double write_seconds = static_cast<double>(engine.snapshot()->contexts[0].full_bytes) / bytes_per_second;
    QVERIFY(write_seconds > 15);
    QElapsedTimer timer;
    timer.start();
    harness->reset();
    QVERIFY2(static_cast<double>(timer.elapsed()) * 1e-3 < write_seconds / 3, qPrintable(QString::number(timer.elapsed())));
  }
};

QTEST_GUILESS_MAIN(RecoveryTest)
#include "recovery_test.moc"
