// Quality curves, tier fits and named values in the database.
#pragma once

#include "core/ports/stores.h"
#include "profiles/connections.h"

namespace kvantage::inline profiles {

class SqliteProfileStore final : public ProfileStore {
 public:
  explicit SqliteProfileStore(Connections& connections) : connections_(connections) {}

  /// Ascending by (context_id, context, method, removed_fraction).
  Expected<std::vector<ProfileCell>> load_profiles(const ProfileScope& scope) override;
  /// All cells or none; a cell of the same context, method and removed fraction is replaced.
  Status save_profile(const ProfileScope& scope, const std::vector<ProfileCell>& cells) override;
  Expected<std::optional<TierFit>> load_tier_fit(const std::string& signature) override;
  Status save_tier_fit(const TierFit& fit) override;
  Expected<std::optional<Json>> load_value(const std::string& key) override;
  Status save_value(const std::string& key, const Json& value) override;

 private:
  Connections& connections_;
};

}  // namespace kvantage::inline profiles
