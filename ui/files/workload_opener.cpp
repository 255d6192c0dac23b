#include "ui/files/workload_opener.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QThread>
#include <memory>

#include "ui/text/core_text.h"
#include "ui/widgets/button_tips.h"

namespace kvantage {
WorkloadOpener::WorkloadOpener(QWidget* window, CheckWorkload check, const QString& question)
    : QObject(window), window_(window), check_(std::move(check)), question_(question) {}

WorkloadOpener::~WorkloadOpener() {
  for (QThread* thread : threads_) {
    thread->wait();  // reading a text of the largest size allowed takes seconds at most
    delete thread;
  }
}

void WorkloadOpener::offer(const QString& path) {
  const quint64 number = ++latest_;
  busy_ = true;
  emit reading(path);
  auto reason = std::make_shared<QString>();
  QThread* thread = QThread::create([check = check_, path, reason] { *reason = check(path); });
  threads_ << thread;
  connect(thread, &QThread::finished, this, [this, thread, number, path, reason] {
    threads_.removeOne(thread);
    thread->deleteLater();
    if (number != latest_) return;
    end();
    if (reason->isEmpty()) {
      ask(path);
    } else {
      emit refused(core_text(*reason));
    }
  });
  thread->start();
}

void WorkloadOpener::end() {
  busy_ = false;
  emit ended();
}

void WorkloadOpener::cancel() {
  if (!busy_) return;
  ++latest_;
  end();
}

void WorkloadOpener::ask(const QString& path) {
  auto* box = new QMessageBox(QMessageBox::Question, tr("Open"), question_.arg(QFileInfo(path).fileName()),
                              QMessageBox::NoButton, window_);
  box->setObjectName("openWorkloadBox");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  const QString loss = also_ends_ ? also_ends_() : QString();
  box->setInformativeText(
      loss.isEmpty()
          ? tr("This stops the current run; its results are saved.")
          : tr("This stops the current run; its results are saved.\n\n%1 It is canceled without a result.").arg(loss));
  QPushButton* open = box->addButton(tr("&Open"), QMessageBox::AcceptRole);
  open->setToolTip(tr("Stop the current run and open this"));
  QPushButton* cancel = box->addButton(QMessageBox::Cancel);
  add_button_tips(*box);
  box->setDefaultButton(loss.isEmpty() ? open : cancel);
  connect(box, &QMessageBox::finished, this, [this, box, open, path] {
    if (box->clickedButton() == open) emit chosen(path);
  });
  box->open();
}

void WorkloadOpener::choose_file() { choose(false); }
void WorkloadOpener::choose_folder() { choose(true); }

void WorkloadOpener::choose(bool folder) {
  auto* dialog =
      new QFileDialog(window_, folder ? tr("Open a workload folder or a folder of texts") : tr("Open a text file"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
  if (!folder) dialog->setNameFilters({tr("Texts (*.txt *.md)"), tr("All files (*)")});
  connect(dialog, &QFileDialog::fileSelected, this, &WorkloadOpener::offer);
  dialog->open();
}

}  // namespace kvantage
