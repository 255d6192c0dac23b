#include "core/report/share/share_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/report/report_bounds.h"
#include "core/report/report_content.h"
#include "core/report/request_facts.h"
#include "core/report/run_plots.h"
#include "core/report/share/share_journal.h"
#include "core/report/share/share_requests.h"
#include "core/report/share/share_series.h"
#include "core/report/share/share_settings.h"
#include "core/report/table.h"

namespace kvantage::inline share {
namespace {

constexpr std::size_t max_value_bytes = 500;

Json distribution_json(const Distribution& d) {
  Json json = Json::object();
  json["n"] = d.n;
  json["contexts"] = d.contexts;
  json["mean"] = d.n > 0 ? share_number(d.mean) : Json();
  json["low"] = d.interval ? share_number(d.interval->low) : Json();
  json["high"] = d.interval ? share_number(d.interval->high) : Json();
  json["provenance"] = display_name(d.provenance);
  return json;
}

Json source_json(const SourceShare& source) {
  Json json = Json::object();
  json["name"] = share_line(source.source);
  json["requests"] = source.requests;
  json["rate"] = share_number(source.request_rate);
  json["low"] = source.request_interval ? share_number(source.request_interval->low) : Json();
  json["high"] = source.request_interval ? share_number(source.request_interval->high) : Json();
  return json;
}

class ShareBuilder {
 public:
  ShareBuilder(const RunSummary& summary, const RunReport& report, const ShareJournal& journal,
               const ShareOptions& options)
      : summary_(summary),
        report_(report),
        journal_(journal),
        options_(options),
        limits_(options.limits),
        metric_(chosen_quality_metric(report)) {}

  Json build() {
    Json json = Json::object();
    json["format"] = "kvantage-share";
    json["version"] = 1;
    json["title"] = share_line(report_.title);
    json["claim"] = share_line(report_.claim, 2000);
    json["notes"] = Json::array();
    for (const std::string& note : report_.notes) json["notes"].push_back(share_line(note, 2000));
    json["marks"] = mark_legend();
    json["metric"] = share_line(metric_);
    json["run"] = run();
    json["environment"] = environment();
    json["commands"] = commands();
    json["segments"] = segments();
    json["settings"] = settings();
    json["tiers"] = tiers();
    json["hits"] = hits();
    json["plans"] = plans();
    json["annotations"] = annotations();
    const std::vector<std::size_t> kept = kept_of("requests", journal_.requests.size(), limits_.requests);
    json["requests"] = share_requests(journal_, kept, metric_);
    json["texts"] = texts(kept);
    json["reduced"] = std::move(reduced_);
    return json;
  }

 private:
  void note_reduced(const std::string& what, std::size_t kept, std::size_t of) {
    if (kept < of) reduced_.push_back({{"what", what}, {"kept", kept}, {"of", of}});
  }
  std::vector<std::size_t> kept_of(const std::string& what, std::size_t count, std::size_t limit) {
    std::vector<std::size_t> kept = spread(count, limit);
    note_reduced(what, kept.size(), count);
    return kept;
  }
  std::size_t limit_of_series(std::size_t series) const {
    return std::max<std::size_t>(
        4, std::min(limits_.series_points, limits_.chart_points / std::max<std::size_t>(1, series)));
  }
  Json series(const std::string& what, std::vector<ShareSample> samples, std::size_t limit) {
    const std::size_t of = samples.size();
    samples = thinned(std::move(samples), limit);
    note_reduced(what, samples.size(), of);
    std::vector<double> seconds;
    seconds.reserve(samples.size());
    Json values = Json::array();
    for (const ShareSample& sample : samples) {
      seconds.push_back(sample.seconds);
      values.push_back(share_number(sample.value));
    }
    return {{"t", share_times(seconds)}, {"v", std::move(values)}};
  }

  Json run() const {
    Json json = Json::object();
    json["run_id"] = share_line(summary_.run_id);
    json["policy"] = share_line(summary_.policy);
    json["outcome"] = summary_.outcome.empty() ? "no end recorded" : share_line(summary_.outcome);
    json["started_utc_ms"] = share_number(std::trunc(static_cast<double>(summary_.started_utc_ns) * 1e-6));
    json["requests"] = journal_.requests.size();
    const Json times = share_times({journal_.duration_seconds, journal_.first_request_seconds});
    json["duration_seconds"] = times[0];
    json["first_request_seconds"] = times[1];
    return json;
  }
  Json environment() const {
    Json list = Json::array();
    for (const ReportField& fact : fields_of(report_.environment, "command"))
      list.push_back({{"name", share_line(fact.name)}, {"value", share_line(fact.value, max_value_bytes)}});
    return list;
  }
  Json commands() const {
    Json list = Json::array();
    for (const std::string& command : commands_of(report_.environment))
      list.push_back(share_line(command, max_value_bytes));
    return list;
  }

