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
    made.window = std::make_unique<MainWindow>(made.session(), options(lesson.workload));
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
    for (auto& [id, dock] : window.docks().all()) {
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
    TourCard& card = window.lessons().card();
    QVERIFY(card.isVisible() && !card.text().isEmpty());
    QVERIFY2(!card.text().contains('{'), qPrintable(card.text()));
    QVERIFY2(card.target() && card.target() == stage.framed(step.target), qPrintable(step.title));
    QVERIFY2(card.target()->isVisible(), qPrintable(step.title));
    if (step.target.dock == "controls") {  // what it changes is seen on the curve
      test::settle(50);
      const auto rect_of = [&window](const QWidget& widget) {
        return QRect(widget.mapTo(&window, QPoint(0, 0)), widget.size());
      };
      const QRect chart = rect_of(window.frontier()), hidden = rect_of(card) & chart;
      QVERIFY2(hidden.width() * hidden.height() * 10 < chart.width() * chart.height(), qPrintable(step.title));
    }
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
    QTRY_VERIFY(!window.showing_start_page());
    QTRY_VERIFY(!window.run().frontier.curves().empty());
    QTRY_VERIFY(window.body<PoolDock>("pool")->model().size() > 0);
    window.dock("events")->hide();  // an arrangement of one's own
    window.addDockWidget(Qt::LeftDockWidgetArea, window.dock("hitRates"));
    const auto docks_before = shown_docks(window);
    const SessionSettings settings_before = window.settings().committed();
    QSignalSpy refused(&window.lessons(), &Lessons::refused), reopened(&window, &MainWindow::reopenRequested);

    window.lessons().start(lesson.path);
    QVERIFY2(refused.isEmpty(), qPrintable(refused.isEmpty() ? QString() : refused[0][0].toString()));
    QVERIFY(window.lessons().running());
    QCOMPARE(window.lessons().count(), static_cast<int>(lesson.steps.size()));
    TourCard& card = window.lessons().card();
    LessonStage stage(window);
    int acts = 0;
    for (int at = 0; at < window.lessons().count(); ++at) {
      const LessonStep& step = lesson.steps[static_cast<std::size_t>(at)];
      QCOMPARE(window.lessons().step(), at);
      check_card(window, stage, step);
      if (QTest::currentTestFailed()) return;
      if (!step.answers.empty()) break;
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
        QCOMPARE(window.lessons().step(), at);  // it waits for the learner
        QTest::mouseClick(&card.show_me(), Qt::LeftButton);
        ++acts;
        if (step.act.kind != LessonAct::Kind::press && step.act.kind != LessonAct::Kind::change && !step.events)
          QVERIFY2(stage.is_done(step), qPrintable(step.title));
      }
      QElapsedTimer waited;
      waited.start();
      while (window.lessons().step() == at && waited.elapsed() < 20'000) {
        if (step.events && !card.says_done()) emit_event(opened, step.event);
        test::settle(opened.scripted ? 15 : 60);
      }
      QVERIFY2(window.lessons().step() == at + 1, qPrintable(step.title));
    }
    QVERIFY(acts > 0);

    answer(card, lesson.steps.back().answers);
    if (QTest::currentTestFailed()) return;
    QVERIFY(window.lessons().running());
    QTest::mouseClick(&card.next(), Qt::LeftButton);
    QVERIFY(!window.lessons().running() && card.isHidden());
    QTRY_COMPARE(window.settings().committed(), settings_before);
    QTRY_COMPARE(opened.session().settings(), settings_before);
    QCOMPARE(shown_docks(window), docks_before);
    QVERIFY(!window.findChild<FrontierPage*>()->explain_button().isChecked());
    QVERIFY(reopened.isEmpty());  // it was begun on its own workload
  }

  void leavingInTheMiddleGivesBackLayoutSettingsAndWhatIsKept() {
    const Lesson lesson = shipped()[1];
    Opened opened = this->opened(lesson);
    MainWindow& window = *opened.window;
    QTRY_VERIFY(!window.showing_start_page());
    window.dock("tiers")->hide();
    test::settle(LayoutKeeper::delay_ms + 150);
    const QString file = window.options().settings_file;
    const QVariant kept = QSettings(file, QSettings::IniFormat).value("window/state");
    QVERIFY(kept.isValid());
    const SessionSettings before = window.settings().committed();
    window.lessons().start(lesson.path);
    QVERIFY(window.settings().committed() != before);
    QVERIFY(!window.dock("hitRates")->isHidden());
    test::settle(LayoutKeeper::delay_ms + 150);
    QCOMPARE(QSettings(file, QSettings::IniFormat).value("window/state"), kept);  // a kill now would begin as it was
    QTest::mouseClick(&window.lessons().card().close_button(), Qt::LeftButton);
    QCOMPARE(window.settings().committed(), before);
    QVERIFY(window.dock("tiers")->isHidden());
    window.dock("contexts")->hide();
    test::settle(LayoutKeeper::delay_ms + 150);
    QVERIFY(QSettings(file, QSettings::IniFormat).value("window/state") != kept);  // and it is kept again
  }

  void anotherWorkloadIsAskedForAndGivenBack() {
    const std::vector<Lesson> lessons = shipped();
    ScriptedSession session;
    MainWindow window(session, options("long-tail"));
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!window.showing_start_page());
    SessionSettings mine = window.settings().committed();
    mine.alpha = 0.123;
    QVERIFY(window.settings().commit(mine, "alpha", {}));
    QSignalSpy reopened(&window, &MainWindow::reopenRequested);
    window.lessons().start(lessons[3].path);
    QVERIFY(!window.lessons().running());
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
    QVERIFY(!taught.lessons().running());
    second.set_state(RunState::ready);
    QTRY_VERIFY(taught.lessons().running());
    QVERIFY(!taught.tour().running());
    QSignalSpy back(&taught, &MainWindow::reopenRequested);
    QTest::mouseClick(&taught.lessons().card().close_button(), Qt::LeftButton);
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
    QVERIFY(!again.lessons().running());
  }

  void aLessonThatNamesWhatIsNotThereIsRefusedWithItsLine() {
    ScriptedSession session;
    MainWindow window(session, options("quickstart"));
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!window.showing_start_page());
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
      QSignalSpy refused(&window.lessons(), &Lessons::refused);
      window.lessons().start(path);
      return refused.isEmpty() ? QString() : refused[0][0].toString();
    };
    const SessionSettings before = window.settings().committed();
    QVERIFY(refusal("controls / Alpha", "controls / Beta").contains("t.lesson:8: "));
    QVERIFY(refusal("at: tiers", "at: barrels").contains("t.lesson:12: "));
    QVERIFY(refusal("Overview", "Oversight").contains("t.lesson:5: "));
    QVERIFY(refusal("do: lowest", "do: press").contains("t.lesson:9: "));
    QVERIFY(refusal("layout: Overview\n", "layout: Overview\nset: alpha = -3\n").contains("t.lesson:6: "));
    QCOMPARE(window.settings().committed(), before);
    QVERIFY(!window.lessons().running());
    QVERIFY2(refusal("Overview", "Serving").isEmpty(), "the unbroken one begins");
    QVERIFY(window.lessons().running());
  }

  void otherThingsAreNotTheStep() {
    const Lesson lesson = shipped()[1];
    Opened opened = this->opened(lesson);
    MainWindow& window = *opened.window;
    QTRY_VERIFY(!window.showing_start_page());
    window.lessons().start(lesson.path);
    QTest::mouseClick(&window.lessons().card().next(), Qt::LeftButton);
    QCOMPARE(window.lessons().step(), 1);  // alpha to its left end
    QSlider& alpha = window.controls().alpha().slider();
    alpha.setSliderDown(true);
    alpha.setValue(alpha.minimum());
    opened.scripted->serve(25);  // while it is still held
    test::settle(200);
    alpha.setValue(LogSlider::steps / 2);
    alpha.setSliderDown(false);
    opened.scripted->serve(25);
    test::settle(Walkthrough::pause_ms + 300);
    QCOMPARE(window.lessons().step(), 1);  // neither its end nor answers before it count
    window.lessons().card().show_me().click();
    opened.scripted->serve(25);
    QTRY_COMPARE(window.lessons().step(), 2);
  }

  void helpPaletteAndStartPageOfferThem() {
    ScriptedSession session;
    MainWindow window(session, options("quickstart"));
    window.show();
    QVERIFY(window.showing_start_page());
    const std::vector<Lesson> lessons = shipped();
    auto* start = window.findChild<StartPage*>()->findChild<QToolButton*>("startLessons");
    QVERIFY(start && start->isVisible());
    QCOMPARE(start->menu()->actions().size(), static_cast<qsizetype>(lessons.size()));
    start->menu()->actions()[1]->trigger();
    QVERIFY(!window.lessons().running());
    session.set_state(RunState::ready);
    QTRY_VERIFY(window.lessons().running());
    QCOMPARE(window.lessons().lesson()->title, lessons[1].title);
    window.palette().open_fresh();
    int offered = 0;
    for (const PaletteEntry& entry : window.palette().model().all())
      for (const Lesson& lesson : lessons) offered += entry.title == lesson.title && entry.place.contains("Lessons");
    QCOMPARE(offered, static_cast<int>(lessons.size()));
    window.palette().reject();
    for (QAction* action : window.actions())
      if (action->text() == lessons[2].title) action->trigger();  // from one to the next
    QTRY_COMPARE(window.lessons().lesson()->title, lessons[2].title);
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
