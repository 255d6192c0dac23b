// Experiments for tests of the window: no session behind them, cells and ends come on the test's word. Results are
// stored as the program stores them, so that another window finds them.
#pragma once

#include <optional>

#include "core/base/files.h"
#include "core/sweep/sweep_results.h"
#include "ui/experiments/experiment_host.h"
#include "ui/text/words.h"

namespace kvantage {

class ScriptedExperiments final : public ExperimentHost {
 public:
  void start(const QString& folder) override {
    started << folder;
    running_ = true;
    const std::filesystem::path path = from_q(folder);
    const auto json = read_json_file(path / "plan.json");
    if (!json) qFatal("%s", json.error().message.c_str());
    plan = *sweep_plan_from_json(*json, "plan.json");
    plan.workload_digest = "aa";
    plan.model_digest = "bb";
    plan.group = "sweep-1";
    if (!write_text_file(path / "plan.json", dump_json(to_json(plan), 1) + "\n")) qFatal("plan.json");
    results_ = *SweepResults::open(path, plan, true);
    emit planned(plan, *results_->read());
  }
  void pause() override { ++pauses; }
  void cancel() override { ++cancels; }
  bool running() const override { return running_; }
  SweepPlan base_plan() const override { return base; }
  std::uint64_t workload_requests() const override { return 24; }
  QString command(const QString& folder) const override { return QStringLiteral("kvantage-cli sweep --out ") + folder; }

  /// Cells without a result, in plan order.
  std::vector<SweepCell> missing() const {
    const CellIds ids(plan);
    std::vector<SweepCell> cells;
    for (const SweepCell& cell : plan.cells)
      if (!results_->holds(ids.of(cell))) cells.push_back(cell);
    return cells;
  }
  /// Serves the first of them: 20 requests in `seconds`.
  void serve(double ttft_seconds, double quality, double seconds = 4) {
    const SweepCell cell = missing().front();
    emit cellBegun(QString::fromStdString(cell.policy));
    const std::string id = cell_id(plan, cell);
    const Json result{{"requests", 20},
                      {"run_id", "run-" + id},
                      {"host", "here"},
                      {"hardware", "cpu"},
                      {"provenance", "shaped"},
                      {"quality_metric", "token_f1"},
                      {"ttft_service_seconds", ttft_seconds},
                      {"ttft_seconds", ttft_seconds},
                      {"quality", quality},
                      {"hit_rate", 0.5},
                      {"cell_seconds", seconds}};
    if (!results_->add(id, result)) qFatal("%s", id.c_str());
    emit cellKept(to_q(id), QByteArray::fromStdString(dump_json(result)));
  }
  /// The first of them cannot be served.
  void fail_next(const std::string& why) {
    emit cellKept(to_q(cell_id(plan, missing().front())),
                  QByteArray::fromStdString(dump_json(Json{{"failed", why}, {"worker", ""}, {"attempts", 1}})));
  }
  void end(const QString& error = {}) {
    running_ = false;
    emit ended(error);
  }

  SweepPlan base, plan;
  QStringList started;
  int pauses = 0, cancels = 0;

 private:
  std::optional<SweepResults> results_;
  bool running_ = false;
};

}  // namespace kvantage
