// The settings that a row of a report was served under, as a key. One setting is changed at a time, so that a long
// journal does not write all of them out again for each event.
#pragma once

#include <map>
#include <string>

#include "core/base/digest.h"
#include "core/base/json.h"

namespace kvantage::inline report {

class SettingsKey {
 public:
  explicit SettingsKey(const Json& session);
  void set(const std::string& name, const Json& value);
  /// Equal for equal settings, whatever their order. The session's own policy, alpha and limit of requests do not
  /// count.
  Digest128 of(const std::string& policy, double alpha) const;

 private:
  std::map<std::string, Digest128> values_;
  Digest128 sum_;  // of the digests of all settings
};

}  // namespace kvantage::inline report
