// Services that figures need from the program: sessions, a throttled tier, output.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/engine/engine.h"
#include "core/experiments/calibration.h"
#include "core/experiments/claims.h"
#include "core/experiments/experiment_runner.h"
#include "core/experiments/studies/cell_store.h"
#include "core/ports/storage_tier.h"
#include "core/report/figure.h"
#include "core/report/recorded_run.h"

namespace kvantage::inline studies {

struct FigureArguments;

/// A session opened by the host, with its curves measured.
class FigureSession {
 public:
  virtual ~FigureSession() = default;
  virtual Engine& engine() = 0;
  /// Requests of a run: warm-up, then counted ones.
  virtual std::uint64_t warmup_requests() const = 0;
  virtual std::uint64_t workload_requests() const = 0;
  /// Serves the workload once. `midway` changes the settings after half of the requests were answered. cancelled if the
  /// user interrupted it: the requests served so far stay in the database.
  virtual Expected<RecordedRun> serve(const SessionSettings& settings,
                                      const std::function<void(SessionSettings&)>& midway) = 0;
  /// A run that this or an earlier session has recorded in the database; not_found for others.
  virtual Expected<RecordedRun> recorded(const std::string& run_id);
};

class FigureHost {
 public:
  virtual ~FigureHost() = default;
  virtual const Clock& clock() const = 0;
  /// Whether the user canceled the work.
  virtual bool interrupted() const = 0;
  virtual std::filesystem::path default_model() const = 0;
  /// Opens the workload of the arguments, with every curve of `methods` measured (empty: the workload's own). cancelled
  /// if interrupted; usage where a host has no sessions, as here.
  virtual Expected<std::unique_ptr<FigureSession>> open_session(const FigureArguments& arguments, std::uint64_t seed,
                                                                const std::vector<std::string>& methods);
  /// Host memory throttled to this many bytes per second, without a budget.
  virtual Expected<std::unique_ptr<StorageTier>> open_memory_tier(double bytes_per_second) = 0;
  virtual std::unique_ptr<BufferLender> make_buffers(std::size_t bytes) = 0;

  /// What every figure of the command says first about its model; empty: nothing.
  void set_model_note(std::string note) { model_note_ = std::move(note); }
  /// What the papers report: figures that measure some of it show verdicts. None: they show none.
  void set_claims(std::vector<PaperClaim> claims) { claims_ = std::move(claims); }
  /// A fixed load, timed before and after each cell of a figure.
  Calibration& calibration();
  /// With this calibration, for all cells of a figure.
  ExperimentRunner runner() { return {calibration(), patience_}; }
  void set_patience(const ExperimentRunner::Patience& patience) { patience_ = patience; }
  /// Where cells of long figures are kept and taken over from; null: nowhere.
  void set_cells(std::shared_ptr<CellStore> cells) { cells_ = std::move(cells); }
  CellStore* cells() const { return cells_.get(); }
  /// With the note in front of its findings, the calibration among its settings, its findings about time, or why there
  /// are none, and verdicts on claims. show() and show_all() add these themselves.
  FigureResult noted(FigureResult result);
  /// Prints text of a figure in progress, as printf.
  void print(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void show(const FigureResult& result, bool json);
  /// Shows several figures of one command, in JSON as one array.
  void show_all(const std::vector<FigureResult>& results, bool json);
  /// What was shown so far; none are left.
  std::vector<FigureResult> take_shown() { return std::exchange(shown_, {}); }
  /// A whole line of JSON.
  void show_json(const OrderedJson& json) { write(dump_json(json) + "\n"); }

 protected:
  virtual void write(const std::string& text) = 0;

 private:
  std::string model_note_;
  std::vector<PaperClaim> claims_;
  std::vector<FigureResult> shown_;
  std::optional<Calibration> calibration_;
  ExperimentRunner::Patience patience_;
  std::shared_ptr<CellStore> cells_;
};

}  // namespace kvantage::inline studies
