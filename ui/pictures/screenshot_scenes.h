// What pictures are taken of: every layout, dock, page of a dock, dialog and step, each with how it comes and goes.
#pragma once

#include <QPoint>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

#include "ui/look/theme.h"

namespace kvantage {

struct PictureStage;

struct ScreenshotScene {
  QString name;  // of the file: "dock tiers"
  std::function<void()> prepare, clean = {};
  int settles =
      1;  // times as long as others until it is what it shall show: what the engine or a planner computes for it
  bool only_when_named = false;          // a frame of an animation: taken where a wildcard asks for it
  std::function<QPoint()> pointer = {};  // where a mouse pointer is drawn, in the window; empty: nowhere
  std::function<bool()> ready = {};      // asked until it is true, before it settles; empty: at once
  std::optional<ThemeKind> theme = {};   // taken in this theme alone
};

/// In the order in which they are taken; they leave the window as they found it.
std::vector<ScreenshotScene> screenshot_scenes(const PictureStage& stage);

}  // namespace kvantage
