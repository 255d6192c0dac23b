#include "ui/learn/result_covers.h"

#include <QEvent>

#include "ui/widgets/plain_label.h"

namespace kvantage {

bool ResultCovers::covers(const QWidget& view) const {
  for (const Cover& cover : covers_)
    if (cover.view == &view) return true;
  return false;
}

void ResultCovers::cover(const std::vector<QWidget*>& views, const QString& text) {
  clear();
  for (QWidget* view : views) {
    if (!view || !view->parentWidget() || covers(*view)) continue;
    QLabel* label = plain_label(text);
    label->setParent(view->parentWidget());
    label->setObjectName(QStringLiteral("resultCover"));
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setAutoFillBackground(true);
    label->setBackgroundRole(QPalette::AlternateBase);
    label->setAccessibleName(text);
    covers_.push_back({view, label, view->isEnabledTo(view->parentWidget())});
    view->setEnabled(false);
    view->installEventFilter(this);
    place(covers_.back());
  }
}

void ResultCovers::clear() {
  for (const Cover& cover : covers_) {
    if (cover.view) {
      cover.view->removeEventFilter(this);
      if (cover.was_enabled) cover.view->setEnabled(true);
    }
    delete cover.label;
  }
  covers_.clear();
}

void ResultCovers::place(const Cover& cover) {
  if (!cover.view || !cover.label) return;
  cover.label->setGeometry(cover.view->geometry());
  cover.label->setVisible(!cover.view->isHidden());
  cover.label->raise();
}

bool ResultCovers::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::Resize || type == QEvent::Move || type == QEvent::Show || type == QEvent::Hide ||
      type == QEvent::ZOrderChange)
    for (const Cover& cover : covers_)
      if (cover.view == watched) place(cover);
  return QObject::eventFilter(watched, event);
}

}  // namespace kvantage
