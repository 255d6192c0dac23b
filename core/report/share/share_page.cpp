#include "core/report/share/share_page.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "core/report/markup.h"
#include "core/report/share/share_files.h"

namespace kvantage::inline share {
namespace {

/// 'sha256-...' of a policy, from hexadecimal digits.
std::string digest_source(std::string_view hex) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "'sha256-";
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : hex) {
    const auto value = static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    bits = (bits << 4U | value) & 0xffffU;
    held += 4;
    if (held < 6) continue;
    held -= 6;
    text += letters[bits >> static_cast<unsigned>(held) & 63U];
  }
  if (held > 0) text += letters[bits << static_cast<unsigned>(6 - held) & 63U];
  while ((text.size() - std::string_view("'sha256-").size()) % 4 != 0) text += '=';
  return text + "'";
}

std::string policy() {
  const ShareFiles& files = share_files();
  return joined({"default-src 'none'; style-src ", digest_source(files.style_sha256), "; script-src ",
                 digest_source(files.script_sha256), "; base-uri 'none'; form-action 'none'"});
}

/// `page` with each {{name}} replaced by a text, in which nothing is replaced.
std::string filled(std::string_view page, const std::function<std::string(std::string_view name)>& text_of) {
  std::string out;
  while (true) {
    const std::size_t begin = page.find("{{"), end = begin == page.npos ? page.npos : page.find("}}", begin);
    if (end == page.npos) return out.append(page);
    out.append(page.substr(0, begin)).append(text_of(page.substr(begin + 2, end - begin - 2)));
    page.remove_prefix(end + 2);
  }
}

}  // namespace

std::string share_script_json(const Json& data) {
  const std::string text = dump_json(data);
  std::string out;
  out.reserve(text.size() + text.size() / 64);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separator = text.compare(i, 3, "\xe2\x80\xa8") == 0 || text.compare(i, 3, "\xe2\x80\xa9") == 0;
    if (text[i] == '<') {
      out += "\\u003c";
    } else if (separator) {
      out += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string to_share_page(const Json& data) {
  const ShareFiles& files = share_files();
  return filled(files.page, [&](std::string_view name) -> std::string {
    if (name == "policy") return policy();
    if (name == "title") return escape_markup(data.value("title", std::string()));
    if (name == "style") return std::string(files.style);
    if (name == "script") return std::string(files.script);
    return name == "data" ? share_script_json(data) : std::string();
  });
}

Expected<std::string> share_page(RecordedRun run, const ShareOptions& options) {
  KV_ASSIGN(const auto data, share_data(std::move(run), options));
  return to_share_page(data);
}

}  // namespace kvantage::inline share
