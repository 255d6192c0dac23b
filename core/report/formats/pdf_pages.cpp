#include "core/report/formats/pdf_pages.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/report/formats/drawing_formats.h"
#include "core/report/formats/pdf_text.h"

namespace kvantage::inline formats {
namespace {

constexpr double page_width = 842, page_height = 595, margin = 36;  // points
constexpr double text_width = page_width - 2 * margin;
constexpr double smallest_size = 5, line_height = 1.25;

// Wraps long lines, with the continuation indented.
std::vector<std::string> broken(const std::vector<std::string>& lines, std::size_t width) {
  constexpr std::size_t indent = 4;
  std::vector<std::string> result;
  for (std::string rest : lines) {
    for (bool first = true; first || !rest.empty(); first = false) {
      const std::size_t room = first ? width : width - indent;
      std::size_t cut = std::min(room, rest.size());
      if (cut < rest.size())
        if (const std::size_t space = rest.rfind(' ', cut); space != std::string::npos && space > room / 2) cut = space;
      result.push_back((first ? "" : std::string(indent, ' ')) + rest.substr(0, cut));
      rest.erase(0, std::min(rest.size(), rest.find_first_not_of(' ', cut)));
    }
  }
  return result;
}

// Objects in the order of insertion, and the table of their offsets.
class Document {
 public:
  Document() : bytes_("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n") {}
  void add(const std::string& object) {
    begins_.push_back(bytes_.size());
    bytes_ += std::to_string(begins_.size()) + " 0 obj\n" + object + "\nendobj\n";
  }
  std::string finish(const std::string& trailer) {
    const std::size_t table = bytes_.size();
    bytes_ += "xref\n0 " + std::to_string(begins_.size() + 1) + "\n0000000000 65535 f \n";
    for (const std::size_t begin : begins_) {
      const std::string digits = std::to_string(begin);
      bytes_ += std::string(10 - std::min<std::size_t>(10, digits.size()), '0') + digits + " 00000 n \n";
    }
    return bytes_ + "trailer\n<< /Size " + std::to_string(begins_.size() + 1) + " " + trailer + " >>\nstartxref\n" +
           std::to_string(table) + "\n%%EOF\n";
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> begins_;
};

// Pages as they fill up, each with its stream operators.
class Pages {
 public:
  void add(const PdfBlock& block) {
    if (block.drawing) return add_drawing(*block.drawing);
    std::vector<std::string> letters;
    std::size_t longest = 1;
    for (const std::string& line : block.lines) {
      letters.push_back(pdf_letters(line));
      longest = std::max(longest, letters.back().size());
    }
    const double fitting = text_width / (courier_width * static_cast<double>(longest));
    const double size = block.flowing ? block.size : std::clamp(fitting, smallest_size, block.size);
    constexpr double rounding = 1e-6;  // the longest line fits exactly at the size chosen for it
    letters = broken(letters, static_cast<std::size_t>(text_width / (courier_width * size) + rounding));
    const double height = size * line_height, whole = height * static_cast<double>(letters.size());
    const double keep = block.keep_with_next + (whole <= page_height - 2 * margin ? whole : height);
    if (y_ - keep < margin) begin_page();
    for (const std::string& line : letters) {
      if (y_ - height < margin) begin_page();
      y_ -= height;
      streams_.back() += "BT\n/" + std::string(block.bold ? "F2" : "F1") + " " + format_fixed(size, 2) +
                         " Tf\n1 0 0 1 " + format_fixed(margin, 0) + " " + format_fixed(y_, 2) + " Tm\n" +
                         pdf_string(line) + " Tj\nET\n";
    }
  }
  std::vector<std::string> take() { return std::move(streams_); }

 private:
  void begin_page() {
    streams_.emplace_back();
    y_ = page_height - margin;
  }
  void add_drawing(const Drawing& drawing) {
    const double scale = std::min({1.0, text_width / drawing.width, (page_height - 2 * margin - 40) / drawing.height});
    if (y_ - drawing.height * scale < margin) begin_page();
    streams_.back() += to_pdf_operators(drawing, margin, y_, scale, "F1");
    y_ -= drawing.height * scale;
  }

  std::vector<std::string> streams_{""};
  double y_ = page_height - margin;
};

}  // namespace

std::string to_pdf_pages(const std::string& title, const std::vector<PdfBlock>& blocks) {
  Pages pages;
  for (const PdfBlock& block : blocks) pages.add(block);
  const std::vector<std::string> streams = pages.take();

  constexpr std::size_t first_page =
      6;  // catalog, pages, two fonts, properties before it; then a page and its stream alternate
  Document document;
  document.add("<< /Type /Catalog /Pages 2 0 R >>");
  std::string kids;
  for (std::size_t p = 0; p < streams.size(); ++p) kids += std::to_string(first_page + 2 * p) + " 0 R ";
  document.add("<< /Type /Pages /Count " + std::to_string(streams.size()) + " /Kids [ " + kids + "] >>");
  for (const char* font : {"Courier", "Courier-Bold"})
    document.add("<< /Type /Font /Subtype /Type1 /BaseFont /" + std::string(font) + " /Encoding /WinAnsiEncoding >>");
  document.add("<< /Title " + pdf_string(pdf_letters(title)) + " /Producer (KVantage) >>");
  for (std::size_t p = 0; p < streams.size(); ++p) {
    document.add("<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 " + format_fixed(page_width, 0) + " " +
                 format_fixed(page_height, 0) + " ] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents " +
                 std::to_string(first_page + 2 * p + 1) + " 0 R >>");
    document.add("<< /Length " + std::to_string(streams[p].size()) + " >>\nstream\n" + streams[p] + "\nendstream");
  }
  return document.finish("/Root 1 0 R /Info 5 0 R");
}

}  // namespace kvantage::inline formats
