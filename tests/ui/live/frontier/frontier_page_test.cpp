// links: kv_ui
// The line above the Frontier that names fixed configurations which beat the policy's curve, and what pictures may be
// asked for.
#include <QLabel>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/pictures/screenshot_scenes.h"
#include "ui/pictures/screenshots.h"

namespace frontier_page_test {

using namespace kvantage;

class FrontierPageTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  /// A prediction newer than any of the planner's: a curve of two points and one fixed configuration.
  static FrontierPrediction prediction(double seconds_of_the_form) {
    static std::uint64_t job = 1'000'000;
    FrontierPrediction made;
    made.job = ++job;
    made.curves = {{"evicpress", {{0.1, {0.5, 0.010}}, {10, {0.9, 0.020}}}, made.job}};
    made.simulated = {{"fixed(kivi4,0)", {0.9, seconds_of_the_form}, 300, false}};
    made.simulated_known = true;
    return made;
  }

 private slots:
  void aFasterFormIsNamedAboveTheChart() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.pause();
    QLabel& said = window->findChild<FrontierPage*>()->comparison();
    QTRY_VERIFY(run_of(*window).frontier.present().has_value());
    run_of(*window).frontier.set_prediction(prediction(0.030));
    QVERIFY(said.isHidden());
    run_of(*window).frontier.set_prediction(prediction(0.005));
    QVERIFY(!said.isHidden());
    QVERIFY2(said.text().contains("fixed kivi4") && said.text().contains("5.0 ms") && said.text().contains("0.900"),
             qPrintable(said.text()));
    run_of(*window).frontier.set_hidden("fixed(kivi4,0)", true);
    QVERIFY(said.isHidden());
  }

  // Where methods are ranked, a model that was trained for some of them is named so.
  void rankingsSayWhatTheModelWasTrainedFor() {
    const QString note = "on reference-mha, knorm works by construction";
    for (const bool says : {true, false}) {
      ScriptedSession session;
      if (says) session.set_model_note(note.toStdString());
      auto window = scripted_.loaded(session);
      for (const char* view : {"tokens", "sensitivity", "contexts"}) window->show_view(view);
      for (const char* name : {"frontierModelNote", "keepMapModelNote", "sensitivityModelNote", "alternativesModelNote",
                               "decodeOptionsModelNote"}) {
        const auto* line = window->findChild<QLabel*>(name);
        QVERIFY2(line != nullptr, name);
        QCOMPARE(line->isHidden(), !says);
        QCOMPARE(line->text(), says ? "On" + note.mid(2) : QString());
      }
      DecisionPage& why = contexts_of(*window).why();  // a note on each of its pages that rank
      QVERIFY(why.widget(1)->isAncestorOf(window->findChild<QLabel*>("alternativesModelNote")));
      QVERIFY(why.widget(2)->isAncestorOf(window->findChild<QLabel*>("decodeOptionsModelNote")));
    }
  }

  // Before the profiles are complete: what is missing, and how long it takes.
  void whatPredictionsLackIsSaid() {
    ScriptedSession session(6);
    auto window = std::make_unique<MainWindow>(session, scripted_.options());
    auto& page = *window->findChild<FrontierPage*>();
    window->show();
    session.forget_profiles(4);
    session.set_state(RunState::running);
    QTRY_VERIFY(!page.outlook().isHidden());
    QCOMPARE(page.outlook().text(), QString("2 of 6 contexts profiled"));
    session.emit_event(events::Progress{"Profiling contexts", 0, 6});
    session.advance(10);
    session.emit_event(events::Progress{"Profiling contexts", 2, 6});
    QTRY_VERIFY2(page.outlook().text().contains("about 20 s left"), qPrintable(page.outlook().text()));
    session.set_state(RunState::paused);
    QTRY_VERIFY2(page.outlook().text().contains("during the run"), qPrintable(page.outlook().text()));
    session.forget_profiles(0);
    QTRY_VERIFY(page.outlook().isHidden());
  }

  // An answer is measured before the first curve: the chart is not empty then, and the line above it says what is
  // missing.
  void whatPredictionsLackIsSaidBesideAMeasuredPoint() {
    ScriptedSession session(6);
    auto window = std::make_unique<MainWindow>(session, scripted_.options());
    auto& page = *window->findChild<FrontierPage*>();
    window->show();
    session.forget_profiles(6);
    session.start();
    QTRY_COMPARE(run_of(*window).frontier.epoch_count(),
                 std::uint64_t{1});  // requests before the first setting are no point
    QCOMPARE(run_of(*window).profiled_contexts(), 0u);
    session.serve(1);
    QTRY_VERIFY(!page.chart().is_empty());
    QVERIFY(run_of(*window).frontier.curves().empty());
    QTRY_VERIFY(!page.outlook().isHidden());
    QCOMPARE(page.outlook().text(), QString("0 of 6 contexts profiled"));
    session.emit_event(events::Progress{"Profiling contexts", 0, 6});
    session.advance(10);
    session.emit_event(events::Progress{"Profiling contexts", 2, 6});
    QTRY_VERIFY2(page.outlook().text().contains("about 20 s left"), qPrintable(page.outlook().text()));
  }

  // Frames of an animation are many: they are taken where they are asked for by name, each with a pointer.
  void framesOfTheDragAreScenes() {
    ScriptedSession session;
    const WindowOptions options = scripted_.options();
    auto window = scripted_.loaded(session, options);
    int frames = 0;
    for (const ScreenshotScene& scene : screenshot_scenes(picture_stage(*window, options))) {
      QCOMPARE(scene.only_when_named, scene.name.startsWith("alpha drag"));
      QCOMPARE(static_cast<bool>(scene.pointer), scene.only_when_named);
      frames += scene.only_when_named;
    }
    QVERIFY(frames >= 20);
  }

  void sizesOfPictures() {
    QCOMPARE(parse_picture_size("1280x800"), std::optional(QSize(1280, 800)));
    for (const char* wrong : {"", "1280", "1280x", "99x99", "300x200", "9999x9999", "1280X800", "1280x800 "})
      QVERIFY2(!parse_picture_size(wrong), wrong);
  }
};

KV_TEST_MAIN(FrontierPageTest)

}  // namespace frontier_page_test

#include "frontier_page_test.moc"
