#include "ui/files/method_opener.h"

#include <QThread>
#include <memory>
#include <optional>

#include "ui/text/core_text.h"

namespace kvantage {

MethodOpener::MethodOpener(MethodOffer::ReadFile read, QObject* parent) : QObject(parent), read_(std::move(read)) {}

MethodOpener::~MethodOpener() {
  for (QThread* thread : threads_) {
    thread->wait();  // a file that does not load within its time is given up
    delete thread;
  }
}

void MethodOpener::offer(const QString& path) {
  const quint64 number = ++latest_;
  busy_ = true;
  emit reading(path);
  auto opened = std::make_shared<std::optional<Expected<MethodOffer::Known>>>();
  QThread* thread = QThread::create([read = read_, path, opened] { *opened = read(path); });
  threads_ << thread;
  connect(thread, &QThread::finished, this, [this, thread, number, opened] {
    threads_.removeOne(thread);
    thread->deleteLater();
    if (number != latest_) return;
    end();
    if (opened->value())
      emit chosen(opened->value()->text, opened->value()->summary);
    else
      emit refused(core_text(opened->value().error().message));
  });
  thread->start();
}

void MethodOpener::cancel() {
  if (!busy_) return;
  ++latest_;
  end();
}

void MethodOpener::end() {
  busy_ = false;
  emit ended();
}

}  // namespace kvantage
