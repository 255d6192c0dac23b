// The expression of the policy formula(EXPRESSION): checked while it is typed, with its values of the present contexts.
// Hidden for other policies. Enter, or leaving the field, commits what is valid.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <memory>
#include <string>

#include "core/ports/session.h"
#include "ui/live/controls/formula_chart.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class FormulaControls : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit FormulaControls(QWidget* parent = nullptr);
  void show_settings(const SessionSettings& settings);
  void show_snapshot(std::shared_ptr<const Snapshot> snapshot);
  void set_theme(const Theme& theme) override { chart_->set_theme(theme); }
  QLineEdit& expression() { return *expression_; }
  FormulaChart& chart() { return *chart_; }
  /// What is wrong with what is typed; empty: nothing.
  QString problem() const { return problem_->text(); }

 signals:
  /// The policy with the typed expression, in canonical text.
  void chosen(const std::string& policy);

 private:
  void check();
  void commit();
  void show_points();

  QLineEdit* expression_;
  QLabel* problem_;
  FormulaChart* chart_;
  LazyRefresh* lazy_;   // of the points, when alpha moves
  std::string policy_;  // as set
  double alpha_ = 1;
  std::shared_ptr<const Formula> typed_;  // null: no formula is typed
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace kvantage
