// Docks and modes of one window: found by their ids, brought to the front, and arranged as they were when the window
// was last there.
#pragma once

#include <QMainWindow>
#include <QSettings>

#include "core/base/error.h"
#include "ui/live/window_docks.h"
#include "ui/window/layout/layout_keeper.h"
#include "ui/window/layout/layouts.h"
#include "ui/window/parts/window_pages.h"
#include "ui/window/window_modes.h"

namespace kvantage {

class WindowViews : public QObject {
  Q_OBJECT
 public:
  /// Makes every dock and every page of a mode. The first layout is applied; see frame().
  WindowViews(QMainWindow& window, WindowPages& pages, const DockContext& context, QSettings& kept);
  /// Deletes the docks.
  ~WindowViews() override;
  WindowDocks& docks() const { return *docks_; }
  WindowModes& modes() const { return *modes_; }
  LayoutKeeper& keeper() const { return *keeper_; }
  Layouts& layouts() { return layouts_; }
  /// A dock to the front, or a mode.
  void show(const QString& id);
  /// What is in a dock of the registry, or the page of a mode; null when it is something else.
  template <typename Body>
  Body* body(const QString& id) const {
    return qobject_cast<Body*>(modes_->has(id) ? modes_->page(id) : docks_->body(id));
  }
  /// As the window was left. Nothing is replayed yet: that dock is hidden.
  Layouts::Restored restore_last();
  /// Takes a layout from a file and applies it; returns its name. See Layouts::import_from.
  Expected<QString> import_layout(const QString& path);
  /// Once a frame. In the first one sizes are known: a layout is applied where none was restored, and what changes is
  /// kept from then on.
  void frame();

 private:
  WindowDocks* docks_;
  Layouts layouts_;
  LayoutKeeper* keeper_ = nullptr;
  WindowModes* modes_ = nullptr;
  bool arranged_ = false, keeping_ = false, keep_first_ = false;
};

}  // namespace kvantage
