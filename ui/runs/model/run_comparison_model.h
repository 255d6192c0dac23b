// Two to eight recorded runs, or groups of repeated runs, side by side: the settings in which they differ, then their
// metrics against a baseline. One column per run, also where its settings moved; where they fit, such runs can be taken
// apart into periods under the same settings. Read and compared in the background by core/report.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/ports/run_library.h"
#include "core/report/formats/compare_formats.h"
#include "ui/runs/compare/model/compared_details.h"
#include "ui/session/background_worker.h"

namespace kvantage {

/// The value of a setting for display: bytes with their unit, a list of names, an en dash where it is not set.
QString compared_setting_text(const DifferingSetting& setting, const Json& value);

class RunComparisonModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  static constexpr int min_runs = 2, max_runs = 8;  // columns: repetitions of a command are one
  static constexpr int max_read = 64;               // runs
  enum class Kind { heading, setting, metric };
  enum Role { kind_role = Qt::UserRole + 1, judgment_role };

  explicit RunComparisonModel(std::shared_ptr<RunLibrary> library, QObject* parent = nullptr);

  /// Reads these runs and compares them, then emits compared() or failed().
  void compare(const QStringList& run_ids);
  void set_baseline(int side);
  /// Periods in place of whole runs, if they fit.
  void set_periods(bool wanted);
  bool showing_periods() const { return unit_ == ComparedUnit::period; }
  /// How many periods the runs have; as many as runs: no setting moved.
  int periods() const { return periods_; }
  bool periods_fit() const { return runs_ && periods_ > whole_runs_ && periods_ <= max_runs; }
  void clear();
  /// Cancels the running job; what is shown stays.
  void cancel();

  bool busy() const { return busy_; }
  const RunComparison& comparison() const { return comparison_; }
  const ComparedDetails& details() const { return details_; }
  int sides() const { return static_cast<int>(comparison_.runs.size()); }
  /// "A  evicpress  2026-11-22 10:04": what a column is called.
  QString side_name(int side) const;
  /// The metric that entered the utility of the first run; empty when that is not recorded.
  std::string quality_metric() const;
  static QString letter(int side) { return QString(QChar('A' + side)); }
  /// The table as tab-separated text.
  QString to_text() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 signals:
  void compared();
  void busyChanged(bool busy);
  void failed(const QString& message);
  /// Of the running job; total 0: length unknown.
  void progress(int done, int total);
  void cancelled();

 private:
  using Runs = std::shared_ptr<const std::vector<RecordedRun>>;
  struct Line {
    Kind kind = Kind::heading;
    std::size_t at = 0;  // in settings or metrics
    QString name;
  };
  struct Answer {
    Runs runs;
    RunComparison comparison;
    ComparedDetails details;
    std::size_t periods = 0, whole_runs = 0;
  };
  void ask(Runs runs, std::vector<std::string> ids, std::size_t baseline);
  void take(Expected<Answer> answer, std::uint64_t job);
  void set_busy(bool busy);

  std::shared_ptr<RunLibrary> library_;
  Runs runs_;
  RunComparison comparison_;
  ComparedDetails details_;
  ComparedUnit unit_ = ComparedUnit::whole_run, shown_unit_ = ComparedUnit::whole_run;
  int periods_ = 0, whole_runs_ = 0;
  std::vector<Line> lines_;
  std::uint64_t job_ = 0;  // answers to earlier ones are dropped
  bool busy_ = false;
  BackgroundWorker::Cancel in_flight_;
  BackgroundWorker worker_;
};

}  // namespace kvantage
