// links: kv_ui profiles
// Runs whose settings were moved while they ran have a mark that says which and when: in the table, its tip and its
// file; and it is kept beside the metrics.
#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

#include "profiles/run_library.h"
#include "profiles/stores.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "ui/runs/runs_dock.h"

namespace runs_moved_test {

using namespace kvantage;

class RunsMovedTest : public QObject {
  Q_OBJECT

  static Event at(double seconds, EventPayload payload) {
    Event event;
    event.monotonic_ns = 7'000'000'000 + static_cast<std::int64_t>(seconds * 1e9);
    event.payload = std::move(payload);
    return event;
  }
  static QVariant data(const RunsModel& model, const char* id, int column, int role = Qt::DisplayRole) {
    return model.index(model.row_of(id), column).data(role);
  }

 private slots:
  void movesAsText() {
    const Json before =
        Json::parse(R"([{"name": "dram", "budget_bytes": 6291456, "shaped_bytes_per_second": 0}, {"name": "ssd", )"
                    R"("budget_bytes": 0}])");
    const Json after = Json::parse(
        R"([{"name": "dram", "budget_bytes": 3145728, "shaped_bytes_per_second": 67108864}, {"name": "ssd", )"
        R"("budget_bytes": 0}])");
    const std::vector<Event> events{at(0, events::RunStarted{"r", Json::object()}),
                                    at(1.5, events::SettingChanged{"alpha", 0.8, 2.5}),
                                    at(2, events::SettingChanged{"alpha", 2.5, 2.5}),  // nothing moved
                                    at(3, events::SettingChanged{"tiers", before, after}),
                                    at(4, events::SettingChanged{"alpha", 2.5, 0.1}),
                                    at(5, events::SettingChanged{"methods", Json{"none"}, Json{"none", "snapkv"}}),
                                    at(6, events::SettingChanged{"tiers", "damaged", 5})};
    const std::vector<RunMove> moves = run_moves(events);
    QCOMPARE(run_moves_names(moves), QString("alpha ×2, dram budget, dram shaped bytes per second, methods, tiers"));
    const QStringList lines = run_moves_lines(moves, 3);
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0], QString("after 1.50 s: alpha: 0.800 → 2.50"));
    QCOMPARE(lines[1], QString("after 3.00 s: dram budget: 6.0 MiB → 3.0 MiB"));
    QCOMPARE(lines[3], QString("and 3 more"));
    QCOMPARE(moves[2].text, QString("dram shaped bytes per second: full speed → 67.1 MB/s"));
    QCOMPARE(moves[4].text, QString("methods: none → none, snapkv"));
    QVERIFY(run_moves_from_json(run_moves_json(moves)) == moves);
    for (const char* broken :
         {"null", "{}", "[1]", R"([{"seconds": "1", "name": "a", "text": "b"}])", R"([{"seconds": 1, "name": "a"}])"})
      QVERIFY2(!run_moves_from_json(Json::parse(broken)), broken);
    QVERIFY(run_moves({}).empty() && run_moves_names({}).isEmpty());
  }

  void theTableMarksThem() {
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["moved"] = scripted_run("moved", 8, 20, 1);
    library->runs["still"] = scripted_run("still", 8, 20, 1);
    std::erase_if(library->runs["still"].events,
                  [](const Event& event) { return std::holds_alternative<events::SettingChanged>(event.payload); });
    library->runs["elsewhere"] = library->runs["still"];
    library->runs["elsewhere"].summary = {
        "elsewhere", 2'000'000'000, 0, "evicpress", "recording", 20, library->runs["still"].summary.settings};
    RunsDock dock(library);
    QAbstractItemModelTester tester(&dock.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    dock.resize(1000, 300);
    dock.show();
    QTRY_VERIFY(dock.model().listed_once() && dock.model().missing_figures() == 0);
    QCOMPARE(data(dock.model(), "moved", RunsModel::moved).toString(), QString("alpha"));
    const QString tip = data(dock.model(), "moved", RunsModel::moved, Qt::ToolTipRole).toString();
    QVERIFY2(tip.startsWith("after ") && tip.contains("alpha: 0.800 → 2.40"), qPrintable(tip));
    QVERIFY(data(dock.model(), "still", RunsModel::moved).toString().isEmpty());
    QCOMPARE(data(dock.model(), "still", RunsModel::moved, Qt::ToolTipRole).toString(),
             QString("No settings changed during the run"));
    dock.filter().set_text("alpha");
    QCOMPARE(dock.filter().rowCount(), 1);  // found by its mark
    dock.filter().set_text("");
    const ChartTable table = dock.as_table();
    const auto column = table.header.indexOf("settings_moved");
    QVERIFY(column > 0 && table.header.contains("Changed"));
    for (const QStringList& row : table.rows) QCOMPARE(row[column], row[0] == "moved" ? tip : QString());

    // Somebody else records that one: it is not aborted, and what a click on it says.
    QCOMPARE(data(dock.model(), "elsewhere", RunsModel::state).toString(), QString("running in another window"));
    QStringList said;
    connect(&dock, &RunsDock::said, this, [&said](const QString&, const QString& text) { said << text; });
    dock.open_run("elsewhere");
    QTRY_VERIFY(dock.showing_metrics() && !said.isEmpty());
    QVERIFY2(said.front().contains("is still running in another window"), qPrintable(said.front()));
  }

  // Runs that ended are read once; metrics kept by an earlier version, which knew no moves, are read again.
  void theyAreKeptBesideTheFigures() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("runs.db").toStdString();
    auto stores = std::move(*open_stores(path, StoreAccess::read_write, machine_clock()));
    const WholeRun run = scripted_run("moved", 8, 20, 1);
    QVERIFY(stores->runs().begin_run("moved", run.summary.settings));
    for (const Event& event : run.events) stores->runs().append(event);
    QVERIFY(stores->runs().finish_run("moved", "finished"));
    std::shared_ptr<RunLibrary> library = std::move(*open_run_library(path, machine_clock()));
    const auto shown = [&library] {
      RunsModel model(library);
      model.refresh();
      if (!QTest::qWaitFor([&] { return model.listed_once() && model.missing_figures() == 0 && model.worker().idle(); },
                           10000))
        QTest::qFail("never listed", __FILE__, __LINE__);
      return data(model, "moved", RunsModel::moved).toString();
    };
    QCOMPARE(shown(), QString("alpha"));
    Json kept = library->list(0)->front().metrics;
    QVERIFY(kept.is_object() && kept.at("moves").size() == 1);
    kept["moves"][0]["name"] = "what was kept";
    QVERIFY(library->save_metrics("moved", kept));
    QCOMPARE(shown(), QString("what was kept"));
    kept.erase("moves");
    QVERIFY(library->save_metrics("moved", kept));
    QCOMPARE(shown(), QString("alpha"));
    QVERIFY(library->list(0)->front().metrics.contains("moves"));
  }
};

KV_TEST_MAIN(RunsMovedTest)

}  // namespace runs_moved_test

#include "runs_moved_test.moc"
