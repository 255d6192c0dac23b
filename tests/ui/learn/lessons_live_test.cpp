// links: kv_ui app_wiring
// Lessons on the real engine and the default model, gone through to their ends: what they say is true.
#include <QApplication>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>
#include <utility>

#include "app/wiring/resources.h"
#include "app/wiring/session_setup.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/window_parts.h"
#include "ui/learn/model/lesson_facts.h"
#include "ui/learn/prediction_panel.h"

namespace lessons_live_test {

using namespace kvantage;

class LessonsLiveTest : public QObject {
  Q_OBJECT
  static constexpr int patience_ms = 600'000;  // ends at once when the condition holds

  /// A window on the real engine with a lesson begun in it.
  struct Begun {
    QTemporaryDir folder;
    SessionOptions options;
    LiveSession session;
    std::unique_ptr<MainWindow> window;
    const Lesson* lesson = nullptr;

    Begun(const char* workload, std::size_t which) {
      options.model = test::source_directory() / "resources" / "model";
      options.workload = test::source_directory() / "sample_workloads" / workload;
      options.store = folder.filePath("store").toStdString();
      options.database = folder.filePath("runs.db").toStdString();
      options.endless = true;
      options.displayed = true;
      auto opened = open_session(options, {});
      if (!opened) {
        QTest::qFail(opened.error().message.c_str(), __FILE__, __LINE__);
        return;
      }
      session = std::move(*opened);
      WindowOptions window_options;
      window_options.settings_file = folder.filePath("window.ini");
      window_options.workload_path = QString::fromStdString(options.workload.string());
      window_options.lessons_folder =
          QString::fromStdString((test::source_directory() / "resources" / "lessons").string());
      window = std::make_unique<MainWindow>(*session.engine, window_options);
      window->show();
      lesson = &lessons_of(*window).all().at(which);
      lessons_of(*window).start(lesson->path);  // while it loads: it begins when that is done
      QTRY_VERIFY_WITH_TIMEOUT(lessons_of(*window).running(), patience_ms);
    }
    ~Begun() {
      if (window) window->close();
      window.reset();
    }
    const LessonStep& step() const { return lesson->steps[static_cast<std::size_t>(lessons_of(*window).step())]; }
    void commit_prediction() {
      auto* panel = qobject_cast<PredictionPanel*>(lessons_of(*window).card().extra());
      QVERIFY(panel);
      if (panel->box())
        panel->box()->setValue(step().guess.kind == LessonGuess::Kind::curve_point ? 0.5 : step().guess.range.low);
      else
        panel->choices().front()->click();
      panel->commit();
      QVERIFY(lessons_of(*window).predictions().is_committed(lessons_of(*window).step()));
    }
    /// Continues from a step as somebody does who reads it: *Show me* where there is something to do, *Next* where
    /// there is not. A prediction is committed first, and its result read.
    void go_to_next_step() {
      const int at = lessons_of(*window).step();
      TourCard& card = lessons_of(*window).card();
      if (card.text().contains('{')) return QTest::qFail(qPrintable(card.text()), __FILE__, __LINE__);
      const bool asks = step().guess.asked, waits = step().act.kind != LessonAct::Kind::none || step().events > 0;
      if (asks) commit_prediction();
      if (!waits)
        card.next().click();
      else if (!card.show_me().isHidden())
        card.show_me().click();
      QElapsedTimer taken;
      taken.start();
      if (asks && waits) {
        QTRY_VERIFY2_WITH_TIMEOUT(card.says_done(), qPrintable(card.text()), patience_ms);
        const LessonPrediction* prediction = lessons_of(*window).predictions().at(at);
        QVERIFY(prediction && prediction->result);
        qInfo("%s", qPrintable(lessons_of(*window).predictions().result_text(at)));
        card.next().click();
      }
      QTRY_VERIFY2_WITH_TIMEOUT(lessons_of(*window).step() == at + 1, qPrintable(card.text()), patience_ms);
      qInfo("step %d took %lld ms, %llu requests served", at + 1, static_cast<long long>(taken.elapsed()),
            static_cast<unsigned long long>(run_of(*window).served()));
    }
    void answer_rightly() {
      TourCard& card = lessons_of(*window).card();
      for (std::size_t i = 0; i < card.choices().size(); ++i)
        if (lesson->steps.back().answers[i].right) card.choices()[i]->click();
      QVERIFY(card.says_done());
      card.next().click();
      if (lessons_of(*window).predictions().score().asked > 0) card.next().click();  // the summary
      QVERIFY(!lessons_of(*window).running());
    }
  };

