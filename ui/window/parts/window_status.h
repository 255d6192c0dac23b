// Keeps the status bar up to date with the run, its settings and a replay.
#pragma once

#include <QStatusBar>

#include <functional>

#include "ui/session/window_models.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/window/parts/window_looks.h"
#include "ui/window/window_status_bar.h"

namespace kvantage {

class WindowStatus : public QObject {
  Q_OBJECT
 public:
  /// `connections`: programs at the session's socket; empty: it has none.
  WindowStatus(QStatusBar& bar, WindowModels& models, const WindowLooks& looks, std::function<int()> connections);

 private:
  void show();
  WindowModels& models_;
  const WindowLooks& looks_;
  WindowStatusBar* parts_;
  LazyRefresh* lazy_;
};

}  // namespace kvantage
