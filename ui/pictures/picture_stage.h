// The window that pictures are taken of, with what a scene moves in it.
#pragma once

#include <QMainWindow>

#include "ui/learn/lessons.h"
#include "ui/learn/tour.h"
#include "ui/session/window_models.h"
#include "ui/widgets/banner.h"
#include "ui/window/command_palette.h"
#include "ui/window/parts/window_looks.h"
#include "ui/window/parts/window_views.h"
#include "ui/window/window_files.h"
#include "ui/window/window_options.h"

namespace kvantage {

class MainWindow;

/// All of it outlives the pictures.
struct PictureStage {
  QMainWindow& window;
  const WindowOptions& options;
  WindowModels& models;
  Banner& banner;
  WindowViews& views;
  WindowLooks& looks;
  WindowFiles& files;
  Tour& tour;
  Lessons& lessons;
  CommandPalette& palette;
};

/// `options`: those that the window was made with.
PictureStage picture_stage(MainWindow& window, const WindowOptions& options);

}  // namespace kvantage
