#include "ui/learn/tour_card.h"

#include <QDockWidget>
#include <QEvent>
#include <QMenuBar>
#include <QPainter>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <algorithm>

#include "ui/learn/broken_lines.h"

namespace kvantage {
namespace {

constexpr int card_gap = 10;  // pixels between the card and what it is beside

}  // namespace

class TourCard::Outline : public QWidget {
 public:
  explicit Outline(QWidget* window) : QWidget(window) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
  }
  QColor color;

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 3));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6);
  }
};

TourCard::TourCard(QWidget* window, const CardText& labels)
    : QFrame(window),
      labels_(labels),
      title_(new QLabel),
      text_(new QLabel),
      number_(new QLabel),
      reply_(new QLabel),
      head_(new QHBoxLayout),
      extra_column_(new QVBoxLayout),
      choice_column_(new QVBoxLayout),
      next_(new QPushButton(tr("&Next"))),
      close_(new QPushButton(labels.close)),
      show_me_(new QPushButton(tr("&Show me"))),
      outline_(new Outline(window)) {
  setObjectName("tourCard");
  setAutoFillBackground(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 12, 14, 12);
  column->setSpacing(8);
  title_->setProperty("heading", true);
  number_->setProperty("muted", true);
  head_->addWidget(title_, 1);
  head_->addWidget(number_, 0, Qt::AlignTop);
  column->addLayout(head_);
  text_->setWordWrap(true);
  column->addWidget(text_);
  column->addLayout(extra_column_);
  choice_column_->setSpacing(4);
  column->addLayout(choice_column_);
  reply_->setWordWrap(true);
  reply_->hide();
  column->addWidget(reply_);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(close_);
  buttons->addStretch(1);
  buttons->addWidget(show_me_);
  buttons->addWidget(next_);
  column->addLayout(buttons);
  title_->setWordWrap(true);
  next_->setAccessibleName(tr("Next step"));
  close_->setAccessibleName(QString(labels.close).remove('&'));
  close_->setToolTip(labels.close_tip);
  show_me_->setAccessibleName(tr("Show me how"));
  show_me_->setToolTip(tr("Do it for me, with the same control"));
  set_held(false);
  follow_.setInterval(120);
  connect(&follow_, &QTimer::timeout, this, &TourCard::place);
  hide();
}

void TourCard::set_theme(const Theme& theme) {
  setStyleSheet(QStringLiteral("QFrame#tourCard { background: %1; border: 1px solid %2; border-radius: 8px; }")
                    .arg(theme.base.name(), theme.accent.name()));
  outline_->color = theme.accent;
  outline_->update();
}

void TourCard::show_step(const CardStep& step) {
  says_done_ = false;
  title_->setText(step.title);
  number_->setText(tr("%1 of %2").arg(step.number).arg(step.count));
  text_->setText(step.text);
  last_ = step.number == step.count;
  can_show_me_ = step.can_show_me;
  set_held(false);
  if (extra_) {
    extra_->hide();
    extra_->deleteLater();
  }
  extra_ = step.extra;
  if (extra_) {
    extra_column_->addWidget(extra_);
    extra_->show();
  }
  show_answers(step.answers);
  setAccessibleName(tr("%1, step %2 of %3: %4").arg(labels_.name).arg(step.number).arg(step.count).arg(step.title));
  target_ = step.target;
  in_view_ = step.in_view;
  fit();
  follow_.start();
  show();
  place();
}

void TourCard::set_held(bool held) {
  show_me_->setVisible(can_show_me_ && !held);
  next_->setText(held ? tr("S&kip") : last_ ? tr("&Finish") : tr("&Next"));
  next_->setToolTip(held ? tr("Continue without a prediction; the summary says that it was skipped")
                         : tr("Continue without doing it"));
}

void TourCard::show_answers(const std::vector<CardAnswer>& answers) {
  for (QRadioButton* choice : choices_) {
    choice->hide();
    choice->deleteLater();
  }
  choices_.clear();
  reply_->hide();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    auto* choice = new QRadioButton;  // its text comes once the card has its width
    choice->setAccessibleName(answers[i].text);
    choice->setToolTip(tr("Select this answer to see whether it is correct"));
    choice_column_->addWidget(choice);
    choices_.push_back(choice);
    connect(choice, &QRadioButton::clicked, this, [this, i, answer = answers[i]] {
      reply_->setText((answer.right ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + answer.reply);
      reply_->show();
      place();
      emit answered(static_cast<int>(i));
    });
  }
}

void TourCard::set_text(const QString& text) {
  if (text == text_->text()) return;
  text_->setText(text);
  place();
}

void TourCard::show_done() {
  says_done_ = true;
  number_->setText(tr("✓ done"));
}

void TourCard::fit() {
  setFixedWidth(qMin(330 + fontMetrics().averageCharWidth() * (text_->text().size() > 240 || extra_ ? 16 : 4),
                     parentWidget()->width() - 16));
  const QMargins margins = layout()->contentsMargins();
  for (QRadioButton* choice : choices_)
    set_broken_text(*choice, choice->accessibleName(), width() - margins.left() - margins.right());
}

