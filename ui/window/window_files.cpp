#include "ui/window/window_files.h"

#include <QFileInfo>
#include <QWidget>

#include "ui/files/path_kind.h"
#include "ui/window/drop_target.h"

namespace kvantage {

WindowFiles::WindowFiles(QWidget* window, const WindowOptions& options, QSettings& settings)
    : QObject(window), window_(window), recent_(settings) {
  workloads_ = make_opener(options.check_workload, tr("Open “%1”?"), &WindowFiles::workloadChosen);
  models_ = make_opener(options.check_model, tr("Serve this workload with the model “%1”?"), &WindowFiles::modelChosen);
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

void WindowFiles::cancel() {
  for (WorkloadOpener* opener : {workloads_, models_})
    if (opener) opener->cancel();
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
    case PathKind::workload:
      if (workloads_)
        workloads_->offer(path);
      else
        emit refused(tr("%1 cannot be opened in this window. Start kvantage with this workload.").arg(path));
      return;
    case PathKind::model:
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
  }
}

}  // namespace kvantage
