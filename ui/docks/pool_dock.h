// The pool: what the session's own holds, and below it blocks of a small paged KV cache while tokens are decoded and
// evicted, stepped through forwards and backwards, before and after compaction.
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
#include "ui/models/session_pool_model.h"
#include "ui/widgets/legend_strip.h"
#include "ui/widgets/pool_grid.h"
#include "ui/widgets/pool_history.h"

namespace kvantage {

class PoolDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// session: must outlive it; null: none is shown.
  explicit PoolDock(WalkPool walk, const SessionPoolModel* session = nullptr, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  PoolWalkModel& model() { return model_; }
  PoolGrid& grid() { return *grid_; }
  QSlider& position() { return *position_; }
  QComboBox& eviction_method() { return *eviction_method_; }
  QComboBox& compaction() { return *compaction_; }
  QString text() const { return what_->text(); }
  QString session_text() const { return session_text_ != nullptr ? session_text_->text() : QString(); }
  QString empty_text() const { return pages_->currentIndex() == 0 ? empty_->text() : QString(); }
  ChartTable table() const;

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_session();
  void show_session();
  QWidget* make_choices();
  QWidget* make_view();
  QWidget* make_transport();
  void take_choices();
  void show_walk();
  void show_moment();
  void show_playing();
  void show_legend();

  const SessionPoolModel* session_;
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
  QWidget* session_box_ = nullptr;
  QLabel* session_text_ = nullptr;
  PoolHistory* history_ = nullptr;
  PoolGrid* grid_ = nullptr;
  LegendStrip* legend_ = nullptr;
};

}  // namespace kvantage
