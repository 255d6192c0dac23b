// What can be done with a lesson besides going through it: reset a step, copy a link to it, print the lesson, show it
// on slides. Actions of the window, and a menu on the lesson's card.
#pragma once

#include <QAction>
#include <QMenu>
#include <QObject>
#include <memory>
#include <optional>

#include "ui/learn/handout.h"
#include "ui/learn/lessons.h"
#include "ui/learn/slide_page.h"

namespace kvantage {

class LessonTools : public QObject {
  Q_OBJECT
 public:
  /// All of it outlives the tools; adds their actions to the window.
  LessonTools(const LessonSurroundings& surroundings, Lessons& lessons, const LessonStage& stage);
  ~LessonTools() override;
  /// Full screen with one chart and one control; with the lesson that runs, its steps.
  QAction& slide() { return *slide_; }
  /// Of the lesson that runs.
  QAction& reset() { return *reset_; }
  QAction& copy_link() { return *copy_link_; }
  QAction& print() { return *print_; }
  /// Null: there is no slide.
  SlidePage* slide_page() const { return page_.get(); }
  void show_slide();
  void leave_slide();
  /// With charts as the window shows them now.
  Handout handout(const Lesson& lesson) const;
  /// Asks where to save the handout of a lesson of that file, as PDF or HTML.
  void ask_and_print(const QString& path);
  /// Ends in .html or .pdf; the errors of the format and of write_text_file().
  Status write_handout(const Lesson& lesson, const QString& path) const;

 private:
  QAction* make(const QString& text, const QString& tip, const QString& key);
  void make_card_buttons();
  void fill_steps(QMenu& menu);
  void follow_lesson();
  void show_on_slide(int step);
  void update_slide();
  std::optional<ReportPlot> chart_of(const LessonStep& step) const;

  const LessonSurroundings around_;
  Lessons& lessons_;
  const LessonStage& stage_;
  QAction *slide_, *reset_, *copy_link_, *print_;
  std::unique_ptr<SlidePage> page_;
};

}  // namespace kvantage
