#include "ui/live/requests/model/events_model.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "core/base/units.h"
#include "core/ports/placement_reasons.h"
#include "core/ports/reason_text.h"
#include "ui/live/tiers/model/tier_series_model.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t kept_rows = 5'000;
constexpr std::size_t dropped_at_once = 100;

QString json_text(const Json& json) { return to_q(dump_json(json)); }

QString action_line(const PlacementAction& action, const std::string& context_id) {
  const QString before = bytes_text(static_cast<double>(action.bytes_before)),
                after = bytes_text(static_cast<double>(action.bytes_after));
  return QStringLiteral("%1 %2: %3")
      .arg(action_text(action.kind), to_q(context_id),
           before == after ? after : QStringLiteral("%1 → %2").arg(before, after));
}

}  // namespace

/// Writes what an event says into its row. An event that shows() leaves out has nothing to write.
class EventsModel::RowWriter {
 public:
  explicit RowWriter(Row& row) : row_(row) {}

  void operator()(const events::RunStarted& e) { row_.text = EventsModel::tr("run %1 started").arg(to_q(e.run_id)); }
  void operator()(const events::RunFinished& e) {
    row_.text = EventsModel::tr("run %1: %2 after %n request(s)", nullptr, static_cast<int>(e.requests))
                    .arg(to_q(e.run_id), core_text(e.outcome));
  }
  void operator()(const events::RequestFinished& e) {
    const RequestRecord& r = e.record;
    row_.context = to_q(r.context_id);
    row_.text = r.cancelled ? EventsModel::tr("request %1 canceled").arg(r.id)
                            : EventsModel::tr("request %1 on %2 from %3, TTFT %4 (%5)")
                                  .arg(r.id)
                                  .arg(to_q(r.context_id), core_text(r.source),
                                       seconds_text(r.timing.ttft_service_seconds), provenance_text(r.provenance));
  }
  void operator()(const events::ContextComputed& e) {
    row_.context = to_q(e.context_id);
    row_.text = EventsModel::tr("%1 computed: %2 tokens, %3 in %4")
                    .arg(to_q(e.context_id))
                    .arg(e.tokens)
                    .arg(bytes_text(static_cast<double>(e.bytes)), seconds_text(e.seconds));
  }
  void operator()(const events::ContextProfiled& e) {
    const int points = static_cast<int>(e.profile.points.size());
    row_.context = to_q(e.context_id);
    row_.text =
        e.from_store
            ? EventsModel::tr("%1: profile read from the store, %n point(s)", nullptr, points).arg(to_q(e.context_id))
            : (e.after_drift ? EventsModel::tr("%1 re-profiled: %n point(s) in %2", nullptr, points)
                             : EventsModel::tr("%1 profiled: %n point(s) in %2", nullptr, points))
                  .arg(to_q(e.context_id), seconds_text(e.seconds));
    row_.after_drift = e.after_drift && !e.from_store;
  }
  void operator()(const events::PlanMade& e) {
    row_.text = EventsModel::tr("%1 planned %n action(s) in %2: predicted quality %3, TTFT %4", nullptr,
                                static_cast<int>(e.actions))
                    .arg(to_q(e.policy), seconds_text(e.seconds), quality_text(e.mean_quality),
                         seconds_text(e.mean_ttft_seconds));
  }
  void operator()(const events::PlacementCommitted& e) {
    row_.context = to_q(e.context_id);
    row_.text = action_line(e.action, e.context_id);
    if (!e.action.reason.empty()) row_.text += QStringLiteral(" – ") + core_text(e.action.reason);
  }
  void operator()(const events::PlacementFailed& e) {
    row_.context = to_q(e.context_id);
    const bool superseded = is_superseded(e.reason);
    row_.severity = superseded ? Severity::plain : Severity::warning;
    row_.text = (superseded ? EventsModel::tr("%1 superseded: %2") : EventsModel::tr("%1 failed: %2"))
                    .arg(action_line(e.action, e.context_id), core_text(superseded ? superseded_reason : e.reason));
  }
  void operator()(const events::ReadFailed& e) {
    row_.severity = Severity::warning;
    row_.text = EventsModel::tr("read from %1 failed, counted as a miss: %2")
                    .arg(to_q(e.tier), core_text(reason_text(e.reason)));
  }
  void operator()(const events::TierFitted& e) {
    const int loads = static_cast<int>(e.samples);
    row_.text = (e.throttled ? EventsModel::tr("%1 fitted from %n load(s): %2, latency %3 (throttled)", nullptr, loads)
                             : EventsModel::tr("%1 fitted from %n load(s): %2, latency %3", nullptr, loads))
                    .arg(to_q(e.tier), rate_text(e.model.bytes_per_second), seconds_text(e.model.latency_seconds));
  }
  void operator()(const events::TierCounted& e) {
    std::uint64_t misses = 0;
    for (const auto& [reason, count] : failed_reads(e.misses)) misses += count;
    std::uint64_t injected = 0;
    for (const auto& [fault, count] : e.injected_faults) injected += count;
    row_.text = EventsModel::tr("%1 (%2): reads %3 (%4), failed reads %5, writes %6, injected faults %7")
                    .arg(to_q(e.tier), core_text(e.note.empty() ? e.kind : e.note))
                    .arg(e.reads)
                    .arg(bytes_text(static_cast<double>(e.read_bytes)))
                    .arg(misses)
                    .arg(e.writes)
                    .arg(injected);
  }
  void operator()(const events::SettingChanged& e) {
    row_.text = QStringLiteral("%1: %2 → %3").arg(to_q(e.name), json_text(e.before), json_text(e.after));
  }
  void operator()(const events::Message& e) {
    row_.severity = e.level == "error" ? Severity::error : e.level == "warning" ? Severity::warning : Severity::plain;
    row_.text = core_text(e.text);
  }
  void operator()(const events::DriftDetected& e) {
    row_.context = to_q(e.context_id);
    row_.severity = Severity::warning;
    row_.text = EventsModel::tr(
                    "%1 drifted: quality %2 over its last %3 answers, profiled %4; to be re-profiled on %n question(s)",
                    nullptr, static_cast<int>(e.questions))
                    .arg(to_q(e.context_id), quality_text(e.achieved_quality))
                    .arg(e.answers)
                    .arg(quality_text(e.profiled_quality));
  }
  void operator()(const events::EngineCounted& e) {
    row_.text = EventsModel::tr("busy for %1, of which %2 re-profiling; up to %n request(s) in flight", nullptr,
                                static_cast<int>(e.max_running))
                    .arg(seconds_text(e.busy_seconds), seconds_text(e.reprofiling_seconds));
  }
  void operator()(const events::CacheCompacted& e) {
    row_.context = to_q(e.context_id);
    row_.text = EventsModel::tr("request %1 on %2 compacted: %n block(s) freed, %3 KV entries moved in %4", nullptr,
                                static_cast<int>(e.blocks_freed))
                    .arg(e.request)
                    .arg(to_q(e.context_id))
                    .arg(e.slot_copies)
                    .arg(seconds_text(e.seconds));
  }
  void operator()(const events::RequestStarted&) {}
  void operator()(const events::TokenEmitted&) {}
  void operator()(const events::TierOccupancy&) {}
  void operator()(const events::Progress&) {}
  void operator()(const events::SnapshotTaken&) {}
  void operator()(const events::CostsFitted&) {}
  void operator()(const events::PoolSampled&) {}

