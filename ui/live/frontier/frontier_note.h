// All that is known of a point of the Frontier, pinned over the chart until it is closed, and the way to its run.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QToolButton>

namespace kvantage {

class FrontierNote : public QFrame {
  Q_OBJECT
 public:
  /// Hidden until something is pinned.
  explicit FrontierNote(QWidget& chart);
  /// Beside `at`, a place of the chart. `open`: text of the button; empty: there is nothing to open.
  void pin(const QString& text, const QPoint& at, const QString& open);
  QString text() const { return label_->text(); }
  QToolButton& open_button() { return *open_; }

 signals:
  void openRequested();

 protected:
  bool event(QEvent* event) override;

 private:
  void close_note();
  QLabel* label_;
  QToolButton *open_, *close_;
};

}  // namespace kvantage
