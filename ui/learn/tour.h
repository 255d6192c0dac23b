// The guided tour: five things to touch, from alpha to a changed frontier and what is behind it.
#pragma once

#include "ui/learn/walkthrough.h"

namespace kvantage {

class MainWindow;

class Tour : public Walkthrough {
  Q_OBJECT
 public:
  explicit Tour(MainWindow& window);
  void start();

 private:
  std::vector<WalkStep> make_steps();
  MainWindow& window_;
};

}  // namespace kvantage
