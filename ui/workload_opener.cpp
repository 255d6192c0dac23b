#include "ui/workload_opener.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QThread>
#include <QUrl>
#include <memory>

namespace kvantage {
namespace {

// The one local path of a drag, or empty.
QString dropped_path(const QMimeData* data) {
  if (data == nullptr || data->urls().size() != 1) return {};
  return data->urls().constFirst().toLocalFile();
}

}  // namespace

WorkloadOpener::WorkloadOpener(QWidget* window, CheckWorkload check)
    : QObject(window), window_(window), check_(std::move(check)) {
  window->setAcceptDrops(true);
  window->installEventFilter(this);
}

WorkloadOpener::~WorkloadOpener() {
  for (QThread* thread : threads_) {
    thread->wait();  // reading a text of the largest size allowed takes seconds at most
    delete thread;
  }
}

bool WorkloadOpener::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window_ && (event->type() == QEvent::DragEnter || event->type() == QEvent::Drop)) {
    auto* drop = static_cast<QDropEvent*>(event);  // a drag that enters is one that may drop
    const QString path = dropped_path(drop->mimeData());
    if (path.isEmpty()) return false;
    drop->setDropAction(Qt::CopyAction);
    drop->accept();
    if (event->type() == QEvent::Drop) offer(path);
    return true;
  }
  return QObject::eventFilter(watched, event);
}

void WorkloadOpener::offer(const QString& path) {
  const quint64 number = ++latest_;
  emit reading(path);
  auto reason = std::make_shared<QString>();
  QThread* thread = QThread::create([check = check_, path, reason] { *reason = check(path); });
  threads_ << thread;
  connect(thread, &QThread::finished, this, [this, thread, number, path, reason] {
    threads_.removeOne(thread);
    thread->deleteLater();
    if (number != latest_) return;
    if (reason->isEmpty()) {
      ask(path);
    } else {
      emit refused(*reason);
    }
  });
  thread->start();
}

void WorkloadOpener::ask(const QString& path) {
  auto* box = new QMessageBox(QMessageBox::Question, QStringLiteral("Open another workload"),
                              QStringLiteral("Open “%1”?").arg(QFileInfo(path).fileName()), QMessageBox::NoButton, window_);
  box->setObjectName("openWorkloadBox");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(QStringLiteral("The run ends and the window opens anew. What was measured so far is kept."));
  QPushButton* open = box->addButton(QStringLiteral("&Open"), QMessageBox::AcceptRole);
  box->addButton(QMessageBox::Cancel);
  box->setDefaultButton(open);
  connect(box, &QMessageBox::finished, this, [this, box, open, path] {
    if (box->clickedButton() == open) emit chosen(path);
  });
  box->open();
}

void WorkloadOpener::choose_file() { choose(false); }
void WorkloadOpener::choose_folder() { choose(true); }

void WorkloadOpener::choose(bool folder) {
  auto* dialog = new QFileDialog(window_, folder ? QStringLiteral("Open a workload folder or a folder of texts")
                                                 : QStringLiteral("Open a text file"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
  if (!folder) dialog->setNameFilters({QStringLiteral("Texts (*.txt *.md)"), QStringLiteral("All files (*)")});
  connect(dialog, &QFileDialog::fileSelected, this, &WorkloadOpener::offer);
  dialog->open();
}

}  // namespace kvantage
