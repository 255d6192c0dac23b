#include "ui/runs/model/run_comparison_model.h"

#include <QDateTime>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "ui/session/read_steps.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

QString compared_setting_text(const DifferingSetting& setting, const Json& value) {
  if (value.is_null()) return QStringLiteral("–");
  if (value.is_number() && setting.name.ends_with("_bytes")) return bytes_text(value.get<double>());
  if (value.is_number()) {
    const auto number = value.get<double>();
    return number == std::floor(number) ? QString::number(number, 'f', 0)
                                        : number_text(number);  // a count has no point
  }
  if (value.is_string()) return to_q(value.get<std::string>());
  if (value.is_array()) {
    QStringList list;
    for (const Json& item : value) list << compared_setting_text(setting, item);
    return list.isEmpty() ? RunComparisonModel::tr("none") : list.join(", ");
  }
  return to_q(dump_json(value));
}

RunComparisonModel::RunComparisonModel(std::shared_ptr<RunLibrary> library, QObject* parent)
    : QAbstractTableModel(parent), library_(std::move(library)) {}

void RunComparisonModel::set_busy(bool busy) {
  if (busy == busy_) return;
  busy_ = busy;
  emit busyChanged(busy);
}

void RunComparisonModel::compare(const QStringList& run_ids) {
  if (!library_) return;
  if (run_ids.size() < min_runs || run_ids.size() > max_read) {
    emit failed(tr("%n run(s) selected; select %1 to %2 to compare them.", nullptr, static_cast<int>(run_ids.size()))
                    .arg(min_runs)
                    .arg(max_read));
    return;
  }
  std::vector<std::string> ids;
  for (const QString& id : run_ids) ids.push_back(from_q(id));
  unit_ = ComparedUnit::whole_run;
  ask(nullptr, std::move(ids), 0);
}

void RunComparisonModel::set_periods(bool wanted) {
  if (!runs_ || wanted == showing_periods() || (wanted && !periods_fit())) return;
  unit_ = wanted ? ComparedUnit::period : ComparedUnit::whole_run;
  ask(runs_, {}, 0);
}

void RunComparisonModel::set_baseline(int side) {
  if (side < 0 || side >= sides() || static_cast<std::size_t>(side) == comparison_.baseline || !runs_) return;
  ask(runs_, {}, static_cast<std::size_t>(side));
}

void RunComparisonModel::cancel() {
  if (!busy_) return;
  ++job_;
  if (in_flight_) *in_flight_ = true;
  unit_ = shown_unit_;
  set_busy(false);
  emit cancelled();
}

void RunComparisonModel::clear() {
  ++job_;
  if (in_flight_) *in_flight_ = true;
  set_busy(false);
  beginResetModel();
  runs_.reset();
  comparison_ = {};
  details_ = {};
  lines_.clear();
  endResetModel();
}

void RunComparisonModel::ask(Runs runs, std::vector<std::string> ids, std::size_t baseline) {
  if (in_flight_) *in_flight_ = true;
  const std::uint64_t job = ++job_;
  set_busy(true);
  emit progress(0, runs ? 0 : read_steps);
  const auto tell = [this, job](int step) {
    if (job == job_) emit progress(step, read_steps);
  };
  in_flight_ = worker_.run(
      [this, job, tell, library = library_, runs = std::move(runs), ids = std::move(ids), baseline,
       unit = unit_](const std::atomic<bool>& cancelled) -> Expected<Answer> {
        Runs read = runs;
        if (!read) {
          auto made = std::make_shared<std::vector<RecordedRun>>();
          for (const std::string& id : ids) {
            if (cancelled) return fail(ErrorCode::cancelled, "comparison: given up");
            KV_ASSIGN(auto run, library->read(id, report_event_types(),
                                              watch_reading(*this, made->size(), ids.size(), cancelled, tell)));
            made->push_back({std::move(run.summary), std::move(run.events), std::move(run.calibration_seconds)});
          }
          read = std::move(made);
        }
        QMetaObject::invokeMethod(
            this,
            [this, job] {
              if (job == job_) emit progress(0, 0);
            },
            Qt::QueuedConnection);  // drawing contexts for the intervals
        const std::vector<std::size_t> places = sides_of(*read, unit);
        if (!places.empty() && std::ranges::max(places) >= static_cast<std::size_t>(max_runs))
          return fail(ErrorCode::usage,
                      from_q(tr("These runs are more than %1 to compare, also with the repetitions of "
                                "a command as one; select fewer.")
                                 .arg(max_runs)));
        RunComparison comparison = compare_runs(*read, baseline, unit);
        ComparedDetails details = compared_details(*read, comparison, unit);
        const std::size_t periods = periods_of(*read);
        const std::vector<std::size_t> whole = sides_of(*read, ComparedUnit::whole_run);
        const std::size_t wholes = whole.empty() ? 0 : std::ranges::max(whole) + 1;
        return Answer{std::move(read), std::move(comparison), std::move(details), periods, wholes};
      },
      [this, job](Expected<Answer> answer) { take(std::move(answer), job); });
}

