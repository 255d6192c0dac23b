#include "ui/live/decisions/model/explain_model.h"

#include <cmath>

#include "core/policy/plan_text.h"
#include "ui/live/frontier/model/frontier_planner.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

QString place_text(const Snapshot& snapshot, const Configuration& c) {
  return c.stored() ? QStringLiteral("%1, %2").arg(tier_text(snapshot, c.tier),
                                                   configuration_short(c.method, c.removed_fraction))
                    : ExplainModel::tr("not stored");
}

QString bytes_change(std::int64_t change) {
  if (change == 0) return QStringLiteral("–");
  return (change > 0 ? QStringLiteral("+") : QStringLiteral("−")) + bytes_text(std::fabs(static_cast<double>(change)));
}

}  // namespace

ExplainModel::ExplainModel(RunModel& run, SettingsController& settings, QObject* parent)
    : QAbstractTableModel(parent), run_(run), settings_(settings) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &ExplainModel::compute);
  connect(&settings_, &SettingsController::shownChanged, this, [this] { timer_.start(0); });
  connect(&run_, &RunModel::snapshotChanged, this, [this] {
    if (active_ && !timer_.isActive() && !job_.busy())
      timer_.start(state_ == State::ready ? background_interval_ms : 0);
  });
}

void ExplainModel::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (active_ && second_alpha_ <= 0) second_alpha_ = settings_.shown().alpha * 4;
  run_.frontier.set_second_alpha(active_ ? std::optional(second_alpha_) : std::nullopt);
  if (active_) return compute();
  job_.cancel();
  ++number_;
  state_ = State::off;
  set_difference(std::nullopt, nullptr);
}

void ExplainModel::set_second_alpha(double alpha) {
  if (alpha == second_alpha_ || !(alpha > 0)) return;
  second_alpha_ = alpha;
  if (!active_) return;
  run_.frontier.set_second_alpha(alpha);
  timer_.start(0);
}

void ExplainModel::compute() {
  if (!active_) return;
  const std::uint64_t number = ++number_;
  job_.cancel();
  const auto policy = make_policy(settings_.shown().policy);
  const std::shared_ptr<const Snapshot> snapshot = run_.snapshot();
  if (!policy || !(*policy)->uses_alpha() || !snapshot || run_.profiled_contexts() == 0) {
    state_ = policy && !(*policy)->uses_alpha() ? State::no_alpha : State::no_profile;
    set_difference(std::nullopt, nullptr);
    return;
  }
  if (state_ != State::ready) state_ = State::planning;
  job_.start([this, number, snapshot, plans = *policy, second = second_alpha_, shown = settings_.shown(),
              committed = settings_.committed()](const LatestJob::GivenUp& given_up) {
    const auto planned = std::make_shared<const Snapshot>(steady_state(snapshot_under(*snapshot, shown, committed)));
    auto difference = moves_between(*planned, *plans, shown.alpha, second, given_up);
    if (!difference || given_up()) return;
    QMetaObject::invokeMethod(
        this,
        [this, number, planned, made = std::move(*difference)] {
          if (number != number_) return;
          state_ = State::ready;
          set_difference(made, planned);
        },
        Qt::QueuedConnection);
  });
  emit changed();
}

void ExplainModel::set_difference(std::optional<PlanDifference> difference, std::shared_ptr<const Snapshot> planned) {
  beginResetModel();
  difference_ = std::move(difference);
  planned_ = std::move(planned);
  endResetModel();
  emit changed();
}

QString ExplainModel::summary() const {
  switch (state_) {
    case State::off:
      return {};
    case State::no_profile:
      return tr("No profile yet, so no prediction. Start the run.");
    case State::no_alpha:
      return tr("α has no effect on %1. Select evicpress in Controls.").arg(to_q(settings_.shown().policy));
    case State::planning:
      return tr("Planning…");
    case State::ready:
      break;
  }
  const PlanDifference& d = *difference_;
  if (d.moves.empty()) return tr("No placement differs. Move the second α further away.");
  return tr("%1 of %n context(s) change placement: mean quality %2 → %3, mean TTFT %4 → %5", nullptr,
            static_cast<int>(d.contexts))
      .arg(d.moves.size())
      .arg(quality_text(d.quality_before), quality_text(d.quality_after), seconds_text(d.ttft_before_seconds),
           seconds_text(d.ttft_after_seconds));
}

int ExplainModel::row_of(const QString& context_id) const {
  for (int r = 0; r < rowCount(); ++r)
    if (index(r, 0).data(context_role).toString() == context_id) return r;
  return -1;
}

int ExplainModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !difference_ ? 0 : static_cast<int>(difference_->moves.size());
}
int ExplainModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

QVariant ExplainModel::data(const QModelIndex& at, int role) const {
  if (at.row() < 0 || at.row() >= rowCount()) return {};
  const ContextMove& move = difference_->moves[static_cast<std::size_t>(at.row())];
  const ContextState& state = planned_->contexts[move.context];
  if (role == context_role) return to_q(state.id);
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((at.column() <= to || at.column() == family ? Qt::AlignLeft : Qt::AlignRight) |
                            Qt::AlignVCenter);
  if (role == sort_role) {
    switch (at.column()) {
      case bytes:
        return static_cast<qlonglong>(move.bytes_change);
      case quality:
        return move.quality_after - move.quality_before;
      case ttft:
        return move.ttft_after_seconds - move.ttft_before_seconds;
      case utility:
        return std::fabs(move.utility_change);
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
    case from:
      return place_text(*planned_, move.from);
    case to:
      return place_text(*planned_, move.to);
    case bytes:
      return bytes_change(move.bytes_change);
    case quality:
      return QStringLiteral("%1 → %2").arg(quality_text(move.quality_before), quality_text(move.quality_after));
    case ttft:
      return QStringLiteral("%1 → %2").arg(seconds_text(move.ttft_before_seconds),
                                           seconds_text(move.ttft_after_seconds));
    case utility:
      return (move.utility_change > 0 ? QStringLiteral("+") : QString()) + to_q(short_number(move.utility_change));
    default:
      return {};
  }
}

QVariant ExplainModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const char* const titles[] = {QT_TR_NOOP("Context"), QT_TR_NOOP("From"),    QT_TR_NOOP("To"),
                                       QT_TR_NOOP("Utility"), QT_TR_NOOP("Quality"), QT_TR_NOOP("TTFT"),
                                       QT_TR_NOOP("Bytes"),   QT_TR_NOOP("Family")};
  static const char* const tips[] = {QT_TR_NOOP("Context of the workload"),
                                     QT_TR_NOOP("Placement at the current α"),
                                     QT_TR_NOOP("Placement at the second α"),
                                     QT_TR_NOOP("Change of (α × quality − TTFT) × request frequency at the second α, "
                                                "in s. Below 0: displaced in favor of others."),
                                     QT_TR_NOOP("Predicted quality at the current and the second α, 0 to 1"),
                                     QT_TR_NOOP("Predicted TTFT at the current and the second α, without queueing"),
                                     QT_TR_NOOP("Change in stored bytes"),
                                     QT_TR_NOOP("Text family")};
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return tr(titles[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

}  // namespace kvantage
