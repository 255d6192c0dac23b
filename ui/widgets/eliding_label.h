// A line of text that is cut with an ellipsis where space is short; its tool tip has all of it. An optional sign in its
// own color before the text is never cut.
#pragma once

#include <QColor>
#include <QLabel>

namespace kvantage {

class ElidingLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidingLabel(QWidget* parent = nullptr);
  void set_sign(const QString& sign, const QColor& color);
  /// What of the words is painted in the present width.
  QString painted() const;
  QSize sizeHint() const override;
  /// Room for the sign and a few letters.
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int sign_width() const;
  QString sign_;
  QColor color_;
};

}  // namespace kvantage
