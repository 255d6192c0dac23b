// A line at the top of the window for what the user must know: an error or a warning, until dismissed.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QList>
#include <QTimer>
#include <QToolButton>
#include <functional>

namespace kvantage {

/// What the user can do about a message; without a label: nothing but to read it.
struct BannerAction {
  QString label, tip;
  std::function<void()> run;
  QString details = {};  // more about the message, as its tool tip: paths
};

class Banner : public QFrame {
  Q_OBJECT
 public:
  explicit Banner(QWidget* parent = nullptr);
  static constexpr int max_waiting = 20;
  /// Of a longer message the tool tip shows more.
  static constexpr int max_characters = 300, max_tip_characters = 2000;
  /// A message of level "info" goes by itself after this; one with a button stays longer. Not while the mouse is on it.
  static constexpr int info_ms = 15'000, offer_ms = 60'000;
  /// level: "error", "warning" or "info". A newer message replaces one of the same level. One of a lower level waits
  /// until the one shown is dismissed, and so does a lower one that a higher takes the place of.
  void show_message(const QString& level, const QString& text) { offer(level, text, {}); }
  /// The same with a button. The same text again, with or without one, changes nothing but brings a button.
  void offer(const QString& level, const QString& text, const BannerAction& action);
  /// What is said elsewhere now: it goes, shown or waiting.
  void withdraw(const QString& text);
  QString text() const { return label_->text(); }
  QString level() const { return present_.level; }
  /// Hidden where there is nothing to do about the message.
  QToolButton& button() { return *button_; }
  /// How many messages come after this one.
  int waiting() const { return static_cast<int>(waiting_.size()); }
  /// The next message, or none.
  void dismiss();
  /// Until the present message goes by itself, in milliseconds; -1: it stays.
  int goes_in_ms() const { return going_.isActive() ? going_.remainingTime() : -1; }

 private:
  struct Message {
    QString level, text;
    BannerAction action = {};
    bool operator==(const Message& other) const { return level == other.level && text == other.text; }
  };
  void put(const Message& message);
  void wait_for_turn(const Message& message);
  void show_waiting();
  QLabel* label_;
  QToolButton *button_, *close_;
  Message present_;
  QTimer going_;
  QList<Message> waiting_;  // the more urgent first, then in their order
};

}  // namespace kvantage