void RunComparisonModel::take(Expected<Answer> answer, std::uint64_t job) {
  if (job != job_) return;
  if (answer)
    shown_unit_ = unit_;
  else
    unit_ = shown_unit_;  // what is shown stays
  set_busy(false);
  if (!answer) {
    emit failed(core_text(answer.error().message));
    return;
  }
  beginResetModel();
  runs_ = std::move(answer->runs);
  comparison_ = std::move(answer->comparison);
  details_ = std::move(answer->details);
  periods_ = static_cast<int>(answer->periods);
  whole_runs_ = static_cast<int>(answer->whole_runs);
  lines_.clear();
  for (const std::string& note : comparison_.notes) lines_.push_back({Kind::heading, 0, core_text(note)});
  lines_.push_back(
      {Kind::heading, 0, comparison_.settings.empty() ? tr("No settings differ") : tr("Settings that differ")});
  for (std::size_t i = 0; i < comparison_.settings.size(); ++i)
    lines_.push_back({Kind::setting, i, to_q(comparison_.settings[i].name)});
  lines_.push_back({Kind::heading, 0, tr("Metrics")});
  for (std::size_t i = 0; i < comparison_.metrics.size(); ++i)
    lines_.push_back({Kind::metric, i, core_text(comparison_.metrics[i].name)});
  endResetModel();
  emit compared();
}

QString RunComparisonModel::side_name(int side) const {
  const auto at = static_cast<std::size_t>(side);
  QString name = QStringLiteral("%1  %2").arg(letter(side), to_q(comparison_.names[at]));
  for (const RecordedRun& run : *runs_)
    if (run.summary.run_id == comparison_.runs[at])
      name += QDateTime::fromMSecsSinceEpoch(run.summary.started_utc_ns / 1'000'000)
                  .toString(QStringLiteral("  MM-dd HH:mm"));
  if (const std::size_t runs = comparison_.members[at].size(); runs > 1)
    name += QStringLiteral("  ") + tr("(%n run(s))", nullptr, static_cast<int>(runs));
  return name;
}

std::string RunComparisonModel::quality_metric() const {
  const Json::json_pointer place("/settings/quality_metric");
  if (!runs_ || runs_->empty()) return {};
  const Json& settings = runs_->front().summary.settings;
  return settings.is_object() && settings.contains(place) && settings.at(place).is_string()
             ? settings.at(place).get<std::string>()
             : std::string();
}

QString RunComparisonModel::to_text() const {
  QString text;
  for (int c = 0; c < columnCount(); ++c)
    text += (c == 0 ? QString() : QStringLiteral("\t")) + headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
  for (int r = 0; r < rowCount(); ++r) {
    text += '\n';
    for (int c = 0; c < columnCount(); ++c)
      text += (c == 0 ? QString() : QStringLiteral("\t")) +
              index(r, c).data().toString().replace('\n', QStringLiteral("; "));
  }
  return text + '\n';
}

int RunComparisonModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}
int RunComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || lines_.empty() ? 0 : sides() + 1;
}

Qt::ItemFlags RunComparisonModel::flags(const QModelIndex& at) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(at);
  return at.isValid() && lines_[static_cast<std::size_t>(at.row())].kind == Kind::heading
             ? flags & ~Qt::ItemIsSelectable
             : flags;
}

QVariant RunComparisonModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || at.row() >= rowCount() || at.column() >= columnCount()) return {};
  const Line& line = lines_[static_cast<std::size_t>(at.row())];
  const auto side = static_cast<std::size_t>(at.column() - 1);
  if (role == kind_role) return static_cast<int>(line.kind);
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
  if (at.column() == 0) {
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return line.name;
    return {};
  }
  if (line.kind == Kind::setting) {
    const DifferingSetting& setting = comparison_.settings[line.at];
    return role == Qt::DisplayRole || role == Qt::ToolTipRole
               ? QVariant(compared_setting_text(setting, setting.values[side]))
               : QVariant();
  }
  if (line.kind == Kind::heading) return {};
  const ComparedMetric& metric = comparison_.metrics[line.at];
  const auto& value = metric.values[side];
  if (role == judgment_role) return static_cast<int>(value ? value->judgment : Judgment::none);
  if (!value) return role == Qt::DisplayRole ? QVariant(QStringLiteral("–")) : QVariant();
  const QString judged = core_text(judgment_text(comparison_, metric, side));
  if (role == Qt::DisplayRole) {
    QString text = to_q(value_text(metric, *value));
    if (value->interval) text += ' ' + to_q(interval_text(metric, *value));
    if (value->n > 0) text += QStringLiteral(", n = %1").arg(value->n);
    return judged.isEmpty() ? text : text + '\n' + judged;
  }
  if (role == Qt::ToolTipRole) {
    QString tip = QStringLiteral("%1 (%2)").arg(to_q(value_text(metric, *value)), provenance_text(value->provenance));
    if (value->interval)
      tip += '\n' + tr("95 % interval %1 over %n context(s)", nullptr, static_cast<int>(value->contexts))
                        .arg(to_q(interval_text(metric, *value)));
    if (!value->verdict.empty())
      tip += '\n' + tr("versus %1: %2").arg(letter(static_cast<int>(comparison_.baseline)), core_text(value->verdict));
    return tip;
  }
  return {};
}

QVariant RunComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (section == 0) return role == Qt::DisplayRole ? QVariant(tr("Setting or metric")) : QVariant();
  const int side = section - 1;
  const bool base = static_cast<std::size_t>(side) == comparison_.baseline;
  if (role == Qt::DisplayRole) return base ? tr("%1  (baseline)").arg(side_name(side)) : side_name(side);
  if (role == Qt::ToolTipRole) {
    const auto at = static_cast<std::size_t>(side);
    QStringList ids;
    for (const std::string& id : comparison_.members[at]) ids << to_q(id);
    const QString run = ids.join('\n');
    const std::string& unfinished = comparison_.unfinished[at];
    return unfinished.empty() ? run : run + '\n' + tr("not complete: %1").arg(core_text(unfinished));
  }
  return {};
}

}  // namespace kvantage
