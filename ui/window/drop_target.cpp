#include "ui/window/drop_target.h"

#include <QApplication>
#include <QDropEvent>
#include <QUrl>
#include <QWidget>

#include "ui/files/path_kind.h"

namespace kvantage {

DropTarget::DropTarget(QWidget* window) : QObject(window), window_(window) {
  window->setAcceptDrops(true);
  qApp->installEventFilter(this);
}

// A model, method or settings file is for the window wherever it is dropped; editors take texts and files themselves.
bool DropTarget::is_ours(const QObject* watched, const QDropEvent& drop) const {
  if (drop.mimeData() == nullptr || drop.mimeData()->urls().isEmpty()) return false;
  if (watched == window_) return true;
  const auto* widget = qobject_cast<const QWidget*>(watched);
  if (widget == nullptr || !window_->isAncestorOf(widget) || !widget->acceptDrops()) return false;
  const QUrl first = drop.mimeData()->urls().constFirst();
  if (drop.type() == QEvent::DragEnter || first != judged_) {  // once a drag: a folder may be on a slow share
    judged_ = first;
    const QString path = first.toLocalFile();
    const PathKind kind = kind_of_path(path);
    for_window_ = kind == PathKind::model || kind == PathKind::serving ||
                  (kind == PathKind::method && !is_python_source(path));  // somebody may ask about a program
  }
  return for_window_;
}

bool DropTarget::eventFilter(QObject* watched, QEvent* event) {
  const bool moves = event->type() == QEvent::DragEnter || event->type() == QEvent::DragMove;
  if (!moves && event->type() != QEvent::Drop) return false;
  auto* drop = static_cast<QDropEvent*>(event);  // a drag that enters or moves is one that may drop
  if (!is_ours(watched, *drop)) return false;
  drop->setDropAction(Qt::CopyAction);
  drop->accept();  // what is wrong with it can only be said when it has been dropped
  if (event->type() == QEvent::Drop) take(*drop->mimeData());
  return true;
}

void DropTarget::take(const QMimeData& data) {
  const QList<QUrl> urls = data.urls();
  const QString path = urls.constFirst().toLocalFile();
  if (urls.size() > 1)
    emit refused(tr("%n item(s) dropped, but only one can be opened. Drop a folder that contains them.", nullptr,
                    static_cast<int>(urls.size())));
  else if (path.isEmpty())
    emit refused(
        tr("%1 is not on this computer. Save it first, then drop the file.").arg(urls.constFirst().toDisplayString()));
  else
    emit dropped(path);
}

}  // namespace kvantage
