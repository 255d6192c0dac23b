#include "core/report/settings_key.h"

namespace kvantage::inline report {

SettingsKey::SettingsKey(const Json& session) {
  if (session.is_object())
    for (const auto& [name, value] : session.items()) set(name, value);
}

void SettingsKey::set(const std::string& name, const Json& value) {
  if (name == "policy" || name == "alpha" || name == "request_limit") return;
  const Digest128 digest = DigestBuilder().add(name).add(dump_json(value)).finish();
  Digest128& known = values_[name];
  sum_.high += digest.high - known.high;
  sum_.low += digest.low - known.low;
  known = digest;
}

Digest128 SettingsKey::of(const std::string& policy, double alpha) const {
  return DigestBuilder().add(sum_.high).add(sum_.low).add(policy).add(dump_json(Json(alpha))).finish();
}

}  // namespace kvantage::inline report
