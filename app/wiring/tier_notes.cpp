#include "app/wiring/tier_notes.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/form_text.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/ports/tier_kind.h"
#include "tiers/kinds/tier_text.h"

namespace kvantage::inline wiring {
namespace {

/// Names of tiers with kind= or url= in their text. A parsed tier no longer has a kind= that its name implies.
std::set<std::string> explicit_names(const std::string& text, const std::vector<TierConfig>& tiers) {
  std::set<std::string> names;
  std::string name;
  for (const std::string& piece : split_list(text)) {
    const std::string key = piece.substr(0, piece.find('='));
    if (key == "kind" || key == "url")
      names.insert(name);
    else if (std::ranges::find(tiers, key, &TierConfig::name) != tiers.end())
      name = key;
  }
  return names;
}

/// "ssd, files in a folder, which keep their entries: path=DIR; ...".
std::string tier_kinds_help() {
  std::string help;
  for (const TierKind& kind : tier_kinds()) {
    help += (help.empty() ? "" : "; ") + kind.id + ", " + kind.summary;
    for (const TierOption& option : kind.options)
      help += (&option == &kind.options.front() ? ": " : ", ") + option.form;
  }
  return help;
}

}  // namespace

std::string tier_option_help() {
  return "NAME=BUDGET[,OPTION=VALUE]..[,NAME=BUDGET..], fastest first; repeatable. BUDGET is bytes (64MiB), a "
         "percentage of all contexts' uncompressed KV (40%), or unlimited (last tier only). After a comma, NAME=BUDGET "
         "with a unit begins the next tier: dram=40%,ssd=400%,path=DIR. Options of all tiers: bandwidth=BYTES/s, "
         "latency=TIME, kind=KIND; of tiers in folders also faults=FAULTS like "
         "flip_on_read:0.01+delay:20ms@0.1+seed:7. Kinds: " +
         tier_kinds_help() +
         ". Without kind= a tier with a url is remote (s3 where it begins with s3://), one named dram or device has "
         "that kind, and any other is ssd. "
         "Originals go to archive=unlimited,path=DIR or archive=unlimited,url=... (default: the workload's "
         "session.json)";
}

std::vector<std::string> tier_unit_notes(const std::vector<std::string>& texts) {
  constexpr std::uint64_t refused = 4096;                       // less is (session_tiers.cpp)
  constexpr std::uint64_t suspicious = std::uint64_t{1} << 20;  // less holds a context or two
  std::vector<std::string> notes;
  for (const std::string& text : texts) {
    const auto tiers = parse_tiers(text);
    if (!tiers) return {};
    for (const std::string& piece : split_list(text)) {
      const std::size_t equals = piece.find('=');
      const std::string name = piece.substr(0, equals),
                        value = equals == std::string::npos ? "" : piece.substr(equals + 1);
      const bool is_number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
      const auto tier = std::ranges::find(*tiers, name, &TierConfig::name);
      if (!is_number || tier == tiers->end()) continue;
      if (tier->budget.bytes() < refused || tier->budget.bytes() >= suspicious) continue;
      notes.push_back("tier '" + name + "': " + value + " without a unit is bytes (" +
                      format_bytes(tier->budget.bytes()) + "); write " + value + "MiB, or " + value +
                      "B to hide this note");
    }
  }
  return notes;
}

std::vector<std::string> tier_name_notes(const std::vector<std::string>& texts) {
  std::vector<std::string_view> kinds;
  for (const TierKind& kind : tier_kinds()) kinds.emplace_back(kind.id);
  std::vector<std::string> notes;
  for (const std::string& text : texts) {
    const auto tiers = parse_tiers(text);
    if (!tiers) return {};
    const std::set<std::string> said = explicit_names(text, *tiers);
    for (const TierConfig& tier : *tiers) {
      const std::string& kind = kind_of(tier).id;
      const std::string near = near_miss(tier.name, kinds);
      if (near.empty() || near == kind || said.contains(tier.name)) continue;
      notes.push_back("tier '" + tier.name + "': kind " + kind + "; did you mean '" + near + "'? kind=" + kind +
                      " hides this note");
    }
  }
  return notes;
}

}  // namespace kvantage::inline wiring
