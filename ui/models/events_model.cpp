#include "ui/models/events_model.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "core/base/units.h"
#include "core/ports/placement_reasons.h"
#include "ui/models/words.h"

namespace kvantage {
namespace {

constexpr std::size_t kept_rows = 5'000;
constexpr std::size_t dropped_at_once = 100;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

QString json_text(const Json& json) { return to_q(json.dump()); }

}  // namespace

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
         !std::holds_alternative<events::CostsFitted>(payload);
}

void EventsModel::add(const Event& event, double seconds) {
  if (!shows(event.payload)) return;
  Row row;
  row.seconds = seconds;
  row.kind = QString::fromLatin1(event_type(event.payload));
  const auto action_line = [](const PlacementAction& action, const std::string& context_id) {
    return QStringLiteral("%1 %2: %3 → %4")
        .arg(QString::fromLatin1(to_string(action.kind)), to_q(context_id),
             bytes_text(static_cast<double>(action.bytes_before)), bytes_text(static_cast<double>(action.bytes_after)));
  };
  const bool shown = std::visit(
      Overloaded{
          [&](const events::RunStarted& e) {
            row.text = tr("run %1 started").arg(to_q(e.run_id));
            return true;
          },
          [&](const events::RunFinished& e) {
            row.text = tr("run %1: %2 after %n request(s)", nullptr, static_cast<int>(e.requests))
                           .arg(to_q(e.run_id), to_q(e.outcome));
            return true;
          },
          [&](const events::RequestStarted&) { return false; },
          [&](const events::TokenEmitted&) { return false; },
          [&](const events::RequestFinished& e) {
            const RequestRecord& r = e.record;
            row.context = to_q(r.context_id);
            row.text = r.cancelled
                           ? tr("request %1 canceled").arg(r.id)
                           : tr("request %1 on %2 from %3, TTFT %4 (%5)")
                                 .arg(r.id)
                                 .arg(to_q(r.context_id), to_q(r.source), seconds_text(r.timing.ttft_service_seconds),
                                      provenance_text(r.provenance));
            return true;
          },
          [&](const events::ContextComputed& e) {
            row.context = to_q(e.context_id);
            row.text = tr("%1 computed: %2 tokens, %3 in %4")
                           .arg(to_q(e.context_id))
                           .arg(e.tokens)
                           .arg(bytes_text(static_cast<double>(e.bytes)), seconds_text(e.seconds));
            return true;
          },
          [&](const events::ContextProfiled& e) {
            const int points = static_cast<int>(e.profile.points.size());
            row.context = to_q(e.context_id);
            row.text = e.from_store
                           ? tr("%1: profile read from the store, %n point(s)", nullptr, points).arg(to_q(e.context_id))
                           : (e.after_drift ? tr("%1 re-profiled: %n point(s) in %2", nullptr, points)
                                            : tr("%1 profiled: %n point(s) in %2", nullptr, points))
                                 .arg(to_q(e.context_id), seconds_text(e.seconds));
            row.after_drift = e.after_drift && !e.from_store;
            return true;
          },
          [&](const events::PlanMade& e) {
            row.text =
                tr("%1 planned %n action(s) in %2: predicted quality %3, TTFT %4", nullptr, static_cast<int>(e.actions))
                    .arg(to_q(e.policy), seconds_text(e.seconds), quality_text(e.mean_quality),
                         seconds_text(e.mean_ttft_seconds));
            return true;
          },
          [&](const events::PlacementCommitted& e) {
            row.context = to_q(e.context_id);
            row.text = action_line(e.action, e.context_id);
            if (!e.action.reason.empty()) row.text += QStringLiteral(" – ") + to_q(e.action.reason);
            return true;
          },
          [&](const events::PlacementFailed& e) {
            row.context = to_q(e.context_id);
            const bool superseded = e.reason == superseded_reason;
            row.severity = superseded ? Severity::plain : Severity::warning;
            row.text = (superseded ? tr("%1 superseded: %2") : tr("%1 failed: %2"))
                           .arg(action_line(e.action, e.context_id), to_q(e.reason));
            return true;
          },
          [&](const events::ReadFailed& e) {
            row.severity = Severity::warning;
            row.text = tr("read from %1 failed, counted as a miss: %2").arg(to_q(e.tier), to_q(e.reason));
            return true;
          },
          [&](const events::TierOccupancy&) { return false; },
          [&](const events::TierFitted& e) {
            const int loads = static_cast<int>(e.samples);
            row.text =
                (e.shaped ? tr("%1 fitted from %n load(s): %2, latency %3 (throttled)", nullptr, loads)
                          : tr("%1 fitted from %n load(s): %2, latency %3", nullptr, loads))
                    .arg(to_q(e.tier), rate_text(e.model.bytes_per_second), seconds_text(e.model.latency_seconds));
            return true;
          },
          [&](const events::TierCounted& e) {
            std::uint64_t misses = 0;
            for (const auto& [reason, count] : e.misses) misses += count;
            std::uint64_t struck = 0;
            for (const auto& [fault, count] : e.faults_struck) struck += count;
            row.text = tr("%1 (%2): reads %3 (%4), failed reads %5, writes %6, injected faults %7")
                           .arg(to_q(e.tier), e.note.empty() ? to_q(e.kind) : to_q(e.note))
                           .arg(e.reads)
                           .arg(bytes_text(static_cast<double>(e.read_bytes)))
                           .arg(misses)
                           .arg(e.writes)
                           .arg(struck);
            return true;
          },
          [&](const events::SettingChanged& e) {
            row.text = QStringLiteral("%1: %2 → %3").arg(to_q(e.name), json_text(e.before), json_text(e.after));
            return true;
          },
          [&](const events::Progress&) { return false; },
          [&](const events::Message& e) {
            row.severity = e.level == "error"     ? Severity::error
                           : e.level == "warning" ? Severity::warning
                                                  : Severity::plain;
            row.text = to_q(e.text);
            return true;
          },
          [&](const events::DriftDetected& e) {
            row.context = to_q(e.context_id);
            row.severity = Severity::warning;
            row.text =
                tr("%1 drifted: quality %2 over its last %3 answers, profiled %4; to be re-profiled on %n question(s)",
                   nullptr, static_cast<int>(e.questions))
                    .arg(to_q(e.context_id), quality_text(e.achieved_quality))
                    .arg(e.answers)
                    .arg(quality_text(e.profiled_quality));
            return true;
          },
          [&](const events::EngineCounted& e) {
            row.text = tr("busy for %1, of which %2 re-profiling; up to %n request(s) in flight", nullptr,
                          static_cast<int>(e.most_running))
                           .arg(seconds_text(e.busy_seconds), seconds_text(e.reprofiling_seconds));
            return true;
          },
          [&](const events::SnapshotTaken&) { return false; },
          [&](const events::CostsFitted&) { return false; }},
      event.payload);
  if (!shown) return;
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
