// Text on a page, in layout units of a tenth of a point: fonts, and lines that fit a width.
#pragma once

#include <QFont>
#include <QString>
#include <string>
#include <vector>

namespace kvantage::inline report_pages {

/// Layout units per point: whole sizes in pixels of a font are then fine enough, and metrics need no device.
inline constexpr double units_per_point = 10;
inline constexpr int units_per_inch = 72 * static_cast<int>(units_per_point);

struct TextLook {
  int size = 80;  // in units: 80 is 8 points
  bool bold = false, fixed = false, muted = false;
};

/// One that the machine has: DejaVu, else what Qt falls back to.
QFont page_font(const TextLook& look);

/// One line as it may be shown: no control or direction marks (core/base/shown_text.h).
QString page_line(const std::string& text);

double text_width(const QString& text, const TextLook& look);
double line_height(const TextLook& look);
/// From the top of a line to its base line.
double line_ascent(const TextLook& look);

/// Broken at spaces, or within a word that is wider than `width`; at least one.
std::vector<QString> wrapped_lines(const QString& text, const TextLook& look, double width);
/// The widest word: the narrowest width that breaks none.
double widest_word(const QString& text, const TextLook& look);

}  // namespace kvantage::inline report_pages
