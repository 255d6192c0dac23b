// What a step of the tour or of a lesson looks like: a card with a few sentences beside the thing it is about, and a
// frame around that thing. Both are over the window and take nothing away: everything under and beside them works as
// ever.
#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <vector>

#include "ui/look/theme.h"

namespace kvantage {

/// An answer to a question, and what is said to whoever chooses it.
struct CardAnswer {
  QString text, reply;
  bool right = false;
};

/// What is gone through, as the card calls it.
struct CardText {
  QString name;   // "tour"
  QString close;  // on the button, with its mnemonic
  QString close_tip;
};

struct CardStep {
  int number = 0, count = 0;
  QString title, text;
  QWidget* target = nullptr;
  QWidget* in_view = nullptr;  // hidden last of all
  bool can_show_me = false;
  std::vector<CardAnswer> answers = {};
  QWidget* extra = nullptr;  // below the text; the card owns it
};

class TourCard : public QFrame, public Themed {
  Q_OBJECT
 public:
  TourCard(QWidget* window, const CardText& labels);
  /// Shows itself beside the target, which may move, be hidden or go: it follows.
  void show_step(const CardStep& step);
  /// Another text for the same step; the card keeps its place where it can.
  void set_text(const QString& text);
  /// The step was done: says so until the next one comes.
  void show_done();
  /// Something has to be answered before it is shown how to do it; Next skips that.
  void set_held(bool held);
  /// A button beside the number of the step, for all steps.
  void add_tool(QToolButton* tool) { head_->addWidget(tool, 0, Qt::AlignTop); }
  void dismiss();
  void set_theme(const Theme& theme) override;
  QPushButton& next() { return *next_; }
  QPushButton& close_button() { return *close_; }
  QPushButton& show_me() { return *show_me_; }
  /// Of the question that is shown; as many as it has answers.
  const std::vector<QRadioButton*>& choices() const { return choices_; }
  QString title() const { return title_->text(); }
  QString text() const { return text_->text(); }
  QString reply() const { return reply_->isHidden() ? QString() : reply_->text(); }
  bool says_done() const { return says_done_; }
  QWidget* target() const { return target_; }
  /// Of the step that is shown; null: it has none.
  QWidget* extra() const { return extra_; }

 signals:
  void answered(int answer);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  class Outline;
  void fit();
  void place();
  QList<QRect> tab_bars() const;
  QList<QPoint> places_beside(const QList<QRect>& rects, const QList<QRect>& tabs) const;
  void show_answers(const std::vector<CardAnswer>& answers);
  CardText labels_;
  QLabel *title_, *text_, *number_, *reply_;
  QHBoxLayout* head_;
  QVBoxLayout *extra_column_, *choice_column_;
  std::vector<QRadioButton*> choices_;
  QPushButton *next_, *close_, *show_me_;
  Outline* outline_;
  QPointer<QWidget> target_, in_view_, extra_;
  QTimer follow_;
  bool says_done_ = false, can_show_me_ = false, last_ = false;
};

}  // namespace kvantage
