#include "ui/models/events_model.h"

#include <algorithm>
#include <iterator>

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
            row.text = QStringLiteral("run %1 started").arg(to_q(e.run_id));
            return true;
          },
          [&](const events::RunFinished& e) {
            row.text =
                QStringLiteral("run %1: %2 after %3 requests").arg(to_q(e.run_id), to_q(e.outcome)).arg(e.requests);
            return true;
          },
          [&](const events::RequestStarted&) { return false; },
          [&](const events::TokenEmitted&) { return false; },
          [&](const events::RequestFinished& e) {
            const RequestRecord& r = e.record;
            row.context = to_q(r.context_id);
            row.text = r.cancelled
                           ? QStringLiteral("request %1 cancelled").arg(r.id)
                           : QStringLiteral("request %1 on %2 from %3, TTFT %4 (%5)")
                                 .arg(r.id)
                                 .arg(to_q(r.context_id), to_q(r.source), seconds_text(r.timing.ttft_service_seconds),
                                      provenance_text(r.provenance));
            return true;
          },
          [&](const events::ContextComputed& e) {
            row.context = to_q(e.context_id);
            row.text = QStringLiteral("%1 computed: %2 tokens, %3 in %4")
                           .arg(to_q(e.context_id))
                           .arg(e.tokens)
                           .arg(bytes_text(static_cast<double>(e.bytes)), seconds_text(e.seconds));
            return true;
          },
          [&](const events::ContextProfiled& e) {
            row.context = to_q(e.context_id);
            row.text = e.from_store
                           ? QStringLiteral("%1: profile of %2 points read from the store")
                                 .arg(to_q(e.context_id))
                                 .arg(e.profile.points.size())
                           : QStringLiteral("%1 profiled%4: %2 points in %3")
                                 .arg(to_q(e.context_id))
                                 .arg(e.profile.points.size())
                                 .arg(seconds_text(e.seconds), e.after_drift ? QStringLiteral(" again") : QString());
            return true;
          },
          [&](const events::PlanMade& e) {
            row.text =
                QStringLiteral("%1 plans %2 actions in %3: predicted quality %4, TTFT %5")
                    .arg(to_q(e.policy))
                    .arg(e.actions)
                    .arg(seconds_text(e.seconds), quality_text(e.mean_quality), seconds_text(e.mean_ttft_seconds));
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
            row.text = action_line(e.action, e.context_id) +
                       (superseded ? QStringLiteral(" given up: ") : QStringLiteral(" failed: ")) + to_q(e.reason);
            return true;
          },
          [&](const events::ReadFailed& e) {
            row.severity = Severity::warning;
            row.text =
                QStringLiteral("a read from %1 failed and counts as a miss: %2").arg(to_q(e.tier), to_q(e.reason));
            return true;
          },
          [&](const events::TierOccupancy&) { return false; },
          [&](const events::TierFitted& e) {
            row.text = QStringLiteral("%1 fitted from %2 loads: %3, latency %4%5")
                           .arg(to_q(e.tier))
                           .arg(e.samples)
                           .arg(rate_text(e.model.bytes_per_second), seconds_text(e.model.latency_seconds),
                                e.shaped ? QStringLiteral(" (shaped)") : QString());
            return true;
          },
          [&](const events::TierCounted& e) {
            std::uint64_t misses = 0;
            for (const auto& [reason, count] : e.misses) misses += count;
            std::uint64_t struck = 0;
            for (const auto& [fault, count] : e.faults_struck) struck += count;
            row.text = QStringLiteral("%1 (%2) served %3 reads of %4, %5 reads failed; %6 writes%7")
                           .arg(to_q(e.tier), e.note.empty() ? to_q(e.kind) : to_q(e.note))
                           .arg(e.reads)
                           .arg(bytes_text(static_cast<double>(e.read_bytes)))
                           .arg(misses)
                           .arg(e.writes)
                           .arg(struck > 0 ? QStringLiteral("; %1 faults struck").arg(struck) : QString());
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
            row.text = QStringLiteral(
                           "%1: quality %2 over its last %3 answers, %4 profiled; to be profiled again on %5 questions")
                           .arg(to_q(e.context_id), quality_text(e.achieved_quality))
                           .arg(e.answers)
                           .arg(quality_text(e.profiled_quality))
                           .arg(e.questions);
            return true;
          },
          [&](const events::EngineCounted& e) {
            row.text = QStringLiteral("busy for %1, of it %2 re-profiling; up to %3 requests at once")
                           .arg(seconds_text(e.busy_seconds), seconds_text(e.reprofiling_seconds))
                           .arg(e.most_running);
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

int EventsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int EventsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

QVariant EventsModel::data(const QModelIndex& at, int role) const {
  if (at.row() < 0 || at.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<std::size_t>(at.row())];
  if (role == severity_role) return static_cast<int>(row.severity);
  if (role == context_role) return row.context;
  if (role == Qt::TextAlignmentRole && at.column() == time) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && at.column() == text) return row.text;
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case time:
      return to_q(format_fixed(row.seconds, 1)) + QStringLiteral(" s");
    case kind:
      return row.kind;
    default:
      return row.text;
  }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  static const char* const titles[] = {"Time", "Event", "What happened"};
  return section >= 0 && section < column_count ? QVariant(QString::fromLatin1(titles[section])) : QVariant();
}

}  // namespace kvantage
