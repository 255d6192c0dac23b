// links: kv_ui app_wiring kv_window_program
// What a stranger to the program comes for, done with mouse and keys on a real engine: a text of their own asked with
// two methods, two runs compared, an experiment of twelve cells whose figure goes into a paper, and a scorer of their
// own from a file beside the methods that are there.
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>
#include <set>

#include "app/experiment_thread.h"
#include "core/base/json.h"
#include "tests/support/live_window.h"
#include "tests/support/machine_rest.h"
#include "tests/support/test_program.h"
#include "tests/ui/stranger/own_scorer.h"
#include "tests/ui/stranger/person.h"
#include "tests/ui/stranger/quick_start.h"
#include "tests/ui/window/file_drop.h"
#include "ui/text/words.h"

namespace stranger_live_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int patience_ms = 120'000;      // ends at once when the condition holds
constexpr int experiment_ms = 300'000;    // the same, for all cells
constexpr int measuring_ms = 300'000;     // the same, for a profile or a point under new settings
constexpr double plotted_seconds = 120;   // from the drop of a method to its point beside another's
constexpr std::size_t least_answers = 8;  // of a run that is compared
constexpr std::size_t cells = 12, seeds = 3;

const QByteArray own_text =
    "The lighthouse of Skarholm was built in 1871 on a rock north of the harbor. Its keeper, Ada Holt, climbs the "
    "stairs twice a night. The spare lantern is kept in the oil room below the stairs. The keeper sleeps in the room "
    "above the boat house, as the tower is too damp in winter. On Sundays the mail boat brings bread, lamp oil and "
    "letters from the town of Aldersund. The fog bell was cast in 1880 and weighs nine hundred pounds.";

