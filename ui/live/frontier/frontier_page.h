// The middle of the window: the Frontier under its heading, with the choices of policies and of a family, and below it
// 'Explain' and the targets.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

#include "ui/live/decisions/explain_panel.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/live/frontier/model/frontier_targets.h"
#include "ui/live/frontier/model/tier_prices.h"
#include "ui/live/frontier/target_bar.h"
#include "ui/runs/held_runs_view.h"
#include "ui/session/reading_check.h"

namespace kvantage {

class FrontierPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// `text_of`: of contexts that are asked to continue their text.
  FrontierPage(RunModel& run, SettingsController& settings, ReadingCheck::TextOf text_of = {},
               QWidget* parent = nullptr);
  FrontierChart& chart() { return *chart_; }
  ExplainPanel& explain() { return *explain_; }
  QToolButton& explain_button() { return *button_; }
  /// What a plan's cost is made of; whoever has the user's preferences keeps them there.
  TierPrices& prices() { return prices_; }
  FrontierTargets& targets() { return targets_; }
  TargetBar& target_bar() { return *target_bar_; }
  /// Shows and hides the bar and the lines of the targets.
  QToolButton& targets_button() { return *targets_button_; }
  /// Opens the menu of policies.
  QToolButton& policies_button() { return *policies_button_; }
  /// Names each fixed form that is faster than the policy's curve at equal quality; hidden while there is none.
  QLabel& comparison() { return *comparison_; }
  /// How many contexts still lack a profile; hidden while the chart itself says so, and when none lacks one.
  QLabel& outlook() { return *outlook_; }
  /// Says that the model cannot read what it serves, and leads to other models; else hidden.
  QLabel& reading() { return *reading_; }
  /// Adds the button that lists pinned runs and ghosts. `held` outlives the page.
  void set_held(HeldRunsModel& held);
  void set_theme(const Theme& theme) override;

 signals:
  void modelWanted();
  void runRequested(const QString& run_id);

 private:
  QLayout* make_head_row(FrontierModel& model);
  void add_buttons(QLayout& head, FrontierModel& model);
  QComboBox* make_family_filter(FrontierModel& model);
  void connect_model(RunModel& run);
  QLabel* add_line(QVBoxLayout& column, const QString& name);
  void compare(const FrontierModel& model);
  void show_outlook(RunModel& run);
  void show_reading();

  FrontierModel& model_;
  TierPrices prices_;
  FrontierTargets targets_;
  FrontierChart* chart_;
  ExplainPanel* explain_;
  TargetBar* target_bar_;
  QToolButton *button_, *targets_button_, *policies_button_, *runs_button_;
  HeldRunsView* held_runs_ = nullptr;
  ReadingCheck* check_;
  QLabel *comparison_, *outlook_, *reading_;
};

}  // namespace kvantage
