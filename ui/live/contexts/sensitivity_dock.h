// Sensitivity in five views: distribution per family, curves of one context, heat map of all, curves of others, and
// what-if planning on these.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>

#include "ui/charts/cdf_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/live/contexts/imported/imported_page.h"
#include "ui/live/contexts/imported/what_if_page.h"
#include "ui/live/contexts/quality_curve_chart.h"
#include "ui/session/run_model.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class SensitivityDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// presets: as of WhatIfModel.
  explicit SensitivityDock(RunModel& run, const QString& presets = {}, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  CdfChart& cdf() { return *cdf_; }
  QualityCurveChart& curves() { return *curves_; }
  HeatMap& heat_map() { return *heat_map_; }
  ImportedPage& imported() { return *imported_; }
  WhatIfPage& what_if() { return *what_if_; }
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
  WhatIfPage* what_if_;
  LazyRefresh* lazy_;
};

}  // namespace kvantage
