#include "core/report/recorded_run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <type_traits>

#include "core/base/did_you_mean.h"
#include "core/base/units.h"
#include "core/policy/exact_search.h"
#include "core/policy/policy.h"
#include "core/policy/present_plan.h"
#include "core/report/request_facts.h"
#include "core/report/run_plots.h"
#include "core/report/settings_key.h"
#include "core/report/snapshot_follower.h"

namespace kvantage::inline report {
namespace {

double number_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

Json object_or_empty(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_object() ? *found : Json::object();
}

/// With three significant digits, as a slider sets no more: 0.0044800000000000005 is 0.00448.
std::string short_alpha(double alpha) { return dump_json(Json(round_to_digits(alpha, 3))); }

std::map<std::string, std::string> faults_of(const Json& session) {
  std::map<std::string, std::string> faults;
  const auto tiers = session.find("tiers");
  if (tiers == session.end() || !tiers->is_array()) return faults;
  for (const Json& tier : *tiers)
    if (tier.is_object() && tier.contains("faults") && tier.at("faults").is_string() && tier.contains("name") &&
        tier.at("name").is_string())
      if (const auto& text = tier.at("faults").get_ref<const std::string&>(); !text.empty())
        faults[tier.at("name").get<std::string>()] = text;
  return faults;
}

/// Gap of the present placements; nothing where the policy does not plan or the run recorded no snapshot.
std::optional<double> gap_of(const Snapshot& snapshot, const std::string& policy_text) {
  const auto policy = make_policy(policy_text);
  if (!policy || !(*policy)->is_planner() || snapshot.contexts.empty()) return {};
  return plan_gap(snapshot, present_plan(snapshot), policy_text);
}

// The journal's records of each policy under each of its settings, in order, with the tier usage at the time.
class Collector {
 public:
  explicit Collector(const RecordedRun& run)
      : settings_(run.summary.settings),
        session_(object_or_empty(run.summary.settings, "settings")),
        settings_key_(session_),
        policy_(run.summary.policy),
        alpha_(number_of(session_, "alpha")) {
    warmup_left_ = warmup_requests(settings_);
    Snapshot snapshot;  // as at the end of the run
    for (const Event& event : run.events) {
      std::visit([&](const auto& payload) { take(payload, event.monotonic_ns); }, event.payload);
      std::visit(SnapshotFollower{snapshot}, event.payload);
    }
    if (runs_.empty()) current();           // a run that was stopped before its first answer still has a row
    if (runs_.size() > 1) counts_.clear();  // they cover all rows together
    for (TierUsage& usage : tiers_)
      if (const auto counted = counts_.find(usage.name); counted != counts_.end()) usage.counts = counted->second;
    if (runs_.size() == 1)
      for (TierUsage& usage : runs_.front().run.tiers)
        if (const auto counted = counts_.find(usage.name); counted != counts_.end()) usage.counts = counted->second;
    if (runs_.size() == 1) runs_.front().run.engine = engine_;
    if (runs_.size() == 1) runs_.front().run.lp_gap = gap_of(snapshot, policy_);
    for (Span& span : runs_) span.run.tiers = span.run.records.empty() ? tiers_ : span.run.tiers;
  }

  std::vector<PolicyRun> take_runs() {
    name_apart();
    std::vector<PolicyRun> runs;
    runs.reserve(runs_.size());
    for (Span& span : runs_) runs.push_back(std::move(span.run));
    return runs;
  }

 private:
  struct Span {
    Digest128 key;
    PolicyRun run;
  };

