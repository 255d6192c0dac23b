// The runs of a database as a table, oldest first, read in the background: a list of ten thousand grows in, some
// hundred rows in a turn of the window's loop, and so do its means. Tags and notes are edited in place and saved. What
// rows show is made where they are read, so that sorting and filtering them takes no time of the window's.
#pragma once

#include <QAbstractTableModel>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ports/run_library.h"
#include "core/report/run_metrics.h"
#include "ui/runs/model/run_moves.h"
#include "ui/session/background_worker.h"

namespace kvantage {

class RunsListing;
struct RunsListed;

class RunsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    started,
    policy,
    workload,
    alpha,
    moved,
    requests,
    ttft,
    quality,
    state,
    tags,
    budgets,
    model,
    notes,
    column_count
  };
  /// moves_role: every move of a setting with its time, in one line.
  enum Role { run_id_role = Qt::UserRole + 1, moves_role };

  struct Row {
    ListedRun run;
    QString workload, model, alpha, budgets;
    double alpha_value = -1;
    std::string quality_metric;
    std::optional<RunMetrics> metrics;
    std::int64_t place = 0;                       // in the journal, up to which the metrics go
    std::uint64_t counted_requests = 0;           // of the run when they were made
    std::optional<std::vector<RunMove>> moves;    // of its settings, up to there
    double ttft_seconds = -1, mean_quality = -1;  // of the metrics, below 0 where there are none: what is sorted by
    std::array<QString, column_count> cells;      // as shown
    QString words;                                // all of them and the id in small letters, for the filter
    bool ended() const { return run.summary.finished_utc_ns > 0; }
    /// Some process still writes it (the outcome that a library names then).
    bool being_recorded() const { return !ended() && !run.summary.outcome.empty(); }
    bool counted() const { return metrics && moves && counted_requests == run.summary.requests; }
  };

  /// Rows that one turn of the loop reads at most, and how long it rests before the next.
  static constexpr std::size_t rows_a_turn = 500;
  static constexpr int rest_ms = 5;

  /// `library` null: there are no runs and state says why.
  explicit RunsModel(std::shared_ptr<RunLibrary> library, QObject* parent = nullptr);
  ~RunsModel() override;

  const std::shared_ptr<RunLibrary>& library() const { return library_; }
  BackgroundWorker& worker() { return worker_; }
  /// Reads what changed, in the background; at once when nothing is being read yet.
  void refresh();
  /// The run that this window records: it is running and not aborted, and is not deleted.
  void set_present_run(const QString& run_id);
  QString present_run() const { return present_run_; }
  bool listed_once() const { return listed_once_; }
  /// Runs whose means are still to be made.
  std::size_t missing_figures() const;

  const Row* row(int index) const;
  /// Whether one row comes before the other by a column: metrics by their size, words by the alphabet.
  static bool less(const Row& a, const Row& b, int column);
  int row_of(const QString& run_id) const;
  /// What a filter may choose from, in alphabetical order.
  QStringList workloads() const;
  QStringList policies() const;

  /// Deletes in the background, except runs in progress in this window.
  void remove(const QStringList& run_ids);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// Tags ("a, b") and notes.
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 signals:
  /// A list was read and all of it is there.
  void refreshed();
  /// Before the first and after the last of the turns that a long list takes.
  void filling(bool in_flight);
  void choicesChanged();
  void failed(const QString& message);

 private:
  struct MadeMetrics {
    std::string run_id;
    RunMetrics metrics;
    std::int64_t place = 0;
    std::uint64_t counted_requests = 0;
    std::vector<RunMove> moves;
  };
  void take(Expected<RunsListed> listed);
  void take_away(const std::vector<std::string>& gone);
  void take_some();
  void take_changed(ListedRun& run);
  void end_reading();
  void make_figures();
  void take_figures(std::vector<MadeMetrics> made);
  QVariant tip(const Row& row, int column) const;

  std::shared_ptr<RunLibrary> library_;
  std::shared_ptr<RunsListing> listing_;  // the worker's alone
  std::vector<std::unique_ptr<Row>> rows_;
  std::unordered_map<std::string, int> index_;
  QString present_run_;
  std::vector<ListedRun> changed_;              // read and not taken in yet
  std::vector<std::unique_ptr<Row>> arriving_;  // the same
  std::size_t taken_ = 0;                       // of both, in this order
  bool filling_ = false;
  bool reading_ = false, again_ = false, counting_ = false, listed_once_ = false;
  BackgroundWorker worker_;  // last: what it hands over ends before the rest goes
};

}  // namespace kvantage
