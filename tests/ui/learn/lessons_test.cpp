// links: kv_ui kv_experiments
// Every lesson as a learner goes through it: what it names is there, each step can be done, and leaving it gives
// everything back.
#include "ui/learn/lessons.h"

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "core/experiments/model/pool_walk.h"
#include "core/experiments/simulated_session.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/learn/prediction_panel.h"
#include "ui/live/pool/pool_dock.h"

namespace lessons_test {

using namespace kvantage;

class LessonsTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static QString folder() { return QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons"); }

  WindowOptions options(const QString& workload) {
    WindowOptions made = scripted_.options();
    made.lessons_folder = folder();
    made.workload_path = "/samples/" + workload;
    made.walk_pool = walk_pool;
    return made;
  }

  struct Opened {
    std::unique_ptr<ScriptedSession> scripted;
    std::unique_ptr<SimulatedSession> simulated;
    QString settings_file;
    std::unique_ptr<MainWindow> window;
    Session& session() { return scripted ? static_cast<Session&>(*scripted) : *simulated; }
  };
  // The window that a lesson wants: the worked example as it really is, everything else over a script.
  Opened opened(const Lesson& lesson) {
    Opened made;
    QElapsedTimer clock;
    clock.start();
    if (lesson.workload == worked_example_name)
      made.simulated = worked_example_session([clock] { return static_cast<double>(clock.nsecsElapsed()) / 1e9; });
    else
      made.scripted = std::make_unique<ScriptedSession>();
    const WindowOptions wanted = options(lesson.workload);
    made.settings_file = wanted.settings_file;
    made.window = std::make_unique<MainWindow>(made.session(), wanted);
    made.window->resize(1280, 800);
    made.window->show();
    if (!made.scripted) return made;
    made.scripted->set_state(RunState::ready);
    made.scripted->emit_event(events::PoolSampled{{.capacity_blocks = 64, .live_blocks = 9, .block_bytes = 4096}});
    return made;
  }

  // What an engine would report while the learner waits.
  static void emit_event(Opened& lesson, const QString& event) {
    if (!lesson.scripted) return;
    if (event == "request.finished") lesson.scripted->serve(1);
    const ContextState& context = lesson.scripted->snapshot()->contexts.front();
    if (event == "cache.compacted")
      lesson.scripted->emit_event(events::CacheCompacted{1, context.id, 16, 3, 40, 0.001});
    if (event == "drift.detected")
      lesson.scripted->emit_event(events::DriftDetected{context.key, context.id, 0.4, 0.9, 6, 5});
    if (event == "context.profiled")
      lesson.scripted->emit_event(
          events::ContextProfiled{context.key, context.id, context.family, *context.profile, 0.5, false, true});
  }

  static QList<QStringList> shown_docks(MainWindow& window) {
    QStringList shown, areas;
    for (auto& [id, dock] : docks_of(window).all()) {
      if (!dock->isHidden()) shown << id;
      areas << QString::number(window.dockWidgetArea(dock));
    }
    return {shown, areas};
  }

  static std::vector<Lesson> shipped() {
    QStringList errors;
    return read_lessons(folder(), errors);
  }

  /// The card has a text and points at what the step names, and hides little of a curve that the step changes.
  static void check_card(MainWindow& window, LessonStage& stage, const LessonStep& step) {
    TourCard& card = lessons_of(window).card();
    QVERIFY(card.isVisible() && !card.text().isEmpty());
    QVERIFY2(!card.text().contains('{'), qPrintable(card.text()));
    QVERIFY2(card.target() && card.target() == stage.framed(step.target), qPrintable(step.title));
    QVERIFY2(card.target()->isVisible(), qPrintable(step.title));
    if (step.target.dock == "controls") {  // what it changes is seen on the curve
      test::settle(50);
      const auto rect_of = [&window](const QWidget& widget) {
        return QRect(widget.mapTo(&window, QPoint(0, 0)), widget.size());
      };
      const QRect chart = rect_of(frontier_of(window)), hidden = rect_of(card) & chart;
      QVERIFY2(hidden.width() * hidden.height() * 10 < chart.width() * chart.height(), qPrintable(step.title));
    }
  }

  /// Nothing is shown of how to do a prediction's step until it is committed.
  static void commit_prediction(MainWindow& window, const LessonStep& step) {
    Lessons& lessons = lessons_of(window);
    TourCard& card = lessons.card();
    auto* panel = qobject_cast<PredictionPanel*>(card.extra());
    QVERIFY2(panel, qPrintable(step.title));
    QVERIFY(card.show_me().isHidden() && QString(card.next().text()).remove('&') == "Skip");
    QVERIFY(!panel->commit_button().isEnabled());  // nothing is proposed
    for (const QRadioButton* choice : panel->choices())
      QVERIFY2(choice->sizeHint().width() <= choice->width(), qPrintable(choice->text()));  // none is cut
    if (panel->box())
      panel->box()->setValue(step.guess.kind == LessonGuess::Kind::curve_point ? 0.5 : step.guess.range.low);
    else
      panel->choices().front()->click();
    QVERIFY(panel->commit_button().isEnabled());
    panel->commit_button().click();
    QVERIFY(QString(card.next().text()).remove('&') == "Next" && lessons.predictions().is_committed(lessons.step()));
  }

