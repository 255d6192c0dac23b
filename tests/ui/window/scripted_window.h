// Windows over scripted sessions, each with settings of its own.
#pragma once

#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "tests/ui/window/scripted_session.h"
#include "tests/ui/window/window_parts.h"

namespace kvantage {

class ScriptedWindow {
 public:
  WindowOptions options() { return {folder_.filePath(QStringLiteral("window%1.ini").arg(++files_)), true}; }

  /// A window that has loaded and shows a predicted curve.
  std::unique_ptr<MainWindow> loaded(ScriptedSession& session) { return loaded(session, options()); }
  std::unique_ptr<MainWindow> loaded(ScriptedSession& session, const WindowOptions& wanted) {
    auto window = std::make_unique<MainWindow>(session, wanted);
    window->show();
    session.set_state(RunState::ready);
    if (!QTest::qWaitFor(
            [&] { return !run_of(*window).frontier.curves().empty() && session.state() == RunState::running; }, 10000))
      QTest::qFail("no curve", __FILE__, __LINE__);
    return window;
  }

 private:
  QTemporaryDir folder_;
  int files_ = 0;
};

/// Whether the tab of this title is the one in front, wherever it stands.
inline bool tab_in_front(const MainWindow& window, const QString& title) {
  for (const QTabBar* tabs : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    if (tabs->isVisible() && tabs->tabText(tabs->currentIndex()) == title) return true;
  return false;
}

inline QList<QPointF> evicpress_points(MainWindow& window) {
  frontier_of(window).flush();
  const auto found = frontier_of(window).series().find("evicpress");
  return found == frontier_of(window).series().end() ? QList<QPointF>() : found->second->points();
}

}  // namespace kvantage
