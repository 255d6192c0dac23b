#include "core/base/shown_text.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <vector>

#include "core/base/json_fields.h"

namespace kvantage {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

// "-1.5" and "+1.5 %" are no formulas.
bool reads_as_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  for (const char unit : {'%', ' '})
    if (text.ends_with(unit)) text.remove_suffix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::size_t byte_of(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (begins_character(text[at]) && character-- == 0) break;
  return at;
}

std::string without_middle(std::string_view text, std::size_t most) {
  constexpr std::string_view ellipsis = "\xe2\x80\xa6";
  const std::size_t all = characters_of(text);
  if (all <= most) return std::string(text);
  if (most == 0) return {};
  const std::size_t behind = (most - 1) / 2;
  std::string cut(text.substr(0, byte_of(text, most - 1 - behind)));
  return cut.append(ellipsis).append(text.substr(byte_of(text, all - behind)));
}

/// How long words may stay so that `excess` characters go. Words of `shortest` characters stay whole.
std::size_t word_limit(std::string_view line, std::size_t excess, std::size_t shortest) {
  std::vector<std::size_t> lengths;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (const std::size_t length = characters_of(line.substr(at, end - at)); length > shortest)
      lengths.push_back(length);
    at = end + 1;
  }
  std::ranges::sort(lengths, std::greater{});
  std::size_t sum = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    sum += lengths[i];
    const std::size_t next = i + 1 < lengths.size() ? lengths[i + 1] : shortest;
    if (sum >= excess && (sum - excess) / (i + 1) >= next) return (sum - excess) / (i + 1);
  }
  return shortest;
}

/// With the middle of the longest words replaced, so that it has `most` characters, or as few as that gives.
std::string with_short_words(std::string_view line, std::size_t most) {
  constexpr std::size_t shortest_cut_word = 24;
  const std::size_t all = characters_of(line);
  if (all <= most) return std::string(line);
  const std::size_t limit = word_limit(line, all - most, shortest_cut_word);
  std::string shorter;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    shorter += without_middle(line.substr(at, end - at), limit);
    if (end < line.size()) shorter += ' ';
    at = end + 1;
  }
  return shorter;
}

/// Of "and 3 more": 3. Nothing for another text.
std::size_t number_left_out(std::string_view text) {
  constexpr std::string_view before = "and ", behind = " more";
  if (!text.starts_with(before) || !text.ends_with(behind)) return 0;
  std::size_t number = 0;
  const char* const last = text.data() + text.size() - behind.size();
  const auto [end, error] = std::from_chars(text.data() + before.size(), last, number);
  return error == std::errc() && end == last ? number : 0;
}

/// Of "(its fields: a, b, c)" and of "its fields are a, b, c" at the end of a line: without the last ones, so that
/// `line` has `most` characters and the list at least `least` names. Other lines as they are.
std::string with_fewer_fields(const std::string& line, std::size_t most, std::size_t least) {
  constexpr std::string_view in_brackets = "(its fields: ", at_end = "its fields are ";
  const bool bracketed = line.find(in_brackets) != std::string::npos;
  const std::string_view mark = bracketed ? in_brackets : at_end;
  const std::size_t found = line.find(mark);
  if (found == std::string::npos) return line;
  const std::size_t begin = found + mark.size();
  const std::size_t closed = line.find("); ", begin);
  const std::size_t end = std::min(!bracketed                    ? line.size()
                                   : closed != std::string::npos ? closed
                                                                 : line.rfind(')'),
                                   line.size());
  if (end < begin) return line;
  const std::string_view list = std::string_view(line).substr(begin, end - begin);
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(", ", at), list.size());
    names.push_back(list.substr(at, comma - at));
    at = comma + 2;
  }
  std::size_t left_out = number_left_out(names.back());
  if (left_out > 0) names.pop_back();
  const auto rest = [&] { return left_out == 0 ? std::string() : ", and " + std::to_string(left_out) + " more"; };
  // ", " is behind all names but the last.
  std::size_t characters = characters_of(line) - characters_of(list);
  for (const std::string_view name : names) characters += characters_of(name) + 2;
  if (!names.empty()) characters -= 2;
  while (names.size() > least && characters + rest().size() > most) {
    characters -= characters_of(names.back()) + 2;
    names.pop_back();
    ++left_out;
  }
  std::string shorter = line.substr(0, begin);
  for (std::size_t i = 0; i < names.size(); ++i) shorter.append(i == 0 ? "" : ", ").append(names[i]);
  return shorter.append(rest()).append(line, end);
}

}  // namespace

std::size_t hidden_sign_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : static_cast<unsigned char>(0);
  };
  const unsigned char first = byte(0), second = byte(1), third = byte(2);
  if (first < 0x20) return first == '\t' || first == '\n' ? 0 : 1;
  if (first == 0x7f) return 1;
  if (first == 0xc2) return second >= 0x80 && second <= 0x9f ? 2 : 0;  // C1: U+009B begins a command like ESC [
  if (first == 0xd8) return second == 0x9c ? 2 : 0;                    // U+061C
  if (first != 0xe2) return 0;
  // U+200E, U+200F; U+2028 - U+202E; U+2066 - U+2069
  const bool marks = second == 0x80 && (third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae));
  return marks || (second == 0x81 && third >= 0xa6 && third <= 0xa9) ? 3 : 0;
}

std::string shown_line(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string line;
  line.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size();) {
    const std::size_t hidden = hidden_sign_bytes(valid, at);
    if (hidden > 1)
      line += replacement;
    else
      line += hidden == 1 || valid[at] == '\t' || valid[at] == '\n' ? ' ' : valid[at];
    at += hidden > 1 ? hidden : 1;
  }
  return line;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  for (int i = 0; i < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; ++i) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string message_line(std::string_view text, std::size_t most) {
  constexpr std::size_t least_fields = 3, least_before_map = 24;
  std::string line = shown_line(text);
  if (characters_of(line) <= most) return line;
  line = with_fewer_fields(line, most, least_fields);
  // What somebody copies is whole, unless a name in it is as long as a line.
  std::string whole = line.substr(std::min(line.rfind(" --map "), line.size()));
  if (characters_of(whole) + least_before_map > most) whole.clear();
  line.resize(line.size() - whole.size());
  most -= characters_of(whole);
  line = with_short_words(line, most);
  return without_middle(with_fewer_fields(line, most, 1), most) + whole;
}

std::string csv_cell(std::string_view text) {
  std::string value = valid_utf8(text);
  if (value.size() > 1 && std::string_view("=+-@\t\r").find(value.front()) != std::string_view::npos &&
      !reads_as_number(value))
    value.insert(0, 1, '\'');
  if (value.find_first_of(",\"\r\n") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char letter : value) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

}  // namespace kvantage