  /// A wrong answer says why and leaves the question open, the right one ends it.
  static void answer(TourCard& card, const std::vector<LessonAnswer>& answers) {
    QCOMPARE(card.choices().size(), answers.size());
    for (const QRadioButton* choice : card.choices())
      QVERIFY2(choice->sizeHint().width() <= choice->width(), qPrintable(choice->text()));  // none is cut
    for (const bool right : {false, true})
      for (std::size_t i = 0; i < answers.size(); ++i)
        if (answers[i].right == right) {
          card.choices()[i]->click();
          QVERIFY(card.reply().contains(answers[i].reply));
          QCOMPARE(card.says_done(), right);
        }
  }

 private slots:
  void everyLessonIsGoneThroughToItsEnd_data() {
    QTest::addColumn<int>("number");
    const std::vector<Lesson> lessons = shipped();
    for (std::size_t i = 0; i < lessons.size(); ++i) QTest::newRow(qPrintable(lessons[i].title)) << static_cast<int>(i);
    QVERIFY(lessons.size() >= 5);
  }
  void everyLessonIsGoneThroughToItsEnd() {
    QFETCH(int, number);
    const Lesson lesson = shipped()[static_cast<std::size_t>(number)];
    Opened opened = this->opened(lesson);
    MainWindow& window = *opened.window;
    QTRY_VERIFY(!shows_start_page(window));
    QTRY_VERIFY(!run_of(window).frontier.curves().empty());
    QTRY_VERIFY(window.body<PoolDock>("pool")->model().size() > 0);
    dock_of(window, "events")->hide();  // an arrangement of one's own
    window.addDockWidget(Qt::LeftDockWidgetArea, dock_of(window, "hitRates"));
    const auto docks_before = shown_docks(window);
    const SessionSettings settings_before = settings_of(window).committed();
    QSignalSpy refused(&lessons_of(window), &Lessons::refused), reopened(&window, &MainWindow::reopenRequested);

    lessons_of(window).start(lesson.path);
    QVERIFY2(refused.isEmpty(), qPrintable(refused.isEmpty() ? QString() : refused[0][0].toString()));
    QVERIFY(lessons_of(window).running());
    const int asked = lessons_of(window).predictions().score().asked;
    QCOMPARE(lessons_of(window).count(), static_cast<int>(lesson.steps.size()) + (asked > 0 ? 1 : 0));  // a summary
    TourCard& card = lessons_of(window).card();
    LessonStage stage = stage_of(window);
    int acts = 0;
    for (int at = 0; at < lessons_of(window).count(); ++at) {
      const LessonStep& step = lesson.steps[static_cast<std::size_t>(at)];
      QCOMPARE(lessons_of(window).step(), at);
      check_card(window, stage, step);
      if (QTest::currentTestFailed()) return;
      if (!step.answers.empty()) break;
      if (step.guess.asked) commit_prediction(window, step);
      if (QTest::currentTestFailed()) return;
      QCOMPARE(!card.show_me().isHidden(), step.act.kind != LessonAct::Kind::none);
      if (step.act.kind == LessonAct::Kind::none && !step.events) {
        QTest::mouseClick(&card.next(), Qt::LeftButton);
        continue;
      }
      if (card.says_done()) {  // it is so already: nothing continues by itself
        QVERIFY(stage.is_done(step));
        QTest::mouseClick(&card.next(), Qt::LeftButton);
        continue;
      }
      if (step.act.kind != LessonAct::Kind::none) {
        test::settle(100);
        QCOMPARE(lessons_of(window).step(), at);  // it waits for the learner
        QTest::mouseClick(&card.show_me(), Qt::LeftButton);
        ++acts;
        if (step.act.kind != LessonAct::Kind::press && step.act.kind != LessonAct::Kind::change && !step.events)
          QVERIFY2(stage.is_done(step), qPrintable(step.title));
      }
      QElapsedTimer waited;
      waited.start();
      while (lessons_of(window).step() == at && waited.elapsed() < 20'000) {
        if (step.events && !card.says_done()) emit_event(opened, step.event);
        test::settle(opened.scripted ? 15 : 60);
        // Its result is to be read: it does not continue by itself. The script has no value of some metrics.
        if (step.guess.asked && (card.says_done() || waited.elapsed() > 4'000))
          QTest::mouseClick(&card.next(), Qt::LeftButton);
      }
      QVERIFY2(lessons_of(window).step() == at + 1, qPrintable(step.title));
    }
    QVERIFY(acts > 0);

    answer(card, lesson.steps.back().answers);
    if (QTest::currentTestFailed()) return;
    QVERIFY(lessons_of(window).running());
    QTest::mouseClick(&card.next(), Qt::LeftButton);
    if (asked > 0) {
      QCOMPARE(card.text(), lessons_of(window).predictions().summary());
      QVERIFY2(card.text().contains(QStringLiteral("of %1 right").arg(asked)), qPrintable(card.text()));
      QTest::mouseClick(&card.next(), Qt::LeftButton);
    }
    QVERIFY(!lessons_of(window).running() && card.isHidden());
    QTRY_COMPARE(settings_of(window).committed(), settings_before);
    QTRY_COMPARE(opened.session().settings(), settings_before);
    QCOMPARE(shown_docks(window), docks_before);
    QVERIFY(!window.findChild<FrontierPage*>()->explain_button().isChecked());
    QVERIFY(reopened.isEmpty());  // it was begun on its own workload
  }

  void leavingInTheMiddleGivesBackLayoutSettingsAndWhatIsKept() {
    const Lesson lesson = shipped()[1];
    Opened opened = this->opened(lesson);
    MainWindow& window = *opened.window;
    QTRY_VERIFY(!shows_start_page(window));
    dock_of(window, "tiers")->hide();
    test::settle(LayoutKeeper::delay_ms + 150);
    const QString file = opened.settings_file;
    const QVariant kept = QSettings(file, QSettings::IniFormat).value("window/state");
    QVERIFY(kept.isValid());
    const SessionSettings before = settings_of(window).committed();
    lessons_of(window).start(lesson.path);
    QVERIFY(settings_of(window).committed() != before);
    QVERIFY(!dock_of(window, "hitRates")->isHidden());
    test::settle(LayoutKeeper::delay_ms + 150);
    QCOMPARE(QSettings(file, QSettings::IniFormat).value("window/state"), kept);  // a kill now would begin as it was
    QTest::mouseClick(&lessons_of(window).card().close_button(), Qt::LeftButton);
    QCOMPARE(settings_of(window).committed(), before);
    QVERIFY(dock_of(window, "tiers")->isHidden());
    dock_of(window, "contexts")->hide();
    test::settle(LayoutKeeper::delay_ms + 150);
    QVERIFY(QSettings(file, QSettings::IniFormat).value("window/state") != kept);  // and it is kept again
  }

  void anotherWorkloadIsAskedForAndGivenBack() {
    const std::vector<Lesson> lessons = shipped();
    ScriptedSession session;
    MainWindow window(session, options("long-tail"));
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    SessionSettings mine = settings_of(window).committed();
    mine.alpha = 0.123;
    QVERIFY(settings_of(window).commit(mine, "alpha", {}));
    QSignalSpy reopened(&window, &MainWindow::reopenRequested);
    lessons_of(window).start(lessons[3].path);
    QVERIFY(!lessons_of(window).running());
    QCOMPARE(reopened.size(), 1);
    QCOMPARE(reopened[0][0].toString(), lessons[3].workload);
    const auto begin = reopened[0][1].value<WindowBeginning>();
    QCOMPARE(begin.lesson, lessons[3].path);
    QVERIFY(begin.back && begin.back->workload == "/samples/long-tail");
    QCOMPARE(begin.back->settings.alpha, 0.123);

    // The window that whoever made this one opens then.
    ScriptedSession second;
    WindowOptions next = options(lessons[3].workload);
    next.begin = begin;
    MainWindow taught(second, next);
    taught.show();
    QVERIFY(!lessons_of(taught).running());
    second.set_state(RunState::ready);
    QTRY_VERIFY(lessons_of(taught).running());
    QVERIFY(!tour_of(taught).running());
    QSignalSpy back(&taught, &MainWindow::reopenRequested);
    QTest::mouseClick(&lessons_of(taught).card().close_button(), Qt::LeftButton);
    QCOMPARE(back.size(), 1);
    QCOMPARE(back[0][0].toString(), QString("/samples/long-tail"));
    const auto given = back[0][1].value<WindowBeginning>();
    QVERIFY(given.lesson.isEmpty() && !given.back && given.settings);

    ScriptedSession third;
    WindowOptions last = options("long-tail");
    last.begin = given;
    MainWindow again(third, last);
    again.show();
    third.set_state(RunState::ready);
    QTRY_COMPARE(third.settings().alpha, 0.123);
    QVERIFY(!lessons_of(again).running());
  }

  void aLessonThatNamesWhatIsNotThereIsRefusedWithItsLine() {
    ScriptedSession session;
    MainWindow window(session, options("quickstart"));
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    const QString good =
        "lesson: T\norder: 1\nabout: a\nworkload: any\nlayout: Overview\nstep: S\n  w\nat: controls / Alpha\ndo: "
        "lowest\n"
        "question: q\n  w\nat: tiers\nanswer: a\n  no\nright: b\n  yes\n";
    QTemporaryDir folder;
    const auto refusal = [&](const QString& from, const QString& to) {
      const QString path = folder.filePath("t.lesson");
      QFile file(path);
      if (!file.open(QIODevice::WriteOnly)) return QString();
      file.write(QString(good).replace(from, to).toUtf8());
      file.close();
      QSignalSpy refused(&lessons_of(window), &Lessons::refused);
      lessons_of(window).start(path);
      return refused.isEmpty() ? QString() : refused[0][0].toString();
    };
    const SessionSettings before = settings_of(window).committed();
    QVERIFY(refusal("controls / Alpha", "controls / Beta").contains("t.lesson:8: "));
    QVERIFY(refusal("at: tiers", "at: barrels").contains("t.lesson:12: "));
    QVERIFY(refusal("Overview", "Oversight").contains("t.lesson:5: "));
    QVERIFY(refusal("do: lowest", "do: press").contains("t.lesson:9: "));
    QVERIFY(refusal("layout: Overview\n", "layout: Overview\nset: alpha = -3\n").contains("t.lesson:6: "));
    QCOMPARE(settings_of(window).committed(), before);
    QVERIFY(!lessons_of(window).running());
    QVERIFY2(refusal("Overview", "Serving").isEmpty(), "the unbroken one begins");
    QVERIFY(lessons_of(window).running());
  }

  void otherThingsAreNotTheStep() {
    const Lesson lesson = shipped()[1];
    Opened opened = this->opened(lesson);
    MainWindow& window = *opened.window;
    QTRY_VERIFY(!shows_start_page(window));
    lessons_of(window).start(lesson.path);
    QTest::mouseClick(&lessons_of(window).card().next(), Qt::LeftButton);
    QCOMPARE(lessons_of(window).step(), 1);  // alpha to its left end
    QSlider& alpha = controls_of(window).alpha().slider();
    const int begun_at = alpha.value();
    lessons_of(window).card().show_me().click();  // before the prediction is committed: nothing
    QCOMPARE(alpha.value(), begun_at);
    commit_prediction(window, lesson.steps[1]);
    if (QTest::currentTestFailed()) return;
    alpha.setSliderDown(true);
    alpha.setValue(alpha.minimum());
    opened.scripted->serve(25);  // while it is still held
    test::settle(200);
    alpha.setValue(LogSlider::steps / 2);
    alpha.setSliderDown(false);
    opened.scripted->serve(25);
    test::settle(Walkthrough::pause_ms + 300);
    QVERIFY(!lessons_of(window).card().says_done());  // neither its end nor answers before it count
    lessons_of(window).card().show_me().click();
    opened.scripted->serve(25);
    QTRY_VERIFY(lessons_of(window).card().says_done());
    test::settle(Walkthrough::pause_ms + 300);
    QCOMPARE(lessons_of(window).step(), 1);  // its result is to be read
    lessons_of(window).card().next().click();
    QCOMPARE(lessons_of(window).step(), 2);
  }

  void helpPaletteAndStartPageOfferThem() {
    ScriptedSession session;
    MainWindow window(session, options("quickstart"));
    window.show();
    QVERIFY(shows_start_page(window));
    const std::vector<Lesson> lessons = shipped();
    auto* start = window.findChild<StartPage*>()->findChild<QToolButton*>("startLessons");
    QVERIFY(start && start->isVisible());
    QCOMPARE(start->menu()->actions().size(), static_cast<qsizetype>(lessons.size()));
    start->menu()->actions()[1]->trigger();
    QVERIFY(!lessons_of(window).running());
    session.set_state(RunState::ready);
    QTRY_VERIFY(lessons_of(window).running());
    QCOMPARE(lessons_of(window).lesson()->title, lessons[1].title);
    palette_of(window).open_fresh();
    int offered = 0;
    for (const PaletteEntry& entry : palette_of(window).model().all())
      for (const Lesson& lesson : lessons) offered += entry.title == lesson.title && entry.place.contains("Lessons");
    QCOMPARE(offered, static_cast<int>(lessons.size()));
    palette_of(window).reject();
    for (QAction* action : window.actions())
      if (action->text() == lessons[2].title) action->trigger();  // from one to the next
    QTRY_COMPARE(lessons_of(window).lesson()->title, lessons[2].title);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  qRegisterMetaType<WindowBeginning>();
  LessonsTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace lessons_test

#include "lessons_test.moc"
