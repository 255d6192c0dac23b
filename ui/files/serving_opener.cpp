#include "ui/files/serving_opener.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QThread>
#include <QVBoxLayout>
#include <memory>
#include <optional>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/widgets/button_tips.h"

namespace kvantage {
namespace {

/// A list of sentences under a title; nothing where there are none.
void add_serving_list(QVBoxLayout& page, const QString& title, const QString& name, const QStringList& lines) {
  if (lines.isEmpty()) return;
  auto* head = new QLabel(title);
  auto* list = new QListWidget;
  list->setObjectName(name);
  list->setAccessibleName(title);
  list->setToolTip(title);
  list->setWordWrap(true);
  for (const QString& line : lines) list->addItem(core_text(line));
  head->setBuddy(list);
  page.addWidget(head);
  page.addWidget(list);
}

}  // namespace

ServingOpener::ServingOpener(QWidget* window, ReadServing read)
    : QObject(window), window_(window), read_(std::move(read)) {}

ServingOpener::~ServingOpener() {
  for (QThread* thread : threads_) {
    thread->wait();  // the file is small, and so is what is checked with it
    delete thread;
  }
}

void ServingOpener::offer(const QString& path) {
  const quint64 number = ++latest_;
  busy_ = true;
  emit reading(path);
  auto file = std::make_shared<std::optional<Expected<ServingFile>>>();
  QThread* thread = QThread::create([read = read_, path, file] { *file = read(path); });
  threads_ << thread;
  connect(thread, &QThread::finished, this, [this, thread, number, path, file] {
    threads_.removeOne(thread);
    thread->deleteLater();
    if (number != latest_) return;
    end();
    if (file->value())
      ask(path, *file->value());
    else
      emit refused(core_text(file->value().error().message));
  });
  thread->start();
}

void ServingOpener::cancel() {
  if (!busy_) return;
  ++latest_;
  end();
}

void ServingOpener::end() {
  busy_ = false;
  emit ended();
}

void ServingOpener::ask(const QString& path, const ServingFile& file) {
  auto* dialog = new QDialog(window_);
  dialog->setObjectName(QStringLiteral("servingDialog"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Import settings"));
  auto* page = new QVBoxLayout(dialog);
  auto* question = new QLabel(
      tr("Serve this workload with the settings of “%1” (%2)?").arg(QFileInfo(path).fileName(), file.system));
  question->setTextFormat(Qt::PlainText);  // the name is another's
  question->setWordWrap(true);
  page->addWidget(question);
  add_serving_list(*page, tr("Settings of the session"), QStringLiteral("servingTaken"), file.taken);
  add_serving_list(*page, tr("Without an equivalent"), QStringLiteral("servingUnsaid"), file.unsaid);
  const QString loss = also_ends_ ? also_ends_() : QString();
  auto* ends = new QLabel(
      loss.isEmpty()
          ? tr("This stops the current run; its results are saved.")
          : tr("This stops the current run; its results are saved.\n\n%1 It is canceled without a result.").arg(loss));
  ends->setTextFormat(Qt::PlainText);
  ends->setWordWrap(true);
  page->addWidget(ends);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  QPushButton* open = buttons->addButton(tr("&Import"), QDialogButtonBox::AcceptRole);
  open->setToolTip(tr("Start the session again with these settings"));
  (loss.isEmpty() ? open : buttons->button(QDialogButtonBox::Cancel))->setDefault(true);
  add_button_tips(*buttons);
  page->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  connect(dialog, &QDialog::accepted, this, [this, path] { emit chosen(path); });
  dialog->open();
}

void ServingOpener::choose_file() {
  auto* dialog = new QFileDialog(window_, tr("Import settings of LMCache or vLLM"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({tr("Settings (*.yaml *.yml *.json)"), tr("All files (*)")});
  connect(dialog, &QFileDialog::fileSelected, this, &ServingOpener::offer);
  dialog->open();
}

}  // namespace kvantage
