#include "ui/runs/model/run_files.h"

#include <QFileInfo>
#include <QTimer>
#include <algorithm>
#include <system_error>

#include "core/base/files.h"
#include "core/report/formats/report_columns.h"
#include "core/report/formats/report_files.h"
#include "core/report/formats/report_formats.h"
#include "core/report/recorded_run.h"
#include "core/report/report_differences.h"
#include "core/report/share/share_page.h"
#include "core/report/window_command.h"
#include "ui/report/html_charts.h"
#include "ui/report/pdf_file.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

namespace {

void remove_all(const std::vector<std::filesystem::path>& files) {
  std::error_code ignored;
  for (const auto& file : files) std::filesystem::remove(file, ignored);
}

/// Of a folder that held none before.
void remove_report(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const std::string& name : report_file_names()) std::filesystem::remove(folder / name, ignored);
}

}  // namespace

/// In every format that is not drawn.
struct RunFiles::WrittenReport {
  RunReport report;
  std::filesystem::path folder;
  std::vector<std::filesystem::path> files;
};

struct RunFiles::Drawing {
  WrittenReport report;
  HtmlCharts charts;
  ReportPdf pdf;
  bool page_written = false;
};

RunFiles::RunFiles(std::shared_ptr<RunLibrary> library, QObject* parent)
    : QObject(parent), library_(std::move(library)) {}
RunFiles::~RunFiles() = default;

template <class Work, class Done>
void RunFiles::begin(const QString& what, int total, Work work, Done done) {
  if (!library_) return;
  if (busy_) {
    emit failed(RunFiles::tr("Other files are being read or written. Wait for them or cancel."));
    return;
  }
  busy_ = true;
  emit progress(what, 0, total);
  in_flight_ = worker_.run(std::move(work), [this, done](auto result) {
    busy_ = false;
    if (result)
      done(*std::move(result));
    else if (result.error().code == ErrorCode::cancelled)
      emit cancelled();
    else
      emit failed(core_text(result.error().message));
  });
}

// In steps, so that the window is notified no more often than it can show.
ShouldContinue RunFiles::watch(const QString& what, const std::atomic<bool>& cancelled) {
  return [this, what, &cancelled, told = 0](std::uint64_t done, std::uint64_t total) mutable {
    const int step = total == 0 ? 0 : static_cast<int>(done * steps / total);
    if (step > told)
      QMetaObject::invokeMethod(
          this, [this, what, step] { emit progress(what, step, steps); }, Qt::QueuedConnection);
    told = std::max(told, step);
    return !cancelled;
  };
}

void RunFiles::cancel() {
  if (busy_ && in_flight_) *in_flight_ = true;
}

void RunFiles::write_report(const QStringList& run_ids, const QString& folder, std::optional<Against> against) {
  std::vector<std::string> formats{"json", "csv", "latex"};
  if (encode_) formats.emplace_back("parquet");
  std::vector<std::string> ids;
  for (const QString& id : run_ids) ids.push_back(from_q(id));
  if (ids.empty()) return;
  const int total = static_cast<int>(ids.size() + 1 + formats.size() + 1);  // the last: HTML and PDF
  const auto tell = [this, total](const QString& what, int done) {
    QMetaObject::invokeMethod(
        this, [this, what, done, total] { emit progress(what, done, total); }, Qt::QueuedConnection);
  };
  begin(
      tr("Reading %1").arg(run_ids.front()), total,
      [library = library_, ids, tell, against, formats, encode = encode_,
       path = std::filesystem::path(from_q(free_report_folder(folder)))](
          const std::atomic<bool>& cancelled) -> Expected<WrittenReport> {
        std::vector<std::filesystem::path> written;
        const auto give_up = [&] {
          remove_all(written);
          return fail(ErrorCode::cancelled, "report: cancelled");
        };
        std::vector<RecordedRun> runs;
        int done = 0;
        for (const std::string& id : ids) {
          if (cancelled) return give_up();
          tell(tr("Reading %1").arg(to_q(id)), done++);
          KV_ASSIGN(auto run, library->read(id, report_event_types(),
                                            [&cancelled](std::uint64_t, std::uint64_t) { return !cancelled; }));
          name_repeating_command(run.summary, library->database().string());
          runs.push_back({std::move(run.summary), std::move(run.events), std::move(run.calibration_seconds)});
        }
        if (cancelled) return give_up();
        tell(tr("Computing metrics and intervals"), done++);
        RunReport report = report_of_runs(runs);
        if (against) add_differences(report, compare_runs(runs, against->side, against->unit));
        const ParquetReport parquet{encode, encode ? request_columns(runs) : ColumnTable()};
        for (const std::string& format : formats) {
          if (cancelled) return give_up();
          tell(tr("Writing %1").arg(to_q(format)), done++);
          auto files = write_report_files(report, path, {format}, {}, parquet);
          if (!files) {
            remove_report(path);  // whole or not at all
            return tl::unexpected(std::move(files).error());
          }
          written.insert(written.end(), files->begin(), files->end());
        }
        if (cancelled) return give_up();
        tell(tr("Writing %1").arg("pdf"), done);
        return WrittenReport{std::move(report), path, std::move(written)};
      },
      [this](WrittenReport report) { begin_drawing(std::move(report)); });
}

