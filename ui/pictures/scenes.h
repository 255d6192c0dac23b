// The scenes of screenshot_scenes(): of Live (live_scenes.cpp), of the other modes (mode_scenes.cpp), and of what is
// over all of them.
#pragma once

#include <QTemporaryDir>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/experiments/paper_figures.h"
#include "ui/live/controls/controls_dock.h"
#include "ui/live/dock_registry.h"
#include "ui/live/frontier/frontier_page.h"
#include "ui/pictures/picture_stage.h"
#include "ui/pictures/screenshot_scenes.h"
#include "ui/window/mode_registry.h"

namespace kvantage {

class ScreenshotScenes {
 public:
  explicit ScreenshotScenes(const PictureStage& stage) : stage_(stage) {}
  std::vector<ScreenshotScene> all();

 private:
  static QString plain_title(QString text);
  /// What is in a menu, in the window's language.
  static QString menu_text(const char* english);
  static void close_dialogs();
  void trigger(const char* english);
  void add(const QString& name, std::function<void()> prepare, std::function<void()> clean = {}, int settles = 1) {
    scenes_.push_back({name, std::move(prepare), std::move(clean), settles});
  }
  void layout(const QString& name) { stage_.views.layouts().begin_with(name); }
  void overview() { layout(Layouts::built_in().front()); }
  void choose_context();

  void dock(const DockEntry& entry);
  void decoding();
  void formula();
  void frontier();
  void alpha_drag();
  void walks();
  void presenter();
  void act_on_frontier(const char* what);

  void start_page();
  void mode(const ModeEntry& entry);
  void runs();
  void figures();
  void show_figure(const QString& name);

  void messages();
  void dialogs();
  void file_dialogs();
  void menus();

  FrontierChart& frontier_chart();
  ControlsDock& controls() { return *stage_.views.body<ControlsDock>(QStringLiteral("controls")); }

  const PictureStage stage_;
  std::unique_ptr<QTemporaryDir> exported_;  // while charts are written into it
  int text_before_ = 100;                    // percent, of a scene that has its own
  std::vector<ScreenshotScene> scenes_;
};

}  // namespace kvantage
