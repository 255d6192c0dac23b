// links: kv_cli_program kv_experiments profiles
// A figure that is interrupted in its middle and made again on the real model: the runs that it had served are taken
// over, the others are served, and the result is whole.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include "app/cli/figures/figure_request.h"
#include "app/wiring/session_file.h"
#include "core/experiments/figures/reproduction.h"
#include "core/experiments/studies/cell_store.h"
#include "core/workload/workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace kept_cells_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

class Sink final : public cli::RequestCounter {
 public:
  void publish(const Event& event) override { count(event); }
};

class Host final : public cli::ProgramFigureHost {
 public:
  explicit Host(std::function<bool()> stop) : ProgramFigureHost(std::move(stop)) {
    set_patience({.rounds = 1, .repeats = 0});
  }

 protected:
  void write(const std::string&) override {}
  std::unique_ptr<cli::RequestCounter> make_sink(const FigureArguments&) const override {
    return std::make_unique<Sink>();
  }
};

/// What one command did.
struct Made {
  Status status;
  std::vector<FigureResult> results;
  std::set<std::string> begun;  // cells that were served
  int ended = 0;                // with those that were taken over
};

}  // namespace

class KeptCellsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::string at(const char* name) const { return folder_.filePath(name).toStdString(); }

  /// Interrupted once so many cells have ended.
  Made make(int most) {
    Made made;
    std::atomic<bool> stop = false;
    Host host([&stop] { return stop.load(); });
    host.set_cells(std::make_shared<FolderCells>(at("cells"), Json{{"program", "this one"}}));
    std::mutex mutex;
    const auto progress = [&](const std::string& line) {
      const auto json = parse_json(line, "line");
      const std::lock_guard lock(mutex);
      if (!json) return;
      if (json->contains("cell")) made.begun.insert(json->at("cell").get<std::string>());
      if (!json->contains("run")) return;
      ++made.ended;
      if (made.ended >= most) stop = true;
    };
    FigureArguments arguments;
    made.status = cli::make_figure_of_words(
        {"evicpress/limits", "--workload", at("workload"), "--model", model_directory().string(), "--seeds", "1",
         "--limit", "4", "--policy", "lru", "--methods", "keydiff", "--quality-metric", "token_f1", "--store",
         at("store"), "--temporary-store"},
        arguments, host, progress);
    made.results = host.take_shown();
    return made;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model here");
    const WorkloadPreset quick = quick_workload();
    const auto workload = make_workload(quick.options);
    const auto session = wiring::session_file(quick.session);
    QVERIFY(workload && session);
    QVERIFY(write_workload(*workload, at("workload")) && wiring::write_session_file(*session, at("workload")));
  }

  void aFigureContinuesWithTheCellsLeft() {
    const Made first = make(2);
    QVERIFY(!first.status && first.status.error().code == ErrorCode::cancelled);
    QVERIFY(first.results.empty() && first.ended == 2 && first.begun.size() >= 2);
    const Made second = make(100);
    QVERIFY2(second.status, second.status ? "" : second.status.error().message.c_str());
    QCOMPARE(second.ended, 5);                      // unchanged tiers and four conditions
    QCOMPARE(second.begun.size(), std::size_t{3});  // two were served before
    QCOMPARE(second.results.size(), std::size_t{1});
    const FigureResult& result = second.results.front();
    QCOMPARE(result.settings.at("cells of an interrupted command").get<int>(), 2);
    QCOMPARE(result.tables.front().rows.size(), std::size_t{5});
    QCOMPARE(std::set<std::string>(result.runs.begin(), result.runs.end()).size(), std::size_t{5});
    for (const auto& row : result.tables.front().rows) {
      QVERIFY(row.at(3).get<double>() > 0);  // TTFT
      QCOMPARE(row.back().get<int>(), 4);    // requests
    }
    // Of a whole figure, everything is taken over.
    const Made third = make(100);
    QVERIFY(third.status && third.begun.empty() && third.ended == 5);
    QVERIFY(third.results.front().tables.front().rows == result.tables.front().rows);
    QCOMPARE(third.results.front().provenance, result.provenance);
  }
};

KV_TEST_GUILESS_MAIN(KeptCellsTest)

}  // namespace kept_cells_test

#include "kept_cells_test.moc"
