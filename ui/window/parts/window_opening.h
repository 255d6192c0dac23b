// What else the window can open, and what ends its session: another workload or model, the same session again. A figure
// that would be lost is asked about first.
#pragma once

#include <QMainWindow>
#include <QSettings>
#include <QStatusBar>

#include "ui/papers/figure_question.h"
#include "ui/window/parts/window_views.h"
#include "ui/window/window_files.h"
#include "ui/window/window_options.h"

namespace kvantage {

class WindowOpening : public QObject {
  Q_OBJECT
 public:
  WindowOpening(QMainWindow& window, const WindowOptions& options, QSettings& kept, WindowViews& views,
                const DockContext& context);
  WindowFiles& files() { return *files_; }
  /// Whether something is lost when the window ends.
  FigureQuestion& question() { return *question_; }
  void retry(bool separate_store);
  /// A lesson needs another workload, or gives back the one of before.
  void reopen(const QString& workload, const WindowBeginning& begin);

 signals:
  // As those of MainWindow.
  void openRequested(const QString& path);
  void modelRequested(const QString& path);
  void servingRequested(const QString& path);
  void reopenRequested(const QString& workload, const kvantage::WindowBeginning& begin);
  void retryRequested(bool separate_store);

 private:
  void show_reading(QStatusBar& bar);
  FigureQuestion* question_;
  WindowFiles* files_;
};

}  // namespace kvantage
