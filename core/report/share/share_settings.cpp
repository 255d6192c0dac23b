#include "core/report/share/share_settings.h"

#include "core/base/shown_text.h"
#include "core/report/report_bounds.h"

namespace kvantage::inline share {

std::string share_line(std::string_view text, std::size_t max_bytes) { return shown_line(shortened(text, max_bytes)); }

void add_setting_texts(const Json& json, const std::string& path, SettingTexts& texts) {
  if (!json.is_structured() || json.empty() || path.size() > longest_setting_path) {
    texts[share_line(path)] = share_line(json.is_string() ? json.get_ref<const std::string&>() : dump_json(json));
    return;
  }
  const std::string before = path.empty() ? "" : path + "/";
  for (const auto& item : json.items()) add_setting_texts(item.value(), before + item.key(), texts);
}

std::string setting_change_text(const std::string& name, const Json& before, const Json& after) {
  constexpr std::size_t max_named = 3;
  SettingTexts old_texts, new_texts;
  add_setting_texts(before, name, old_texts);
  add_setting_texts(after, name, new_texts);
  for (const auto& [path, value] : old_texts) new_texts.try_emplace(path, "not set");
  std::string text;
  std::size_t changed = 0;
  for (const auto& [path, value] : new_texts) {
    const auto old = old_texts.find(path);
    if (old != old_texts.end() && old->second == value) continue;
    if (++changed > max_named) continue;
    text += text.empty() ? "" : "; ";
    text += path + ": " + (old == old_texts.end() ? "not set" : old->second) + " to " + value;
  }
  if (changed == 0) return share_line(name);
  return changed <= max_named ? text : text + "; and " + std::to_string(changed - max_named) + " more";
}

}  // namespace kvantage::inline share
