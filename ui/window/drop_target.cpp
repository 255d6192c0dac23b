#include "ui/window/drop_target.h"

#include <QDropEvent>
#include <QUrl>
#include <QWidget>

namespace kvantage {

DropTarget::DropTarget(QWidget* window) : QObject(window), window_(window) {
  window->setAcceptDrops(true);
  window->installEventFilter(this);
}

bool DropTarget::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window_ && (event->type() == QEvent::DragEnter || event->type() == QEvent::Drop)) {
    auto* drop = static_cast<QDropEvent*>(event);  // a drag that enters is one that may drop
    if (drop->mimeData() == nullptr || drop->mimeData()->urls().isEmpty()) return false;
    drop->setDropAction(Qt::CopyAction);
    drop->accept();  // what is wrong with it can only be said when it has been dropped
    if (event->type() == QEvent::Drop) take(*drop->mimeData());
    return true;
  }
  return QObject::eventFilter(watched, event);
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
