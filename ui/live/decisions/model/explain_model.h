// Which contexts a policy keeps differently at two alphas: the present one and a second. Predicted; planned on a thread
// of its own, and given up when either alpha moves on.
#pragma once

#include <QAbstractTableModel>
#include <QTimer>
#include <memory>
#include <optional>

#include "core/policy/explain/plan_moves.h"
#include "ui/session/latest_job.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

class ExplainModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { context, from, to, utility, quality, ttft, bytes, family, column_count };
  enum Role { sort_role = Qt::UserRole + 1, context_role };
  /// no_alpha: the policy does not look at it. no_profile: everything would be a guess.
  enum class State { off, no_profile, no_alpha, planning, ready };
  static constexpr int background_interval_ms = 1000;

  ExplainModel(RunModel& run, SettingsController& settings, QObject* parent = nullptr);
  /// Nobody looks: nothing is computed, and the Frontier marks no second alpha.
  void set_active(bool active);
  void set_second_alpha(double alpha);
  double second_alpha() const { return second_alpha_; }
  State state() const { return state_; }
  const std::optional<PlanDifference>& difference() const { return difference_; }
  /// "6 of 24 contexts move: mean quality 0.81 to 0.84, mean TTFT 12 ms to 20 ms"
  QString summary() const;
  int row_of(const QString& context_id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void changed();

 private:
  void compute();
  void set_difference(std::optional<PlanDifference> difference, std::shared_ptr<const Snapshot> planned);
  RunModel& run_;
  SettingsController& settings_;
  bool active_ = false;
  double second_alpha_ = 0;
  State state_ = State::off;
  std::shared_ptr<const Snapshot> planned_;
  std::optional<PlanDifference> difference_;
  std::uint64_t number_ = 0;
  QTimer timer_;
  LatestJob job_;  // last: its thread ends before anything that it posts to
};

}  // namespace kvantage
