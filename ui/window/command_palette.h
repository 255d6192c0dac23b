// The command palette: a few letters find any action or control of the window, Enter runs it. All by keyboard.
#pragma once

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>

#include "ui/look/theme.h"
#include "ui/window/model/palette_model.h"

namespace kvantage {

class CommandPalette : public QDialog, public Themed {
  Q_OBJECT
 public:
  explicit CommandPalette(QMainWindow& window);
  /// Gathers what there is now and opens over the upper middle of the window.
  void open_fresh();
  void set_theme(const Theme& theme) override;
  PaletteModel& model() { return model_; }
  QLineEdit& line() { return *line_; }
  QListView& list() { return *list_; }
  QString tip_text() const { return tip_->text(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void run_current();
  void show_tip();
  class RowPainter;
  QMainWindow& window_;
  PaletteModel model_;
  QLineEdit* line_;
  QListView* list_;
  QLabel* tip_;
  RowPainter* painter_;
};

}  // namespace kvantage
