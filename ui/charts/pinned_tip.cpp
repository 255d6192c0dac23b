#include "ui/charts/pinned_tip.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QScreen>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

namespace kvantage {
namespace {

QPointer<PinnedTip>& pinned_now() {
  static QPointer<PinnedTip> tip;
  return tip;
}

}  // namespace

QString short_tip(const QString& whole) {
  constexpr qsizetype most_lines = 3;
  const QStringList lines = whole.split('\n');
  if (lines.size() <= most_lines) return whole;
  return PinnedTip::tr("%1 … (click for more)").arg(QStringList(lines.mid(0, most_lines)).join('\n'));
}

PinnedTip::PinnedTip(QWidget& owner, const QString& text)
    : QFrame(owner.window(), Qt::ToolTip | Qt::FramelessWindowHint), owner_(&owner), label_(new QLabel(text)) {
  setObjectName(QStringLiteral("pinnedTip"));
  setAttribute(Qt::WA_ShowWithoutActivating);
  setFocusPolicy(Qt::NoFocus);
  setFrameShape(QFrame::Box);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::ToolTipBase);
  setAccessibleName(tr("Details"));
  setAccessibleDescription(text);
  label_->setTextFormat(Qt::PlainText);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label_->setFocusPolicy(Qt::NoFocus);
  label_->setForegroundRole(QPalette::ToolTipText);
  label_->setAccessibleName(text);
  label_->setToolTip(tr("Esc closes this"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 6, 8, 6);
  column->addWidget(label_);
  qApp->installEventFilter(this);
}

void PinnedTip::place(const QPoint& at) {
  constexpr int away = 14;
  adjustSize();
  QPoint corner = at + QPoint(away, away);
  if (const QScreen* screen = owner_->screen()) {
    const QRect all = screen->availableGeometry();
    if (corner.x() + width() > all.right()) corner.setX(std::max(all.left(), at.x() - away - width()));
    if (corner.y() + height() > all.bottom()) corner.setY(std::max(all.top(), at.y() - away - height()));
  }
  move(corner);
}

void PinnedTip::pin(QWidget& owner, const QPoint& at, const QString& text) {
  unpin();
  if (text.isEmpty()) return;
  auto* tip = new PinnedTip(owner, text);
  pinned_now() = tip;
  tip->place(at);
  tip->show();
}

void PinnedTip::hover(QWidget& owner, const QPoint& at, const QString& whole, const QRect& area) {
  if (whole.isEmpty() || whole == text())
    QToolTip::hideText();
  else
    QToolTip::showText(at, short_tip(whole), &owner, area);
}

void PinnedTip::click(QWidget& owner, const QPoint& at, const QString& whole) {
  if (whole == short_tip(whole)) return;
  QToolTip::hideText();
  pin(owner, at, whole);
}

void PinnedTip::unpin() {
  PinnedTip* tip = pinned_now();
  if (tip == nullptr) return;
  pinned_now().clear();
  qApp->removeEventFilter(tip);
  tip->hide();
  tip->deleteLater();  // it may be what handles the event
}

QString PinnedTip::text() { return pinned_now() ? pinned_now()->label_->text() : QString(); }

bool PinnedTip::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::ShortcutOverride:
    case QEvent::KeyPress:
      if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) break;
      event->accept();
      if (event->type() == QEvent::KeyPress) unpin();
      return true;
    case QEvent::MouseButtonPress:
    case QEvent::Wheel: {
      const auto* pressed = qobject_cast<QWidget*>(watched);
      if (pressed != nullptr && pressed != this && !isAncestorOf(pressed)) unpin();
      break;
    }
    case QEvent::Hide:
      if (watched == owner_.data()) unpin();
      break;
    case QEvent::WindowDeactivate:
      if (owner_ && watched == owner_->window()) unpin();
      break;
    default:
      break;
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace kvantage
