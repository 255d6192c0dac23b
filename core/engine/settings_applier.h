// Applies changed settings to a running session: tiers, policy, candidates, metric, rate. Settings are already
// validated (settings_check.h).
#pragma once

#include <functional>
#include <string>

#include "core/engine/published_run.h"
#include "core/policy/policy.h"
#include "core/ports/session.h"
#include "core/quality/quality_curves.h"
#include "core/store/engine_services.h"
#include "core/text/quality_meter.h"

namespace kvantage::inline engine {

/// What changed settings ask of the other parts of the session (session_parts.cpp).
class SettingsParts {
 public:
  virtual ~SettingsParts() = default;

  virtual Status time_tier(std::size_t tier, const TierConfig& setting) = 0;
  virtual Status time_codecs(const std::vector<std::string>& methods) = 0;
  virtual void inject_faults(std::size_t tier, const TierConfig& setting, bool enabled) = 0;

  virtual Status use_policy(const std::string& name) = 0;
  virtual void dispatch_event(const PolicyEvent& event) = 0;
  virtual void change_rate(double requests_per_second) = 0;

  virtual void use_metric(const std::string& name) = 0;
  virtual Status load_references(const ProfileScope& scope) = 0;
  virtual void forget_answers() = 0;
  virtual void forget_curves() = 0;
  virtual Status load_curves(const ProfileScope& scope, ProfileStore* store, const ShippedProfiles& shipped) = 0;
  virtual void use_all_curves() = 0;

  virtual void use_scope(const ProfileScope& scope) = 0;
  virtual void recheck_curves() = 0;
  virtual void retry_failed_profiles() = 0;

  virtual void publish_snapshot(const std::string& reason) = 0;
  virtual void publish_costs() = 0;
  /// For parts that need only the new values.
  virtual void hand_on(const SessionSettings& settings) = 0;
};

class SettingsApplier {
 public:
  /// Sources of quality curves.
  struct Profiles {
    ProfileStore* store;  // null: none
    ShippedProfiles shipped;
    Digest128 model;  // with everything that affects its answers
    Digest128 workload;
  };
  using Rethrottle = std::function<Status(std::size_t tier, const TierConfig& setting)>;

  /// settings: the session's, shared with its parts; must outlive this, as parts must. rethrottle: as
  /// OpenedTiers::rethrottle.
  SettingsApplier(const EngineServices& services, SettingsParts& parts, PublishedScope& published, QualityMeter& meter,
                  SessionSettings& settings, Profiles profiles, Rethrottle rethrottle)
      : services_(services),
        parts_(parts),
        published_(published),
        meter_(meter),
        settings_(settings),
        profiles_(std::move(profiles)),
        rethrottle_(std::move(rethrottle)) {}

  /// Between two requests. A failure becomes an error event.
  void apply(const SessionSettings& settings);
  /// Replaces curves and reference answers by those of the settings' metric.
  Status load_profiles();
  /// The scope that stores curves and reference answers.
  const ProfileScope& scope() const { return scope_; }

 private:
  void publish_changes(const SessionSettings& settings);
  void apply_tiers(const SessionSettings& old);
  void apply_tier(std::size_t tier, const TierConfig& old);
  void apply_policy(const SessionSettings& old);
  void report(const Status& status, const std::string& what);

  EngineServices services_;
  SettingsParts& parts_;
  PublishedScope& published_;
  QualityMeter& meter_;
  SessionSettings& settings_;
  Profiles profiles_;
  Rethrottle rethrottle_;
  ProfileScope scope_;
};

}  // namespace kvantage::inline engine
