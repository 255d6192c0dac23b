#include "ui/window/window_files.h"

#include <QFileInfo>
#include <QWidget>

#include "ui/files/path_kind.h"
#include "ui/window/drop_target.h"

namespace kvantage {

WindowFiles::WindowFiles(QWidget* window, const WindowOptions& options, QSettings& settings)
    : QObject(window), window_(window), recent_(settings), data_import_(options.data_import) {
  workloads_ = make_opener(options.check_workload, tr("Open “%1”?"), &WindowFiles::workloadChosen);
  models_ = make_opener(options.check_model, tr("Serve this workload with the model “%1”?"), &WindowFiles::modelChosen);
  if (options.methods.read_file) {
    methods_ = new MethodOpener(options.methods.read_file, this);
    connect(methods_, &MethodOpener::reading, this, &WindowFiles::reading);
    connect(methods_, &MethodOpener::ended, this, &WindowFiles::ended);
    connect(methods_, &MethodOpener::refused, this, &WindowFiles::refused);
    connect(methods_, &MethodOpener::chosen, this, &WindowFiles::methodChosen);
  }
  if (options.read_serving) {
    serving_ = new ServingOpener(window, options.read_serving);
    connect(serving_, &ServingOpener::reading, this, &WindowFiles::reading);
    connect(serving_, &ServingOpener::ended, this, &WindowFiles::ended);
    connect(serving_, &ServingOpener::refused, this, &WindowFiles::refused);
    connect(serving_, &ServingOpener::chosen, this, &WindowFiles::servingChosen);
  }
  auto* drops = new DropTarget(window);
  connect(drops, &DropTarget::dropped, this, &WindowFiles::open);
  connect(drops, &DropTarget::refused, this, &WindowFiles::refused);
  if (QFileInfo::exists(options.workload_path)) recent_.add(options.workload_path);
}

WorkloadOpener* WindowFiles::make_opener(const CheckWorkload& check, const QString& question,
                                         void (WindowFiles::*chosen)(const QString&)) {
  if (!check) return nullptr;
  auto* opener = new WorkloadOpener(window_, check, question);
  connect(opener, &WorkloadOpener::reading, this, &WindowFiles::reading);
  connect(opener, &WorkloadOpener::ended, this, &WindowFiles::ended);
  connect(opener, &WorkloadOpener::refused, this, &WindowFiles::refused);
  connect(opener, &WorkloadOpener::chosen, this, [this, chosen](const QString& path) {
    recent_.add(path);
    emit(this->*chosen)(path);
  });
  return opener;
}

// A workload that is made of a file is offered like any other.
void WindowFiles::open_data(const QString& path) {
  emit reading(path);
  import_data(
      path, data_import_, window_,
      [this](const QString& reason) {
        emit ended();
        emit refused(reason);
      },
      [this](const QString& folder) { workloads_->offer(folder); }, [this] { emit ended(); });
}

void WindowFiles::open_model(const QString& path, const QString& products) {
  open(path);
  products_ = products;
}

void WindowFiles::cancel() {
  for (WorkloadOpener* opener : {workloads_, models_})
    if (opener) opener->cancel();
  if (methods_) methods_->cancel();
  if (serving_) serving_->cancel();
}

void WindowFiles::open(const QString& path) {
  switch (kind_of_path(path)) {
    case PathKind::missing:
      // Whoever opens workloads knows samples by name and says best what is wrong with a path.
      if (recent_.paths().contains(path)) {
        recent_.remove(path);
        emit refused(
            tr("%1 no longer exists and was removed from the recent files. Open it at its new location.").arg(path));
        return;
      }
      [[fallthrough]];
    case PathKind::data:
      if (workloads_ && data_import_) {
        open_data(path);
        return;
      }
      [[fallthrough]];
    case PathKind::workload:
      if (workloads_)
        workloads_->offer(path);
      else
        emit refused(tr("%1 cannot be opened in this window. Start kvantage with this workload.").arg(path));
      return;
    case PathKind::model:
      products_.clear();
      if (models_)
        models_->offer(path);
      else
        emit refused(tr("%1 cannot be loaded in this window. Start kvantage with --model.").arg(path));
      return;
    case PathKind::run:
      recent_.add(path);
      emit runChosen(path);
      return;
    case PathKind::layout:
      emit layoutChosen(path);
      return;
    case PathKind::method:
      if (methods_)
        methods_->offer(path);
      else
        emit refused(
            tr("%1 is a method, and this window serves no session. Start kvantage with --method-file.").arg(path));
      return;
    case PathKind::serving:
      if (serving_)
        serving_->offer(path);
      else
        emit refused(tr("%1 has settings of another program, and this window cannot start a session with them. Use "
                        "kvantage-cli session import.")
                         .arg(path));
      return;
  }
}

}  // namespace kvantage
