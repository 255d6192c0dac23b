#include "core/report/pdf_pages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/json_fields.h"
#include "core/base/units.h"

namespace kvantage {
namespace {

constexpr double page_width = 842, page_height = 595, margin = 36;  // points
constexpr double letter_width = 0.6;                                // of the size: all letters of Courier
constexpr double largest_size = 9, smallest_size = 5, line_height = 1.25;

// Windows-1252 from 0x80 on, where it is not Latin-1.
constexpr std::array<std::uint32_t, 32> windows_letters{
    0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017d, 0,
    0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178};

char letter_of(std::uint32_t code) {
  if (code < 0x20 || code == 0x7f) return ' ';
  if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return static_cast<char>(code);
  const auto found = std::ranges::find(windows_letters, code);
  return found == windows_letters.end() ? '?' : static_cast<char>(0x80 + (found - windows_letters.begin()));
}

std::string in_font(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string letters;
  for (std::size_t i = 0; i < valid.size();) {
    const auto first = static_cast<unsigned char>(valid[i]);
    const std::size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    std::uint32_t code = first < 0x80 ? first : first & (0xffU >> (bytes + 1));
    for (std::size_t k = 1; k < bytes && i + k < valid.size(); ++k)
      code = code << 6 | (static_cast<unsigned char>(valid[i + k]) & 0x3fU);
    letters += letter_of(code);
    i += bytes;
  }
  return letters;
}

std::string string_object(const std::string& letters) {
  std::string text = "(";
  for (const char letter : letters) {
    if (letter == '(' || letter == ')' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + ")";
}

// A line that is too long goes on below, set in.
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

// Objects in the order in which they are added, and the table of where each begins.
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

}  // namespace

std::string to_pdf_pages(const std::string& title, const std::vector<std::string>& lines) {
  std::vector<std::string> letters;
  std::size_t longest = 1;
  for (const std::string& line : lines) {
    letters.push_back(in_font(line));
    longest = std::max(longest, letters.back().size());
  }
  constexpr double room = page_width - 2 * margin;
  const double size = std::clamp(room / (letter_width * static_cast<double>(longest)), smallest_size, largest_size);
  letters = broken(letters, static_cast<std::size_t>(room / (letter_width * size)));
  const auto a_page = static_cast<std::size_t>((page_height - 2 * margin) / (size * line_height));
  const std::size_t pages = std::max<std::size_t>(1, (letters.size() + a_page - 1) / a_page);

  constexpr std::size_t first_page = 5;  // catalogue, pages, font, properties before it; then a page and its text in turn
  Document document;
  document.add("<< /Type /Catalog /Pages 2 0 R >>");
  std::string kids;
  for (std::size_t p = 0; p < pages; ++p) kids += std::to_string(first_page + 2 * p) + " 0 R ";
  document.add("<< /Type /Pages /Count " + std::to_string(pages) + " /Kids [ " + kids + "] >>");
  document.add("<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>");
  document.add("<< /Title " + string_object(in_font(title)) + " /Producer (KVantage) >>");
  for (std::size_t p = 0; p < pages; ++p) {
    document.add("<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 " + format_fixed(page_width, 0) + " " + format_fixed(page_height, 0) +
                 " ] /Resources << /Font << /F1 3 0 R >> >> /Contents " + std::to_string(first_page + 2 * p + 1) + " 0 R >>");
    std::string text = "BT\n/F1 " + format_fixed(size, 2) + " Tf\n" + format_fixed(size * line_height, 2) + " TL\n" +
                       format_fixed(margin, 0) + " " + format_fixed(page_height - margin - size, 2) + " Td\n";
    for (std::size_t i = p * a_page; i < std::min(letters.size(), (p + 1) * a_page); ++i) text += string_object(letters[i]) + " Tj T*\n";
    text += "ET";
    document.add("<< /Length " + std::to_string(text.size()) + " >>\nstream\n" + text + "\nendstream");
  }
  return document.finish("/Root 1 0 R /Info 4 0 R");
}

}  // namespace kvantage
