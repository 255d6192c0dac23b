// A regime of the papers for the running session: one button sets its budgets, bandwidths, alpha, policy, candidates
// and arrival rate, and turns off recomputing stored contexts and re-profiling, as in the runs of figures. Below it,
// how far the session is from the regime.
#pragma once

#include <QComboBox>
#include <QGroupBox>
#include <QLabel>
#include <QPushButton>

#include "core/workload/regimes/regimes.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class RegimeControls : public QGroupBox {
  Q_OBJECT
 public:
  RegimeControls(RunModel& run, SettingsController& settings, QWidget* parent = nullptr);
  QComboBox& regime() { return *regime_; }
  QComboBox& budget() { return *budget_; }
  QComboBox& alpha() { return *alpha_; }
  QPushButton& apply_button() { return *apply_; }
  /// Why it cannot be applied and what to do, or what applying it sets besides numbers, and leaves as it is.
  QString note_text() const { return note_->text(); }
  /// A line for each budget and each load / prefill: measured, and as the regime wants it.
  QString rows_text() const { return rows_->text(); }
  /// Empty while all of them are within 10 % of the regime.
  QString verdict_text() const { return verdict_->text(); }
  /// Which figure simulates the regime at its paper's scale; empty: none.
  QString scale_text() const { return scale_->text(); }
  /// Shows the latest snapshot now, visible or not.
  void flush() { lazy_->flush(); }

 private:
  void add_choices();
  void choose_regime();
  void apply_regime();
  void show_state();
  /// Null: as set.
  const Regime* chosen() const;

  RunModel& run_;
  SettingsController& settings_;
  QComboBox* regime_;
  QWidget* parts_;  // of the regime that is chosen
  QComboBox *budget_, *alpha_;
  QPushButton* apply_;
  QLabel *note_, *rows_, *verdict_, *scale_;
  LazyRefresh* lazy_;
};

}  // namespace kvantage
