#include "ui/models/contexts_model.h"

#include <QFont>
#include <cmath>

#include "core/base/units.h"
#include "core/policy/utility.h"
#include "ui/models/words.h"

namespace kvantage {
namespace {

std::string configuration_key(const std::string& source, const std::string& method, double removed_fraction) {
  return source + '|' + (removed_fraction <= 0 ? "none" : method) + '|' + format_fixed(removed_fraction, 3);
}

bool same(const ContextsModel::Row& a, const ContextsModel::Row& b) {
  return a.state.placement == b.state.placement && a.state.stored_bytes == b.state.stored_bytes &&
         std::abs(a.state.frequency - b.state.frequency) < 0.005 && a.state.profile == b.state.profile &&
         a.quality.n == b.quality.n && a.ttft.n == b.ttft.n && a.reason == b.reason && a.state.id == b.state.id &&
         std::abs(a.predicted_ttft_seconds - b.predicted_ttft_seconds) < 5e-5;
}

QString interval_text(const MeasuredMean& interval, QString (*text)(double)) {
  return interval.n == 0 ? QStringLiteral("–") : QStringLiteral("%1 (%2)").arg(text(interval.mean)).arg(interval.n);
}

}  // namespace

ContextsModel::ContextsModel(QObject* parent) : QAbstractTableModel(parent) {}

void ContextsModel::clear_measurements() {
  measured_.clear();
  if (snapshot_) set_snapshot(snapshot_);
}

void ContextsModel::clear_history() {
  measured_.clear();
  reasons_.clear();
}

void ContextsModel::swap_history(ContextsModel& other) {
  std::swap(measured_, other.measured_);
  std::swap(reasons_, other.reasons_);
}

ContextsModel::Row ContextsModel::make_row(const ContextState& state, double fallback_quality) const {
  Row row;
  row.state = state;
  const Prediction prediction = predict(*snapshot_, state, state.placement, fallback_quality);
  row.predicted_quality = prediction.quality;
  row.predicted_ttft_seconds = prediction.ttft_seconds;
  row.quality_assumed = prediction.quality_assumed;
  if (const auto reason = reasons_.find(state.key); reason != reasons_.end()) row.reason = reason->second;
  const std::string source = state.placement.stored() ? from_q(tier_text(*snapshot_, state.placement.tier)) : "prefill";
  if (const auto found = measured_.find(state.key); found != measured_.end()) {
    const auto measured = found->second.find(configuration_key(
        source, state.placement.method, state.placement.stored() ? state.placement.removed_fraction : 0));
    if (measured != found->second.end()) {
      const auto mean_of = [this](const GrowingMean& mean) { return intervals_ ? mean.measured() : mean.without_interval(); };
      row.quality = mean_of(measured->second.quality);
      row.ttft = mean_of(measured->second.ttft);
      row.shaped = measured->second.shaped;
    }
  }
  return row;
}

void ContextsModel::set_snapshot(const std::shared_ptr<const Snapshot>& snapshot) {
  if (!snapshot) return;
  snapshot_ = snapshot;
  const double fallback_quality = mean_uncompressed_quality(*snapshot);
  if (snapshot->contexts.size() != rows_.size()) {
    beginResetModel();
    rows_.clear();
    rows_.reserve(snapshot->contexts.size());
    for (const ContextState& state : snapshot->contexts) rows_.push_back(make_row(state, fallback_quality));
    endResetModel();
    return;
  }
  const bool all = intervals_ && !intervals_shown_;
  intervals_shown_ = intervals_;
  int first = -1, last = -1;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row row = make_row(snapshot->contexts[i], fallback_quality);
    if (!all && same(row, rows_[i])) continue;
    rows_[i] = std::move(row);
    last = static_cast<int>(i);
    if (first < 0) first = last;
  }
  if (first >= 0) emit dataChanged(index(first, 0), index(last, column_count - 1));
}

void ContextsModel::request_finished(const RequestRecord& record) {
  if (record.cancelled) return;
  const bool hit = record.source != "prefill";
  Measured& measured =
      measured_[record.context][configuration_key(record.source, record.method, hit ? record.removed_fraction : 0)];
  if (const auto found = record.quality.find(metric_); found != record.quality.end())
    measured.quality.add(found->second, record.context_id);
  measured.ttft.add(record.timing.ttft_service_seconds, record.context_id);
  measured.shaped = measured.shaped || record.provenance == Provenance::shaped;
}

void ContextsModel::placement_committed(const events::PlacementCommitted& event) {
  reasons_[event.action.context] = to_q(event.action.reason);
}

const ContextsModel::Row* ContextsModel::row(int at) const {
  return at < 0 || at >= rowCount() ? nullptr : &rows_[static_cast<std::size_t>(at)];
}

