// links: kv_ui
// How fast a model is: what a session measured, and what is kept of it for the next time.
#include "ui/model_library/model/model_speed.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/session/run_model.h"

namespace model_speed_test {

using namespace kvantage;

namespace {

RequestRecord answered(std::uint64_t id, double gap_seconds, int tokens = 8) {
  RequestRecord record;
  record.id = id;
  record.context_id = "a";
  record.source = "prefill";
  record.answer_tokens = tokens;
  record.timing.mean_itl_seconds = gap_seconds;
  record.provenance = Provenance::measured;
  return record;
}

void serve(ScriptedSession& session, RunModel& run, const RequestRecord& record) {
  session.emit_event(events::RequestStarted{record.id, "a", "needle", "?"});
  session.emit_event(events::RequestFinished{record});
  run.tick(1000);
}

}  // namespace

class ModelSpeedTest : public QObject {
  Q_OBJECT

 private slots:
  // The session's fit: 0.01 s, 0.16 ms a token and 24 ns a token squared, so 1,024 tokens take 0.199006 s.
  void ratesAreThoseOfTheSession() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::running);
    QTRY_VERIFY((run.tick(1000), run.snapshot() != nullptr));
    QCOMPARE(speed_of(run).prefill_tokens_per_second, 1024 / (0.01 + 1.6e-4 * 1024 + 2.4e-8 * 1024 * 1024));
    QCOMPARE(speed_of(run).decode_tokens_per_second, 0.0);
    for (const double gap : {0.010, 0.5, 0.020}) serve(session, run, answered(run.served() + 1, gap));
    QCOMPARE(speed_of(run).decode_tokens_per_second, 50.0);  // the median of 10, 20 and 500 ms
    QCOMPARE(speed_of(run).answers, 3);
    QCOMPARE(speed_of(run).device, QString("CPU, AVX-512 bf16, 2 threads"));
  }

  void onlyPlainDecodingCounts() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::running);
    serve(session, run, answered(1, 0.02));
    RequestRecord other = answered(2, 1);
    other.decoding.eviction = "paged_eviction(budget=25%)";
    serve(session, run, other);
    other = answered(3, 1);
    other.decoding.offload.emplace();
    other.decoding.offload->setting = "ssd";
    serve(session, run, other);
    other = answered(4, 1);
    other.provenance = Provenance::simulated;
    serve(session, run, other);
    other = answered(5, 1);
    other.cancelled = true;
    serve(session, run, other);
    serve(session, run, answered(6, 1, 2));  // a single gap
    QCOMPARE(speed_of(run).answers, 1);
    QCOMPARE(speed_of(run).decode_tokens_per_second, 50.0);
  }

  void aRecordedRunSaysNothingOfThisMachine() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::running);
    serve(session, run, answered(1, 0.02));
    QVERIFY(speed_of(run).is_known());
    run.stash();
    QVERIFY(!speed_of(run).is_known());
    run.unstash();
    QVERIFY(speed_of(run).is_known());
  }

  void aSpeedIsKeptByTheDigest() {
    QTemporaryDir folder;
    const QString file = folder.filePath("window.ini");
    const ModelSpeed speed{
        .prefill_tokens_per_second = 2500, .decode_tokens_per_second = 80, .answers = 12, .device = "CPU"};
    {
      QSettings settings(file, QSettings::IniFormat);
      MeasuredSpeeds speeds(settings);
      speeds.keep("abc", speed, QDate(2026, 11, 29));
      speeds.keep("", speed, QDate(2026, 11, 29));
      speeds.keep("none", {}, QDate(2026, 11, 29));
      QVERIFY(!speeds.of("") && !speeds.of("none") && !speeds.of("abd"));
      // A session that decoded nothing keeps the rate of before.
      speeds.keep("abc", {.prefill_tokens_per_second = 2600}, QDate(2026, 11, 30));
    }
    QSettings settings(file, QSettings::IniFormat);
    const auto kept = MeasuredSpeeds(settings).of("abc");
    QVERIFY(kept);
    QCOMPARE(kept->prefill_tokens_per_second, 2600.0);
    QCOMPARE(kept->decode_tokens_per_second, 80.0);
    QCOMPARE(kept->answers, 12);
    QCOMPARE(kept->measured, QDate(2026, 11, 30));
    settings.setValue("models/speeds/abc/prefill", "fast");  // by hand
    settings.setValue("models/speeds/abc/decode", "-1");
    QVERIFY(!MeasuredSpeeds(settings).of("abc"));
  }

  void theOldestGoes() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath("window.ini"), QSettings::IniFormat);
    MeasuredSpeeds speeds(settings);
    const QDate first(2026, 1, 1);
    for (int i = 0; i <= MeasuredSpeeds::limit; ++i)
      speeds.keep(QStringLiteral("model%1").arg(i), {.prefill_tokens_per_second = 1.0 + i}, first.addDays(i));
    QVERIFY(!speeds.of("model0"));
    QVERIFY(speeds.of("model1"));
    QCOMPARE(speeds.of(QStringLiteral("model%1").arg(MeasuredSpeeds::limit))->prefill_tokens_per_second,
             1.0 + MeasuredSpeeds::limit);
  }
};

KV_TEST_MAIN(ModelSpeedTest)

}  // namespace model_speed_test

#include "model_speed_test.moc"
