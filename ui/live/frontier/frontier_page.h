// The middle of the window: the Frontier under its heading, with the choice of a family, and 'Explain' below it.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

#include "ui/live/decisions/explain_panel.h"
#include "ui/live/frontier/frontier_chart.h"
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
  /// Names each fixed form that is faster than the policy's curve at equal quality; hidden while there is none.
  QLabel& comparison() { return *comparison_; }
  /// How many contexts still lack a profile; hidden while the chart itself says so, and when none lacks one.
  QLabel& outlook() { return *outlook_; }
  /// Says that the model cannot read what it serves, and leads to other models; else hidden.
  QLabel& reading() { return *reading_; }
  void set_theme(const Theme& theme) override { chart_->set_theme(theme); }

 signals:
  void modelWanted();

 private:
  QLayout* make_head_row(FrontierModel& model);
  QComboBox* make_family_filter(FrontierModel& model);
  QLabel* add_line(QVBoxLayout& column, const QString& name);
  void compare(const FrontierModel& model);
  void show_outlook(const RunModel& run);
  void show_reading();

  FrontierChart* chart_;
  ExplainPanel* explain_;
  QToolButton* button_;
  ReadingCheck* check_;
  QLabel *comparison_, *outlook_, *reading_;
};

}  // namespace kvantage
