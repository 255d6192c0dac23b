#include "ui/widgets/point_keys.h"

#include <QKeyEvent>
#include <QToolTip>
#include <QWidget>

#include "ui/look/pictured.h"
#include "ui/widgets/accessible_role.h"
#include "ui/widgets/tip_lines.h"

namespace kvantage {

PointKeys::PointKeys(QWidget& owner, QWidget& canvas, const QString& what, std::function<Rows()> rows)
    : QObject(&owner), owner_(owner), canvas_(canvas), rows_(std::move(rows)) {
  if (!(owner_.focusPolicy() & Qt::TabFocus)) owner_.setFocusPolicy(Qt::TabFocus);
  set_tip_line(owner_, TipLine::keys,
               tr("Arrow keys move between points, Page keys by ten. Enter acts like a click; Esc leaves."));
  set_description(tr("%1; arrow keys move between points").arg(what));
  set_accessible_role(owner_, QAccessible::Chart);
  owner_.installEventFilter(this);
}

void PointKeys::set_description(const QString& text) {
  description_ = text;
  describe_view();
}

void PointKeys::set_note(const QString& note) {
  if (note == note_) return;
  note_ = note;
  if (!owner_.hasFocus() || !stop()) describe_view();
}

void PointKeys::describe_view() {
  owner_.setAccessibleDescription(note_.isEmpty() ? description_ : description_ + QStringLiteral("; ") + note_);
}

std::optional<PointStop> PointKeys::stop() const { return cursor_.stop(rows_()); }

std::optional<PointStop> PointKeys::near(const QPointF& at, double reach) const {
  std::optional<PointStop> found;
  for (const auto& row : rows_())
    for (const PointStop& each : row) {
      const QPointF away = each.mark.center() - at;
      const double distance = std::hypot(away.x(), away.y());
      if (distance > reach) continue;
      reach = distance;
      found = each;
    }
  return found;
}

void PointKeys::paint(QPainter& painter, const Theme& theme) const {
  const auto at = shows_focus(owner_) ? stop() : std::nullopt;
  if (!at) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.accent, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(at->mark);
  painter.restore();
}

void PointKeys::leave() {
  cursor_.leave();
  QToolTip::hideText();
  describe_view();
  canvas_.update();
}

bool PointKeys::take(int key, Qt::KeyboardModifiers modifiers) {
  if (modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::ShiftModifier | Qt::MetaModifier)) return false;
  emit asked();
  const Rows rows = rows_();
  const auto before = cursor_.stop(rows);
  if (key == Qt::Key_Escape && before) {
    leave();
    return true;
  }
  if ((key == Qt::Key_Return || key == Qt::Key_Enter) && before) {
    emit entered(*before);
    return true;
  }
  if (!cursor_.move(key, rows)) return false;
  const auto now = cursor_.stop(rows);
  if (!now) return true;
  canvas_.update();
  emit moved(*now);
  const auto shown = stop();  // a view may have scrolled to it
  const QString text = now->text();
  owner_.setAccessibleDescription(text);
  QToolTip::showText(canvas_.mapToGlobal((shown ? *shown : *now).mark.center().toPoint() + QPoint(12, 12)), text,
                     &owner_);
  return true;
}

bool PointKeys::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::FocusIn:
      canvas_.update();
      break;
    case QEvent::FocusOut:
      describe_view();
      canvas_.update();
      break;
    case QEvent::ShortcutOverride:  // Esc is the window's otherwise
      if (static_cast<const QKeyEvent*>(event)->key() != Qt::Key_Escape || !stop()) break;
      event->accept();
      return true;
    case QEvent::KeyPress: {
      const auto* pressed = static_cast<const QKeyEvent*>(event);
      if (take(pressed->key(), pressed->modifiers() & ~Qt::KeypadModifier)) return true;
      break;
    }
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

void paint_focus(QPainter& painter, const QWidget& view, const Theme& theme) {
  if (!shows_focus(view)) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(theme.accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(view.rect().adjusted(0, 0, -1, -1));
  painter.restore();
}

}  // namespace kvantage
