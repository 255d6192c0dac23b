// Occupancy of each tier over time against its budget, and the bandwidth achieved beside the fitted one.
#pragma once

#include <QLabel>
#include <QVBoxLayout>
#include <QWidget>
#include <map>

#include "ui/charts/occupancy_plot.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

class TiersDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit TiersDock(TierSeriesModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  int plot_count() const { return static_cast<int>(rows_.size()); }

 private:
  struct Row {
    OccupancyPlot* plot;
    QLabel* bandwidth;
  };
  void update_rows();
  TierSeriesModel& model_;
  Theme theme_;
  QVBoxLayout* column_;
  LegendStrip* legend_;
  LazyRefresh* lazy_;
  std::map<std::string, Row> rows_;
};

}  // namespace kvantage
