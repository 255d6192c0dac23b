// A text as tokens that flow like words, each on a ground by its weight from 0 to 1: full where every summed head keeps
// it, none and struck out where none does. Laid out once per width; a change of weights only repaints.
#pragma once

#include <QAbstractScrollArea>
#include <functional>
#include <vector>

#include "ui/look/theme.h"

namespace kvantage {

class TokenMap : public QAbstractScrollArea, public Themed {
  Q_OBJECT
 public:
  explicit TokenMap(QWidget* parent = nullptr);
  void set_tokens(const std::vector<QString>& tokens);
  /// One weight per token.
  void set_weights(const std::vector<float>& weights);
  /// Three lines of it are seen over a token; a click, or Enter at the keyboard's token, pins the rest.
  void set_hover_text(std::function<QString(std::size_t token)> text) { hover_text_ = std::move(text); }
  void set_theme(const Theme& theme) override;
  /// Ground of a token of this weight, over the theme's base; also what the legend shows. The theme's text has 4.5 : 1
  /// on it.
  static QColor ground(const Theme& theme, float weight);

  std::size_t token_count() const { return boxes_.size(); }
  /// In the coordinates of the viewport; null outside the text.
  QRect box(std::size_t token) const;
  /// Token at a place of the viewport, or -1.
  int token_at(const QPoint& at) const;
  int layouts() const { return layouts_; }
  /// Where the keyboard is, or -1 before the first arrow key.
  int current() const { return current_; }

 signals:
  void hovered(int token);  // -1: none

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  struct Box {
    int x = 0, y = 0, width = 0;
    bool shown = false;  // line breaks and halves of characters take no room
  };
  void measure();
  void lay_out();
  int step(int from, int by) const;
  int beside(int from, int down) const;
  int token_of_key(const QKeyEvent& event) const;
  void show_current();
  QString text_of(int token) const;
  /// On the screen.
  QPoint below(int token) const;
  int line_height() const { return fontMetrics().height() + 4; }

  std::vector<QString> texts_;
  std::vector<int> widths_;  // in this font; 0: nothing to write
  std::vector<float> weights_;
  std::vector<Box> boxes_;
  std::function<QString(std::size_t)> hover_text_;
  Theme theme_;
  int laid_out_width_ = -1, layouts_ = 0, hovered_ = -1, current_ = -1;
};

}  // namespace kvantage
