// Names of categories below a chart: level, in two lines, upright or shortened, by the room there is.
#pragma once

#include <QFontMetricsF>
#include <QSizeF>
#include <QStringList>

namespace kvantage {

/// What an axis of categories shows: the first, and how many.
struct ShownPlaces {
  int first = 0, count = 0;
};

/// Below this length the height of a picture follows its names.
inline constexpr int whole_letters = 16;

struct FittedNames {
  QStringList names;  // lines are separated by a newline
  bool is_level = true;
  double lacking = 0;  // pixels that names of at most whole_letters lack to be whole; 0: none, or room to the side
};
/// Level where all that are shown have the room, in one line or in two; otherwise upright, folded where two lines have
/// the room, and shortened by letters to its height. `room`: across one name, and for the height of all; pixels.
FittedNames fitted_names(const QStringList& whole, const ShownPlaces& part, const QFontMetricsF& metrics,
                         const QSizeF& room);

/// Labels of an axis of categories: escaped, as they are rich text; lines one below the other; distinct, as such an
/// axis leaves out the second of two alike.
QStringList distinct_labels(const QStringList& names);

}  // namespace kvantage
