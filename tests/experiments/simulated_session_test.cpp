// links: kv_reports
// The worked example of EvicPress's figure 2 as a session: the paper's numbers, request by request.
#include "core/experiments/simulated_session.h"

#include <QtTest>

#include "tests/support/test_program.h"

namespace modeled_session_test {

using namespace kvantage;

class SimulatedSessionTest : public QObject {
  Q_OBJECT
  double now_ = 100;

  std::vector<RequestRecord> served(SimulatedSession& session, int turns) {
    now_ += turns * SimulatedSession::turn_seconds + 1e-6;
    std::vector<RequestRecord> records;
    for (const Event& event : session.drain(1000))
      if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload))
        records.push_back(finished->record);
    return records;
  }

 private slots:
  void schemesGiveThePapersNumbers_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<double>("total_seconds");
    QTest::addColumn<double>("quality");
    QTest::newRow("compression only") << "fixed(cut,0.5)" << 0.3 << 0.75;
    QTest::newRow("eviction only") << "lru" << 2.4 << 1.0;
    QTest::newRow("both together") << "evicpress" << 0.5 << 1.0;
  }
  void schemesGiveThePapersNumbers() {
    QFETCH(QString, policy);
    QFETCH(double, total_seconds);
    QFETCH(double, quality);
    auto session = worked_example_session([this] { return now_; });
    // Another scheme before it leaves nothing behind.
    SessionSettings settings = session->settings();
    settings.policy = policy == "lru" ? "evicpress" : "lru";
    QVERIFY(session->apply(settings));
    settings.policy = policy.toStdString();
    QVERIFY(session->apply(settings));
    session->start();
    const auto records = served(*session, 1);
    QCOMPARE(records.size(), std::size_t{2});
    QCOMPARE(records[0].context_id, std::string("context 1"));
    QCOMPARE(records[1].context_id, std::string("context 2"));
    const auto& [a, b] = std::tie(records[0], records[1]);
    QVERIFY2(std::abs(a.timing.ttft_service_seconds + b.timing.ttft_service_seconds - total_seconds) < 1e-9,
             qPrintable(QString::number(a.timing.ttft_service_seconds + b.timing.ttft_service_seconds)));
    QVERIFY(std::abs((a.quality.at("quality") + b.quality.at("quality")) / 2 - quality) < 1e-9);
    for (const RequestRecord& record : records) QVERIFY(record.provenance == Provenance::simulated);
    std::uint64_t stored = 0;
    for (const ContextState& context : session->snapshot()->contexts) stored += context.placement.stored();
    QCOMPARE(stored, std::uint64_t{2});
  }

  void itRestsWhenItIsToldTo() {
    auto session = worked_example_session([this] { return now_; });
    QVERIFY(served(*session, 8).empty());
    session->start();
    QCOMPARE(served(*session, 3).size(), std::size_t{6});
    session->pause();
    QVERIFY(served(*session, 8).empty());
    session->step();
    QCOMPARE(served(*session, 8).size(), std::size_t{1});
    QVERIFY(session->state() == RunState::paused);
    SessionSettings settings = session->settings();
    settings.alpha = -1;
    QVERIFY(!session->apply(settings));
    QCOMPARE(session->settings().alpha, 1.0);
  }
};

KV_TEST_GUILESS_MAIN(SimulatedSessionTest)

}  // namespace modeled_session_test

#include "simulated_session_test.moc"
