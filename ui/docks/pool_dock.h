// The pool: blocks of a paged KV cache while tokens are decoded and evicted, stepped through forwards and backwards,
// before and after compaction.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QSlider>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>

#include "ui/charts/chart_table.h"
#include "ui/models/pool_walk_model.h"
#include "ui/widgets/legend_strip.h"
#include "ui/widgets/pool_grid.h"

namespace kvantage {

class PoolDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit PoolDock(WalkPool walk, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  PoolWalkModel& model() { return model_; }
  PoolGrid& grid() { return *grid_; }
  QSlider& position() { return *position_; }
  QComboBox& eviction_method() { return *eviction_method_; }
  QComboBox& compaction() { return *compaction_; }
  QString text() const { return what_->text(); }
  QString empty_text() const { return pages_->currentIndex() == 0 ? empty_->text() : QString(); }
  ChartTable table() const;

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_choices();
  QWidget* make_view();
  QWidget* make_transport();
  void take_choices();
  void show_walk();
  void show_moment();
  void show_playing();
  void show_legend();

  PoolWalkModel model_;
  Theme theme_;
  QStackedWidget* pages_;
  QLabel *empty_ = nullptr, *what_ = nullptr, *gauges_ = nullptr;
  QComboBox *eviction_method_ = nullptr, *compaction_ = nullptr, *block_ = nullptr;
  QSpinBox* budget_ = nullptr;
  QCheckBox* shared_ = nullptr;
  QSlider* position_ = nullptr;
  QToolButton* play_ = nullptr;
  QProgressBar* free_ = nullptr;
  PoolGrid* grid_ = nullptr;
  LegendStrip* legend_ = nullptr;
};

}  // namespace kvantage
