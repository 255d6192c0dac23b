// links: kv_ui kv_window_program
// The main job of each mode, done with keys alone, over scripted sessions: Tab leads to every control that it needs.
#include <QApplication>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>
#include <memory>

#include "app/figure_thread.h"
#include "tests/support/own_time.h"
#include "tests/support/test_program.h"
#include "tests/ui/stranger/key_person.h"
#include "tests/ui/window/filled_window.h"
#include "ui/experiments/experiments_page.h"
#include "ui/tokens/token_map.h"

namespace keys_only_test {

using namespace kvantage;
using namespace kvantage::test;

class KeysOnlyTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  static QByteArray bytes_of(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private slots:
  void cleanup() {
    close_popups();
    while (QWidget* dialog = QApplication::activeModalWidget()) {
      dialog->close();
      QTest::qWait(10);
    }
  }

  // Whoever cannot get somewhere says where Tab leads to instead.
  void thePersonSaysWhereTabLeads() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto *first = new QPushButton("&First"), *skipped = new QPushButton("Skipped"), *last = new QPushButton("Last");
    skipped->setFocusPolicy(Qt::ClickFocus);
    for (QPushButton* button : {first, skipped, last}) column->addWidget(button);
    window.show();
    QSignalSpy pressed(last, &QPushButton::clicked);
    KeyPerson able(window), stuck(window);
    able.press("Last");
    QCOMPARE(able.trouble(), QString());
    QCOMPARE(pressed.count(), 1);
    stuck.press("Skipped");
    stuck.press("Last");
    QVERIFY2(stuck.trouble().contains("Tab does not lead to 'Skipped'"), qPrintable(stuck.trouble()));
    QCOMPARE(pressed.count(), 1);  // nothing is done by whoever is stuck
  }

