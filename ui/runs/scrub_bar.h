// The time line of a recorded run: a slider that jumps to where it is clicked, with marks drawn on it.
#pragma once

#include <QPixmap>
#include <QSlider>
#include <vector>

#include "ui/look/theme.h"

namespace kvantage {

class ScrubBar : public QSlider, public Themed {
  Q_OBJECT
 public:
  static constexpr int steps = 100'000;
  struct Mark {
    double at = 0;  // 0..1 of the time line
    int kind = 0;   // color and height
    QString text;
  };

  explicit ScrubBar(QWidget* parent = nullptr);
  void set_marks(std::vector<Mark> marks);
  const std::vector<Mark>& marks() const { return marks_; }
  void set_theme(const Theme& theme) override;
  static QColor mark_color(const Theme& theme, int kind);

  QSize sizeHint() const override { return {300, 34}; }
  QSize minimumSizeHint() const override { return {120, 34}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int x_of(double at) const;
  int value_at(int x) const;
  void draw_marks();
  /// A line for each mark there.
  QString marks_text(int x) const;

  std::vector<Mark> marks_;
  QPixmap drawn_;  // the marks, once for each size and theme
  Theme theme_;
};

}  // namespace kvantage
