// Lines of text as a PDF file: pages of one fixed-width font that every reader has, so that columns stay columns.
// The same lines give the same bytes: no time, no name of a machine, no compression.
#pragma once

#include <string>
#include <vector>

namespace kvantage {

/// A4 in landscape; letters as large as the longest line allows, longer lines than fit are broken. UTF-8; letters beyond
/// Windows-1252, which the font has not, become '?'. `title` goes into the document's properties.
std::string to_pdf_pages(const std::string& title, const std::vector<std::string>& lines);

}  // namespace kvantage
