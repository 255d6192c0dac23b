#include "core/report/share/share_journal.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/base/digest.h"
#include "core/base/units.h"
#include "core/ports/reason_text.h"
#include "core/report/request_facts.h"
#include "core/report/settings_key.h"
#include "core/report/share/share_settings.h"

namespace kvantage::inline share {
namespace {

Json session_of(const Json& settings) {
  const auto found = settings.is_object() ? settings.find("settings") : settings.end();
  return settings.is_object() && found != settings.end() && found->is_object() ? *found : Json::object();
}

double alpha_of(const Json& session) {
  const auto found = session.find("alpha");
  return found != session.end() && found->is_number() ? found->get<double>() : 0;
}

// Requests are put into segments as policy_runs_of() puts them into rows.
class ShareReader {
 public:
  explicit ShareReader(const RecordedRun& run)
      : session_(session_of(run.summary.settings)),
        key_(session_),
        policy_(run.summary.policy),
        alpha_(alpha_of(session_)),
        warmup_left_(warmup_requests(run.summary.settings)) {
    for (const Event& event : run.events) {
      seconds_ = std::max(seconds_, since(run.events.front(), event));
      std::visit([this](const auto& payload) { take(payload); }, event.payload);
    }
    if (journal_.segments.empty()) segment();
    journal_.duration_seconds = seconds_;
  }
  ShareJournal take_journal() { return std::move(journal_); }

 private:
  // Times of a journal of others may be any numbers: their difference wraps, which is defined.
  static double since(const Event& first, const Event& event) {
    const auto begin = static_cast<std::uint64_t>(first.monotonic_ns),
               now = static_cast<std::uint64_t>(event.monotonic_ns);
    return static_cast<double>(static_cast<std::int64_t>(now - begin)) * 1e-9;
  }

  std::size_t segment() {
    const auto [found, is_new] = segments_.try_emplace(key_.of(policy_, alpha_), journal_.segments.size());
    if (is_new) journal_.segments.push_back({policy_, alpha_, session_});
    return found->second;
  }
  ShareTier& tier(const std::string& name) {
    const auto found = std::ranges::find(journal_.tiers, name, &ShareTier::name);
    if (found != journal_.tiers.end()) return *found;
    ShareTier added;
    added.name = name;
    return journal_.tiers.emplace_back(std::move(added));
  }
  void note_first_request() {
    if (has_request_) return;
    has_request_ = true;
    journal_.first_request_seconds = seconds_;
  }
  void mark(const char* kind, std::string text) { journal_.marks.push_back({seconds_, kind, std::move(text)}); }
  std::string name_of(const Digest128& context) const {
    const auto found = names_.find(context);
    return found == names_.end() ? "a context" : share_line(found->second);
  }

  void take(const events::RequestStarted&) { note_first_request(); }
  void take(const events::RequestFinished& finished) {
    const RequestRecord& record = finished.record;
    note_first_request();
    names_.try_emplace(record.context, record.context_id);
    if (!record.policy.empty()) policy_ = record.policy;
    alpha_ = record.alpha;
    const bool warmup = warmup_left_ > 0;
    if (warmup) --warmup_left_;
    journal_.requests.push_back({seconds_, &record, segment(), warmup});
  }
  void take(const events::TierOccupancy& occupancy) {
    ShareTier& changed = tier(occupancy.tier);
    changed.used.push_back({seconds_, static_cast<double>(occupancy.used_bytes)});
    const auto budget = static_cast<double>(occupancy.budget_bytes);
    if (changed.budget.empty() || changed.budget.back().value != budget) changed.budget.push_back({seconds_, budget});
  }
  void take(const events::TierFitted& fitted) { tier(fitted.tier).throttled = fitted.throttled; }
  void take(const events::TierCounted& counted) { tier(counted.tier).injected_faults = counted.injected_faults; }
  void take(const events::PlanMade& plan) {
    journal_.plans.push_back({seconds_, plan.policy, plan.alpha, plan.mean_quality, plan.mean_ttft_seconds});
  }
  void take(const events::SettingChanged& changed) {
    session_[changed.name] = changed.after;
    key_.set(changed.name, changed.after);
    mark("setting", setting_change_text(changed.name, changed.before, changed.after));
  }
  void take(const events::DriftDetected& drift) {
    mark("drift", share_line(drift.context_id) + ": quality " + format_fixed(drift.achieved_quality, 3) + ", profile " +
                      format_fixed(drift.profiled_quality, 3));
  }
  void take(const events::ContextComputed& computed) { names_.try_emplace(computed.context, computed.context_id); }
  void take(const events::ContextProfiled& profiled) {
    names_.try_emplace(profiled.context, profiled.context_id);
    if (profiled.after_drift) mark("profile", share_line(profiled.context_id) + ": re-profiled");
  }
  void take(const events::SnapshotTaken& snapshot) {
    for (const RecordedContext& context : snapshot.contexts) names_.try_emplace(context.key, context.id);
  }
  void take(const events::ReadFailed& failed) {
    mark("fault", name_of(failed.context) + ": read from " + share_line(failed.tier) + " failed: " +
                      share_line(reason_text(failed.reason)) + (failed.dropped ? "; the entry was dropped" : ""));
  }
  void take(const events::PlacementFailed& failed) {
    mark("fault", share_line(failed.context_id) + ": " + to_string(failed.action.kind) +
                      " failed: " + share_line(reason_text(failed.reason)));
  }
  template <class Other>
  void take(const Other&) {}

  Json session_;
  SettingsKey key_;
  std::string policy_;
  double alpha_ = 0;
  std::uint64_t warmup_left_ = 0;
  double seconds_ = 0;
  bool has_request_ = false;
  std::map<Digest128, std::size_t> segments_;
  std::map<Digest128, std::string> names_;
  ShareJournal journal_;
};

}  // namespace

ShareJournal share_journal(const RecordedRun& run) { return ShareReader(run).take_journal(); }

}  // namespace kvantage::inline share