  /// Means of the answers of a segment so far, after each of them.
  Json running(const std::string& segment, const std::vector<const ShareRequest*>& requests) {
    struct Moment {
      double seconds = 0;
      std::size_t n = 0;
      double ttft = NAN, quality = NAN;
    };
    std::vector<Moment> moments;
    moments.reserve(requests.size());
    double ttft = 0, quality = 0;
    std::size_t timed = 0, scored = 0, answers = 0;
    for (const ShareRequest* request : requests) {
      ++answers;
      const RequestRecord& record = *request->record;
      if (const double seconds = record.timing.ttft_service_seconds; std::isfinite(seconds)) {
        ttft += seconds;
        ++timed;
      }
      if (const auto score = record.quality.find(metric_);
          record.held_out && score != record.quality.end() && std::isfinite(score->second)) {
        quality += score->second;
        ++scored;
      }
      moments.push_back({request->seconds, answers, timed > 0 ? ttft / static_cast<double>(timed) : NAN,
                         scored > 0 ? quality / static_cast<double>(scored) : NAN});
    }
    const std::string what = "running means of " + share_line(segment);
    Json json{{"t", Json::array()}, {"n", Json::array()}, {"ttft", Json::array()}, {"quality", Json::array()}};
    std::vector<double> times;
    for (const std::size_t at : kept_of(what, moments.size(), limit_of_series(journal_.segments.size()))) {
      times.push_back(moments[at].seconds);
      json["n"].push_back(moments[at].n);
      json["ttft"].push_back(share_number(moments[at].ttft));
      json["quality"].push_back(share_number(moments[at].quality));
    }
    json["t"] = share_times(times);
    return json;
  }
  Json segments() {
    std::vector<std::vector<const ShareRequest*>> answers(report_.rows.size());
    for (const ShareRequest& request : journal_.requests)
      if (request.is_answer()) answers[request.segment].push_back(&request);
    Json list = Json::array();
    for (std::size_t i = 0; i < report_.rows.size(); ++i) {
      const PolicyRow& row = report_.rows[i];
      Json json = Json::object();
      json["name"] = share_line(row.policy);
      json["alpha"] = share_number(row.alpha);
      json["requests"] = row.requests;
      json["cancelled"] = row.cancelled;
      json["warmup_requests"] = row.warmup_requests;
      json["ttft"] = distribution_json(row.ttft_service_seconds);
      json["hit_rate"] = distribution_json(row.hit_rate);
      json["quality"] = Json::object();
      for (const auto& [metric, distribution] : row.quality)
        json["quality"][share_line(metric)] = distribution_json(distribution);
      json["sources"] = Json::array();
      for (const SourceShare& source : row.sources) json["sources"].push_back(source_json(source));
      json["running"] = running(row.policy, answers[i]);
      list.push_back(std::move(json));
    }
    return list;
  }

  /// {"same": [{name, value}], "differ": [{name, values}]}, one value per segment.
  Json settings() {
    std::vector<SettingTexts> texts(journal_.segments.size());
    std::map<std::string, std::size_t> known;  // by path: the segments that have it
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const ShareSegment& segment = journal_.segments[i];
      add_setting_texts(segment.session, "", texts[i]);
      texts[i].erase("");  // of no settings at all
      texts[i]["policy"] = share_line(segment.policy);
      texts[i]["alpha"] = share_line(dump_json(share_number(segment.alpha)));
      for (const auto& [path, value] : texts[i]) ++known[path];
    }
    Json same = Json::array(), differ = Json::array();
    std::size_t cells = 0, differing = 0;
    for (const auto& setting : known) {
      const std::string& path = setting.first;
      const auto equal = [&](const SettingTexts& of) { return of.at(path) == texts.front().at(path); };
      if (setting.second == texts.size() && std::ranges::all_of(texts, equal)) {
        same.push_back({{"name", path}, {"value", texts.front().at(path)}});
        continue;
      }
      ++differing;
      if (cells + texts.size() > limits_.setting_cells) continue;
      cells += texts.size();
      Json values = Json::array();
      for (const SettingTexts& of : texts) values.push_back(of.contains(path) ? Json(of.at(path)) : Json());
      differ.push_back({{"name", path}, {"values", std::move(values)}});
    }
    note_reduced("settings that differ", differ.size(), differing);
    add_run_settings(same);
    return {{"same", std::move(same)}, {"differ", std::move(differ)}};
  }
  void add_run_settings(Json& same) const {
    if (!summary_.settings.is_object()) return;
    SettingTexts texts;
    for (const auto& item : summary_.settings.items())
      if (item.key() != "settings" && item.key() != "environment" && item.key() != "repeat")
        add_setting_texts(item.value(), item.key(), texts);
    for (const auto& [path, value] : texts) same.push_back({{"name", path}, {"value", value}});
  }

