// Text lines and charts as a PDF file: pages in a fixed-width standard font, so that columns stay aligned, and charts
// as lines and areas. Deterministic: the same blocks give the same bytes, without time, machine name or compression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/drawing.h"

namespace kvantage::inline formats {

/// Kept together on a page where possible.
struct PdfBlock {
  std::vector<std::string> lines = {};
  double size = 9;       // font size in points, at most: columns shrink until the longest line fits, down to 5
  bool flowing = false;  // text that keeps its size and wraps long lines; columns do so at 5 points only
  bool bold = false;
  double keep_with_next = 0;  // points that must remain below it on the page: avoids an orphaned heading
  std::optional<Drawing> drawing = std::nullopt;  // instead of lines
};

/// A4 landscape. UTF-8; letters outside Windows-1252, which the font lacks, become '¤'. `title` goes into the
/// document's properties.
std::string to_pdf_pages(const std::string& title, const std::vector<PdfBlock>& blocks);

}  // namespace kvantage::inline formats