int ContextsModel::row_of(const QString& context_id) const {
  const std::string id = from_q(context_id);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].state.id == id) return static_cast<int>(i);
  return -1;
}

int ContextsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int ContextsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int{column_count};
}

QVariant ContextsModel::data(const QModelIndex& at, int role) const {
  const Row* row = this->row(at.row());
  if (!row) return {};
  const ContextState& state = row->state;
  const bool predicted = at.column() == quality_predicted || at.column() == ttft_predicted;
  if (role == context_role) return to_q(state.id);
  if (role == predicted_role) return predicted;
  if (role == Qt::FontRole && predicted) {
    QFont italic;
    italic.setItalic(true);
    return italic;
  }
  if (role == Qt::TextAlignmentRole) {
    const bool words = at.column() == context || at.column() == family || at.column() == tier ||
                       at.column() == method || at.column() == why;
    return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) {
    switch (at.column()) {
      case quality_measured:
        if (row->quality.n)
          return QStringLiteral("95 % interval %1 to %2, n = %3")
              .arg(quality_text(row->quality.low), quality_text(row->quality.high))
              .arg(row->quality.n);
        return QStringLiteral("no request was served in this placement yet");
      case ttft_measured:
        if (row->ttft.n)
          return QStringLiteral("%1; 95 % interval %2 to %3, n = %4")
              .arg(row->shaped ? "shaped" : "measured", seconds_text(std::max(0.0, row->ttft.low)),
                   seconds_text(row->ttft.high))
              .arg(row->ttft.n);
        return QStringLiteral("no request was served in this placement yet");
      case bytes:
        return QStringLiteral("%1 uncompressed").arg(bytes_text(static_cast<double>(state.full_bytes)));
      case quality_predicted:
        return row->quality_assumed ? QStringLiteral("assumed: this configuration has no measured profile point yet")
                                    : QString();
      case why:
        return row->reason;
      default:
        return {};
    }
  }
  if (role == sort_role) {
    switch (at.column()) {
      case tokens:
        return state.tokens;
      case bytes:
        return static_cast<qulonglong>(state.stored_bytes);
      case tier:
        return state.placement.stored() ? state.placement.tier : 1000;
      case method:
        return state.placement.removed_fraction;
      case frequency:
        return state.frequency;
      case quality_predicted:
        return row->predicted_quality;
      case quality_measured:
        return row->quality.n ? row->quality.mean : -1.0;
      case ttft_predicted:
        return row->predicted_ttft_seconds;
      case ttft_measured:
        return row->ttft.n ? row->ttft.mean : -1.0;
      default:
        return data(at, Qt::DisplayRole);
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case context:
      return to_q(state.id);
    case family:
      return to_q(state.family);
    case tokens:
      return QString::number(state.tokens);
    case bytes:
      return state.placement.stored() ? bytes_text(static_cast<double>(state.stored_bytes)) : QStringLiteral("–");
    case tier:
      return tier_text(*snapshot_, state.placement.tier);
    case method:
      return state.placement.stored() ? configuration_short(state.placement.method, state.placement.removed_fraction)
                                      : QStringLiteral("–");
    case frequency:
      return to_q(format_fixed(state.frequency, 2));
    case quality_predicted:
      return (row->quality_assumed ? QStringLiteral("≈ ") : QString()) + quality_text(row->predicted_quality);
    case quality_measured:
      return interval_text(row->quality, quality_text);
    case ttft_predicted:
      return seconds_text(row->predicted_ttft_seconds);
    case ttft_measured:
      return interval_text(row->ttft, seconds_text);
    case why:
      return row->reason.isEmpty() ? QStringLiteral("–") : row->reason;
    default:
      return {};
  }
}

QVariant ContextsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  static const char* const titles[] = {"Context",
                                       "Family",
                                       "Tokens",
                                       "Stored",
                                       "Tier",
                                       "Method, removed",
                                       "Frequency",
                                       "Quality predicted",
                                       "Quality measured (n)",
                                       "TTFT predicted",
                                       "TTFT measured (n)",
                                       "Why it is there"};
  static const char* const tips[] = {
      "Context of the workload",
      "Text family",
      "Length of the context in tokens",
      "Bytes of the stored entry, headers included",
      "Where the entry is now",
      "Compression method and fraction of tokens removed",
      "Decayed number of requests; weighs utility",
      "Predicted: from the quality profile of this configuration",
      "Measured: mean over requests served in exactly this placement, and how many",
      "Predicted: from the fitted tier and prefill models, service time",
      "Measured (or shaped): mean service time over requests served in exactly this placement, and how many",
      "Reason of the last action: the utility drop that decided, against the next best action"};
  if (section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return QString::fromLatin1(titles[section]);
  if (role == Qt::ToolTipRole) return QString::fromLatin1(tips[section]);
  return {};
}

}  // namespace kvantage