  Json tiers() {
    Json list = Json::array();
    for (const ShareTier& tier : journal_.tiers) {
      if (tier.used.empty()) continue;
      const std::string name = share_line(tier.name);
      Json json = Json::object();
      json["name"] = name;
      json["throttled"] = tier.throttled;
      json["injected_faults"] = Json::object();
      for (const auto& [kind, count] : tier.injected_faults) json["injected_faults"][share_line(kind)] = count;
      const std::size_t limit = limit_of_series(2 * journal_.tiers.size());
      json["used"] = series("occupancy of " + name, tier.used, limit);
      json["budget"] = series("budget of " + name, tier.budget, limit);
      list.push_back(std::move(json));
    }
    return list;
  }

  /// Of each source that served: percent of the last answers, and of all so far.
  Json hits() {
    std::vector<const ShareRequest*> answers;
    for (const ShareRequest& request : journal_.requests)
      if (request.is_answer()) answers.push_back(&request);
    Json list = Json::array();
    const std::vector<std::string> sources = sources_of(answers);
    const std::size_t limit = limit_of_series(2 * sources.size());
    for (const std::string& source : sources) {
      std::vector<ShareSample> recent, all;
      recent.reserve(answers.size());
      all.reserve(answers.size());
      HitRate rate;
      for (const ShareRequest* answer : answers) {
        rate.add(answer->record->source == source);
        recent.push_back({answer->seconds, rate.recent()});
        all.push_back({answer->seconds, rate.since_the_beginning()});
      }
      const std::string name = share_line(source);
      Json json = Json::object();
      json["name"] = name;
      json["recent"] = series("hit rate of " + name, std::move(recent), limit);
      json["all"] = series("hit rate of " + name + " since the beginning", std::move(all), limit);
      list.push_back(std::move(json));
    }
    return {{"window", plot_hit_window}, {"answers", answers.size()}, {"sources", std::move(list)}};
  }
  /// Tiers first, in their order.
  std::vector<std::string> sources_of(const std::vector<const ShareRequest*>& answers) const {
    std::vector<std::string> served;
    for (const ShareRequest* answer : answers)
      if (is_hit(*answer->record) && std::ranges::find(served, answer->record->source) == served.end())
        served.push_back(answer->record->source);
    const auto place_of = [this](const std::string& name) {
      return std::ranges::find(journal_.tiers, name, &ShareTier::name) - journal_.tiers.begin();
    };
    std::ranges::stable_sort(served, {}, place_of);
    return served;
  }

  Json plans() {
    Json json{{"t", Json::array()},
              {"policy", Json::array()},
              {"alpha", Json::array()},
              {"ttft", Json::array()},
              {"quality", Json::array()}};
    std::vector<double> times;
    for (const std::size_t at : kept_of("plans", journal_.plans.size(), limits_.plans)) {
      const SharePlan& plan = journal_.plans[at];
      times.push_back(plan.seconds);
      json["policy"].push_back(share_line(plan.policy));
      json["alpha"].push_back(share_number(plan.alpha));
      json["ttft"].push_back(share_number(plan.ttft_seconds));
      json["quality"].push_back(share_number(plan.quality));
    }
    json["t"] = share_times(times);
    return json;
  }
  Json annotations() {
    Json list = Json::array();
    for (const std::size_t at : kept_of("annotations", journal_.marks.size(), limits_.marks)) {
      const ShareMark& mark = journal_.marks[at];
      list.push_back({{"t", share_times({mark.seconds})[0]}, {"kind", mark.kind}, {"text", mark.text}});
    }
    return list;
  }
  Json texts(const std::vector<std::size_t>& kept) {
    if (!options_.texts) return nullptr;
    SharedTexts texts = share_texts(journal_, kept, limits_);
    note_reduced("questions and answers", texts.count, kept.size());
    return std::move(texts.columns);
  }

  const RunSummary& summary_;
  const RunReport& report_;
  const ShareJournal& journal_;
  const ShareOptions& options_;
  const ShareLimits& limits_;
  std::string metric_;
  Json reduced_ = Json::array();
};

}  // namespace

const std::vector<std::string>& share_event_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> names = report_event_types();
    names.emplace_back(event_type(EventPayload(std::in_place_type<events::RunStarted>)));  // from it times are counted
    names.emplace_back(event_type(EventPayload(std::in_place_type<events::RunFinished>)));
    names.emplace_back(event_type(EventPayload(std::in_place_type<events::PlanMade>)));
    names.emplace_back(event_type(EventPayload(std::in_place_type<events::DriftDetected>)));
    return names;
  }();
  return types;
}

Expected<Json> share_data(RecordedRun run, const ShareOptions& options) {
  std::vector<RecordedRun> runs;
  runs.push_back(std::move(run));
  KV_TRY(check_report_bounds(runs));
  const RunReport report = report_of_runs(runs);
  const ShareJournal journal = share_journal(runs.front());
  if (journal.segments.size() != report.rows.size())
    return fail(ErrorCode::internal, "share: " + std::to_string(journal.segments.size()) + " segments for " +
                                         std::to_string(report.rows.size()) + " rows of the report; report this bug");
  return ShareBuilder(runs.front().summary, report, journal, options).build();
}

}  // namespace kvantage::inline share
