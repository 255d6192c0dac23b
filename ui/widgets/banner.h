// A line at the top of the window for what the user must know: an error or a warning, until dismissed.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QList>
#include <QToolButton>

namespace kvantage {

class Banner : public QFrame {
  Q_OBJECT
 public:
  explicit Banner(QWidget* parent = nullptr);
  static constexpr int max_waiting = 20;
  /// level: "error", "warning" or "info". A newer message replaces one of the same level. One of a lower level waits
  /// until what stands there is dismissed, and so does a lower one that a higher takes the place of.
  void show_message(const QString& level, const QString& text);
  QString text() const { return label_->text(); }
  QString level() const { return level_; }
  /// How many messages come after this one.
  int waiting() const { return static_cast<int>(waiting_.size()); }
  /// The next message, or none.
  void dismiss();

 private:
  struct Message {
    QString level, text;
    bool operator==(const Message&) const = default;
  };
  void put(const Message& message);
  void wait_for_turn(const Message& message);
  void show_waiting();
  QLabel* label_;
  QToolButton* close_;
  QString level_;
  QList<Message> waiting_;  // the more urgent first, then in their order
};

}  // namespace kvantage
