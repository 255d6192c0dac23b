// The form of an experiment: a line of text for each axis, checked as it is typed, and the plan that they make. Without
// widgets.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

#include "core/sweep/sweep_plan.h"
#include "ui/experiments/experiment_pace.h"

namespace kvantage {

/// One line of the form.
struct ExperimentLine {
  QString id;  // never changes: "policies", "budget:dram"
  QString title, tip;
  QString hint;   // what an empty line means
  QString text;   // as typed
  QString error;  // empty: it can be read
};

class ExperimentFormModel : public QObject {
  Q_OBJECT
 public:
  /// The canonical text of a method, or what is wrong with it (MethodOffer::read).
  using ReadMethod = std::function<Expected<QString>(const QString& text)>;

  explicit ExperimentFormModel(ReadMethod read_method = {}, QObject* parent = nullptr);

  /// What all cells share; its lists of cells and methods come from the lines.
  void set_base(SweepPlan base);
  /// Names of the session's tiers, fastest first: each gets a line for budgets of its own.
  void set_tiers(const QStringList& tiers);
  /// Seconds of a request and requests of a cell, as far as they are known.
  void set_pace(std::optional<RequestPace> pace, std::uint64_t requests);

  const std::vector<ExperimentLine>& lines() const { return lines_; }
  /// Null for an unknown id.
  const ExperimentLine* line(const QString& id) const;
  void set_text(const QString& id, const QString& text);
  /// Fills the lines from a plan, such as one that was served before.
  void take(const SweepPlan& plan);

  /// usage error of the first line that cannot be read, or why the combinations make no sweep.
  const Expected<SweepPlan>& plan() const { return plan_; }
  std::size_t cells() const { return plan_ ? plan_->cells.size() : 0; }
  /// Seconds of all cells; nothing without a pace or without a plan.
  std::optional<double> seconds() const;
  /// "24 cells, about 12 min (from 40 measured cells)", or what is wrong.
  QString summary() const;

 signals:
  /// Any text, error, count or estimate.
  void changed();
  /// Other lines than before.
  void linesChanged();

 private:
  void read();
  Expected<SweepPlan> made();

  ReadMethod read_method_;
  SweepPlan base_;
  std::vector<ExperimentLine> lines_;
  std::optional<RequestPace> pace_;
  std::uint64_t requests_ = 0;
  Expected<SweepPlan> plan_;
};

}  // namespace kvantage
