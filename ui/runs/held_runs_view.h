// The runs that the Frontier holds, as a compact list: eye, color, name, what differs. Space shows or hides, Delete
// unpins, F2 renames, Enter asks for the run. Notes and tags are in the tool tip.
#pragma once

#include <QPushButton>
#include <QTableView>
#include <QWidget>

#include "ui/look/theme.h"
#include "ui/runs/model/held_runs_model.h"

namespace kvantage {

class HeldRunsView : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// `model` outlives the view.
  explicit HeldRunsView(HeldRunsModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;

  QTableView& table() { return *table_; }
  /// Of the chosen ghost, if it is recorded.
  QPushButton& pin_button() { return *pin_; }
  QPushButton& unpin_button() { return *unpin_; }

 signals:
  void runRequested(const QString& run_id);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  bool key_pressed(int key);
  void toggle(int row);
  void unpin(int row);
  QString chosen() const;
  void show_buttons();

  HeldRunsModel& model_;
  Theme theme_;
  QTableView* table_;
  QPushButton *pin_ = nullptr, *unpin_ = nullptr;
  bool fitted_ = false;
};

/// A colored disc for a held run, `size` pixels wide: filled when it is shown, else a ring.
QPixmap held_swatch(const Theme& theme, int color, bool shown, int size, qreal scale);

}  // namespace kvantage