void TourCard::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  fit();
}

void TourCard::dismiss() {
  follow_.stop();
  outline_->hide();
  hide();
}

/// Where the window shows tabs: of docks, and of pages in them.
QList<QRect> TourCard::tab_bars() const {
  QList<QRect> bars;
  for (const QTabBar* tabs : parentWidget()->findChildren<QTabBar*>())
    if (tabs->isVisible()) bars << QRect(tabs->mapTo(parentWidget(), QPoint(0, 0)), tabs->size());
  return bars;
}

/// Right, left, below and above each of `rects`. Where the card would cover tabs there, also beyond those: a dock's
/// tabs belong to it.
QList<QPoint> TourCard::places_beside(const QList<QRect>& rects, const QList<QRect>& tabs) const {
  QList<QPoint> places;
  const auto add = [&](const QPoint& place, bool upwards) {
    places << place;
    QRect card(place, size());
    for (qsizetype turns = 0; turns < tabs.size(); ++turns) {
      const auto covered =
          std::find_if(tabs.begin(), tabs.end(), [&](const QRect& bar) { return bar.intersects(card); });
      if (covered == tabs.end()) break;
      if (upwards)
        card.moveBottom(covered->top() - card_gap);
      else
        card.moveTop(covered->bottom() + card_gap);
    }
    if (card.topLeft() != place) places << card.topLeft();
  };
  for (const QRect& beside : rects) {
    add({beside.right() + card_gap, rects.front().top()}, false);
    add({beside.left() - card_gap - width(), rects.front().top()}, false);
    add({rects.front().left(), beside.bottom() + card_gap}, false);
    add({rects.front().left(), beside.top() - card_gap - height()}, true);
  }
  return places;
}

void TourCard::place() {
  // adjustSize() would take wrapping text for fewer lines than they need.
  const int wanted = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width()) : sizeHint().height();
  resize(width(), qMin(wanted, parentWidget()->height() - 16));
  int left = 8, top = 8, bottom = -8;  // modes, menus, tools and status stay in view
  for (const QWidget* bar : parentWidget()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (!bar->isVisible()) continue;
    if (qobject_cast<const QStatusBar*>(bar)) bottom -= bar->height();
    const auto* tools = qobject_cast<const QToolBar*>(bar);
    if (tools && tools->orientation() == Qt::Vertical)
      left = qMax(left, bar->geometry().right() + 8);
    else if (tools || qobject_cast<const QMenuBar*>(bar))
      top = qMax(top, bar->geometry().bottom() + 8);
  }
  const QRect room = parentWidget()->rect().adjusted(left, top, -8, bottom);
  if (!target_ || !target_->isVisible()) {
    outline_->hide();
    move(room.center() - rect().center());
    raise();
    return;
  }
  const QRect at = QRect(target_->mapTo(parentWidget(), QPoint(0, 0)), target_->size()) & parentWidget()->rect();
  outline_->setGeometry(at.adjusted(-3, -3, 3, 3));
  outline_->setVisible(isVisible());
  outline_->raise();
  // Beside the target or the dock that it stands in, where it hides least of both; where there is no such place, inside
  // their far end.
  const QWidget* dock = target_;
  while (dock && !qobject_cast<const QDockWidget*>(dock)) dock = dock->parentWidget();
  const QRect around = dock && !dock->isWindow()
                           ? QRect(dock->mapTo(parentWidget(), QPoint(0, 0)), dock->size()) & parentWidget()->rect()
                           : at;
  const QRect looked_at = in_view_ && in_view_->isVisible()
                              ? QRect(in_view_->mapTo(parentWidget(), QPoint(0, 0)), in_view_->size())
                              : QRect();
  constexpr int worth = 4;  // a part of what is looked at, or of tabs, in parts of the dock that is worked in
  const QList<QRect> all_tabs = tab_bars();
  const auto area = [](const QRect& rect) { return rect.isEmpty() ? 0 : rect.width() * rect.height(); };
  QPoint best(at.right() - width() - card_gap, at.bottom() - height() - card_gap);
  int least = area(QRect(best, size()) & around) + (1 + worth) * area(rect());  // any place beside is better
  for (const QPoint& place : places_beside({at, around}, all_tabs)) {
    // Along the side it may slide to stay in the window.
    const QPoint kept(qBound(room.left(), place.x(), qMax(room.left(), room.right() - width())),
                      qBound(room.top(), place.y(), qMax(room.top(), room.bottom() - height())));
    const QRect card(kept, size());
    if (card.intersects(at)) continue;
    int hidden = area(card & around) + worth * area(card & looked_at);
    for (const QRect& tabs : all_tabs) hidden += worth * area(card & tabs);
    if (hidden < least) {
      least = hidden;
      best = kept;
    }
  }
  best.setX(qBound(room.left(), best.x(), qMax(room.left(), room.right() - width())));
  best.setY(qBound(room.top(), best.y(), qMax(room.top(), room.bottom() - height())));
  move(best);
  raise();
}

}  // namespace kvantage
