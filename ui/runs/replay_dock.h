// A recorded run gone through again: time line with marks, transport, speed. All views of the window show its moment.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QWidget>

#include "ui/charts/chart_table.h"
#include "ui/look/theme.h"
#include "ui/runs/model/replay_controller.h"
#include "ui/runs/scrub_bar.h"

namespace kvantage {

class ReplayDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit ReplayDock(ReplayController& replay, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  ScrubBar& bar() { return *bar_; }
  QComboBox& speed() { return *speed_; }
  QComboBox& kinds() { return *kinds_; }
  QPushButton& cancel_button() { return *cancel_; }
  QString text() const { return where_->text(); }
  bool empty() const { return pages_->currentIndex() == 0; }
  /// The marks of the run that is shown.
  ChartTable table() const;

 private:
  QWidget* make_empty_page();
  QWidget* make_replay_page();
  QWidget* make_opening_page();
  void connect_replay();
  void show_run();
  void show_moment();
  void show_playing();
  void choose_file();

  ReplayController& replay_;
  QStackedWidget* pages_;
  QLabel *empty_ = nullptr, *where_ = nullptr, *event_ = nullptr, *legend_ = nullptr;
  ScrubBar* bar_ = nullptr;
  QToolButton* play_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QPushButton* cancel_ = nullptr;
  QComboBox *speed_ = nullptr, *kinds_ = nullptr;
  Theme theme_;
  bool showing_ = false;
};

}  // namespace kvantage
