// What a step of the tour looks like: a card with two sentences beside the thing it is about, and a frame around that thing.
// Both lie over the window and take nothing away: everything under and beside them works as ever.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTimer>

#include "ui/theme.h"

namespace kvantage {

class TourCard : public QFrame, public Themed {
  Q_OBJECT
 public:
  explicit TourCard(QWidget* window);
  /// Shows itself beside `target`, which may move, be hidden or go: it follows.
  void show_step(int number, int count, const QString& title, const QString& text, QWidget* target);
  /// The step was done: says so until the next one comes.
  void show_done();
  void dismiss();
  void set_theme(const Theme& theme) override;
  QPushButton& next() { return *next_; }
  QPushButton& close_button() { return *close_; }
  QString text() const { return text_->text(); }
  QWidget* target() const { return target_; }

 private:
  class Outline;
  void place();
  QLabel *title_, *text_, *number_;
  QPushButton *next_, *close_;
  Outline* outline_;
  QPointer<QWidget> target_;
  QTimer follow_;
};

}  // namespace kvantage
