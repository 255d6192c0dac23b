// A picture of a view, for a file or the clipboard, shows nothing of the keyboard: no frame of the focus, no mark where
// the keys are.
#pragma once

#include <QVariant>
#include <QWidget>

namespace kvantage {

/// True of a view while a picture of it is drawn.
inline constexpr const char* pictured_property = "kvantage.pictured";

/// Whether a view paints that it has the focus.
inline bool shows_focus(const QWidget& view) {
  if (!view.hasFocus()) return false;
  for (const QWidget* at = &view; at != nullptr; at = at->parentWidget())
    if (at->property(pictured_property).toBool()) return false;
  return true;
}

}  // namespace kvantage
