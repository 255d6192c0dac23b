// A line at the top of the window for what the user must know: an error or a warning, until dismissed.
#pragma once

#include <QFrame>
#include <QLabel>

namespace kvantage {

class Banner : public QFrame {
  Q_OBJECT
 public:
  explicit Banner(QWidget* parent = nullptr);
  /// level: "error", "warning" or "info". A newer message replaces an older one of the same or lower level.
  void show_message(const QString& level, const QString& text);
  QString text() const { return label_->text(); }
  QString level() const { return level_; }

 private:
  QLabel* label_;
  QString level_;
};

}  // namespace kvantage
