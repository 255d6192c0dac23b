#include "ui/live/contexts/model/contexts_model.h"

#include <QFont>
#include <algorithm>
#include <utility>

#include "core/base/units.h"
#include "core/policy/utility.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

std::string configuration_key(const std::string& source, const std::string& method, double removed_fraction) {
  return source + '|' + (removed_fraction <= 0 ? "none" : method) + '|' + format_fixed(removed_fraction, 3);
}

QString interval_text(const MeasuredMean& interval, QString (*text)(double)) {
  return interval.n == 0 ? QStringLiteral("–") : QStringLiteral("%1 (%2)").arg(text(interval.mean)).arg(interval.n);
}

}  // namespace

ContextsModel::ContextsModel(QObject* parent) : QAbstractTableModel(parent) {}

void ContextsModel::clear_measurements() {
  history_.measured.clear();
  if (snapshot_) set_snapshot(snapshot_);
}

ContextsModel::Row ContextsModel::make_row(const ContextState& state) const {
  Row row;
  row.state = state;
  if (!fallback_quality_) fallback_quality_ = mean_uncompressed_quality(*snapshot_);
  const Prediction prediction = predict(*snapshot_, state, state.placement, *fallback_quality_);
  row.predicted_quality = prediction.quality;
  row.predicted_ttft_seconds = prediction.ttft_seconds;
  row.quality_assumed = prediction.quality_assumed;
  if (const auto reason = history_.reasons.find(state.key); reason != history_.reasons.end())
    row.reason = reason->second;
  if (const Measured* measured = measured_of(state)) {
    row.quality = measured->quality.without_interval();
    row.ttft = measured->ttft.without_interval();
    row.throttled = measured->throttled;
  }
  return row;
}

const ContextsModel::Measured* ContextsModel::measured_of(const ContextState& state) const {
  const auto found = history_.measured.find(state.key);
  if (found == history_.measured.end()) return nullptr;
  const bool stored = state.placement.stored();
  const auto measured =
      found->second.find(configuration_key(stored ? from_q(tier_text(*snapshot_, state.placement.tier)) : "prefill",
                                           state.placement.method, stored ? state.placement.removed_fraction : 0));
  return measured == found->second.end() ? nullptr : &measured->second;
}

// Intervals cost more than everything else here: they are drawn for the one that is asked about.
QString ContextsModel::interval_tip(const ContextState& state, Column column) const {
  const Measured* measured = measured_of(state);
  if (!measured) return tr("no request served in this placement yet");
  if (column == quality_measured) {
    const MeasuredMean quality = measured->quality.measured();
    return tr("95 % interval %1 to %2, n = %3")
        .arg(quality_text(quality.low), quality_text(quality.high))
        .arg(quality.n);
  }
  const MeasuredMean ttft = measured->ttft.measured();
  return tr("%1; 95 % interval %2 to %3, n = %4")
      .arg(provenance_text(measured->throttled ? Provenance::throttled : Provenance::measured),
           seconds_text(std::max(0.0, ttft.low)), seconds_text(ttft.high))
      .arg(ttft.n);
}

void ContextsModel::set_snapshot(const std::shared_ptr<const Snapshot>& snapshot) {
  if (!snapshot) return;
  const bool others = snapshot->contexts.size() != rows_.size();
  if (others) beginResetModel();
  snapshot_ = snapshot;
  fallback_quality_.reset();
  ++snapshots_;
  if (others) {
    rows_.assign(snapshot->contexts.size(), {});
    endResetModel();
  } else if (!rows_.empty()) {
    emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  }
}

void ContextsModel::request_finished(const RequestRecord& record) {
  if (record.cancelled) return;
  const bool hit = record.source != "prefill";
  Measured& measured =
      history_
          .measured[record.context][configuration_key(record.source, record.method, hit ? record.removed_fraction : 0)];
  if (const auto found = record.quality.find(metric_); found != record.quality.end())
    measured.quality.add(found->second, record.context_id);
  measured.ttft.add(record.timing.ttft_service_seconds, record.context_id);
  measured.throttled = measured.throttled || record.provenance == Provenance::throttled;
}

void ContextsModel::placement_committed(const events::PlacementCommitted& event) {
  history_.reasons[event.action.context] = to_q(event.action.reason);
}

const ContextsModel::Row* ContextsModel::row(int at) const {
  if (at < 0 || at >= rowCount()) return nullptr;
  MadeRow& made = rows_[static_cast<std::size_t>(at)];
  if (std::exchange(made.made_of, snapshots_) != snapshots_)
    made.row = make_row(snapshot_->contexts[static_cast<std::size_t>(at)]);
  return &made.row;
}

