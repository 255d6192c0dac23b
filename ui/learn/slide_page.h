// The slide mode: a full screen with one chart and one control in large type, for a talk. With a lesson it has the
// title and text of the step, and Page Up and Page Down, as remotes send them, go through the steps; without one, lists
// choose chart and control. It has a window of its own, so that the layout of the main one stays as it is.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <QWidget>

#include "ui/learn/model/lesson_file.h"
#include "ui/learn/slide_views.h"

namespace kvantage {

struct SlideText {
  QString title, text;
  int number = 0, count = 0;  // of the step, from 1; 0: there is no lesson
};

class SlidePage : public QWidget {
  Q_OBJECT
 public:
  /// `run` and `settings` outlive it.
  SlidePage(const SlideParts& parts, const Theme& theme, QWidget* parent = nullptr);
  void show_step(const SlideText& step);
  void set_text(const QString& text);
  /// Ids as in lesson_slide.h; what is empty or unknown stays.
  void choose(const LessonSlide& slide);
  const LessonSlide& shown() const { return shown_; }
  QWidget* chart_view() const { return chart_; }
  QWidget* control_view() const { return control_; }
  /// The chart is covered: its result is not to be seen yet.
  void set_held(bool held);
  bool held() const { return pages_->currentIndex() == 1; }
  /// Below the text; the page owns it. Null: none.
  void set_panel(QWidget* panel);
  QWidget* panel() const { return panel_; }
  QString title() const { return title_->text(); }
  QString text() const { return text_->text(); }
  QPushButton& next_button() { return *next_; }
  QPushButton& previous_button() { return *previous_; }
  QComboBox& chart_box() { return *charts_; }
  QComboBox& control_box() { return *controls_; }

 signals:
  void nextAsked();
  void previousAsked();
  /// Esc, or the window was closed.
  void left();

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  void make_bar(QVBoxLayout& column);
  void make_keys();
  void show_chart(const QString& id);
  void show_control(const QString& id);

  SlideParts parts_;
  Theme theme_;
  QFont large_;
  LessonSlide shown_;
  QLabel *title_, *text_, *number_;
  QVBoxLayout* panel_place_;
  QStackedWidget* pages_;  // the chart, or the cover in its place
  QVBoxLayout* control_place_;
  QComboBox *charts_, *controls_;
  QPushButton *previous_, *next_;
  QWidget *chart_ = nullptr, *control_ = nullptr, *panel_ = nullptr;
};

}  // namespace kvantage
