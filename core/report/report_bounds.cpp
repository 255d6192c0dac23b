#include "core/report/report_bounds.h"

#include <set>
#include <string>
#include <variant>

#include "core/report/settings_key.h"

namespace kvantage::inline report {
namespace {

/// Different names of one kind, of which only so many are told apart.
class Names {
 public:
  Names(std::size_t most, const char* what) : most_(most), what_(what) {}
  void add(const std::string& name) {
    if (names_.size() <= most_) names_.insert(name);
  }
  Status check() const {
    if (names_.size() <= most_) return {};
    return fail(ErrorCode::rejected_input, "its runs have more than " + std::to_string(most_) + " " + what_ +
                                               ", more than a report shows; choose other runs");
  }

 private:
  std::size_t most_;
  const char* what_;
  std::set<std::string> names_;
};

class Bounds {
 public:
  void add(const RecordedRun& run) {
    add_settings(run.summary.settings, "");
    const Json& settings = run.summary.settings;
    const auto session = settings.is_object() ? settings.find("settings") : settings.end();
    const Json none = Json::object();
    SettingsKey key(session != settings.end() ? *session : none);
    std::string policy = run.summary.policy;
    for (const Event& event : run.events) {
      std::visit([this](const auto& payload) { take(payload); }, event.payload);
      if (const auto* changed = std::get_if<events::SettingChanged>(&event.payload))
        key.set(changed->name, changed->after);
      const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
      if (finished == nullptr) continue;
      if (!finished->record.policy.empty()) policy = finished->record.policy;
      rows_.add(run.summary.run_id + key.of(policy, finished->record.alpha).hex());
    }
  }
  Status check() const {
    for (const Names* names : {&tiers_, &metrics_, &methods_, &options_, &settings_, &rows_, &codec_costs_})
      KV_TRY(names->check());
    return {};
  }

 private:
  // As a comparison tells them apart, by their paths.
  void add_settings(const Json& json, const std::string& path) {
    if (!json.is_structured() || json.empty() || path.size() > longest_setting_path) return settings_.add(path);
    std::size_t number = 0;
    for (const auto& item : json.items())
      add_settings(item.value(), path + "/" + (json.is_object() ? item.key() : std::to_string(number++)));
  }
  void add_profile(const ContextProfile& profile) {
    for (const ProfilePoint& point : profile.points) methods_.add(point.method);
  }

  void take(const events::RequestFinished& finished) {
    tiers_.add(finished.record.source);
    for (const auto* qualities :
         {&finished.record.quality, &finished.record.quality_uncompressed, &finished.record.quality_chance})
      for (const auto& [metric, value] : *qualities) metrics_.add(metric);
    if (const auto& choice = finished.record.decoding.choice) options_.add(choice->option);
  }
  void take(const events::TierOccupancy& occupancy) { tiers_.add(occupancy.tier); }
  void take(const events::TierFitted& fitted) { tiers_.add(fitted.tier); }
  void take(const events::TierCounted& counted) { tiers_.add(counted.tier); }
  void take(const events::ReadFailed& failed) { tiers_.add(failed.tier); }
  void take(const events::SettingChanged& changed) { settings_.add("/settings/" + changed.name); }
  void take(const events::ContextProfiled& profiled) { add_profile(profiled.profile); }
  void take(const events::SnapshotTaken& snapshot) {
    for (const TierState& tier : snapshot.tiers) tiers_.add(tier.name);
    for (const RecordedContext& context : snapshot.contexts) add_profile(context.profile);
    // A method may have a cost for each tier and removed fraction: their number counts, not only their names.
    for (std::size_t i = 0; i < snapshot.codec_costs.size(); ++i) codec_costs_.add(std::to_string(i));
  }
  template <class Other>
  void take(const Other&) {}

  Names tiers_{64, "tiers"}, metrics_{32, "quality metrics"}, methods_{1000, "methods"};
  Names options_{256, "decode options"}, settings_{5000, "settings"}, codec_costs_{10'000, "costs of codecs"};
  Names rows_{1000, "rows of policies and settings"};
};

}  // namespace

Status check_report_bounds(const std::vector<RecordedRun>& runs) {
  Bounds bounds;
  for (const RecordedRun& run : runs) bounds.add(run);
  return bounds.check();
}

}  // namespace kvantage::inline report
