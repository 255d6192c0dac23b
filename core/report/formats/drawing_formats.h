// A drawing as SVG and as operators of a PDF page.
#pragma once

#include <string>

#include "core/report/drawing.h"

namespace kvantage::inline formats {

/// An <svg> element with a newline; colors are classes c0, c1, ... and grid of the page.
std::string to_svg(const Drawing& drawing);
/// A file of its own, on white.
std::string to_svg_file(const Drawing& drawing);
/// Operators of a PDF page that draw it with its upper left corner at (left, top) of the page, `scale` points per unit.
/// Font `font` of the page is Courier: anchors rely on its fixed width.
std::string to_pdf_operators(const Drawing& drawing, double left, double top, double scale, const std::string& font);

}  // namespace kvantage::inline formats
