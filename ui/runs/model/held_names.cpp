#include "ui/runs/model/held_names.h"

#include <QStringList>
#include <algorithm>
#include <map>
#include <set>

#include "ui/report/named_runs.h"
#include "ui/runs/model/setting_texts.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// What a name prefers to say, in this order.
enum class HeldRank { policy, alpha, budget, environment, other };

using HeldKey = std::pair<HeldRank, QString>;
using HeldSettings = std::map<HeldKey, QString>;  // as text

void add_held(HeldSettings& settings, const QString& owner, const std::string& field, const Json& value) {
  const QString name = setting_name(owner, field), text = setting_value(field, value);
  if (owner.isEmpty() && field == "policy")
    settings[{HeldRank::policy, name}] = text;
  else if (owner.isEmpty() && field == "alpha")
    settings[{HeldRank::alpha, name}] = QStringLiteral("α %1").arg(text);
  else if (field == "budget_bytes")
    settings[{HeldRank::budget, name}] = QStringLiteral("%1 %2").arg(owner, text);
  else
    settings[{HeldRank::other, name}] = QStringLiteral("%1 %2").arg(name, text);
}

void add_held_tiers(HeldSettings& settings, const Json& tiers) {
  for (std::size_t t = 0; t < tiers.size(); ++t) {
    if (!tiers[t].is_object()) continue;
    const QString owner = tier_owner(tiers[t], t);
    for (const auto& [field, value] : tiers[t].items())
      if (field != "name") add_held(settings, owner, field, value);
  }
}

HeldSettings held_settings(const Json& run) {
  HeldSettings settings;
  if (!run.is_object()) return settings;
  const Json session = run.value("settings", Json()), environment = run.value("environment", Json());
  if (session.is_object())
    for (const auto& [field, value] : session.items()) {
      if (field == "tiers" && value.is_array())
        add_held_tiers(settings, value);
      else if (value.is_object())
        for (const auto& [inner, each] : value.items()) add_held(settings, to_q(field), inner, each);
      else if (field != "request_limit")  // how long, not how
        add_held(settings, QString(), field, value);
    }
  for (const char* field : {"workload", "model"})
    if (const Json value = environment.is_object() ? environment.value(field, Json()) : Json(); value.is_string())
      settings[{HeldRank::environment, QString::fromLatin1(field)}] = to_q(value.get<std::string>());
  return settings;
}

/// Of one setting; empty where it is not set.
QString held_text(const HeldSettings& settings, const HeldKey& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? QString() : found->second;
}

QString held_text(const HeldSettings& settings, const std::vector<HeldKey>& keys) {
  QStringList parts;
  for (const HeldKey& key : keys)
    if (const QString text = held_text(settings, key); !text.isEmpty()) parts << text;
  return parts.join(QStringLiteral(" · "));
}

/// Whether two of the runs differ in it. A run of this window does not say what it was served with.
bool held_differ(const std::vector<HeldSettings>& runs, const HeldKey& key) {
  std::set<QString> texts;
  for (const HeldSettings& run : runs)
    if (!run.empty() && (key.first != HeldRank::environment || run.contains(key))) texts.insert(held_text(run, key));
  return texts.size() > 1;
}

std::size_t held_groups(const std::vector<HeldSettings>& runs, const std::vector<HeldKey>& keys) {
  std::set<QString> names;
  for (const HeldSettings& run : runs) names.insert(held_text(run, keys));
  return names.size();
}

/// As few as tell the runs apart as far as all settings do.
std::vector<HeldKey> telling_keys(const std::vector<HeldSettings>& runs) {
  std::set<HeldKey> all;
  for (const HeldSettings& run : runs)
    for (const auto& [key, text] : run) all.insert(key);
  std::vector<HeldKey> telling;
  std::size_t groups = 1;
  for (const HeldKey& key : all) {  // in the order of their rank
    if (!held_differ(runs, key)) continue;
    telling.push_back(key);
    if (const std::size_t now = held_groups(runs, telling); now > groups)
      groups = now;
    else
      telling.pop_back();
  }
  // A later one may say what an earlier one was chosen for: the least preferred that is not needed goes first.
  for (std::size_t i = telling.size(); i-- > 0;) {
    std::vector<HeldKey> without = telling;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (held_groups(runs, without) == groups) telling = std::move(without);
  }
  return telling;
}

}  // namespace

std::vector<QString> held_names(const std::vector<Json>& runs, const Json& present) {
  std::vector<HeldSettings> settings;
  settings.reserve(runs.size() + 1);
  for (const Json& run : runs) settings.push_back(held_settings(run));
  settings.push_back(held_settings(present));
  const std::vector<HeldKey> keys = telling_keys(settings);
  std::vector<QString> names;
  names.reserve(runs.size());
  std::map<QString, std::size_t> count, given;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    names.push_back(held_text(settings[i], keys));
    ++count[names.back()];
  }
  for (QString& name : names) {
    const QString text = name;
    if (!text.isEmpty() && count[text] == 1) continue;
    const QString letter = to_q(letter_of_run(given[text]++));
    name = text.isEmpty() ? letter : QStringLiteral("%1 %2").arg(text, letter);
  }
  return names;
}

QString held_difference(const Json& run, const Json& present) {
  const std::vector<HeldSettings> both{held_settings(run), held_settings(present)};
  if (both.back().empty()) return {};
  std::vector<HeldKey> keys;
  keys.reserve(both.front().size());
  for (const auto& [key, text] : both.front())
    if (held_differ(both, key)) keys.push_back(key);
  return held_text(both.front(), keys);
}

}  // namespace kvantage
