// links: kv_base
// What a text says after a probe of it, and how much of it an answer says.
#include <QtTest>

#include "core/workload/continuation.h"
#include "core/workload/probes.h"
#include "tests/support/test_program.h"

namespace continuation_test {

using namespace kvantage;

class ContinuationTest : public QObject {
  Q_OBJECT
 private slots:
  void everyProbeOfATextIsContinuedByIt() {
    const std::string text =
        "The miller counted nine sacks before noon. Rain came over the hill at two. Nobody in the yard had seen the "
        "grey mare since Tuesday.\n\nThe letter said that the bridge would open in May. It opened in June, late.";
    const auto probes = make_probes(text, {.profile = 3, .held_out = 3});
    QVERIFY(probes.size() >= 4);
    for (const Probe& probe : probes)
      for (const ProbeWording wording : {ProbeWording::bare, ProbeWording::instructed}) {
        const std::string_view after = continuation_of(text, worded(probe, wording));
        QVERIFY(!after.empty());
        QCOMPARE(std::string(text.substr(0, text.size() - after.size())).ends_with(probe.stretch), true);
        QCOMPARE(continued_share(std::string(after.substr(0, 12)), after), 1.0);
      }
    QVERIFY(continuation_of(text, "What is the badge of Ada Holt ?").empty());
    QVERIFY(continuation_of(text, "").empty());
  }

  void theShareEndsAtTheFirstDifference_data() {
    QTest::addColumn<QString>("answer");
    QTest::addColumn<QString>("continuation");
    QTest::addColumn<double>("share");
    QTest::newRow("all of it") << "nine sacks"
                               << "nine  sacks before noon" << 1.0;
    QTest::newRow("white space aside") << " nine\nsacks "
                                       << "ninesacks" << 1.0;
    QTest::newRow("the half") << "nine cows!"
                              << "nine sacks before noon" << 4.0 / 9;
    QTest::newRow("nothing, though letters agree later") << "a mine of sacks"
                                                         << "nine sacks" << 0.0;
    QTest::newRow("beyond the end") << "noon noon"
                                    << "noon" << 0.5;
    QTest::newRow("an empty answer") << ""
                                     << "noon" << 0.0;
    QTest::newRow("an empty continuation") << "noon"
                                           << "" << 0.0;
    QTest::newRow("Chinese") << QString::fromUtf8("春眠") << QString::fromUtf8("春眠不觉晓") << 1.0;
  }
  void theShareEndsAtTheFirstDifference() {
    QFETCH(QString, answer);
    QFETCH(QString, continuation);
    QFETCH(double, share);
    QCOMPARE(continued_share(answer.toStdString(), continuation.toStdString()), share);
  }
};

KV_TEST_GUILESS_MAIN(ContinuationTest)

}  // namespace continuation_test

#include "continuation_test.moc"
