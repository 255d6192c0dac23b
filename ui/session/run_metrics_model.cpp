#include "ui/session/run_metrics_model.h"

#include <utility>

#include "core/report/recorded_run.h"
#include "ui/session/read_steps.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

QString metric_number(const std::optional<double>& value, bool whole = false) {
  return value ? to_q(metric_text(*value, whole)) : QStringLiteral("–");
}

QString ends(const std::optional<Interval>& interval) {
  return interval ? to_q(metric_text(interval)) : QStringLiteral("–");
}

// What a metric means, by the name it has in the definitions; several share one line there.
QString definition(const std::string& name) {
  for (const MetricDefinition& metric : metric_definitions())
    if (to_q(metric.name).split(QStringLiteral(", ")).contains(to_q(name)))
      return core_text(metric.meaning) +
             (metric.formula.empty() ? QString() : QStringLiteral("\n= ") + core_text(metric.formula));
  return {};
}

}  // namespace

RunMetricsModel::RunMetricsModel(std::shared_ptr<RunLibrary> library, QObject* parent)
    : QAbstractTableModel(parent), library_(std::move(library)) {}

void RunMetricsModel::set_busy(bool busy) {
  if (busy == busy_) return;
  busy_ = busy;
  emit busyChanged(busy);
}

void RunMetricsModel::cancel() {
  if (!busy_) return;
  ++job_;
  if (in_flight_) *in_flight_ = true;
  set_busy(false);
  emit cancelled();
}

void RunMetricsModel::clear() {
  ++job_;
  if (in_flight_) *in_flight_ = true;
  set_busy(false);
  beginResetModel();
  lines_.clear();
  claim_.clear();
  endResetModel();
}

void RunMetricsModel::show_runs(const QStringList& run_ids) {
  if (!library_ || run_ids.isEmpty()) return;
  if (in_flight_) *in_flight_ = true;
  const std::uint64_t job = ++job_;
  set_busy(true);
  emit progress(0, read_steps);
  const auto tell = [this, job](int step) {
    if (job == job_) emit progress(step, read_steps);
  };
  std::vector<std::string> ids;
  for (const QString& id : run_ids) ids.push_back(from_q(id));
  in_flight_ = worker_.run(
      [this, job, tell, library = library_,
       ids = std::move(ids)](const std::atomic<bool>& cancelled) -> Expected<Answer> {
        std::vector<RecordedRun> runs;
        for (const std::string& id : ids) {
          if (cancelled) return fail(ErrorCode::cancelled, "figures: given up");
          KV_ASSIGN(auto read, library->read(id, report_event_types(),
                                             watch_reading(*this, runs.size(), ids.size(), cancelled, tell)));
          runs.push_back({std::move(read.summary), std::move(read.events)});
        }
        QMetaObject::invokeMethod(
            this,
            [this, job] {
              if (job == job_) emit progress(0, 0);
            },
            Qt::QueuedConnection);  // drawing contexts for the intervals
        const RunReport report = report_of_runs(runs);
        Answer answer{core_text(report.claim), {}};
        for (const PolicyRow& row : report.rows)
          for (ReportMetric& listed : metric_list(row)) answer.lines.push_back({to_q(row.policy), std::move(listed)});
        return answer;
      },
      [this, job](Expected<Answer> answer) {
        if (job != job_) return;
        set_busy(false);
        if (!answer) {
          emit failed(core_text(answer.error().message));
          return;
        }
        beginResetModel();
        lines_ = std::move(answer->lines);
        claim_ = answer->claim;
        endResetModel();
        emit shown();
      });
}

int RunMetricsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}
int RunMetricsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

QVariant RunMetricsModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || at.row() >= rowCount()) return {};
  const Line& line = lines_[static_cast<std::size_t>(at.row())];
  const ReportMetric& of = line.metric;
  if (role == Qt::TextAlignmentRole) {
    const bool words = at.column() <= part || at.column() == unit || at.column() == provenance;
    return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole)
    return at.column() == provenance ? QVariant(provenance_tip(of.provenance))
                                     : QVariant(definition(of.name == "quality" ? of.part : of.name));
  if (role != Qt::DisplayRole) return {};
  const auto counted = [&](std::size_t number) { return of.sampled ? QString::number(number) : QStringLiteral("–"); };
  switch (at.column()) {
    case run:
      return line.policy;
    case metric:
      return to_q(of.name);
    case part:
      return to_q(part_text(of));
    case value:
      return metric_number(of.value, of.whole);
    case unit:
      return to_q(of.unit);
    case interval:
      return ends(of.interval);
    case n:
      return counted(of.n);
    case contexts:
      return counted(of.contexts);
    case p50:
      return metric_number(of.p50);
    case p95:
      return metric_number(of.p95);
    case p95_interval:
      return ends(of.p95_interval);
    case p99:
      return metric_number(of.p99);
    case provenance:
      return provenance_text(of.provenance);
    default:
      return {};
  }
}

QVariant RunMetricsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  static constexpr std::pair<const char*, const char*> titles[] = {
      {QT_TR_NOOP("Run"), QT_TR_NOOP("Policy of the run, with the settings that changed during it")},
      {QT_TR_NOOP("Metric"), QT_TR_NOOP("Name as in files. Hover over a row for its definition.")},
      {QT_TR_NOOP("Part"), QT_TR_NOOP("Tier, quality metric or reason it refers to")},
      {QT_TR_NOOP("Value"), QT_TR_NOOP("Mean if n is given, otherwise the value; six significant digits")},
      {QT_TR_NOOP("Unit"), QT_TR_NOOP("s: seconds, B: bytes, 1: share or count")},
      {QT_TR_NOOP("95 % interval"),
       QT_TR_NOOP("95 % bootstrap interval of the mean, resampling contexts with all their requests")},
      {QT_TR_NOOP("n"), QT_TR_NOOP("Samples: requests, or gaps between tokens")},
      {QT_TR_NOOP("Contexts"), QT_TR_NOOP("Number of contexts in the samples")},
      {QT_TR_NOOP("p50"), QT_TR_NOOP("Median of the samples")},
      {QT_TR_NOOP("p95"), QT_TR_NOOP("95th percentile of the samples")},
      {QT_TR_NOOP("p95 interval"),
       QT_TR_NOOP("95 % bootstrap interval of p95, resampling contexts with all their requests")},
      {QT_TR_NOOP("p99"), QT_TR_NOOP("99th percentile of the samples")},
      {QT_TR_NOOP("Source"), QT_TR_NOOP("Measured, throttled, simulated or predicted")}};
  if (role == Qt::ToolTipRole) return tr(titles[section].second);
  return role == Qt::DisplayRole ? QVariant(tr(titles[section].first)) : QVariant();
}

}  // namespace kvantage
