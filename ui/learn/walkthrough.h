// Steps with a card next to what they are about: the guided tour and the lessons. The next step follows when one is
// done or on Next; a question waits for its answer. It can be closed at any moment and blocks nothing.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "ui/learn/tour_card.h"

namespace kvantage {

struct WalkStep {
  QString title, text;
  std::function<QWidget*()> target;  // brought before the eyes first; null: the card stands in the middle
  std::function<QWidget*()> in_view =
      {};  // what the step says to look at meanwhile: the card rather hides something else
  /// Connects to whatever signals that the user has done it, all connections with `context`, and calls `done` then.
  std::function<void(QObject& context, const std::function<void()>& done)> watch = {};
  std::function<bool()> is_done = {};       // whether there is nothing left to do when the step begins
  std::function<void()> show_me = {};       // does it for the user; empty: not offered
  std::function<QString()> live_text = {};  // asked again while the step is shown; empty: `text` stays
  std::vector<CardAnswer> answers = {};     // of a question; the step is done with a right one
  std::function<QWidget*()> extra = {};     // shown below the text; made again each time, and the card owns it
  std::function<bool()> held = {};          // while true nothing is shown of how to do it, and Next skips the step
  bool stays = false;                       // the next step follows on Next alone: its result is to be read
};

class Walkthrough : public QObject {
  Q_OBJECT
 public:
  static constexpr int pause_ms = 900;    // between what was done and the next step: time to see what it did
  static constexpr int refresh_ms = 400;  // of a live text

  Walkthrough(QWidget& window, const CardText& labels);
  bool running() const { return at_ >= 0; }
  int step() const { return at_; }
  int count() const { return static_cast<int>(steps_.size()); }
  TourCard& card() { return *card_; }
  /// To a step as it is now; nothing is done for it, nor undone.
  void go_to(int step);
  virtual void close();

 signals:
  /// `to` is count() when it ends after its last step.
  void aboutToLeave(int from, int to);
  void stepShown(int step);
  /// It was gone through or closed.
  void ended();

 protected:
  void begin(std::vector<WalkStep> steps);
  void set_steps(std::vector<WalkStep> steps) { steps_ = std::move(steps); }
  /// Shows the present step again: its text, or the control that it points at, has changed.
  void update_step();

 private:
  void show_step(int number);
  void done(bool continues);
  void answered(int answer);

  TourCard* card_;
  std::vector<WalkStep> steps_;
  int at_ = -1;
  int shown_ = 0;  // steps so far: one that is shown again does not continue from before
  bool done_ = false;
  std::unique_ptr<QObject> watched_;  // holds the connections of the step
  QTimer refresh_;
};

}  // namespace kvantage
