// The guided tour: five things to touch, from alpha to a changed frontier and what lies behind it. A step goes on when it was
// done, or with Next; the tour can be closed at any moment and blocks nothing.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <vector>

#include "ui/tour_card.h"

namespace kvantage {

class MainWindow;

class Tour : public QObject {
  Q_OBJECT
 public:
  static constexpr int pause_ms = 900;  // between what was done and the next step: time to see what it did

  explicit Tour(MainWindow& window);
  void start();
  void close();
  bool running() const { return at_ >= 0; }
  int step() const { return at_; }
  int count() const { return static_cast<int>(steps_.size()); }
  TourCard& card() { return *card_; }

 signals:
  /// It was gone through or closed; not to be shown by itself again.
  void ended();

 private:
  struct Step {
    QString title, text;
    std::function<QWidget*()> target;  // brought before the eyes first
    /// Calls the function given when the user has done it.
    std::function<QMetaObject::Connection(const std::function<void()>& done)> watch;
  };
  void make_steps();
  void show_step(int number);
  void done();

  MainWindow& window_;
  TourCard* card_;
  std::vector<Step> steps_;
  int at_ = -1;
  bool done_ = false;
  QMetaObject::Connection watched_;
};

}  // namespace kvantage
