// How metrics of each provenance look, everywhere: measured is a filled disc, throttled a filled diamond, simulated a
// hollow square (dashed for what-if on the live requests), predicted a plain line or an italic number, imported a
// hollow triangle. Strokes inside of a marker distinguish policies and other series, also without color.
#pragma once

#include <QColor>
#include <QPainter>
#include <QPointF>

#include "core/ports/events.h"

namespace kvantage {

enum class MarkerLook { measured, throttled, simulated, what_if, predicted, imported };

MarkerLook look_of(Provenance provenance);
/// A set of strokes, another one for each policy. 0: none, of policies that have the color of their method and of names
/// that are no policy.
unsigned policy_strokes(const QString& text_form);
/// The same for a series that is no policy's, by its place: 0 for the first, then another one for each.
unsigned series_strokes(std::size_t place);
void draw_strokes(QPainter& painter, const QPointF& at, unsigned strokes, const QColor& color, double half);
/// Draws a marker of `radius` pixels around `at`; `ground` fills hollow ones.
void draw_marker(QPainter& painter, const QPointF& at, MarkerLook look, const QColor& color, const QColor& ground,
                 double radius = 5, bool strong = true, unsigned strokes = 0);

}  // namespace kvantage
