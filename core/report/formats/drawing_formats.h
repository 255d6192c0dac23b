// A drawing as SVG.
#pragma once

#include <string>

#include "core/report/drawing.h"

namespace kvantage::inline formats {

/// An <svg> element with a newline; colors are classes c0, c1, ... and grid of the page.
std::string to_svg(const Drawing& drawing);
/// A file of its own, on white.
std::string to_svg_file(const Drawing& drawing);

}  // namespace kvantage::inline formats
