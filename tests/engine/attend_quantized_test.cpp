// links: app_wiring
// Sessions that attend on quantized caches answer what sessions answer that dequantize them, several requests at once
// as well. In virtual time, with the numbers of the real kernels.
#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace attend_quantized_test {

using namespace kvantage;
using namespace kvantage::test;

class AttendQuantizedTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void theAnswersOfUnpackedCaches_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("batch");
    QTest::newRow("kivi4") << "fixed(kivi4,0)" << 1;
    QTest::newRow("tokens removed as well") << "fixed(keydiff+kivi4,0.6)" << 1;
    QTest::newRow("several at once") << "fixed(kivi4,0)" << 4;
    QTest::newRow("a codec that reads no ranges") << "fixed(cachegen,0)" << 1;
  }
  void theAnswersOfUnpackedCaches() {
    QFETCH(QString, policy);
    QFETCH(int, batch);
    const std::string name = policy.toStdString();
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(2, 60, 3), {"ssd=256MiB"}, name, false, {},
                                ModelKind::real);
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    QVERIFY((*harness)->serve(name, 8).has_value());
    std::vector<RequestRecord> records[2];
    for (const bool quantized : {false, true}) {
      SessionSettings settings = (*harness)->engine().settings();
      settings.attend_quantized = quantized;
      settings.max_batch = batch;
      QVERIFY((*harness)->engine().apply(settings).has_value());
      auto served = (*harness)->serve(name, 8);
      QVERIFY2(served.has_value(), served ? "" : served.error().message.c_str());
      records[quantized] = std::move(*served);
    }
    QCOMPARE(records[0].size(), records[1].size());
    int hits = 0;
    for (std::size_t i = 0; i < records[0].size(); ++i) {
      const RequestRecord &unpacked = records[0][i], &quantized = records[1][i];
      QCOMPARE(quantized.question, unpacked.question);
      QCOMPARE(quantized.answer, unpacked.answer);
      QCOMPARE(quantized.source, unpacked.source);
      QCOMPARE(quantized.kept_tokens, unpacked.kept_tokens);
      QCOMPARE(quantized.bytes_loaded, unpacked.bytes_loaded);
      hits += quantized.source == "ssd";
    }
    QCOMPARE(hits, 8);
  }
};

KV_TEST_GUILESS_MAIN(AttendQuantizedTest)

}  // namespace attend_quantized_test

#include "attend_quantized_test.moc"
