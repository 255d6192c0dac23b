// Exports every chart of a window into a folder as PNG, SVG, PDF, CSV and LaTeX. Writes one file per turn of the event
// loop, so that the window stays responsive.
#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include "ui/charts/chart_table.h"

namespace kvantage {

class ChartsExport : public QObject {
  Q_OBJECT
 public:
  explicit ChartsExport(QWidget& window);
  /// Files are named after their charts; files of these names are replaced. Tables give a CSV only, of what they show.
  /// Charts without data are skipped and counted. Does nothing while an export is running.
  void start(const QString& folder);
  void cancel();
  bool busy() const { return timer_.isActive(); }
  const QStringList& written() const { return written_; }

 signals:
  void progress(int done, int total, const QString& name);
  /// In a sentence: what was written where, what was left out.
  void finished(const QString& text);
  /// One line: the file, the reason, the fix. What was written before stays.
  void failed(const QString& reason);

 private:
  struct File {
    ChartExport chart;
    QPointer<QWidget> picture;
    QString kind, path;
  };
  void write_next();
  QWidget& window_;
  QTimer timer_;
  std::vector<File> files_;
  std::size_t next_ = 0;
  QString folder_;
  int empty_ = 0, charts_ = 0;
  QStringList written_;
};

/// Asks for a folder, shows progress with a cancel button, and says through `say` what became of it (level as in
/// Banner).
void ask_and_export_charts(QWidget& window, ChartsExport& exporter,
                           const std::function<void(const QString& level, const QString& text)>& say);

}  // namespace kvantage
