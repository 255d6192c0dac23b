// links: kv_ui kv_window_program
// The main job of each mode, done with mouse and keys as a person does it, over scripted sessions. Ask and Experiments
// are in stranger_live_test, on a real engine.
#include <QApplication>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/figure_thread.h"
#include "tests/support/own_time.h"
#include "tests/support/test_program.h"
#include "tests/ui/ask/scripted_inspector.h"
#include "tests/ui/model_library/scripted_catalog.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/stranger/person.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/tokens/keep_map_dock.h"

namespace stranger_modes_test {

using namespace kvantage;
using namespace kvantage::test;

class StrangerModesTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

 private slots:
  // Whoever cannot find or reach something is told what is there instead.
  void thePersonSaysWhatIsThere() {
    QWidget window;
    window.setAccessibleName("Room");
    auto* open = new QPushButton("&Open", &window);
    auto* hidden = new QPushButton("Close", &window);
    auto* cover = new QWidget(&window);
    auto* far = new QPushButton("Far", &window);
    auto* off = new QPushButton("Off", &window);
    open->setGeometry(10, 10, 100, 30);
    hidden->setGeometry(10, 60, 100, 30);
    cover->setGeometry(0, 50, 200, 60);
    cover->setAccessibleName("Cloth");
    far->setGeometry(2000, 10, 100, 30);
    off->setGeometry(10, 150, 100, 30);
    off->setEnabled(false);
    off->setToolTip("No power");
    window.show();
    QSignalSpy opened(open, &QPushButton::clicked);
    constexpr int short_ms = 100;
    const auto trouble = [&window](const char* name, const QString& part = {}) {
      Person person(window, short_ms);
      person.press(name, part);
      person.press("Open");
      return person.trouble();
    };
    QCOMPARE(trouble("Ask"), QString("act 1: no control named 'Ask' is visible; visible: Open, Off"));
    QCOMPARE(trouble("Close"), QString("act 1: 'Close' is covered by 'Cloth'"));
    QCOMPARE(trouble("Far"), QString("act 1: 'Far' is outside the window"));
    QCOMPARE(trouble("Off"), QString("act 1: 'Off' is disabled: No power"));
    QVERIFY(trouble("Open", "Hall").startsWith("act 1: no control named 'Open' is visible in 'Hall'; visible: "));
    QCOMPARE(opened.count(), 0);  // nothing is done by whoever is stuck
    QCOMPARE(trouble("Open", "Room"), QString());
    QCOMPARE(opened.count(), 2);
  }

