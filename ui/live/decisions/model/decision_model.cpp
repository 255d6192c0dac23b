#include "ui/live/decisions/model/decision_model.h"

#include <QFont>
#include <algorithm>

#include "core/policy/explain/decision_text.h"
#include "core/policy/plan_text.h"
#include "ui/live/frontier/model/frontier_planner.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

DecisionModel::DecisionModel(RunModel& run, SettingsController& settings, QObject* parent)
    : QAbstractTableModel(parent), run_(run), settings_(settings) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &DecisionModel::compute);
  connect(&run_.selection, &Selection::contextChanged, this, &DecisionModel::choose);
  connect(&settings_, &SettingsController::shownChanged, this, [this] {
    job_.cancel();
    turnings_.clear();  // of other settings
    if (state_ == State::complete) state_ = State::searching;
    timer_.start(0);
  });
  connect(&run_, &RunModel::snapshotChanged, this, [this] {
    if (context_.isEmpty() || timer_.isActive()) return;
    // What was served moves frequencies with every request; planning takes at most a tenth of one processor.
    const bool waits = state_ == State::searching || state_ == State::complete;
    if (!waits)
      timer_.start(0);
    else if (!job_.busy())
      timer_.start(std::max(min_interval_ms, static_cast<int>(std::min<qint64>(10 * answer_ms_, 60000))));
  });
  choose(run_.selection.context());
}

void DecisionModel::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (active_ && due_) compute();
  if (!active_) {
    job_.cancel();
    due_ = true;
  }
}

void DecisionModel::set_show_all(bool all) {
  if (all == show_all_) return;
  show_all_ = all;
  fill_rows();
}

void DecisionModel::choose(const QString& context) {
  context_ = context;
  job_.cancel();
  ++number_;
  decision_.reset();
  splits_.clear();
  turnings_.clear();
  planned_.reset();
  state_ = context_.isEmpty() ? State::nothing_chosen : State::planning;
  fill_rows();
  compute();
}

void DecisionModel::compute() {
  due_ = !active_;
  if (!active_ || context_.isEmpty()) return;
  const std::shared_ptr<const Snapshot> snapshot = run_.snapshot();
  const std::string id = from_q(context_);
  const auto found = snapshot ? std::find_if(snapshot->contexts.begin(), snapshot->contexts.end(),
                                             [&](const ContextState& context) { return context.id == id; })
                              : std::vector<ContextState>::const_iterator{};
  auto policy = make_policy(settings_.shown().policy);
  if (!snapshot || found == snapshot->contexts.end() || !policy) {
    state_ = State::not_known;
    emit changed();
    return;
  }
  const std::uint64_t number = ++number_;
  taken_.start();
  const auto index = static_cast<std::size_t>(found - snapshot->contexts.begin());
  job_.start([this, number, index, snapshot, plans = *policy, shown = settings_.shown(),
              committed = settings_.committed()](const LatestJob::GivenUp& given_up) {
    const auto planned = std::make_shared<const Snapshot>(steady_state(snapshot_under(*snapshot, shown, committed)));
    const auto decision = decide(*planned, *plans, index, given_up);
    if (!decision) return;
    std::vector<UtilitySplit> splits = split_utilities(*decision);
    QMetaObject::invokeMethod(
        this,
        [this, number, answer = Answer{planned, shown.policy, *decision, splits}] { take_decision(number, answer); },
        Qt::QueuedConnection);
    if (!add_displacements(*planned, *plans, *decision, splits, given_up)) return;
    QMetaObject::invokeMethod(
        this, [this, number, splits] { take_splits(number, splits); }, Qt::QueuedConnection);
    std::vector<Turning> turnings;
    const auto post = [&](bool complete) {
      QMetaObject::invokeMethod(
          this, [this, number, turnings, complete] { take_turnings(number, turnings, complete); },
          Qt::QueuedConnection);
    };
    find_turnings(*planned, *plans, index, given_up, [&](const Turning& turning) {
      turnings.push_back(turning);
      post(false);
    });
    if (!given_up()) post(true);
  });
}

void DecisionModel::take_decision(std::uint64_t number, Answer answer) {
  if (number != number_) return;
  const bool same_contexts = planned_ && std::ranges::equal(planned_->contexts, answer.planned->contexts, {},
                                                            &ContextState::key, &ContextState::key);
  planned_ = std::move(answer.planned);
  policy_ = std::move(answer.policy);
  decision_ = std::move(answer.decision);
  // Of a context that was answered before, the old ones stay until the displacement of the new ones is there.
  if (!same_contexts || state_ != State::complete || splits_.empty()) splits_ = std::move(answer.splits);
  if (state_ != State::complete) state_ = State::searching;
  fill_rows();
}

