// Work that takes long, in a line: what it is, how far it is, and a button that gives it up. Hidden while there is
// none.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>

namespace kvantage {

class WorkLine : public QWidget {
  Q_OBJECT
 public:
  /// `about`: what is given up, for a reader of the screen: "reading or writing files".
  explicit WorkLine(const QString& about, QWidget* parent = nullptr);
  /// total 0: of unknown length.
  void show_work(const QString& what, int done = 0, int total = 0);
  QString text() const { return isHidden() ? QString() : what_->text(); }
  QProgressBar& bar() { return *bar_; }
  QPushButton& cancel() { return *cancel_; }

 signals:
  void cancelled();

 private:
  QLabel* what_;
  QProgressBar* bar_;
  QPushButton* cancel_;
};

}  // namespace kvantage
