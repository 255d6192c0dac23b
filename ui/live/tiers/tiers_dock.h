// The tiers: occupancy of each over time against its budget with the bandwidth achieved beside the fitted one and what
// is special about it; its loads against its cost model; its counters; the device that computes the model, where one
// does.
#pragma once

#include <QLabel>
#include <QTabWidget>
#include <QVBoxLayout>
#include <QWidget>
#include <map>

#include "ui/live/tiers/occupancy_plot.h"
#include "ui/live/tiers/tier_fit_page.h"
#include "ui/session/run_model.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

class TiersDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit TiersDock(RunModel& run, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  int plot_count() const { return static_cast<int>(rows_.size()); }
  QTabWidget& pages() { return *pages_; }
  TierFitPage& fit_page() { return *fit_; }
  /// What a tier's badge says now.
  QString badge_text(const std::string& tier) const;
  /// Likewise of the device that computes the model; hidden where the processor does.
  const QLabel& model_device() const { return *model_device_; }
  /// What lies of the chosen context on a tier, as its plot says; empty: nothing.
  QString chosen_text(const std::string& tier) const;
  void flush() { lazy_->flush(); }

 private:
  struct Row {
    OccupancyPlot* plot;
    QLabel *bandwidth, *badge;
  };
  void update_rows();
  void show_chosen();
  RunModel& run_;
  TierSeriesModel& model_;
  TierReportsModel& reports_;
  Theme theme_;
  QTabWidget* pages_;
  QVBoxLayout* column_;   // of the page of occupancies
  QLabel* model_device_;  // its last row
  TierFitPage* fit_;
  LegendStrip* legend_;
  LazyRefresh* lazy_;
  std::map<std::string, Row> rows_;
};

}  // namespace kvantage
