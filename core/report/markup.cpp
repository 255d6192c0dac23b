#include "core/report/markup.h"

#include "core/base/json_fields.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"

namespace kvantage::inline report {

std::string escape_markup(std::string_view text) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  const std::string valid = valid_utf8(text);
  std::string out;
  out.reserve(valid.size());
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char letter = valid[i];
    switch (letter) {
      case '<':
        out += "&lt;";
        continue;
      case '>':
        out += "&gt;";
        continue;
      case '&':
        out += "&amp;";
        continue;
      case '"':
        out += "&quot;";
        continue;
      case '\'':
        out += "&#39;";
        continue;
      default:
        break;
    }
    const std::size_t hidden = hidden_sign_bytes(valid, i);
    // U+FFFE and U+FFFF are not characters.
    const bool none = valid.compare(i, 3, "\xef\xbf\xbe") == 0 || valid.compare(i, 3, "\xef\xbf\xbf") == 0;
    if (none || hidden > 0) i += none ? 2 : hidden - 1;
    if (none || hidden > 0)
      out += replacement;
    else
      out += letter;
  }
  return out;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::string coordinate(double value) { return format_fixed(value, 2); }

}  // namespace kvantage::inline report
