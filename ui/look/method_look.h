// What distinguishes methods beside their hue, also without color: dashes of lines, strokes inside of markers, hatching
// of areas. A method keeps them everywhere; no two of the registry share hue and dashes
// (tests/ui/look/palette_test.cpp).
#pragma once

#include <QList>
#include <QString>
#include <Qt>
#include <cstddef>

namespace kvantage {

struct MethodLook {
  std::size_t hue = 0;     // Theme::series()
  std::size_t dashes = 0;  // line_dashes()
  unsigned strokes = 0;    // draw_strokes()
  double shade = 0;        // share of black, or on a dark ground of white: another one for each codec
};

/// Of a text form: "snapkv", "adakv(snapkv(window=32))+kivi4", or of a codec alone. A form around a scorer, or with
/// parameters, has the scorer's hue. "none" has the first look, and its color is the theme's.
MethodLook method_look(const QString& text_form);
QList<qreal> method_dashes(const QString& text_form);
unsigned method_strokes(const QString& text_form);
/// Solid where lines are.
Qt::BrushStyle method_pattern(const QString& text_form);

}  // namespace kvantage
