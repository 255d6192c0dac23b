// Experiments on disk: a folder each, below one. plan.json and cells/ are those of `kvantage-cli sweep`, which may
// serve the same folder; experiment.json holds what only the window needs.
#pragma once

#include <QDateTime>
#include <QString>
#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/sweep/sweep_plan.h"
#include "ui/experiments/experiment_host.h"

namespace kvantage {

enum class ExperimentState : std::uint8_t { queued, running, paused, canceled, failed, done };
QString experiment_state_text(ExperimentState state);

struct Experiment {
  QString id;  // its folder's name
  QString name;
  QDateTime created;
  ExperimentState state = ExperimentState::queued;
  SweepPlan plan;
  CellResults results;
  QString trouble;  // why it ended before its last cell; empty: it did not

  std::size_t cells() const { return plan.cells.size(); }
  std::size_t failed() const;
  std::size_t done() const { return results.size() - failed(); }
  /// Every cell has a result, or failed.
  bool complete() const { return results.size() >= cells(); }
};

/// The experiments of a folder, oldest first, and an error for each folder that cannot be read, which is left alone.
struct LoadedExperiments {
  std::vector<Experiment> experiments;
  std::vector<Error> problems;
};

/// Its functions may be called from any thread.
class ExperimentStore {
 public:
  /// `folder` empty: nothing can be added.
  explicit ExperimentStore(QString folder) : folder_(std::move(folder)) {}

  QString folder_of(const QString& id) const;
  /// Reads every folder with all results. One that was running when its window ended is paused.
  LoadedExperiments load() const;
  /// Writes a new folder; id and time of creation are set. An existing id is never reused.
  Expected<Experiment> add(const QString& name, const SweepPlan& plan, const QDateTime& now) const;
  /// Name, state, failures.
  Status write_state(const Experiment& experiment) const;
  /// Takes the folder away for good; recorded runs are elsewhere.
  Status remove(const QString& id) const;

 private:
  Expected<Experiment> read(const QString& id) const;
  QString folder_;
};

}  // namespace kvantage
