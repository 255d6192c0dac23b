#include "ui/pictures/charts_export.h"

#include <QAbstractItemView>
#include <QDir>
#include <QFileDialog>
#include <QProgressBar>
#include <QProgressDialog>
#include <QPushButton>
#include <QSet>

#include "core/base/folders.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

QString file_name(const QString& chart) {
  QString name;
  for (const QChar c : chart.toLower()) name += c.isLetterOrNumber() ? c : QChar('-');
  while (name.contains(QStringLiteral("--"))) name.replace(QStringLiteral("--"), QStringLiteral("-"));
  return name;
}

bool save(QWidget& picture, const ChartExport& chart, const QString& kind, const QString& path) {
  if (kind == "png") return save_png(picture, path);
  if (kind == "svg") return save_svg(picture, path, chart.name);
  if (kind == "pdf") return save_pdf(picture, path, chart.name);
  if (kind == "tex") return save_latex(chart.table(), path, chart.name);
  return save_csv(chart.table(), path);
}

}  // namespace

ChartsExport::ChartsExport(QWidget& window) : QObject(&window), window_(window) {
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &ChartsExport::write_next);
}

void ChartsExport::start(const QString& folder) {
  if (busy()) return;
  folder_ = folder;
  files_.clear();
  written_.clear();
  next_ = 0;
  empty_ = charts_ = 0;
  if (make_private_folders(from_q(folder))) {
    emit failed(tr("%1 cannot be created. Choose another folder.").arg(folder));
    return;
  }
  QSet<QString> taken;
  for (const ChartExport& chart : charts_of(window_)) {
    if (chart.table().rows.isEmpty()) {
      ++empty_;
      continue;
    }
    ++charts_;
    QString name = file_name(chart.name);
    for (int number = 2; taken.contains(name); ++number)
      name = file_name(chart.name) + QStringLiteral("-%1").arg(number);
    taken << name;
    const bool table = qobject_cast<QAbstractItemView*>(chart.picture) != nullptr;
    for (const char* kind : {"png", "svg", "pdf", "csv", "tex"})
      if (!table || QByteArray(kind) == "csv")
        files_.push_back({chart, chart.picture, QString::fromLatin1(kind), QDir(folder).filePath(name + '.' + kind)});
  }
  timer_.start();
}

void ChartsExport::cancel() {
  if (!busy()) return;
  timer_.stop();
  emit finished(tr("Export canceled; %1 of %n file(s) saved in %2", nullptr, static_cast<int>(files_.size()))
                    .arg(written_.size())
                    .arg(folder_));
}

void ChartsExport::write_next() {
  if (next_ == files_.size()) {
    timer_.stop();
    const QString text =
        tr("Saved %1 charts and tables as %2 files in %3").arg(charts_).arg(written_.size()).arg(folder_);
    emit finished(empty_ == 0 ? text : tr("%1; skipped %n without data", nullptr, empty_).arg(text));
    return;
  }
  const File& file = files_[next_++];
  if (file.picture) {
    // A chart behind a tab that was never shown has no size of its own yet, nor has one that appears just now.
    const QSize before = file.picture->size();
    const bool unseen = !file.picture->isVisible() && (before.width() < 480 || before.height() < 300);
    const bool small = unseen || before.width() < 300 || before.height() < 100;
    if (small) file.picture->resize(800, 500);
    const bool saved = save(*file.picture, file.chart, file.kind, file.path);
    if (small) file.picture->resize(before);
    if (!saved) {
      timer_.stop();
      emit failed(tr("%1 cannot be written. Choose a writable folder with free disk space.").arg(file.path));
      return;
    }
    written_ << file.path;
  }
  emit progress(static_cast<int>(next_), static_cast<int>(files_.size()), file.chart.name);
}

void ask_and_export_charts(QWidget& window, ChartsExport& exporter,
                           const std::function<void(const QString& level, const QString& text)>& say) {
  auto* dialog = new QFileDialog(&window, ChartsExport::tr("Export all charts into a folder"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  QObject::connect(dialog, &QFileDialog::fileSelected, &exporter, [&window, &exporter, say](const QString& folder) {
    auto* progress = new QProgressDialog(ChartsExport::tr("Saving charts"), ChartsExport::tr("Cancel"), 0, 0, &window);
    progress->setObjectName("chartsProgress");
    progress->setWindowTitle(ChartsExport::tr("Export all charts"));
    progress->setAutoClose(false);
    if (auto* cancel = progress->findChild<QPushButton*>())
      cancel->setToolTip(ChartsExport::tr("Stop; files that were written stay (Esc)"));
    if (auto* bar = progress->findChild<QProgressBar*>())
      bar->setTextVisible(false);  // it is as thin as all of this window; the words above it count
    QObject::connect(progress, &QProgressDialog::canceled, &exporter, &ChartsExport::cancel);
    QObject::connect(
        &exporter, &ChartsExport::progress, progress, [progress](int done, int total, const QString& name) {
          progress->setMaximum(total);
          progress->setValue(done);
          progress->setLabelText(done < total
                                     ? ChartsExport::tr("Saving %1, file %2 of %3").arg(name).arg(done + 1).arg(total)
                                     : ChartsExport::tr("Saved"));
        });
    QObject::connect(&exporter, &ChartsExport::finished, progress, [progress, say](const QString& text) {
      say(QStringLiteral("info"), text);
      progress->deleteLater();
    });
    QObject::connect(&exporter, &ChartsExport::failed, progress, [progress, say](const QString& reason) {
      say(QStringLiteral("warning"), reason);
      progress->deleteLater();
    });
    progress->show();
    exporter.start(folder);
  });
  dialog->open();
}

}  // namespace kvantage