  void liveTheMarkerFollowsAlpha() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    const FrontierModel& frontier = run_of(*window).frontier;
    const double before = session.settings().alpha;
    Person person(*window);
    person.drag("Alpha", 0.04, "Controls");
    KV_WENT_WELL(person);
    QTRY_VERIFY(session.settings().alpha != before);
    const double low = session.settings().alpha;
    QTRY_VERIFY(frontier.present().has_value());
    const auto fast = frontier.present();
    const auto place = frontier_of(*window).present_position();
    person.drag("Alpha", 0.96, "Controls");
    KV_WENT_WELL(person);
    QTRY_VERIFY(session.settings().alpha > low);
    QTRY_VERIFY(frontier.present().has_value() && frontier.present()->quality > fast->quality);
    QVERIFY(frontier.present()->ttft_seconds > fast->ttft_seconds);
    QTRY_VERIFY(frontier_of(*window).present_position() != place);
  }

  void tokensATokenShowsWhereItIsKept() {
    ScriptedSession session;
    ScriptedInspector inspector;
    WindowOptions options = scripted_.options();
    options.inspector = &inspector;
    auto window = scripted_.loaded(session, options);
    Person person(*window);
    person.press("Tokens", "Modes");
    person.choose("Context", "meeting-1", "Tokens");
    auto* dock = window->body<KeepMapDock>("tokens");
    person.wait_for("the tokens", [&] { return dock->model().complete() && dock->map(0).token_count() == 12; });
    KV_WENT_WELL(person);
    QCOMPARE(inspector.requests.back().context, std::string("meeting-1"));
    const QString tip = person.hover("Kept tokens", dock->map(0).box(1).center(), "Tokens");
    KV_WENT_WELL(person);
    QVERIFY2(tip.contains("brass") && tip.contains("kept in"), qPrintable(tip));
  }

  // The cheapest figure that has a plot, made for real: it is arithmetic.
  void papersAFigureIsReproducedAndItsPictureExported() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.figures =
        std::make_shared<FigureThread>(FigureThread::Setup{{}, folder_.filePath("runs.db"), folder_.filePath("store")});
    options.figure_results = folder_.filePath("figures");
    auto window = scripted_.loaded(session, options);
    Person person(*window, 60'000);
    person.press("Papers", "Modes");
    person.press_row("Paper figures", "the arithmetic of section 4.2", Qt::NoModifier, "Papers");
    person.press("Start", "Papers");
    person.wait_for("the result",
                    [&] { return figures_of(*window).results().newest("evicpress/examples") != nullptr; });
    test::settle(300);  // the page turns to the result in its own time
    person.press("TTFT on 2wikimQA: the line through the printed 0.24 and 0.20 s", "Papers", ControlKind::tab);
    const QString path = folder_.filePath("line.svg");
    person.through_dialog(
        [&] {
          person.choose_in_menu("Export", {"Plot for a paper", "SVG, one column (85 mm)…"}, "Papers");
        },
        [&] { person.give_path(path); });
    person.wait_for("the picture", [&] { return QFile::exists(path); });
    KV_WENT_WELL(person);
    QVERIFY(figures_of(*window).results().newest("evicpress/examples")->result.tables.size() > 1);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray svg = file.readAll();
    QVERIFY2(svg.contains("width=\"85mm\""), svg.left(400).constData());
  }

  void learnALessonBegins() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.lessons_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons");
    options.workload_path = "/samples/quickstart";
    auto window = scripted_.loaded(session, options);
    Person person(*window);
    person.press("Learn", "Modes");
    person.press("Both ends of α", "Learn");
    const Lessons& lessons = lessons_of(*window);
    person.wait_for("the first step", [&] { return lessons.running() && lessons.step() == 0; });
    person.wait_for("its card", [&] { return person.count_texts("One number sets the value of quality") == 1; });
    person.press("Next step");
    person.wait_for("the second step",
                    [&] { return person.count_texts("How good are answers when quality is worth nothing?") == 1; });
    KV_WENT_WELL(person);
    QCOMPARE(lessons.step(), 1);
    QVERIFY(lessons.lesson() != nullptr && lessons.lesson()->path.endsWith("alpha.lesson"));
    person.press("Leave lesson");
    KV_WENT_WELL(person);
    QTRY_VERIFY(!lessons.running());
  }

  void runsOneIsFoundAndReplayed() {
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["a"] = scripted_run("a", 6, 20, 1, "lru");
    library->runs["b"] = scripted_run("b", 6, 20, 1);
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.runs = library;
    auto window = scripted_.loaded(session, options);
    Person person(*window);
    person.press("Runs", "Modes");
    person.wait_for("both runs", [&] { return person.rows("Saved runs", "Runs").size() == 2; });
    person.fill("Filter runs", "lru", "Runs");
    person.wait_for("the run of lru", [&] { return person.rows("Saved runs", "Runs").size() == 1; });
    person.press_row("Saved runs", "lru", Qt::NoModifier, "Runs");
    person.press("Replay", "Runs");
    const ReplayController& replay = replay_of(*window);
    person.wait_for("the replay", [&] { return replay.active(); });
    KV_WENT_WELL(person);
    QCOMPARE(replay.run_id(), QString("a"));
    const std::size_t before = replay.moment();
    QVERIFY(before < replay.size());
    person.press("Next event", "Replay");
    KV_WENT_WELL(person);
    QTRY_COMPARE(replay.moment(), before + 1);
    const QString place = QStringLiteral("event %1 of %2").arg(before + 1).arg(replay.size());
    QTRY_COMPARE(person.count_texts(place, "Replay"), 1);
    person.press("Back to live", "Replay");
    KV_WENT_WELL(person);
    QTRY_VERIFY(!replay.active());
  }

  void modelsTheDefaultModelShowsItsFacts() {
    auto catalog = std::make_shared<ScriptedCatalog>();
    catalog->put(small_facts("/m/default", "default model"));
    catalog->put(qwen_facts("/m/other", "other"));
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.model_catalog = catalog;
    options.shipped_models = {{"default model", "/m/default", "ships"}, {"other", "/m/other", "ships"}};
    options.model_path = QString();
    auto window = scripted_.loaded(session, options);
    Person person(*window);
    const auto verdict = [&person] { return person.read("Whether the model fits", "Models"); };
    person.press("Models", "Modes");
    person.press_row("Models", "other", Qt::NoModifier, "Models");
    person.wait_for("facts of the other one", [&] { return verdict().startsWith("Fits: needs "); });
    person.press_row("Models", "default model", Qt::NoModifier, "Models");
    person.wait_for("facts of the default model", [&] { return verdict().startsWith("Loaded: needs "); });
    KV_WENT_WELL(person);
    const QStringList facts = person.rows("Facts of the model", "Models");
    QVERIFY2(!facts.filter("Architecture | Qwen2ForCausalLM").isEmpty(), qPrintable(facts.join('\n')));
    QVERIFY2(!facts.filter("Free memory | ").isEmpty(), qPrintable(facts.join('\n')));
  }

  void welcomeASampleIsOpened() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.check_workload = [](const QString&) { return QString(); };
    options.samples = {{"quickstart", "/samples/quickstart", "Start here."}, {"mine", "/samples/mine", "Another."}};
    auto window = scripted_.loaded(session, options);
    QSignalSpy opened(window.get(), &MainWindow::openRequested);
    Person person(*window);
    person.press("Welcome", "Modes");
    person.through_dialog([&] { person.press("mine", "Welcome"); }, [&] { person.press("Open"); });
    KV_WENT_WELL(person);
    QTRY_COMPARE(opened.count(), 1);
    QCOMPARE(opened.front().front().toString(), QString("/samples/mine"));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  StrangerModesTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace stranger_modes_test

#include "stranger_modes_test.moc"
