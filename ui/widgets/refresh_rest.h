#pragma once

class QWidget;

namespace kvantage {

/// Models of `window` have worked: views refresh after its loop has rested for some milliseconds, as they do after a painting, unless a
/// hand waits for them. See lazy_refresh.h.
void rest_before_refreshes(QWidget& window);

/// What changed is shown as soon as the views' turns come, without the pauses that keep a running session from being drawn all the time.
void hurry_refreshes(QWidget& window);

}  // namespace kvantage
