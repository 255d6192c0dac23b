#include "ui/pictures/picture_stage.h"

#include "ui/window/main_window.h"
#include "ui/window/window_part.h"

namespace kvantage {

PictureStage picture_stage(MainWindow& window, const WindowOptions& options) {
  return {window,
          options,
          window.models(),
          window.banner(),
          part_of<WindowViews>(window),
          part_of<WindowLooks>(window),
          part_of<WindowFiles>(window),
          part_of<Tour>(window),
          part_of<Lessons>(window),
          part_of<CommandPalette>(window)};
}

}  // namespace kvantage
