// Runs to files and back: run files, reports in every format. In the background, but for what is drawn: charts of the
// page and pages of the PDF, one per turn of the event loop. One piece of work at a time, with its progress; what was
// written by a piece that is canceled is removed.
#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/column_table.h"
#include "core/ports/run_library.h"
#include "core/report/compare_runs.h"
#include "ui/session/background_worker.h"

namespace kvantage {

class RunFiles : public QObject {
  Q_OBJECT
 public:
  explicit RunFiles(std::shared_ptr<RunLibrary> library, QObject* parent = nullptr);
  ~RunFiles() override;

  /// What the other runs of a report are compared with: a place in the comparison of these runs.
  struct Against {
    std::size_t side = 0;
    ComparedUnit unit = ComparedUnit::whole_run;
  };
  /// Reports are written as Parquet, too. `encode` runs in the background.
  void set_parquet(EncodeTable encode) { encode_ = std::move(encode); }
  bool writes_parquet() const { return encode_ != nullptr; }
  /// report.html, .json, .csv, .tex, .pdf, and .parquet where it can be written, of these runs together, in a folder;
  /// where one is there already, in a folder of its own below it (report-2, report-3). A run that a window served is
  /// repeated from its record. Without `against` no differences are reported.
  void write_report(const QStringList& run_ids, const QString& folder, std::optional<Against> against = {});
  void export_run(const QString& run_id, const QString& path);
  void import_run(const QString& path);
  void cancel();
  bool busy() const { return busy_; }
  /// `folder`, or the first below it that holds no report yet.
  static QString free_report_folder(const QString& folder);

  /// The line that makes the run again, for a shell.
  QString repeating_command(const QString& run_id) const;
  /// One HTML file that replays the run in a browser. `texts`: with questions and answers.
  void write_page(const QString& run_id, const QString& path, bool texts);

 signals:
  /// total 0: of unknown length.
  void progress(const QString& what, int done, int total);
  /// `text`: what there is now.
  void finished(const QString& text);
  void imported(const QString& run_id);
  void cancelled();
  void failed(const QString& message);

 private:
  template <class Work, class Done>
  void begin(const QString& what, int total, Work work, Done done);

  struct WrittenReport;
  struct Drawing;
  void begin_drawing(WrittenReport report);
  void draw_next();
  void end_drawing(const Status& status);

  ShouldContinue watch(const QString& what, const std::atomic<bool>& cancelled);
  static constexpr int steps = 100;  // of progress

  std::shared_ptr<RunLibrary> library_;
  EncodeTable encode_;
  bool busy_ = false;
  BackgroundWorker::Cancel in_flight_;
  std::unique_ptr<Drawing> drawing_;
  BackgroundWorker worker_;
};

}  // namespace kvantage
