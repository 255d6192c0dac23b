// Why the chosen context is where it is: the plan's decision under the settings that are shown, every other way to keep
// it, and what would have to change, computed on a thread of its own and given up when another context is chosen.
#pragma once

#include <QAbstractTableModel>
#include <QElapsedTimer>
#include <QTimer>
#include <memory>
#include <optional>

#include "core/policy/explain/decision.h"
#include "core/policy/explain/decision_search.h"
#include "core/policy/explain/utility_split.h"
#include "ui/session/latest_job.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

class DecisionModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { tier, form, drop, utility, quality, ttft, bytes, column_count };
  enum Role { sort_role = Qt::UserRole + 1, chosen_role, best_other_role };
  /// nothing_chosen: no context; not_known: it is in no snapshot yet; planning: the first answer is on its way.
  enum class State { nothing_chosen, not_known, planning, searching, complete };
  static constexpr int min_interval_ms = 1500;  // between two answers about one context while requests are served

  DecisionModel(RunModel& run, SettingsController& settings, QObject* parent = nullptr);

  /// Nobody looks: nothing is computed until somebody does.
  void set_active(bool active);
  /// Also the forms that no tier would ever be worth.
  void set_show_all(bool all);

  State state() const { return state_; }
  QString context() const { return context_; }
  /// Decision, why not another, crossings: a sentence each.
  QStringList sentences() const;
  /// What would have to change, as found so far by planning.
  QStringList turnings() const;
  const std::optional<Decision>& decision() const { return decision_; }
  const std::vector<Turning>& found() const { return turnings_; }
  /// The choice and the best few of each tier, highest net utility first; their displacement follows as it is planned.
  const std::vector<UtilitySplit>& splits() const { return splits_; }
  /// What the decision speaks of, and the policy that made it; null: there is no decision.
  const std::shared_ptr<const Snapshot>& planned() const { return planned_; }
  const std::string& policy() const { return policy_; }
  /// Answers that were computed to their end.
  int answers() const { return answers_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void changed();

 private:
  void choose(const QString& context);
  void compute();
  /// What the job's thread found, with the decision itself.
  struct Answer {
    std::shared_ptr<const Snapshot> planned;
    std::string policy;
    Decision decision;
    std::vector<UtilitySplit> splits;
  };
  void take_decision(std::uint64_t number, Answer answer);
  void take_splits(std::uint64_t number, std::vector<UtilitySplit> splits);
  void take_turnings(std::uint64_t number, std::vector<Turning> turnings, bool complete);
  void fill_rows();
  const Alternative* alternative(int row) const;

  RunModel& run_;
  SettingsController& settings_;
  QString context_;
  State state_ = State::nothing_chosen;
  std::shared_ptr<const Snapshot> planned_;  // which the decision speaks of
  std::string policy_;
  std::optional<Decision> decision_;
  std::vector<UtilitySplit> splits_;
  std::vector<Turning> turnings_;
  std::vector<std::size_t> rows_;  // of the decision's alternatives
  bool active_ = true, show_all_ = false, due_ = false;
  std::uint64_t number_ = 0;  // of the latest question
  int answers_ = 0;
  qint64 answer_ms_ = 0;  // that the last one took
  QTimer timer_;
  QElapsedTimer taken_;
  LatestJob job_;  // last: its thread ends before anything that it posts to
};

}  // namespace kvantage
