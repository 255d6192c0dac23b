// Lines of text and charts as a PDF file: pages of one fixed-width font that every reader has, so that columns stay
// columns, and charts as lines and areas. The same blocks give the same bytes: no time, no name of a machine, no
// compression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/drawing.h"

namespace kvantage {

/// What stands together on a page where it fits on one.
struct PdfBlock {
  std::vector<std::string> lines = {};
  double size = 9;  // of the letters in points, at most: columns shrink to where the longest line fits, down to 5
  bool flowing =
      false;  // text that keeps its size and goes on below where a line is too long; columns do so at 5 points only
  bool bold = false;
  double keep_with_next = 0;  // points that must be left below it on the page: a heading does not stand alone
  std::optional<Drawing> drawing = std::nullopt;  // instead of lines
};

/// A4 in landscape. UTF-8; letters beyond Windows-1252, which the font has not, become '¤'. `title` goes into the
/// document's properties.
std::string to_pdf_pages(const std::string& title, const std::vector<PdfBlock>& blocks);

}  // namespace kvantage
