// Runs in a database for tests of the Runs dock, its comparison and its files.
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <memory>
#include <string>

#include "profiles/run_library.h"
#include "profiles/stores.h"
#include "tests/report/sample_runs.h"
#include "ui/runs/model/runs_model.h"

namespace kvantage::test {

/// Runs whose questions are the same, whose times are `factor` of each other's and whose qualities are moved by
/// `shift`.
inline void record(Stores& stores, const std::string& run_id, const std::string& policy, int requests, double factor,
                   double shift, bool ended = true, const std::string& workload = "quickstart") {
  Json settings{{"policy", policy},
                {"alpha", 0.25},
                {"quality_metric", "token_f1"},
                {"tiers", {{{"name", "dram"}, {"budget_bytes", 4 << 20}}}}};
  QVERIFY(stores.runs().begin_run(
      run_id, Json{{"settings", settings}, {"environment", {{"workload", workload}, {"model", "kvantage-12M"}}}}));
  std::uint64_t sequence = 0;
  int asked = 0;
  const auto append = [&](EventPayload payload) {
    Event event;
    event.sequence = ++sequence;
    event.monotonic_ns = static_cast<std::int64_t>(sequence) * 5'000'000;
    event.payload = std::move(payload);
    stores.runs().append(event);
  };
  append(events::RunStarted{run_id, settings});
  for (RequestRecord request : sample_run(1, policy, requests).records) {
    request.question = "question " + std::to_string(asked++);
    request.cancelled = false;
    request.held_out = true;
    request.timing.ttft_service_seconds *= factor;
    request.quality["token_f1"] += shift;
    append(events::RequestFinished{request});
  }
  if (ended)
    QVERIFY(stores.runs().finish_run(run_id, "finished"));
  else
    QVERIFY(stores.runs().flush());
}

/// A database with runs and its library.
struct RecordedRuns {
  QTemporaryDir folder;
  std::filesystem::path path = folder.filePath("runs.db").toStdString();
  std::unique_ptr<Stores> stores = std::move(*open_stores(path, StoreAccess::read_write, machine_clock()));
  std::shared_ptr<RunLibrary> library = std::move(*open_run_library(path, machine_clock()));

  void three_runs() {
    record(*stores, "run-a", "lru", 60, 1, 0);
    record(*stores, "run-b", "evicpress", 60, 0.5, 0.1);
    record(*stores, "run-c", "evicpress", 40, 1, 0, false, "own text");
  }
};

inline void wait_for_figures(RunsModel& model, int rows) {
  QTRY_COMPARE(model.rowCount(), rows);
  QTRY_COMPARE(model.missing_figures(), std::size_t{0});
}

}  // namespace kvantage::test
