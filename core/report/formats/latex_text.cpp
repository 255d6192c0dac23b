#include <array>
#include <utility>

#include "core/base/json_fields.h"
#include "core/base/shown_text.h"
#include "core/report/formats/latex.h"
#include "core/report/markup.h"

namespace kvantage::inline formats {
namespace {

// Latin-1 signs that the fonts of every document have, some of them only in math mode.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> signs{{{"\u00b5", "$\\mu$"},
                                                                               {"\u00b1", "$\\pm$"},
                                                                               {"\u00d7", "$\\times$"},
                                                                               {"\u00b0", "$^\\circ$"},
                                                                               {"\u00b7", "$\\cdot$"},
                                                                               {"\u2026", "\\ldots{}"},
                                                                               {"\u2264", "$\\le$"},
                                                                               {"\u2265", "$\\ge$"},
                                                                               {"\u2212", "$-$"},
                                                                               {"\u2013", "--"},
                                                                               {"\u2014", "---"},
                                                                               {"\u2018", "`{}"},
                                                                               {"\u2019", "'{}"},
                                                                               {"\u2192", "$\\to$"}}};

// Latin-1 letters except eth and thorn, which the oldest font encoding lacks.
bool is_plain_letter(std::string_view letter) {
  if (letter.size() != 2 || letter[0] != '\xc3') return false;
  const auto low = static_cast<unsigned char>(letter[1]);
  return low != 0x90 && low != 0x97 && low != 0x9e && low != 0xb0 && low != 0xb7 && low != 0xbe;
}

std::size_t length_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::string of_ascii(char letter, char next) {
  switch (letter) {
    case '&':
    case '%':
    case '#':
    case '_':
    case '{':
    case '}':
      return joined({"\\", std::string_view(&letter, 1)});
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '\\':
      return "\\textbackslash{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "\\char34{}";
    case '$':
      return "\\char36{}";  // its command uses a font that few have as outlines
    case '`':
      return "`{}";
    default:
      break;
  }
  if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7f) return " ";
  // Two of these would form a ligature.
  if (letter == next && std::string_view("-',").find(letter) != std::string_view::npos)
    return std::string(1, letter) + "{}";
  return std::string(1, letter);
}

std::string of_other(std::string_view letter) {
  for (const auto& [sign, written] : signs)
    if (sign == letter) return std::string(written);
  if (is_plain_letter(letter)) return std::string(letter);
  if (letter.size() == 2 && letter[0] == '\xc2' && static_cast<unsigned char>(letter[1]) < 0xa1)
    return " ";                                      // control characters, non-breaking space
  if (hidden_sign_bytes(letter, 0) > 0) return "?";  // a reader must see that something is there
  return joined({"\\kvantageother{", letter, "}"});
}

std::string written(std::string_view text, bool breaks) {
  constexpr std::size_t long_word = 24, some = 8;
  constexpr std::string_view signs_to_break_at = "/,:;=_-.+&|?)]}";
  const std::string valid = valid_utf8(text);
  std::string out;
  std::size_t run = 0;  // letters since the last possible break
  for (std::size_t i = 0; i < valid.size();) {
    const std::size_t length = length_of(valid[i]);
    const std::string one = length == 1 ? of_ascii(valid[i], i + 1 < valid.size() ? valid[i + 1] : '\0')
                                        : of_other(std::string_view(valid).substr(i, length));
    out += one;
    run = one == " " ? 0 : run + 1;
    const bool at_sign = length == 1 && signs_to_break_at.find(valid[i]) != std::string_view::npos;
    i += length;
    if (!breaks || i >= valid.size() || (run < long_word && (run < some || !at_sign))) continue;
    out += "\\allowbreak{}";
    run = 0;
  }
  return out;
}

}  // namespace

// A box is as wide as its table: tables wider than the line are scaled to it.
std::string latex_macros() {
  return R"tex(\ifcsname kvantagebox\endcsname\else
\newsavebox{\kvantagebox}
\newenvironment{kvantagefit}{\begin{lrbox}{\kvantagebox}}{\end{lrbox})tex"
         R"tex(\ifdim\wd\kvantagebox>\linewidth\ifcsname resizebox\endcsname)tex"
         R"tex(\resizebox{\linewidth}{!}{\usebox{\kvantagebox}}\else\usebox{\kvantagebox}\fi)tex"
         R"tex(\else\usebox{\kvantagebox}\fi}
\ifcsname Umathchar\endcsname\newcommand{\kvantageother}[1]{#1}\else\newcommand{\kvantageother}[1]{?}\fi
\fi
)tex";
}

// A comment ends with its line: a name must not end it early.
std::string latex_comment(std::string_view text) { return "% " + shown_line(text) + "\n"; }

std::string latex_escaped(std::string_view text) { return written(text, false); }

std::string latex_breakable(std::string_view text) { return written(text, true); }

}  // namespace kvantage::inline formats
