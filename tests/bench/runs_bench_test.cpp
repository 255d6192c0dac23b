// links: kv_ui profiles
// The list of saved runs with 10,000 of them: what opening it, a stroke in the filter and a click on a header cost the
// window's thread, beside SQLite's own time to read the same rows. The metrics are printed; only ratios are asserted.
#include <sqlite3.h>
#include <time.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cstdio>

#include "core/report/run_metrics.h"
#include "profiles/run_library.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"
#include "ui/runs/runs_dock.h"

namespace runs_bench_test {

using namespace kvantage;

namespace {

constexpr int runs = 10'000;

/// Settings as large as those of a real run, by one statement per run.
void fill(const std::filesystem::path& path) {
  auto library = open_run_library(path, machine_clock());
  QVERIFY(library.has_value());
  sqlite3* database = nullptr;
  QCOMPARE(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_stmt *run = nullptr, *result = nullptr;
  sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr);
  sqlite3_prepare_v2(database,
                     "INSERT INTO runs (id, run_id, started_utc_ns, finished_utc_ns, policy, outcome, requests, "
                     "settings) VALUES (?1, ?2, ?3, ?4, ?5, 'finished', ?6, ?7)",
                     -1, &run, nullptr);
  sqlite3_prepare_v2(database, "INSERT INTO results (run, name, value) VALUES (?1, ?2, ?3)", -1, &result, nullptr);
  const std::array policies{"evicpress", "lru", "full_prefill", "fixed(knorm,0.5)"};
  RunMetrics metrics;
  for (const RequestRecord& record : sample_run(1, "lru", 40).records) metrics.add(record);
  for (int i = 0; i < runs; ++i) {
    const std::string id = "20261122T" + std::to_string(100000 + i) + "Z-" + std::to_string(i * 7919 % 100000);
    const std::string policy = policies[static_cast<std::size_t>(i) % policies.size()];
    const Json settings{
        {"settings",
         {{"policy", policy},
          {"alpha", 0.001 * (i % 500)},
          {"quality_metric", "token_f1"},
          {"methods", {"knorm", "keydiff", "snapkv", "kvzip"}},
          {"removed_fractions", {0.2, 0.4, 0.6, 0.8, 0.9}},
          {"tiers",
           {{{"name", "dram"}, {"budget_bytes", (4 << 20) + i}}, {{"name", "ssd"}, {"budget_bytes", 32 << 20}}}}}},
        {"environment",
         {{"workload", "workload-" + std::to_string(i % 12)},
          {"model", "kvantage-12M"},
          {"hardware", std::string(200, 'h')},
          {"command", std::string(300, 'c')}}},
        {"group", id}};
    const std::string text = settings.dump(), kept = metrics.to_json(i).dump(),
                      notes = Json{{"text", i % 50 == 0 ? "looked at again" : ""},
                                   {"tags", {"week " + std::to_string(i % 20)}}}
                                  .dump();
    sqlite3_bind_int(run, 1, i + 1);
    sqlite3_bind_text(run, 2, id.c_str(), -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(run, 3, 1'700'000'000'000'000'000 + i * 61'000'000'000LL);
    sqlite3_bind_int64(run, 4, 1'700'000'000'000'000'000 + i * 61'000'000'000LL + 30'000'000'000LL);
    sqlite3_bind_text(run, 5, policy.c_str(), -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(run, 6, i % 700);
    sqlite3_bind_text(run, 7, text.c_str(), -1, SQLITE_TRANSIENT);
    QCOMPARE(sqlite3_step(run), SQLITE_DONE);
    sqlite3_reset(run);
    for (const auto& [name, value] : {std::pair{"figures", kept}, {"notes", notes}}) {
      sqlite3_bind_int(result, 1, i + 1);
      sqlite3_bind_text(result, 2, name, -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(result, 3, value.c_str(), -1, SQLITE_TRANSIENT);
      QCOMPARE(sqlite3_step(result), SQLITE_DONE);
      sqlite3_reset(result);
    }
  }
  sqlite3_finalize(run);
  sqlite3_finalize(result);
  sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(database);
}

/// Processor time of this thread in milliseconds: what else runs on the machine does not count.
double thread_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// The same rows by SQLite alone: every column stepped over and touched.
double bare_select_ms(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  std::vector<double> times;
  std::size_t bytes = 0;
  for (int round = 0; round < 5; ++round) {
    const double begin = thread_ms();
    sqlite3_stmt* select = nullptr;
    sqlite3_prepare_v2(database,
                       "SELECT r.id, r.run_id, r.started_utc_ns, r.finished_utc_ns, r.policy, r.outcome, r.requests, "
                       "r.settings, n.value, f.value FROM runs AS r "
                       "LEFT JOIN results AS n ON n.run = r.id AND n.name = 'notes' LEFT JOIN results AS f ON f.run = "
                       "r.id AND f.name = 'figures' ORDER BY r.id",
                       -1, &select, nullptr);
    while (sqlite3_step(select) == SQLITE_ROW)
      for (int c = 0; c < sqlite3_column_count(select); ++c)
        bytes += sqlite3_column_text(select, c) ? static_cast<std::size_t>(sqlite3_column_bytes(select, c)) : 0;
    sqlite3_finalize(select);
    times.push_back(thread_ms() - begin);
  }
  sqlite3_close(database);
  std::ranges::sort(times);
  return bytes > 0 ? times[times.size() / 2] : 0;
}

/// Milliseconds that a piece of work holds the window's thread, drawing included.
template <class Work>
double held_ms(Work work) {
  const double begin = thread_ms();
  work();
  QCoreApplication::processEvents();
  return thread_ms() - begin;
}

}  // namespace

class RunsBenchTest : public QObject {
  Q_OBJECT

 private slots:
  void tenThousandRunsHoldNobodyUp() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("runs.db").toStdString();
    fill(path);
    if (QTest::currentTestFailed()) return;
    const double bare = bare_select_ms(path);
    auto opened = open_run_library(path, machine_clock());
    QVERIFY(opened.has_value());
    RunsDock dock(std::move(*opened));
    dock.resize(1280, 400);
    QElapsedTimer whole;
    whole.start();
    dock.show();
    double longest = 0;
    while ((dock.model().rowCount() < runs || dock.model().missing_figures() > 0) && whole.elapsed() < 120'000) {
      QTest::qSleep(1);
      longest = std::max(longest, held_ms([] {}));
    }
    const double open = static_cast<double>(whole.nsecsElapsed()) * 1e-6;
    QCOMPARE(dock.model().rowCount(), runs);
    double refresh = 0;
    dock.model().refresh();
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 1500) {
      QTest::qSleep(1);
      refresh = std::max(refresh, held_ms([] {}));
    }
    double stroke = 0, sort = 0;
    QString worst;
    QLineEdit* text = nullptr;
    for (QLineEdit* edit : dock.findChildren<QLineEdit*>())
      if (edit->accessibleName() == "Filter runs") text = edit;
    QVERIFY(text);
    for (const QString& typed :
         QStringList{"e", "ev", "evi", "evic", "evic w", "evic week 1", "finished", "zzz", "", "lru", "7"})
      stroke = std::max(stroke, held_ms([&] { text->setText(typed); }));
    text->clear();
    for (int column = 0; column < RunsModel::column_count; ++column)
      for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder})
        if (const double ms = held_ms([&] { dock.table().sortByColumn(column, order); }); ms > sort) {
          sort = ms;
          worst = dock.model().headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        }
    std::printf("10,000 runs; bare SELECT of the same rows %.1f ms\n", bare);
    std::printf("open: %.1f ms until all are shown (%.2f of the SELECT), window held at most %.1f ms (%.2f)\n", open,
                open / bare, longest, longest / bare);
    std::printf("read again: window held at most %.1f ms (%.2f)\n", refresh, refresh / bare);
    std::printf("filter: at most %.1f ms a stroke (%.2f)\n", stroke, stroke / bare);
    std::printf("sort: at most %.1f ms (%.2f), by %s\n", sort, sort / bare, qPrintable(worst));
    QVERIFY2(stroke < 3 * bare, "a stroke in the filter takes three times as long as reading every run");
    QVERIFY2(sort < 6 * bare, "sorting takes six times as long as reading every run");
    QVERIFY2(longest < 2 * bare && refresh < bare, "reading the list holds the window up");
  }
};

KV_TEST_MAIN(RunsBenchTest)

}  // namespace runs_bench_test

#include "runs_bench_test.moc"
