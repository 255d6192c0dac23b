// The pictures of README.md and docs/guide.md, each with the story that its caption tells: a request that was loaded
// from a tier, a context that was displaced, runs to compare. Taken by `kvantage --screenshots DIR --docs`.
#pragma once

#include "ui/pictures/screenshot_scenes.h"

namespace kvantage {

/// In the order in which they are taken. They need a live session whose policy plans, such as the quick start under
/// evicpress; the picture of compared runs also two finished runs in the database.
std::vector<ScreenshotScene> documentation_scenes(const PictureStage& stage);

}  // namespace kvantage