  // Rows of one policy are named by their difference: alpha, a tier's budget, its faults, else their number.
  void name_apart() {
    std::map<std::string, std::vector<Span*>> by_policy;
    for (Span& span : runs_) by_policy[span.run.policy].push_back(&span);
    for (auto& [policy, spans] : by_policy) {
      const PolicyRun first = spans.front()->run;
      const auto differ = [&](const auto& value) {
        return std::ranges::any_of(spans, [&](const Span* span) { return value(span->run) != value(first); });
      };
      const bool alphas = differ([](const PolicyRun& run) { return run.alpha; });
      // Values that only more digits distinguish are written in full.
      std::map<std::string, std::set<std::string>> by_text;
      for (const Span* span : spans) by_text[short_alpha(span->run.alpha)].insert(dump_json(Json(span->run.alpha)));
      const auto alpha_text = [&](double alpha) {
        std::string text = short_alpha(alpha);
        return by_text[text].size() <= 1 ? text : dump_json(Json(alpha));
      };
      std::set<std::string> names;
      for (Span* span : spans) {
        std::string name = policy;
        if (alphas) name += ", alpha " + alpha_text(span->run.alpha);
        for (std::size_t t = 0; t < first.tiers.size(); ++t) {
          const auto budget = [t](const PolicyRun& run) {
            return t < run.tiers.size() ? run.tiers[t].budget_bytes : 0;
          };
          if (differ(budget)) name += ", " + first.tiers[t].name + " " + format_bytes(budget(span->run));
        }
        if (differ([](const PolicyRun& run) { return run.faults; })) {
          if (span->run.faults.empty()) name += ", no faults";
          for (const auto& [tier, faults] : span->run.faults) name.append(", ").append(tier).append(" ").append(faults);
        }
        std::string unique = name;
        for (int number = 2; !names.insert(unique).second; ++number)
          unique = name + " (" + std::to_string(number) + ")";
        span->run.policy = unique;
      }
    }
  }

  // Metrics under different settings are separate; returning to earlier settings continues their row.
  Digest128 key() const { return settings_key_.of(policy_, alpha_); }
  std::vector<Span>::iterator find_current() { return std::ranges::find(runs_, key(), &Span::key); }
  Span& current() {
    if (const auto found = find_current(); found != runs_.end()) return *found;
    Span span;
    span.key = key();
    span.run.policy = policy_;
    span.run.kv_bytes_per_token = number_of(settings_, "kv_bytes_per_token");
    span.run.alpha = alpha_;
    span.run.faults = faults_of(session_);
    return runs_.emplace_back(std::move(span));
  }

  void take(const events::RequestStarted& started, std::int64_t now_ns) { started_ns_[started.id] = now_ns; }

  void take(const events::RequestFinished& finished, std::int64_t now_ns) {
    const RequestRecord& record = finished.record;
    engine_.reset();  // counters at the end of the warm-up do not count for the run
    if (!record.policy.empty()) policy_ = record.policy;
    alpha_ = record.alpha;
    Span& span = current();
    span.run.tiers = tiers_;
    std::int64_t begin_ns = now_ns;
    if (const auto started = started_ns_.find(record.id); started != started_ns_.end()) {
      begin_ns = started->second;
      started_ns_.erase(started);
    }
    if (warmup_left_ > 0) {
      --warmup_left_;
      ++span.run.warmup_requests;
      return;
    }
    // The time between two answers of one row belongs to it, whatever the concurrency; time of other rows in between
    // does not.
    if (last_key_ == span.key) begin_ns = last_end_ns_;
    span.run.wall_seconds += static_cast<double>(now_ns - begin_ns) * 1e-9 - record.timing.measuring_seconds;
    last_key_ = span.key;
    last_end_ns_ = now_ns;
    span.run.provenance = std::max(
        span.run.provenance, record.provenance == Provenance::throttled ? Provenance::measured : record.provenance);
    span.run.records.push_back(record);
  }

  void take(const events::SettingChanged& changed, std::int64_t) {
    session_[changed.name] = changed.after;
    settings_key_.set(changed.name, changed.after);
    for (TierUsage& usage : tiers_) usage.peak_bytes = usage.used_bytes;
  }

  void take(const events::TierFitted& fitted, std::int64_t) { tier(fitted.tier).throttled = fitted.throttled; }

