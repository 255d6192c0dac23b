// A part of a window by its type, found among what the window owns: for pictures and tests, which reach all of it as a
// user does. Parts themselves get what they need by their constructors.
#pragma once

#include <QWidget>

namespace kvantage {

/// There has to be one; where there are several, the first.
template <class Part>
Part& part_of(const QWidget& window) {
  Part* found = window.findChild<Part*>();
  if (found == nullptr) qFatal("the window has no %s", Part::staticMetaObject.className());
  return *found;
}

}  // namespace kvantage
