// The size of all text in the program, in percent of the system's: 80 to 200.
#pragma once

namespace kvantage {

constexpr int min_font_percent = 80, max_font_percent = 200;

/// Sets the program's font size, clamped to its range. Apply the theme again afterwards: charts and style sheet keep
/// their fonts.
void set_font_percent(int percent);
int font_percent();
/// The next step up (+1) or down (-1) from `percent`; ends at the limits.
int next_font_percent(int percent, int direction);

}  // namespace kvantage