int ContextsModel::row_of(const QString& context_id) const {
  const std::string id = from_q(context_id);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (snapshot_->contexts[i].id == id) return static_cast<int>(i);
  return -1;
}

int ContextsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int ContextsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

QVariant ContextsModel::tool_tip(const Row& row, int column) const {
  const ContextState& state = row.state;
  switch (column) {
    case quality_measured:
    case ttft_measured:
      return interval_tip(state, static_cast<Column>(column));
    case bytes:
      return tr("%1 uncompressed").arg(bytes_text(static_cast<double>(state.full_bytes)));
    case quality_predicted:
      return row.quality_assumed ? tr("assumed: no measured profile point for this configuration yet") : QString();
    case why:
      return core_text(row.reason);
    default:
      return {};
  }
}

QVariant ContextsModel::sort_value(const Row& row, int column) {
  const ContextState& state = row.state;
  switch (column) {
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
      return row.predicted_quality;
    case quality_measured:
      return row.quality.n ? row.quality.mean : -1.0;
    case ttft_predicted:
      return row.predicted_ttft_seconds;
    case ttft_measured:
      return row.ttft.n ? row.ttft.mean : -1.0;
    default:
      return {};
  }
}

QVariant ContextsModel::shown_value(const Row& row, int column) const {
  const ContextState& state = row.state;
  switch (column) {
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
      return (row.quality_assumed ? QStringLiteral("≈ ") : QString()) + quality_text(row.predicted_quality);
    case quality_measured:
      return interval_text(row.quality, quality_text);
    case ttft_predicted:
      return seconds_text(row.predicted_ttft_seconds);
    case ttft_measured:
      return interval_text(row.ttft, seconds_text);
    case why:
      return row.reason.isEmpty() ? QStringLiteral("–") : core_text(row.reason);
    default:
      return {};
  }
}

QVariant ContextsModel::data(const QModelIndex& at, int role) const {
  const Row* row = this->row(at.row());
  if (!row) return {};
  const int column = at.column();
  const bool predicted = column == quality_predicted || column == ttft_predicted;
  if (role == context_role) return to_q(row->state.id);
  if (role == predicted_role) return predicted;
  if (role == Qt::FontRole && predicted) {
    QFont italic;
    italic.setItalic(true);
    return italic;
  }
  if (role == Qt::TextAlignmentRole) {
    const bool words = column == context || column == family || column == tier || column == method || column == why;
    return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) return tool_tip(*row, column);
  if (role == sort_role)
    if (const QVariant value = sort_value(*row, column); value.isValid()) return value;
  return role == Qt::DisplayRole || role == sort_role ? shown_value(*row, column) : QVariant();
}

QVariant ContextsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  static const char* const titles[] = {QT_TR_NOOP("Context"),
                                       QT_TR_NOOP("Family"),
                                       QT_TR_NOOP("Tokens"),
                                       QT_TR_NOOP("Stored"),
                                       QT_TR_NOOP("Tier"),
                                       QT_TR_NOOP("Method, removed"),
                                       QT_TR_NOOP("Frequency"),
                                       QT_TR_NOOP("Quality predicted"),
                                       QT_TR_NOOP("Quality measured (n)"),
                                       QT_TR_NOOP("TTFT predicted"),
                                       QT_TR_NOOP("TTFT measured (n)"),
                                       QT_TR_NOOP("Reason")};
  static const char* const tips[] = {
      QT_TR_NOOP("Context of the workload"),
      QT_TR_NOOP("Text family"),
      QT_TR_NOOP("Length of the context, in tokens"),
      QT_TR_NOOP("Size of the stored cache, headers included"),
      QT_TR_NOOP("Tier that holds the cache"),
      QT_TR_NOOP("Compression method and removed share of KV entries"),
      QT_TR_NOOP("Decayed number of requests; weights utility"),
      QT_TR_NOOP("Predicted from the quality profile of this configuration, 0 to 1"),
      QT_TR_NOOP("Measured mean over n requests served in this placement, 0 to 1"),
      QT_TR_NOOP("Predicted from fitted costs, without queueing"),
      QT_TR_NOOP("Measured (or throttled) mean over n requests served in this placement, without queueing"),
      QT_TR_NOOP("Reason for the last action: its utility drop and the runner-up")};
  if (section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return tr(titles[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

}  // namespace kvantage