  void liveTheMarkerFollowsAlpha() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    const FrontierModel& frontier = run_of(*window).frontier;
    KeyPerson person(*window);
    person.key(Qt::Key_1, Qt::ControlModifier);
    person.go_to("Alpha", "Controls");
    const double before = session.settings().alpha;
    person.key(Qt::Key_Home);
    KV_WENT_WELL(person);
    QTRY_VERIFY(session.settings().alpha < before);
    const double low = session.settings().alpha;
    QTRY_VERIFY(frontier.present().has_value());
    const auto place = frontier_of(*window).present_position();
    person.key(Qt::Key_End);
    KV_WENT_WELL(person);
    QTRY_VERIFY(session.settings().alpha > low);
    QTRY_VERIFY(frontier_of(*window).present_position() != place);
  }

  void askAQuestionIsAnsweredByColumns() {
    ScriptedSession session;
    ScriptedInspector inspector(400);
    ScriptedAsker asker;
    auto window = scripted_.loaded(session, filled_options(scripted_, folder_, inspector, asker));
    KeyPerson person(*window);
    person.key(Qt::Key_2, Qt::ControlModifier);
    person.choose("Method of column 2", "keydiff", "Ask");
    person.fill("Question", "What is the badge of Ada?", "Ask");
    person.key(Qt::Key_Return);
    KV_WENT_WELL(person);
    QTRY_COMPARE(asker.requests.size(), std::size_t{1});
    QCOMPARE(asker.requests.front().question, std::string("What is the badge of Ada?"));
    QCOMPARE(asker.requests.front().columns[1].method, std::string("keydiff"));
    asker.show(asker.answer(true));
    person.wait_for("the answers", [&] {
      return person.eyes().read("State of the question", "Ask").startsWith("Answered. Compute time:");
    });
    person.go_to("Answer of column 1", "Ask");
    KV_WENT_WELL(person);
    QVERIFY(person.eyes().read("Answer of column 1", "Ask").contains("12"));
  }

  void tokensATokenShowsWhereItIsKept() {
    ScriptedSession session;
    ScriptedInspector inspector;
    WindowOptions options = scripted_.options();
    options.inspector = &inspector;
    auto window = scripted_.loaded(session, options);
    KeyPerson person(*window);
    person.key(Qt::Key_3, Qt::ControlModifier);
    person.choose("Context", "meeting-1", "Tokens");
    auto* dock = window->body<KeepMapDock>("tokens");
    person.wait_for("the tokens", [&] { return dock->model().complete() && dock->map(0).token_count() == 12; });
    person.go_to("Kept tokens", "Tokens");
    person.key(Qt::Key_Right);
    person.key(Qt::Key_Right);
    KV_WENT_WELL(person);
    const QString said = dock->map(0).accessibleDescription();
    QVERIFY2(said.contains("brass") && said.contains("kept in"), qPrintable(said));
  }

  void experimentsCellsAreMeasuredAndTheirFigureExported() {
    ScriptedSession session;
    ScriptedInspector inspector(400);
    ScriptedAsker asker;
    const WindowOptions options = filled_options(scripted_, folder_, inspector, asker);
    auto window = scripted_.loaded(session, options);
    const auto host = std::dynamic_pointer_cast<ScriptedExperiments>(options.experiments);
    KeyPerson person(*window);
    person.key(Qt::Key_4, Qt::ControlModifier);
    auto* page = window->body<ExperimentsPage>("experiments");
    person.wait_for("the list", [&] { return !page->model().loading(); });
    person.fill("Name", "Three cells", "Experiments");
    person.fill("Policies", "lru, evicpress", "Experiments");
    person.fill("α", "1, 10", "Experiments");
    person.fill("Seeds", "0", "Experiments");
    KV_WENT_WELL(person);
    QVERIFY2(person.eyes().read("Cells and time", "Experiments").startsWith("3 cell"),
             qPrintable(person.eyes().read("Cells and time", "Experiments")));
    person.press("Start", "Experiments");
    KV_WENT_WELL(person);
    QTRY_COMPARE(host->started.size(), 1);
    for (int cell = 0; cell < 3; ++cell) host->serve(0.1 * (cell + 1), 0.7);
    host->end();
    person.wait_for("three cells", [&] { return page->results().table().model()->rowCount() == 3; });
    const QString file = folder_.filePath("experiment.svg");
    person.through_dialog(
        [&] {
          person.choose_in_menu("Export", {"Plot for a paper", "SVG, one column (85 mm)…"}, "Experiments");
        },
        [&] { person.give_path(file); });
    person.wait_for("the file", [&] { return QFile::exists(file); });
    KV_WENT_WELL(person);
    QVERIFY2(bytes_of(file).contains("width=\"85mm\""), bytes_of(file).left(300).constData());
  }

  void runsTwoAreComparedAndOneIsReplayed() {
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["a"] = scripted_run("a", 6, 20, 1, "lru");
    library->runs["b"] = scripted_run("b", 6, 20, 1);
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.runs = library;
    auto window = scripted_.loaded(session, options);
    KeyPerson person(*window);
    person.key(Qt::Key_5, Qt::ControlModifier);
    person.wait_for("both runs", [&] { return person.eyes().rows("Saved runs", "Runs").size() == 2; });
    person.choose_row("Saved runs", "lru", "Runs");
    RunsDock& runs = *window->body<RunsDock>("runs");
    person.key(Qt::Key_Down, Qt::ShiftModifier);
    if (runs.chosen().size() < 2) person.key(Qt::Key_Up, Qt::ShiftModifier);  // it was the last
    QCOMPARE(runs.chosen().size(), 2);
    person.press("Compare", "Runs");
    person.wait_for("the comparison", [&] { return runs.comparison().sides() == 2; });
    person.go_to("Differences between runs", "Runs");
    person.key(Qt::Key_Down);
    const QString file = folder_.filePath("comparison.csv");
    person.through_dialog(
        [&] { person.choose_in_menu("Save the comparison as CSV, LaTeX or pgfplots", {"CSV…"}, "Runs"); },
        [&] { person.give_path(file); });
    person.wait_for("the file", [&] { return QFile::exists(file); });
    KV_WENT_WELL(person);
    QVERIFY(bytes_of(file).contains("setting,policy,"));

    person.press("Back to the list of runs", "Runs");
    person.choose_row("Saved runs", "lru", "Runs");
    person.press("Replay", "Runs");
    const ReplayController& replay = replay_of(*window);
    person.wait_for("the replay", [&] { return replay.active(); });
    KV_WENT_WELL(person);
    QCOMPARE(replay.run_id(), QString("a"));
    const std::size_t before = replay.moment();
    person.press("Next event", "Replay");
    KV_WENT_WELL(person);
    QTRY_COMPARE(replay.moment(), before + 1);
    person.press("Back to live", "Replay");
    KV_WENT_WELL(person);
    QTRY_VERIFY(!replay.active());
  }

  void papersAFigureIsReproducedAndItsPictureExported() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.figures =
        std::make_shared<FigureThread>(FigureThread::Setup{{}, folder_.filePath("runs.db"), folder_.filePath("store")});
    options.figure_results = folder_.filePath("figures");
    auto window = scripted_.loaded(session, options);
    KeyPerson person(*window, 60'000);
    person.key(Qt::Key_6, Qt::ControlModifier);
    person.choose_row("Paper figures", "the arithmetic of section 4.2", "Papers");
    person.press("Start", "Papers");
    person.wait_for("the result",
                    [&] { return figures_of(*window).results().newest("evicpress/examples") != nullptr; });
    test::settle(300);  // the page turns to the result in its own time
    person.choose_tab("Tables of the result", "TTFT on 2wikimQA: the line through the printed 0.24 and 0.20 s",
                      "Papers");
    const QString path = folder_.filePath("line.svg");
    person.through_dialog(
        [&] {
          person.choose_in_menu("Export", {"Plot for a paper", "SVG, one column (85 mm)…"}, "Papers");
        },
        [&] { person.give_path(path); });
    person.wait_for("the picture", [&] { return QFile::exists(path); });
    KV_WENT_WELL(person);
    QVERIFY2(bytes_of(path).contains("width=\"85mm\""), bytes_of(path).left(400).constData());
  }

  void learnALessonIsGoneThrough() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.lessons_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons");
    options.help_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/docs");
    options.workload_path = "/samples/quickstart";
    auto window = scripted_.loaded(session, options);
    KeyPerson person(*window);
    person.key(Qt::Key_7, Qt::ControlModifier);
    person.press("Both ends of α", "Learn");
    const Lessons& lessons = lessons_of(*window);
    person.wait_for("the first step", [&] { return lessons.running() && lessons.step() == 0; });
    person.press("Next step");
    person.wait_for("the second step", [&] { return lessons.step() == 1; });
    person.press("Leave lesson");
    KV_WENT_WELL(person);
    QTRY_VERIFY(!lessons.running());
  }

  void welcomeASampleIsOpened() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.check_workload = [](const QString&) { return QString(); };
    options.samples = {{"quickstart", "/samples/quickstart", "Start here."}, {"mine", "/samples/mine", "Another."}};
    auto window = scripted_.loaded(session, options);
    QSignalSpy opened(window.get(), &MainWindow::openRequested);
    KeyPerson person(*window);
    person.key(Qt::Key_8, Qt::ControlModifier);
    person.through_dialog([&] { person.press("mine", "Welcome"); }, [&] { person.key(Qt::Key_Return); });
    KV_WENT_WELL(person);
    QTRY_COMPARE(opened.count(), 1);
    QCOMPARE(opened.front().front().toString(), QString("/samples/mine"));
  }

  void modelsOneShowsItsFacts() {
    auto catalog = std::make_shared<ScriptedCatalog>();
    catalog->put(small_facts("/m/default", "default model"));
    catalog->put(qwen_facts("/m/other", "other"));
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.model_catalog = catalog;
    options.shipped_models = {{"default model", "/m/default", "ships"}, {"other", "/m/other", "ships"}};
    options.model_path = QString();
    auto window = scripted_.loaded(session, options);
    KeyPerson person(*window);
    person.key(Qt::Key_9, Qt::ControlModifier);
    person.choose_row("Models", "other", "Models");
    person.wait_for("facts of the other one",
                    [&] { return person.eyes().read("Whether the model fits", "Models").startsWith("Fits: needs "); });
    person.go_to("Facts of the model", "Models");
    KV_WENT_WELL(person);
    QVERIFY(!person.eyes().rows("Facts of the model", "Models").isEmpty());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  KeysOnlyTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace keys_only_test

#include "keys_only_test.moc"
