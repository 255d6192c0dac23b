// links: kv_ui kv_wiring
// A lesson on the real engine and the default model, gone through to its end: what it tells of alpha's two ends is so.
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include "app/wiring/resources.h"
#include "app/wiring/session_setup.h"
#include "tests/support/test_model.h"
#include "ui/main_window.h"

using namespace kvantage;

class LessonsLiveTest : public QObject {
  Q_OBJECT
  static constexpr int patience_ms = 200'000;  // ends at once when the condition holds

 private slots:
  void alphasTwoEnds() {
    if (test::model_directory().empty()) QSKIP("no model here");
    QTemporaryDir folder;
    SessionOptions options;
    options.model = test::source_directory() / "resources" / "model";
    options.workload = test::source_directory() / "sample_workloads" / "quickstart";
    options.store = folder.filePath("store").toStdString();
    options.database = folder.filePath("runs.db").toStdString();
    options.endless = true;
    auto session = open_session(options, {});
    QVERIFY2(session, session ? "" : session.error().message.c_str());
    WindowOptions window_options;
    window_options.settings_file = folder.filePath("window.ini");
    window_options.workload_path = QString::fromStdString(options.workload.string());
    window_options.lessons_folder = QString::fromStdString((test::source_directory() / "resources" / "lessons").string());
    MainWindow window(*session->engine, window_options);
    window.show();
    Lessons& lessons = window.lessons();
    QVERIFY(lessons.all().size() >= 5);
    const Lesson& lesson = lessons.all()[1];
    lessons.start(lesson.path);  // while it loads: it begins when that is done
    QVERIFY(!lessons.running());
    QTRY_VERIFY_WITH_TIMEOUT(lessons.running(), patience_ms);
    const SessionSettings before = session_settings(options).value_or(SessionSettings{});
    QTRY_VERIFY_WITH_TIMEOUT(window.run().frontier.present().has_value(), patience_ms);
    TourCard& card = lessons.card();
    std::map<LessonAct::Kind, FrontierMean> predicted;
    std::map<LessonAct::Kind, double> alphas;
    QElapsedTimer taken;
    taken.start();
    while (lesson.steps[static_cast<std::size_t>(lessons.step())].answers.empty() && taken.elapsed() < patience_ms) {
      const int at = lessons.step();
      const LessonStep& step = lesson.steps[static_cast<std::size_t>(at)];
      QVERIFY2(!card.text().contains('{'), qPrintable(card.text()));
      if (step.act.kind == LessonAct::Kind::none && !step.events) {
        card.next().click();
        continue;
      }
      if (!card.show_me().isHidden()) card.show_me().click();
      const std::uint64_t served = window.run().served();
      QTRY_VERIFY_WITH_TIMEOUT(lessons.step() == at + 1, patience_ms);
      if (step.events) {
        QVERIFY(window.run().served() >= served + static_cast<std::uint64_t>(step.events));
        QCOMPARE(session->engine->settings().alpha, window.controls().alpha().value());
        QTRY_VERIFY_WITH_TIMEOUT(window.run().frontier.present().has_value(), patience_ms);
        predicted[step.act.kind] = *window.run().frontier.present();
        alphas[step.act.kind] = session->engine->settings().alpha;
      }
    }
    QCOMPARE(predicted.size(), std::size_t{2});
    const FrontierMean low = predicted[LessonAct::Kind::lowest], high = predicted[LessonAct::Kind::highest];
    QVERIFY2(high.quality > low.quality && high.ttft_seconds > low.ttft_seconds,
             qPrintable(QStringLiteral("%1 %2, %3 %4").arg(low.quality).arg(low.ttft_seconds).arg(high.quality).arg(high.ttft_seconds)));
    // Each end has a point of its own that was measured.
    for (const auto& [kind, alpha] : alphas) {
      bool measured = false;
      for (const MeasuredPoint& point : window.run().frontier.measured()) measured = measured || (point.alpha == alpha && point.ttft.n > 0 && !point.modelled);
      QVERIFY2(measured, qPrintable(QString::number(alpha)));
    }
    for (std::size_t i = 0; i < card.choices().size(); ++i)
      if (lesson.steps.back().answers[i].right) card.choices()[i]->click();
    QVERIFY(card.says_done());
    card.next().click();
    QVERIFY(!lessons.running());
    QTRY_COMPARE_WITH_TIMEOUT(session->engine->settings().alpha, before.alpha, patience_ms);
    window.close();
  }
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  LessonsLiveTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "lessons_live_test.moc"