void DecisionModel::take_splits(std::uint64_t number, std::vector<UtilitySplit> splits) {
  if (number != number_) return;
  splits_ = std::move(splits);
  emit changed();
}

void DecisionModel::take_turnings(std::uint64_t number, std::vector<Turning> turnings, bool complete) {
  // Of a context that was answered before, the old findings stay until all new ones are there.
  if (number != number_ || (state_ == State::complete && !complete)) return;
  turnings_ = std::move(turnings);
  if (complete) {
    state_ = State::complete;
    answer_ms_ = taken_.elapsed();
    ++answers_;
  }
  emit changed();
}

QStringList DecisionModel::sentences() const {
  QStringList all;
  if (decision_)
    for (const std::string& sentence : decision_text(*planned_, *decision_)) all << core_text(sentence);
  return all;
}

QStringList DecisionModel::turnings() const {
  QStringList all;
  if (planned_)
    for (const Turning& turning : turnings_) all << core_text(turning_text(*planned_, turning));
  return all;
}

void DecisionModel::fill_rows() {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; decision_ && i < decision_->alternatives.size(); ++i)
    if (show_all_ || !decision_->alternatives[i].dominated || i == decision_->chosen) rows.push_back(i);
  if (rows == rows_ && !rows.empty()) {
    emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  } else {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }
  emit changed();
}

const Alternative* DecisionModel::alternative(int row) const {
  return decision_ && row >= 0 && row < rowCount() ? &decision_->alternatives[rows_[static_cast<std::size_t>(row)]]
                                                   : nullptr;
}

int DecisionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int DecisionModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

QVariant DecisionModel::data(const QModelIndex& at, int role) const {
  const Alternative* a = alternative(at.row());
  if (!a) return {};
  const bool best_other =
      decision_->instead && rows_[static_cast<std::size_t>(at.row())] == decision_->instead->alternative;
  if (role == chosen_role) return a->chosen;
  if (role == best_other_role) return best_other;
  if (role == Qt::FontRole && a->chosen) {
    QFont bold;
    bold.setBold(true);
    return bold;
  }
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((at.column() <= form ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    QStringList tips;
    if (a->chosen) tips << tr("the plan's choice");
    if (best_other) tips << tr("runner-up; Why here? explains why it was not chosen");
    if (a->dominated)
      tips << tr("dominated: another configuration on this tier has at least the same utility and is no larger");
    if (a->quality_assumed) tips << tr("quality assumed: no profile point for this configuration yet");
    return tips.join('\n');
  }
  if (role == sort_role) {
    switch (at.column()) {
      case tier:
        return a->configuration.stored() ? a->configuration.tier : 1000;
      case form:
        return a->configuration.removed_fraction;
      case bytes:
        return static_cast<qulonglong>(a->bytes);
      case quality:
        return a->quality;
      case ttft:
        return a->ttft_seconds;
      case utility:
        return a->utility;
      default:
        return a->utility_drop;
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case tier:
      return tier_text(*planned_, a->configuration.tier);
    case form:
      return a->configuration.stored() ? configuration_short(a->configuration.method, a->configuration.removed_fraction)
                                       : QStringLiteral("–");
    case bytes:
      return a->bytes > 0 ? bytes_text(static_cast<double>(a->bytes)) : QStringLiteral("–");
    case quality:
      return (a->quality_assumed ? QStringLiteral("≈ ") : QString()) + quality_text(a->quality);
    case ttft:
      return seconds_text(a->ttft_seconds);
    case utility:
      return to_q(short_number(a->utility));
    case drop:
      return a->chosen ? QStringLiteral("–") : to_q(short_number(a->utility_drop));
    default:
      return {};
  }
}

QVariant DecisionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const char* const titles[] = {QT_TR_NOOP("Tier"),    QT_TR_NOOP("Method"),  QT_TR_NOOP("Drop"),
                                       QT_TR_NOOP("Utility"), QT_TR_NOOP("Quality"), QT_TR_NOOP("TTFT"),
                                       QT_TR_NOOP("Bytes")};
  static const char* const tips[] = {
      QT_TR_NOOP("Tier of the cache; not stored: the context is prefilled on each request"),
      QT_TR_NOOP("Compression method and removed share of KV entries"),
      QT_TR_NOOP("Utility lost relative to the plan's choice, in s. Below 0: the context alone would gain."),
      QT_TR_NOOP("(α × quality − TTFT) × request frequency, in s"),
      QT_TR_NOOP("Predicted from the context's profile, 0 to 1"),
      QT_TR_NOOP("Predicted TTFT, without queueing"),
      QT_TR_NOOP("Size of the cache, headers included")};
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return tr(titles[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

}  // namespace kvantage
