// Page of the Tiers dock: loads of a tier against its cost model, and how far off the model is.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QWidget>

#include "ui/live/tiers/tier_fit_chart.h"

namespace kvantage {

class TierFitPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit TierFitPage(TierReportsModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override { chart_->set_theme(theme); }
  TierFitChart& chart() { return *chart_; }
  QComboBox& choice() { return *choice_; }
  QString fit_text() const { return fit_->text(); }
  QString residual_text() const { return residuals_->text(); }
  /// Brings words and choices up to date now.
  void flush() { lazy_->flush(); }

 private:
  void update_text();
  TierReportsModel& model_;
  QComboBox* choice_;
  QLabel *fit_, *residuals_;
  TierFitChart* chart_;
  LazyRefresh* lazy_;
};

}  // namespace kvantage
