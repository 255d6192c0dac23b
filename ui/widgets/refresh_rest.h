#pragma once

class QWidget;

namespace kvantage {

/// Models of `window` have worked: views refresh after its loop has rested for some milliseconds, as they do after a
/// painting, unless a hand waits for them. See lazy_refresh.h.
void rest_before_refreshes(QWidget& window);

/// What changed is shown without the pauses that keep a running session from being drawn all the time. in_turn: views
/// take turns, so that a drag in progress never waits; at_once: all of them together, in the next frame.
enum class Hurry { in_turn, at_once };
void hurry_refreshes(QWidget& window, Hurry how);

}  // namespace kvantage