 private slots:
  void alphasTwoEnds() {
    if (test::model_directory().empty()) QSKIP("no model here");
    Begun begun("quickstart", 1);
    if (QTest::currentTestFailed()) return;
    MainWindow& window = *begun.window;
    Lessons& lessons = lessons_of(window);
    const Lesson& lesson = *begun.lesson;
    QVERIFY(lessons.all().size() >= 5);
    const SessionOptions& options = begun.options;
    const auto& session = begun.session;
    const SessionSettings before = session_settings(options).value_or(SessionSettings{});
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window).frontier.present().has_value(), patience_ms);
    std::map<LessonAct::Kind, FrontierMean> predicted;
    std::map<LessonAct::Kind, double> alphas;
    QElapsedTimer taken;
    taken.start();
    while (lesson.steps[static_cast<std::size_t>(lessons.step())].answers.empty() && taken.elapsed() < patience_ms) {
      const LessonStep& step = begun.step();
      const std::uint64_t served = run_of(window).served();
      begun.go_to_next_step();
      if (QTest::currentTestFailed()) return;
      if (step.events) {
        QVERIFY(run_of(window).served() >= served + static_cast<std::uint64_t>(step.events));
        QCOMPARE(session.engine->settings().alpha, controls_of(window).alpha().value());
        QTRY_VERIFY_WITH_TIMEOUT(run_of(window).frontier.present().has_value(), patience_ms);
        predicted[step.act.kind] = *run_of(window).frontier.present();
        alphas[step.act.kind] = session.engine->settings().alpha;
      }
    }
    QCOMPARE(predicted.size(), std::size_t{2});
    const FrontierMean low = predicted[LessonAct::Kind::lowest], high = predicted[LessonAct::Kind::highest];
    QVERIFY2(high.quality > low.quality && high.ttft_seconds > low.ttft_seconds,
             qPrintable(QStringLiteral("%1 %2, %3 %4")
                            .arg(low.quality)
                            .arg(low.ttft_seconds)
                            .arg(high.quality)
                            .arg(high.ttft_seconds)));
    // Each end has a point of its own that was measured.
    for (const auto& [kind, alpha] : alphas) {
      bool measured = false;
      for (const MeasuredPoint& point : run_of(window).frontier.measured())
        measured = measured || (point.alpha == alpha && point.ttft.n > 0 && !point.simulated);
      QVERIFY2(measured, qPrintable(QString::number(alpha)));
    }
    begun.answer_rightly();
    QTRY_COMPARE_WITH_TIMEOUT(session.engine->settings().alpha, before.alpha, patience_ms);
  }

  // Questions drift, their profiles are found wrong and measured again.
  void driftIsFound() {
    if (test::model_directory().empty()) QSKIP("no model here");
    Begun begun("drifting-questions", 3);
    if (QTest::currentTestFailed()) return;
    MainWindow& window = *begun.window;
    QVERIFY(!settings_of(window).committed().reprofile);
    while (begun.step().answers.empty()) {
      begun.go_to_next_step();
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(settings_of(window).committed().reprofile);
    int drifted = 0, profiled = 0, after = -1;
    const EventsModel& log = run_of(window).log;
    for (int r = 0; r < log.rowCount(); ++r) {
      const QString type = log.index(r, EventsModel::kind).data().toString();
      drifted += type == "drift.detected";
      if (type == "drift.detected" && after < 0) after = r;
      profiled += type == "context.profiled" && after >= 0;
    }
    QVERIFY2(drifted >= 1 && profiled >= 1,
             qPrintable(QStringLiteral("%1 drifted, %2 re-profiled").arg(drifted).arg(profiled)));
    QVERIFY2(lesson_fact("drifted", run_of(window)).contains(QRegularExpression("[1-9]")),
             qPrintable(lesson_fact("drifted", run_of(window))));
    begun.answer_rightly();
  }

  // Answers whose context the engine computed in part while it read the rest.
  void loadAndComputeMeet() {
    if (test::model_directory().empty()) QSKIP("no model here");
    Begun begun("quickstart", 4);
    if (QTest::currentTestFailed()) return;
    MainWindow& window = *begun.window;
    const auto met = [&] {
      const RequestsModel& requests = run_of(window).requests;
      for (int r = 0; r < requests.rowCount(); ++r)
        if (const auto& both = requests.row(r)->record.compute_or_load;
            both.computed_tokens > 0 && both.loaded_tokens > 0)
          return both.computed_tokens + both.loaded_tokens <= requests.row(r)->record.context_tokens &&
                 both.seconds > 0;
      return false;
    };
    bool waited = false;
    while (begun.step().answers.empty()) {
      if (begun.step().events) waited = true;
      begun.go_to_next_step();
      if (QTest::currentTestFailed()) return;
      if (!std::exchange(waited, false)) continue;
      QTRY_VERIFY2_WITH_TIMEOUT(met(), qPrintable(lesson_fact("met", run_of(window))), patience_ms);
      QVERIFY2(lesson_fact("met", run_of(window)).contains("tokens recomputed"),
               qPrintable(lesson_fact("met", run_of(window))));
      // The pipeline beside the text shows the request that the text names.
      QTRY_VERIFY_WITH_TIMEOUT(run_of(window).selection.request() != 0, patience_ms);
      const RequestsModel& requests = run_of(window).requests;
      bool named = false;  // and it is one that was partly recomputed
      for (int r = 0; r < requests.rowCount(); ++r)
        named = named || (requests.row(r)->record.id == run_of(window).selection.request() &&
                          requests.row(r)->record.compute_or_load.computed_tokens > 0);
      QVERIFY(named);
    }
    begun.answer_rightly();
  }

  // PagedEviction at a quarter of the prompt: answers under it hold less, and the lesson says so.
  void answersHoldTheirBudget() {
    if (test::model_directory().empty()) QSKIP("no model here");
    Begun begun("quickstart", 5);
    if (QTest::currentTestFailed()) return;
    MainWindow& window = *begun.window;
    while (begun.step().answers.empty()) {
      begun.go_to_next_step();
      if (QTest::currentTestFailed()) return;
    }
    int evicted = 0;
    const RequestsModel& requests = run_of(window).requests;
    for (int r = 0; r < requests.rowCount(); ++r) {
      const RequestRecord& record = requests.row(r)->record;
      if (requests.row(r)->running || record.cancelled || !record.decoding.used()) continue;
      QVERIFY2(record.decoding.eviction.starts_with("paged_eviction("), record.decoding.eviction.c_str());
      evicted += record.decoding.evicted_entries > 0 ? 1 : 0;
    }
    QVERIFY(evicted > 0);
    const QString fact = lesson_fact("decoding", run_of(window));
    QVERIFY2(fact.contains("without eviction") && fact.contains("with eviction"), qPrintable(fact));
    begun.answer_rightly();
  }

  // Answers long enough for passes at a small cadence: each is an event, and blocks are freed.
  void compactionFreesBlocks() {
    if (test::model_directory().empty()) QSKIP("no model here");
    Begun begun("sensitivity-mix", 6);
    if (QTest::currentTestFailed()) return;
    const SessionPoolModel& pool = run_of(*begun.window).pool;
    while (begun.step().answers.empty()) {
      QVERIFY(settings_of(*begun.window).committed().decode_eviction.starts_with("knorm(budget=50%"));
      begun.go_to_next_step();
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(pool.passes().size() >= 12);
    std::uint64_t freed = 0, dead = 0;
    for (const SessionPoolModel::Pass& pass : pool.passes()) freed += pass.pass.blocks_freed;
    for (const SessionPoolModel::Sample& sample : pool.samples()) dead = std::max(dead, sample.pool.dead_slots);
    QVERIFY2(freed > 0 && dead > 0, qPrintable(QStringLiteral("%1 freed, %2 dead").arg(freed).arg(dead)));
    const QString fact = lesson_fact("compaction", run_of(*begun.window));
    QVERIFY2(fact.contains("blocks freed"), qPrintable(fact));
    begun.answer_rightly();
  }

  // Answers with their cache on the ssd: what each setting of the lesson reads, keeps and recomputes.
  void aTokenReadsItsCache() {
    if (test::model_directory().empty()) QSKIP("no model here");
    Begun begun("quickstart", 7);
    if (QTest::currentTestFailed()) return;
    while (begun.step().answers.empty()) {
      begun.go_to_next_step();
      if (QTest::currentTestFailed()) return;
    }
    std::map<std::string, OffloadRecord> newest;
    const RequestsModel& requests = run_of(*begun.window).requests;
    for (int r = 0; r < requests.rowCount(); ++r) {
      const RequestRecord& record = requests.row(r)->record;
      if (requests.row(r)->running || record.cancelled || !record.decoding.offload) continue;
      const OffloadRecord& offload = *record.decoding.offload;
      QVERIFY2(offload.used(), offload.not_applied.c_str());
      if (offload.steps > 0) newest[offload.setting] = offload;
    }
    const auto bytes = [&](const char* setting) {
      return newest.at(setting).per_step(static_cast<double>(newest.at(setting).kv_bytes));
    };
    QCOMPARE(newest.size(), std::size_t{4});
    const char *load = "ssd(split=load_only)", *inputs = "ssd(resident=inputs)", *kept = "ssd(resident=kv)",
               *coded = "ssd(resident=kv,codec=kivi4(residual=0))";
    QVERIFY(newest.at(inputs).recomputed_tokens > 0 && newest.at(inputs).resident_bytes > 0);
    QVERIFY(newest.at(kept).recomputed_tokens == 0 && newest.at(kept).resident_bytes > 0);
    QVERIFY(bytes(inputs) < bytes(load) && bytes(kept) < bytes(load));
    QVERIFY(bytes(coded) < bytes(load));
    const QString fact = lesson_fact("offload", run_of(*begun.window));
    for (const char* setting : {load, inputs, kept, coded}) QVERIFY2(fact.contains(setting), qPrintable(fact));
    begun.answer_rightly();
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  LessonsLiveTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace lessons_live_test

#include "lessons_live_test.moc"