 private:
  Row& row_;
};

EventsModel::EventsModel(QObject* parent) : QAbstractTableModel(parent) {}

void EventsModel::clear() {
  arriving_.clear();
  beginResetModel();
  rows_.clear();
  endResetModel();
}

void EventsModel::begin_fill() {
  tell();
  beginResetModel();
  filling_ = true;
  rows_.clear();
}

void EventsModel::end_fill() {
  filling_ = false;
  endResetModel();
}

void EventsModel::swap_content(EventsModel& other) {
  tell();
  beginResetModel();
  std::swap(rows_, other.rows_);
  endResetModel();
}

bool EventsModel::shows(const EventPayload& payload) {
  return !std::holds_alternative<events::RequestStarted>(payload) &&
         !std::holds_alternative<events::TokenEmitted>(payload) &&
         !std::holds_alternative<events::TierOccupancy>(payload) &&
         !std::holds_alternative<events::Progress>(payload) &&
         !std::holds_alternative<events::SnapshotTaken>(payload) &&
         !std::holds_alternative<events::CostsFitted>(payload) && !std::holds_alternative<events::PoolSampled>(payload);
}

void EventsModel::add(const Event& event, double seconds) {
  if (!shows(event.payload)) return;
  Row row;
  row.seconds = seconds;
  row.kind = QString::fromLatin1(event_type(event.payload));
  std::visit(RowWriter(row), event.payload);
  arriving_.push_back(std::move(row));
  if (!batching_ || arriving_.size() >= dropped_at_once) tell();
}

void EventsModel::end_batch() {
  batching_ = false;
  tell();
}

void EventsModel::tell() {
  if (arriving_.empty()) return;
  if (rows_.size() + arriving_.size() > kept_rows) {
    const std::size_t dropped = std::min(rows_.size(), std::max(dropped_at_once, arriving_.size()));
    if (!filling_) beginRemoveRows({}, 0, static_cast<int>(dropped) - 1);
    rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(dropped));
    if (!filling_) endRemoveRows();
  }
  const int first = rowCount();
  if (!filling_) beginInsertRows({}, first, first + static_cast<int>(arriving_.size()) - 1);
  std::ranges::move(arriving_, std::back_inserter(rows_));
  arriving_.clear();
  if (!filling_) endInsertRows();
}

QString EventsModel::last_error() const {
  for (const Row& row : arriving_ | std::views::reverse)
    if (row.severity == Severity::error) return row.text;
  for (const Row& row : rows_ | std::views::reverse)
    if (row.severity == Severity::error) return row.text;
  return {};
}

int EventsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int EventsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

QVariant EventsModel::data(const QModelIndex& at, int role) const {
  if (at.row() < 0 || at.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<std::size_t>(at.row())];
  if (role == severity_role) return static_cast<int>(row.severity);
  if (role == context_role) return row.context;
  if (role == after_drift_role) return row.after_drift;
  if (role == Qt::TextAlignmentRole && at.column() == time) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && at.column() == text) return row.text;
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case time:
      return tr("%1 s").arg(to_q(format_fixed(row.seconds, 1)));
    case kind:
      return row.kind;
    default:
      return row.text;
  }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  static const char* const titles[] = {QT_TR_NOOP("Time"), QT_TR_NOOP("Event"), QT_TR_NOOP("What happened")};
  return section >= 0 && section < column_count ? QVariant(tr(titles[section])) : QVariant();
}

}  // namespace kvantage
