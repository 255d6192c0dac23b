// Sensitivity in four views: distribution per family, curves of one context, heat map of all, and curves of others.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>

#include "ui/charts/cdf_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/live/contexts/imported/imported_page.h"
#include "ui/live/contexts/quality_curve_chart.h"
#include "ui/session/run_model.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class SensitivityDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit SensitivityDock(RunModel& run, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  CdfChart& cdf() { return *cdf_; }
  QualityCurveChart& curves() { return *curves_; }
  HeatMap& heat_map() { return *heat_map_; }
  ImportedPage& imported() { return *imported_; }
  QComboBox& context_box() { return *context_box_; }
  QTabWidget& tabs() { return *tabs_; }
  QLabel& profiling() { return *profiling_; }

 private:
  /// Curves of one context, with its box and the choice of the axis.
  QWidget* new_context_page();
  void fill_choices();
  /// What anytime profiling has reached; hidden where whole curves are measured.
  void show_profiling();
  RunModel& run_;
  SensitivityModel& model_;
  QComboBox *method_, *fraction_, *context_box_;
  QStringList listed_;  // contexts in the box
  QLabel *note_, *context_, *profiling_;
  QTabWidget* tabs_;
  CdfChart* cdf_;
  QualityCurveChart* curves_;
  HeatMap* heat_map_;
  ImportedPage* imported_;
  LazyRefresh* lazy_;
};

}  // namespace kvantage
