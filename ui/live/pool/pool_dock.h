// The pool: what the session's own holds over time, and, on a second page, blocks of a small paged KV cache while
// tokens are decoded and evicted, stepped through forwards and backwards, before and after compaction.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QSlider>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>

#include "ui/charts/chart_table.h"
#include "ui/live/pool/model/pool_walk_model.h"
#include "ui/live/pool/model/session_pool_model.h"
#include "ui/live/pool/pool_grid.h"
#include "ui/live/pool/session_pool_page.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

class PoolDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// session, selection: must outlive it; null: none is shown, nothing is selected.
  explicit PoolDock(WalkPool walk, const SessionPoolModel* session = nullptr, Selection* selection = nullptr,
                    QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  PoolWalkModel& model() { return model_; }
  PoolGrid& grid() { return *grid_; }
  QSlider& position() { return *position_; }
  QComboBox& eviction_method() { return *eviction_method_; }
  QComboBox& compaction() { return *compaction_; }
  QString text() const { return what_->text(); }
  QString session_text() const { return session_page_ != nullptr ? session_page_->text() : QString(); }
  /// The session's page; null without a session.
  SessionPoolPage* session_page() { return session_page_; }
  /// Brings the page of the walk-through to the front.
  void show_walk_page();
  QString empty_text() const { return pages_->currentIndex() == 0 ? empty_->text() : QString(); }
  ChartTable table() const;

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_tabs(Selection* selection);
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
  QTabWidget* tabs_ = nullptr;  // null without a session
  SessionPoolPage* session_page_ = nullptr;
  bool session_in_front_ = true;  // where there is one
  PoolGrid* grid_ = nullptr;
  LegendStrip* legend_ = nullptr;
};

}  // namespace kvantage
