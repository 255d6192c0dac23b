// What a text of somebody else's may hold, put into every text of a recorded run: a formula, commands of a terminal,
// markup, LaTeX, line ends, and marks of writing direction.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/shown_text.h"
#include "core/ports/events.h"

namespace kvantage::test {

inline const std::string injected_text =
    "=cmd|'/C calc'!A0\x1b]0;title\x07\x1b[31m\xc2\x9b"
    "2J<img src=file:///etc/passwd><a href=x>\\FORGED{/etc/passwd}$x^2$%&#_~\r\nFORGED\xe2\x80\xae\xe2\x81\xa6"
    "\xe2\x80\xa8";

/// By the JSON pointer of a text.
using WantedText = std::function<bool(const std::string& place)>;

/// `json` with injected_text before each of its texts, one after the other, where `accepted` takes the result. Equal
/// texts stay equal, so that what one part says of another still fits.
inline Json injected(Json json, const std::function<bool(const Json&)>& accepted, const WantedText& wanted = {}) {
  const Json texts = json.flatten();
  for (const auto& [place, value] : texts.items()) {
    if (!value.is_string() || (wanted && !wanted(place))) continue;
    Json& text = json[Json::json_pointer(place)];
    const Json before = text;
    text = injected_text + before.get<std::string>();
    if (!accepted(json)) text = before;
  }
  return json;
}

inline std::vector<Event> injected(const std::vector<Event>& events, const WantedText& wanted = {}) {
  std::vector<Event> made;
  for (const Event& event : events)
    made.push_back(*event_from_json(injected(
        to_json(event), [](const Json& json) { return event_from_json(json).has_value(); }, wanted)));
  return made;
}

/// Where the first sign is that shows more than itself, but tabs and line feeds; npos: nowhere.
inline std::size_t first_hidden(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (hidden_sign_bytes(text, at) > 0) return at;
  return std::string::npos;
}

/// What is written around a place, for messages; npos: nothing.
inline std::string around(const std::string& text, std::size_t at) {
  return at == std::string::npos ? "" : text.substr(at < 80 ? 0 : at - 80, 100);
}

}  // namespace kvantage::test