QByteArray bytes_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class StrangerLiveTest : public QObject {
  Q_OBJECT
  // In the order in which they must outlive each other.
  QTemporaryDir folder_;
  CollectingSink sink_;
  LiveSession session_;
  std::shared_ptr<RunLibrary> library_;
  std::unique_ptr<MainWindow> window_;

  Engine& engine() { return *session_.engine; }
  QString path(const QString& name) const { return folder_.filePath(name); }

  /// Experiments open sessions as the live one was opened.
  std::shared_ptr<ExperimentHost> experiments(const SessionOptions& options) const {
    SweepPlan base;
    base.workload = options.workload.string();
    base.model = options.model.string();
    base.tiers = options.tiers;
    base.methods = options.methods;
    base.removed_fractions = options.removed_fractions;
    return std::make_shared<ExperimentThread>(
        ExperimentThread::Setup{base, session_.database, path("stores").toStdString(), {}, 100});
  }

  /// Serves under this policy until there are answers enough, and stops; the run's id.
  QString serve(Person& person, const QString& policy) {
    person.press("Live", "Modes");
    person.choose("Policy", policy, "Controls");
    person.wait_for("the policy", [&] { return to_q(engine().settings().policy) == policy; });
    const std::size_t before = sink_.records().size();
    person.press("Start");
    person.wait_for("answers", [&] { return sink_.records().size() >= before + least_answers; });
    person.press("Stop");
    person.wait_for("the end of the run", [&] {
      return run_of(*window_).state() == RunState::finished || run_of(*window_).state() == RunState::ready;
    });
    return to_q(engine().info().run_id);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const std::filesystem::path folder = folder_.path().toStdString();
    const LiveWindow::Options live{.tiers = {"dram=512KiB", "ssd=2MiB,bandwidth=80MB/s,latency=1ms"}};
    auto session = LiveWindow::open_engine(folder, mixed_workload({"registry", "meeting"}, 2, 300, 3), live, {&sink_});
    QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
    session_ = std::move(*session);
    auto library = open_run_library(session_.database, machine_clock());
    QVERIFY2(library.has_value(), library ? "" : library.error().message.c_str());
    library_ = std::move(*library);
    WindowOptions options;
    options.settings_file = path("window.ini");
    options.runs = library_;
    options.inspector = session_.engine.get();
    options.asker = session_.engine.get();
    options.experiments = experiments(LiveWindow::session_options(folder, live));
    options.experiments_folder = path("experiments");
    window_ = std::make_unique<MainWindow>(engine(), options);
    window_->show();
    QTRY_VERIFY_WITH_TIMEOUT(run_of(*window_).state() == RunState::ready, patience_ms);
    QTRY_COMPARE_WITH_TIMEOUT(run_of(*window_).contexts.rowCount(), 4, patience_ms);
  }
  // Whoever is stuck leaves dialogs open.
  void cleanup() {
    close_popups();
    while (QWidget* dialog = QApplication::activeModalWidget()) {
      dialog->close();
      QTest::qWait(10);
    }
  }
  void cleanupTestCase() { window_.reset(); }

  void ownTextIsAskedWithTwoMethods() {
    QFile file(path("lighthouse.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(own_text) == own_text.size());
    file.close();
    Person person(*window_, patience_ms);
    person.press("Ask", "Modes");
    person.through_dialog([&] { person.press("Open file…", "Ask"); }, [&] { person.give_path(file.fileName()); });
    person.wait_for("the text", [&] { return person.read("Your own text", "Ask").contains("spare lantern"); });
    person.press("Remove column 4", "Ask");
    person.press("Remove column 3", "Ask");
    person.choose("Method of column 1", "streaming_llm", "Ask");
    person.fill("Removed share of column 1", "50", "Ask");
    person.choose("Method of column 2", "keydiff", "Ask");
    person.fill("Question", "Where does the keeper sleep?", "Ask");
    person.press("Ask", "Ask");
    person.wait_for("both answers",
                    [&] { return person.read("State of the question", "Ask").startsWith("Answered. Compute time:"); });
    KV_WENT_WELL(person);

    QCOMPARE(person.count_texts("TTFT ", "Ask"), 2);
    for (const char* answer : {"Answer of column 1", "Answer of column 2"})
      QVERIFY2(!person.read(answer, "Ask").trimmed().isEmpty(), answer);
    const auto asked = engine().asked();
    QVERIFY(asked && asked->complete);
    QVERIFY2(asked->error.empty(), asked->error.c_str());
    QVERIFY(asked->request->context.empty() && asked->request->text == own_text.toStdString());
    QCOMPARE(asked->answers.size(), std::size_t{2});
    QCOMPARE(asked->request->columns[0].method, std::string("streaming_llm"));
    QCOMPARE(asked->request->columns[0].removed_fraction, 0.5);
    QCOMPARE(asked->request->columns[1].method, std::string("keydiff"));
    for (const AskAnswer& answer : asked->answers) QVERIFY(answer.ttft_seconds > 0);
  }

  // Before the experiment, whose runs are in the list, too.
  void twoRunsAreCompared() {
    Person person(*window_, patience_ms);
    const QString first = serve(person, "lru"), second = serve(person, "lfu");
    person.press("Runs", "Modes");
    person.press_row("Saved runs", "lru", Qt::NoModifier, "Runs");
    person.press_row("Saved runs", "lfu", Qt::ControlModifier, "Runs");
    person.press("Compare", "Runs");
    person.wait_for("the comparison",
                    [&] { return person.read("Compared run", "Runs", ControlKind::choice).contains("lfu"); });
    const QString file = path("comparison.csv");
    person.through_dialog([&] { person.choose_in_menu("Export", {"CSV…"}, "Runs"); }, [&] { person.give_path(file); });
    person.wait_for("the file", [&] { return QFile::exists(file); });
    KV_WENT_WELL(person);

    QVERIFY(!first.isEmpty() && !second.isEmpty() && first != second);
    QVERIFY2(person.read("Baseline", "Runs", ControlKind::choice).contains("lru"),
             qPrintable(person.read("Baseline", "Runs", ControlKind::choice)));
    const QString csv = QString::fromUtf8(bytes_of(file));
    for (const QString& run : {first, second}) QVERIFY2(csv.contains("," + run + ","), qPrintable(run));
    QVERIFY2(csv.contains("setting,policy,"), qPrintable(csv.left(400)));
  }

  void anExperimentEndsInAFigureForAPaper() {
    Person person(*window_, patience_ms);
    person.press("Experiments", "Modes");
    person.fill("Name", "Twelve cells", "Experiments");
    person.fill("Policies", "lru, evicpress", "Experiments");
    person.fill("α", "0.1, 1, 10", "Experiments");
    person.fill("Seeds", "0-2", "Experiments");
    person.fill("Requests a cell", "4", "Experiments");
    KV_WENT_WELL(person);
    // Three of lru, which has no alpha, and three for each alpha of evicpress.
    QVERIFY2(person.read("Cells and time", "Experiments").startsWith("12 cell"),
             qPrintable(person.read("Cells and time", "Experiments")));
    QElapsedTimer taken;
    taken.start();
    person.press("Start", "Experiments");
    person.wait_for(
        "twelve cells", [&] { return person.read("Experiment status", "Experiments").startsWith("12 of 12 cell"); },
        experiment_ms);
    qInfo("%zu cells in %.1f s", cells, static_cast<double>(taken.elapsed()) / 1e3);
    const QString file = path("frontier.svg");
    person.through_dialog(
        [&] {
          person.choose_in_menu("Export", {"Plot for a paper", "SVG, one column (85 mm)…"}, "Experiments");
        },
        [&] { person.give_path(file); });
    person.wait_for("the file", [&] { return QFile::exists(file); });
    KV_WENT_WELL(person);

    const QByteArray svg = bytes_of(file);
    QVERIFY2(svg.contains("width=\"85mm\""), svg.left(400).constData());
    const QStringList kept = QDir(path("experiments")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(kept.size(), 1);
    QCOMPARE(QDir(path("experiments/" + kept.front() + "/cells")).entryList({"*.json"}).size(),
             static_cast<qsizetype>(cells));
    const auto plan = parse_json(bytes_of(path("experiments/" + kept.front() + "/plan.json")).toStdString(), "plan");
    QVERIFY(plan.has_value());
    std::set<std::uint64_t> served;
    for (const Json& cell : plan->at("cells")) served.insert(cell.at("seed").get<std::uint64_t>());
    QCOMPARE(served.size(), seeds);
  }

  // Five lines of Python to the live Frontier, in two minutes from the drop where nothing else takes the processors.
  // The formula is keydiff's, so that what is measured of it is known.
  void aScorerOfTheirOwnIsPlottedWithKeydiff() {
    const std::string keydiff = "keydiff";
    QCOMPARE(scorer_lines("keydiff").split('\n').size(), qsizetype{5});
    const QTemporaryDir written;
    const QString file = saved_scorer("keydiff", written.path(), "my_idea");
    QVERIFY(!file.isEmpty());
    window_->hide();
    Lap lap;
    QuickStart quick;
    const QString refused = quick.open();
    QVERIFY2(refused.isEmpty(), qPrintable(refused));
    MainWindow& window = *quick.window;
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window).state() == RunState::ready, patience_ms);
    lap.step("the window is ready");

    Person person(window, patience_ms);
    person.press("Start");
    person.wait_for("a curve", [&] { return !run_of(window).frontier.curves().empty(); });
    KV_WENT_WELL(person);
    lap.step("serving, with a curve on the Frontier");
    const MachineRest rest;
    const std::vector<std::string> before = quick.session.engine->settings().methods;
    QVERIFY(drop_file(window, file));
    person.wait_for("a candidate", [&] { return quick.session.engine->settings().methods.size() > before.size(); });
    KV_WENT_WELL(person);
    const std::string mine = quick.session.engine->settings().methods.back();
    QVERIFY2(mine != keydiff && std::ranges::find(before, mine) == before.end(), mine.c_str());
    lap.step("the dropped method is a candidate");

    person.wait_for(
        "a profile", [&] { return !quick.profiled_with(mine, keydiff).isEmpty(); }, measuring_ms);
    KV_WENT_WELL(person);
    lap.step("a context is profiled with it");
    isInSensitivity(person, quick, mine, keydiff);
    if (QTest::currentTestFailed()) return;
    lap.step("its curve is in Sensitivity");
    isOnTheFrontier(person, quick, mine, keydiff);
    if (QTest::currentTestFailed()) return;
    lap.step("both have a measured point on the Frontier");
    const double seconds = rest.seconds(), lost = rest.lost_share();
    qInfo("%.1f s from the drop to both points; others took %.0f %% of the processors", seconds, 100 * lost);
    QVERIFY2(seconds <= plotted_seconds || !rest.was_at_rest(), qPrintable(QString::number(seconds)));
    person.press("Stop");
    KV_WENT_WELL(person);
  }

 private:
  static void isInSensitivity(Person& person, QuickStart& quick, const std::string& mine, const std::string& other) {
    SensitivityDock& dock = sensitivity_of(*quick.window);
    if (dock.visibleRegion().isEmpty()) press_key(*quick.window, Qt::Key_6, Qt::AltModifier);
    const QString context = quick.profiled_with(mine, other);
    person.choose("Context", context, "Sensitivity");
    const SensitivityModel& model = run_of(*quick.window).sensitivity;
    person.wait_for("the context", [&] { return model.context() == context; });
    KV_WENT_WELL(person);
    dock.curves().flush();
    std::vector<SensitivityModel::MethodCurve> both;
    for (const std::string& name : {mine, other})
      for (const SensitivityModel::MethodCurve& curve : model.curves())
        if (curve.method == to_q(name)) both.push_back(curve);
    QCOMPARE(both.size(), std::size_t{2});
    QCOMPARE(both[0].points.size(), both[1].points.size());
    QVERIFY(both[0].points.size() >= 5);
    for (std::size_t i = 0; i < both[0].points.size(); ++i) {
      const SensitivityModel::CurvePoint &own = both[0].points[i], &known = both[1].points[i];
      QCOMPARE(own.removed_fraction, known.removed_fraction);
      QVERIFY2(own.n > 0 && own.quality >= known.low && own.quality <= known.high,
               qPrintable(QStringLiteral("%1 at %2").arg(own.quality).arg(own.removed_fraction)));
    }
    for (const SensitivityModel::MethodCurve& curve : both) {
      const auto drawn = dock.curves().series().find(curve.method);
      QVERIFY(drawn != dock.curves().series().end() && drawn->second->isVisible());
      QCOMPARE(drawn->second->points().size(), static_cast<qsizetype>(curve.points.size()));
    }
  }

  /// Each as the only candidate for a while: a change of candidates begins a point.
  static void isOnTheFrontier(Person& person, QuickStart& quick, const std::string& mine, const std::string& other) {
    const auto chosen = [&quick] { return quick.session.engine->settings().methods; };
    const auto toggle = [&](const std::string& method) {
      const std::size_t count = chosen().size();
      person.press("Method " + to_q(method), "Controls");
      person.wait_for("the candidates", [&] { return chosen().size() != count; });
    };
    for (const std::string& method : chosen())
      if (method != mine) toggle(method);
    KV_WENT_WELL(person);
    QCOMPARE(chosen(), std::vector<std::string>{mine});
    person.wait_for(
        "a point of the own method", [&] { return quick.has_point_of(mine); }, measuring_ms);
    toggle(other);
    toggle(mine);
    person.wait_for(
        "a point of keydiff", [&] { return quick.has_point_of(other); }, measuring_ms);
    KV_WENT_WELL(person);
    QVERIFY(quick.has_point_of(mine));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  QApplication::setOrganizationName("kvantage-test");
  QApplication::setApplicationName("stranger-test");
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  StrangerLiveTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace stranger_live_test

#include "stranger_live_test.moc"