void RunFiles::begin_drawing(WrittenReport report) {
  auto pdf = ReportPdf::begin(report.report);
  if (!pdf) {
    remove_all(report.files);  // a report is written whole or not at all
    emit failed(core_text(pdf.error().message));
    return;
  }
  busy_ = true;
  HtmlCharts charts(report.report);
  drawing_ = std::make_unique<Drawing>(Drawing{std::move(report), std::move(charts), *std::move(pdf)});
  QTimer::singleShot(0, this, &RunFiles::draw_next);
}

void RunFiles::draw_next() {
  Drawing& drawing = *drawing_;
  if (in_flight_ && *in_flight_) {
    remove_all(drawing.report.files);
    return end_drawing(fail(ErrorCode::cancelled, "report: cancelled"));
  }
  if (!drawing.page_written) {
    if (drawing.charts.draw_next()) {
      QTimer::singleShot(0, this, &RunFiles::draw_next);
      return;
    }
    drawing.report.files.push_back(drawing.report.folder / "report.html");
    const std::string page = to_html(drawing.report.report, drawing.charts.take());
    if (const Status written = write_text_file(drawing.report.files.back(), page); !written) {
      remove_all(drawing.report.files);
      return end_drawing(written);
    }
    drawing.page_written = true;
  }
  if (drawing.pdf.paint_next()) {
    QTimer::singleShot(0, this, &RunFiles::draw_next);
    return;
  }
  const Status written = write_text_file(drawing.report.folder / "report.pdf", drawing.pdf.take());
  if (!written) remove_all(drawing.report.files);
  end_drawing(written);
}

void RunFiles::end_drawing(const Status& status) {
  const QString html = to_q((drawing_->report.folder / "report.html").string());
  drawing_.reset();
  busy_ = false;
  if (status)
    emit finished((encode_ ? tr("Report saved: %1, also as JSON, CSV, LaTeX, PDF and Parquet")
                           : tr("Report saved: %1, also as JSON, CSV, LaTeX and PDF"))
                      .arg(html));
  else if (status.error().code == ErrorCode::cancelled)
    emit cancelled();
  else
    emit failed(core_text(status.error().message));
}

void RunFiles::export_run(const QString& run_id, const QString& path) {
  const QString what = tr("Writing %1").arg(run_id);
  begin(
      what, steps,
      [this, what, library = library_, id = from_q(run_id),
       file = std::filesystem::path(from_q(path))](const std::atomic<bool>& cancelled) -> Expected<QString> {
        KV_TRY(library->export_file(id, file, watch(what, cancelled)));
        return to_q(file.string());
      },
      [this](const QString& file) { emit finished(tr("Run saved: %1").arg(file)); });
}

void RunFiles::import_run(const QString& path) {
  const QString what = tr("Reading %1").arg(QFileInfo(path).fileName());
  begin(
      what, steps,
      [this, what, library = library_,
       file = std::filesystem::path(from_q(path))](const std::atomic<bool>& cancelled) -> Expected<QString> {
        KV_ASSIGN(auto id, library->import_file(file, watch(what, cancelled)));
        return to_q(id);
      },
      [this](const QString& id) {
        emit imported(id);
        emit finished(tr("Run %1 imported").arg(id));
      });
}

QString RunFiles::repeating_command(const QString& run_id) const {
  return to_q(command_from_record(from_q(run_id), library_ ? library_->database().string() : std::string()));
}

QString RunFiles::free_report_folder(const QString& folder) {
  const std::vector<std::string> names = report_file_names();
  const auto taken = [&names](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::ranges::any_of(names,
                               [&](const std::string& name) { return std::filesystem::exists(path / name, ignored); });
  };
  const std::filesystem::path asked = from_q(folder);
  std::filesystem::path free = asked;
  for (int number = 2; taken(free); ++number) free = asked / ("report-" + std::to_string(number));
  return to_q(free.string());
}

void RunFiles::write_page(const QString& run_id, const QString& path, bool texts) {
  const QString what = tr("Writing %1").arg(run_id);
  begin(
      what, steps,
      [this, what, texts, library = library_, id = from_q(run_id),
       file = std::filesystem::path(from_q(path))](const std::atomic<bool>& cancelled) -> Expected<QString> {
        KV_ASSIGN(auto run, library->read(id, share_event_types(), watch(what, cancelled)));
        KV_ASSIGN(const auto page, share_page({std::move(run.summary), std::move(run.events)}, {.texts = texts}));
        if (cancelled) return fail(ErrorCode::cancelled, "share: cancelled");
        KV_TRY(write_text_file(file, page));
        return to_q(file.string());
      },
      [this](const QString& file) { emit finished(tr("Page saved: %1").arg(file)); });
}

}  // namespace kvantage