  void take(const events::TierCounted& counted, std::int64_t) {
    counts_[counted.tier] = {
        counted.kind,          counted.note,           counted.reads,        counted.writes,
        counted.misses,        counted.failed_writes,  counted.fitted_loads, counted.fit_error_median,
        counted.fit_error_p95, counted.injected_faults};
  }

  void take(const events::TierOccupancy& occupancy, std::int64_t) {
    TierUsage& usage = tier(occupancy.tier);
    usage.used_bytes = occupancy.used_bytes;
    usage.budget_bytes = occupancy.budget_bytes;
    usage.peak_bytes = std::max(usage.peak_bytes, occupancy.used_bytes);
    // Moves after the last answer still belong to its policy.
    if (const auto found = find_current(); found != runs_.end()) found->run.tiers = tiers_;
  }

  void take(const events::EngineCounted& counted, std::int64_t) {
    const double busy = counted.busy_seconds;
    engine_ = EngineCounts{.busy_seconds = busy,
                           .profiling_fraction = busy > 0 ? counted.profiling_seconds / busy : 0,
                           .reprofiling_fraction = busy > 0 ? counted.reprofiling_seconds / busy : 0,
                           .drifts = counted.drifts,
                           .reprofiles = counted.reprofiles,
                           .requeued = counted.requeued,
                           .max_running = counted.max_running,
                           .longest_profile_step_seconds = counted.longest_profile_step_seconds,
                           .longest_prefill_step_seconds = counted.longest_prefill_step_seconds,
                           .model_device = counted.model_device};
  }

  template <class Other>
  void take(const Other&, std::int64_t) {}

  TierUsage& tier(const std::string& name) {
    const auto found = std::ranges::find(tiers_, name, &TierUsage::name);
    if (found != tiers_.end()) return *found;
    TierUsage usage;
    usage.name = name;
    return tiers_.emplace_back(std::move(usage));
  }

