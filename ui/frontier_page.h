// The middle of the window: the Frontier under its heading, with the choice of a family, and 'Explain' below it.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "ui/charts/frontier_chart.h"
#include "ui/docks/explain_panel.h"

namespace kvantage {

class FrontierPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  FrontierPage(RunModel& run, SettingsController& settings, QWidget* parent = nullptr);
  FrontierChart& chart() { return *chart_; }
  ExplainPanel& explain() { return *explain_; }
  QToolButton& explain_button() { return *button_; }
  /// Names each fixed form that is faster than the policy's curve at equal quality; hidden while there is none.
  QLabel& comparison() { return *comparison_; }
  void set_theme(const Theme& theme) override { chart_->set_theme(theme); }

 private:
  QLayout* make_head_row(FrontierModel& model);
  QComboBox* make_family_filter(FrontierModel& model);
  void compare(const FrontierModel& model);

  FrontierChart* chart_;
  ExplainPanel* explain_;
  QToolButton* button_;
  QLabel* comparison_;
};

}  // namespace kvantage