  const Json& settings_;
  Json session_;
  SettingsKey settings_key_;
  std::string policy_;
  double alpha_ = 0;
  std::optional<Digest128> last_key_;  // row of the last request, and when it ended
  std::int64_t last_end_ns_ = 0;
  std::size_t warmup_left_ = 0;
  std::map<std::uint64_t, std::int64_t> started_ns_;
  std::vector<TierUsage> tiers_;
  std::map<std::string, TierCounts> counts_;
  std::optional<EngineCounts> engine_;
  std::vector<Span> runs_;
};

// Merges objects: equal values once, differing ones as a list in run order.
Json merged(const std::vector<Json>& objects) {
  Json result = Json::object();
  for (const Json& object : objects)
    for (const auto& [key, value] : object.items()) {
      if (result.contains(key)) continue;
      Json all = Json::array();
      for (const Json& other : objects) all.push_back(other.contains(key) ? other.at(key) : Json());
      const bool equal = std::ranges::all_of(all, [&](const Json& one) { return one == value; });
      result[key] = equal ? value : all;
    }
  return result;
}

Json shown_settings(const Json& settings) {
  Json shown = object_or_empty(settings, "settings");
  if (!settings.is_object()) return shown;
  for (const auto& [key, value] : settings.items())
    if (key != "settings" && key != "environment" && key != "repeat" && !shown.contains(key)) shown[key] = value;
  return shown;
}

// Outcome of a run that ended early; empty where it is complete. A run without an end of its own always is.
std::string unfinished(const RunSummary& run) {
  const bool endless = run.settings.is_object() && run.settings.value("endless", Json(false)) == Json(true);
  if (endless || run.outcome == "finished") return {};
  return run.outcome.empty() ? "no end recorded" : run.outcome;
}

}  // namespace

const std::vector<std::string>& report_event_types() {
  const auto names = []<class... Events>(std::type_identity<Events>...) {
    return std::vector<std::string>{event_type(EventPayload(std::in_place_type<Events>))...};
  };
  static const std::vector<std::string> types = [&] {
    using namespace events;
    return names(std::type_identity<RequestStarted>{}, std::type_identity<RequestFinished>{},
                 std::type_identity<TierOccupancy>{}, std::type_identity<TierFitted>{},
                 std::type_identity<TierCounted>{}, std::type_identity<SettingChanged>{},
                 std::type_identity<EngineCounted>{}, std::type_identity<SnapshotTaken>{},
                 std::type_identity<CostsFitted>{}, std::type_identity<ContextComputed>{},
                 std::type_identity<ContextProfiled>{}, std::type_identity<PlacementCommitted>{},
                 std::type_identity<PlacementFailed>{}, std::type_identity<ReadFailed>{});
  }();
  return types;
}

std::vector<PolicyRun> policy_runs_of(const RecordedRun& run) {
  std::vector<PolicyRun> runs = Collector(run).take_runs();
  for (PolicyRun& one : runs) one.unfinished = unfinished(run.summary);
  return runs;
}

std::size_t answered_requests(const RecordedRun& run) {
  std::size_t warmup_left = warmup_requests(run.summary.settings), answered = 0;
  for (const Event& event : run.events) {
    const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
    if (finished == nullptr) continue;
    if (warmup_left > 0)
      --warmup_left;
    else if (!finished->record.cancelled)
      ++answered;
  }
  return answered;
}

std::vector<std::string> named_apart(std::vector<std::string> names) {
  std::set<std::string> taken;
  std::map<std::string, int> next;  // number of a name: counting from 2 for each would take time with their square
  for (std::string& name : names) {
    const std::string plain = name;
    for (int& number = next.try_emplace(plain, 2).first->second; !taken.insert(name).second; ++number)
      name = plain + " (" + std::to_string(number) + ")";
  }
  return names;
}

RunReport report_of_runs(const std::vector<RecordedRun>& runs) {
  std::vector<PolicyRun> policies;
  std::vector<Json> settings, environments;
  for (const RecordedRun& run : runs) {
    for (PolicyRun& policy : policy_runs_of(run)) policies.push_back(std::move(policy));
    settings.push_back(shown_settings(run.summary.settings));
    environments.push_back(object_or_empty(run.summary.settings, "environment"));
  }
  std::vector<std::string> names;
  names.reserve(policies.size());
  for (const PolicyRun& policy : policies) names.push_back(policy.policy);
  names = named_apart(std::move(names));
  for (std::size_t i = 0; i < names.size(); ++i) policies[i].policy = names[i];
  RunReport report = build_report(merged(settings), merged(environments), policies);
  report.plots = plots_of_runs(runs);
  return report;
}

Expected<std::vector<RunSummary>> select_runs(std::vector<RunSummary> runs, const std::string& id) {
  const auto group_of = [](const RunSummary& run) {
    const auto group = run.settings.is_object() ? run.settings.find("group") : run.settings.end();
    return group != run.settings.end() && group->is_string() ? group->get<std::string>() : std::string();
  };
  if (runs.empty()) return fail(ErrorCode::rejected_input, "runs: the database has none; record one with 'run --db'");
  const std::string wanted = id.empty() ? group_of(runs.back()) : id;
  if (wanted.empty()) return std::vector{std::move(runs.back())};
  const auto is_other = [&](const RunSummary& run) { return run.run_id != wanted && group_of(run) != wanted; };
  if (!std::ranges::all_of(runs, is_other)) {
    std::erase_if(runs, is_other);
    return runs;
  }
  constexpr std::size_t listed = 5;
  std::string newest;
  for (std::size_t i = runs.size() - std::min(runs.size(), listed); i < runs.size(); ++i)
    newest += (newest.empty() ? "the newest are " : ", ") + runs[i].run_id;
  std::vector<std::string_view> known{"last"};
  for (const RunSummary& run : runs) known.emplace_back(run.run_id);
  return fail(ErrorCode::rejected_input, "no recorded run '" + id + "'; " + did_you_mean(id, known, newest));
}

}  // namespace kvantage::inline report
