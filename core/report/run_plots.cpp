#include "core/report/run_plots.h"

#include <algorithm>
#include <map>

#include "core/base/units.h"
#include "core/report/answer_basis.h"
#include "core/report/request_facts.h"

namespace kvantage::inline report {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

// The chart data of one run, in journal order.
struct Story {
  struct Answer {
    double seconds = 0;
    const RequestRecord* record = nullptr;
  };
  struct Level {
    double seconds = 0;
    std::uint64_t used = 0, budget = 0;
  };

  std::string name, origin;  // origin: model and workload, by digest
  std::string quality_metric;
  Provenance provenance = Provenance::measured;
  std::vector<Answer> answers;  // after the warm-up
  std::vector<std::pair<std::string, std::vector<Level>>> tiers;
  std::map<Digest128, std::pair<std::string, ContextProfile>>
      profiles;  // by context: family and the latest measurements
};

class PlotReader {
 public:
  explicit PlotReader(const RecordedRun& run) {
    const Json& settings = run.summary.settings;
    const auto part = [](const Json& json, const char* key) {
      return json.is_object() && json.contains(key) ? json.at(key) : Json();
    };
    warmup_ = warmup_requests(settings);
    if (const Json metric = part(part(settings, "settings"), "quality_metric"); metric.is_string())
      story_.quality_metric = metric.get<std::string>();
    const Json environment = part(settings, "environment");
    for (const char* key : {"model_digest", "workload_digest"}) story_.origin += dump_json(part(environment, key));
    const auto first = std::ranges::find_if(run.events, [](const Event& event) {
      return std::holds_alternative<events::RequestStarted>(event.payload) ||
             std::holds_alternative<events::RequestFinished>(event.payload);
    });
    if (first == run.events.end()) return;
    begin_ns_ = first->monotonic_ns;
    for (const Event& event : run.events) {
      seconds_ = std::max(0.0, static_cast<double>(event.monotonic_ns - begin_ns_) * 1e-9);
      std::visit([this](const auto& payload) { take(payload); }, event.payload);
    }
  }
  Story take_story() { return std::move(story_); }

 private:
  void take(const events::RequestFinished& finished) {
    const RequestRecord& record = finished.record;
    if (warmup_ > 0) {
      --warmup_;
      return;
    }
    if (record.cancelled) return;
    story_.provenance = std::max(story_.provenance, record.provenance);
    story_.answers.push_back({seconds_, &record});
  }
  void take(const events::TierOccupancy& occupancy) {
    auto tier =
        std::ranges::find(story_.tiers, occupancy.tier, &std::pair<std::string, std::vector<Story::Level>>::first);
    if (tier == story_.tiers.end()) tier = story_.tiers.insert(tier, {occupancy.tier, {}});
    auto& levels = tier->second;
    if (!levels.empty() && levels.back().seconds == seconds_)
      levels.pop_back();  // the level before the first request is the starting point
    levels.push_back({seconds_, occupancy.used_bytes, occupancy.budget_bytes});
  }
  void take(const events::SnapshotTaken& snapshot) {
    for (const RecordedContext& context : snapshot.contexts)
      if (!context.profile.empty()) story_.profiles[context.key] = {context.family, context.profile};
  }
  void take(const events::ContextProfiled& profiled) {
    story_.profiles[profiled.context] = {profiled.family, profiled.profile};
  }
  template <class Other>
  void take(const Other&) {}

  Story story_;
  std::size_t warmup_ = 0;
  std::int64_t begin_ns_ = 0;
  double seconds_ = 0;
};

// Keeps the maximum and the last point of each interval, so that no peak is lost.
void thin(std::vector<PlotPoint>& points) {
  if (points.size() <= plot_point_limit) return;
  const double from = points.front().x,
               length = (points.back().x - from) / (static_cast<double>(plot_point_limit) / 2 - 1);
  std::vector<PlotPoint> kept;
  for (std::size_t begin = 0; begin < points.size();) {
    const auto stretch = [&](const PlotPoint& point) {
      return length > 0 ? static_cast<long>((point.x - from) / length) : 0L;
    };
    std::size_t end = begin, highest = begin;
    for (; end < points.size() && stretch(points[end]) == stretch(points[begin]); ++end)
      if (points[end].y > points[highest].y) highest = end;
    if (highest + 1 != end) kept.push_back(points[highest]);
    kept.push_back(points[end - 1]);
    begin = end;
  }
  points = std::move(kept);
}

std::string of_answers(const std::vector<Story>& stories) {
  std::string text;
  for (const Story& story : stories)
    text += (text.empty() ? "n = " : ", ") + std::to_string(story.answers.size()) +
            (stories.size() > 1 ? " (" + story.name + ")" : "");
  return text + " answers";
}

void add_occupancy(const std::vector<Story>& stories, std::vector<ReportPlot>& plots) {
  std::vector<std::string> tiers;
  for (const Story& story : stories)
    for (const auto& [tier, levels] : story.tiers)
      if (std::ranges::find(tiers, tier) == tiers.end()) tiers.push_back(tier);
  for (const std::string& name : tiers) {
    ReportPlot plot{"occupancy",
                    name,
                    "Occupancy of " + name,
                    "Bytes in use after each change, headers included, warm-up included; dashed: the budget. " +
                        of_answers(stories) + ".",
                    "time since the first request",
                    "s",
                    "in use",
                    "MiB",
                    ReportPlot::Kind::steps,
                    false,
                    {}};
    std::vector<PlotSeries> budgets;
    for (const Story& story : stories) {
      const auto tier = std::ranges::find(story.tiers, name, &std::pair<std::string, std::vector<Story::Level>>::first);
      if (tier == story.tiers.end()) continue;
      const double end =
          std::max(tier->second.back().seconds, story.answers.empty() ? 0 : story.answers.back().seconds);
      PlotSeries used{story.name, {}, false, Provenance::measured}, budget{"budget", {}, true, Provenance::measured};
      for (const Story::Level& level : tier->second) {
        used.points.push_back({level.seconds, static_cast<double>(level.used) / mebibyte});
        const double allowed = static_cast<double>(level.budget) / mebibyte;
        if (level.budget > 0 && (budget.points.empty() || budget.points.back().y != allowed))
          budget.points.push_back({level.seconds, allowed});
      }
      for (PlotSeries* series : {&used, &budget})
        if (!series->points.empty() && series->points.back().x < end)
          series->points.push_back({end, series->points.back().y});
      thin(used.points);
      plot.series.push_back(std::move(used));
      // Identical in all runs: shown once.
      const auto same = [&](const PlotSeries& other) {
        return other.points.front().y == budget.points.front().y && other.points.back().y == budget.points.back().y;
      };
      if (budget.points.empty()) continue;
      const auto known = std::ranges::find_if(budgets, same);
      if (known == budgets.end())
        budgets.push_back(std::move(budget));
      else if (known->points.back().x < end)
        known->points.back().x = end;
    }
    if (budgets.size() > 1)
      for (std::size_t i = 0; i < budgets.size(); ++i) budgets[i].name = "budget " + std::to_string(i + 1);
    for (PlotSeries& budget : budgets) plot.series.push_back(std::move(budget));
    if (!plot.series.empty()) plots.push_back(std::move(plot));
  }
}

void add_hit_rates(const std::vector<Story>& stories, std::vector<ReportPlot>& plots) {
  for (const Story& story : stories) {
    std::vector<std::string> sources;
    sources.reserve(story.tiers.size());
    for (const auto& [tier, levels] : story.tiers) sources.push_back(tier);
    const auto served = [&](const std::string& source) {
      return std::ranges::any_of(story.answers, [&](const Story::Answer& one) { return one.record->source == source; });
    };
    for (const Story::Answer& one : story.answers)
      if (one.record->source != "prefill" && std::ranges::find(sources, one.record->source) == sources.end())
        sources.push_back(one.record->source);
    std::erase_if(sources, [&](const std::string& source) { return !served(source); });
    ReportPlot plot{"hit_rate",
                    story.name,
                    stories.size() > 1 ? "Hit rates over time: " + story.name : std::string("Hit rates over time"),
                    "Share of requests that a tier served, over the last " + std::to_string(plot_hit_window) +
                        " answers; dashed: since the beginning. n = " + std::to_string(story.answers.size()) +
                        " answers, warm-up excluded.",
                    "time since the first request",
                    "s",
                    "served",
                    "%",
                    ReportPlot::Kind::curves,
                    false,
                    {}};
    for (const std::string& source : sources) {
      PlotSeries recent{source, {}, false, Provenance::measured},
          all{source + ", since the beginning", {}, true, Provenance::measured};
      HitRate rate;
      for (std::size_t i = 0; i < story.answers.size(); ++i) {
        const Story::Answer& one = story.answers[i];
        rate.add(one.record->source == source);
        recent.points.push_back({one.seconds, rate.recent(), {}, std::min(i + 1, plot_hit_window)});
        all.points.push_back({one.seconds, rate.since_the_beginning(), {}, i + 1});
      }
      thin(recent.points);
      thin(all.points);
      plot.series.push_back(std::move(recent));
      plot.series.push_back(std::move(all));
    }
    if (!plot.series.empty()) plots.push_back(std::move(plot));
  }
}

void add_sensitivity(const std::vector<Story>& stories, std::vector<ReportPlot>& plots) {
  std::vector<std::string> origins;
  for (const Story& story : stories)
    if (std::ranges::find(origins, story.origin) == origins.end()) origins.push_back(story.origin);
  for (const std::string& origin : origins) {
    std::map<Digest128, const std::pair<std::string, ContextProfile>*>
        contexts;  // of all runs with this model and workload
    std::string metric, runs;
    for (const Story& story : stories) {
      if (story.origin != origin) continue;
      for (const auto& [key, profile] : story.profiles) contexts[key] = &profile;
      if (metric.empty()) metric = story.quality_metric;
      runs += (runs.empty() ? "" : ", ") + story.name;
    }
    std::map<std::string, std::map<std::string, std::map<double, std::vector<double>>>>
        qualities;  // method, family, fraction
    for (const auto& [key, profile] : contexts)
      for (const ProfilePoint& point : profile->second.points)
        qualities[point.method][profile->first][point.removed_fraction].push_back(point.quality);
    const auto plain = qualities.find("none");
    const std::string of_runs = origins.size() > 1 ? " (" + runs + ")" : "";
    for (const auto& [method, families] : qualities) {
      if (method == "none") continue;
      ReportPlot plot{"sensitivity",
                      std::string(method).append(of_runs.empty() ? "" : " in " + runs),
                      std::string("Quality against removed fraction: ").append(method).append(of_runs),
                      "Profile questions, uncompressed at 0; means over n = " + std::to_string(contexts.size()) +
                          " contexts by family, with 95 % intervals over contexts.",
                      "removed fraction of tokens",
                      "1",
                      metric.empty() ? "quality" : metric,
                      "1",
                      ReportPlot::Kind::curves,
                      false,
                      {}};
      for (const auto& [family, fractions] : families) {
        std::map<double, std::vector<double>> all = fractions;
        if (plain != qualities.end())
          if (const auto zero = plain->second.find(family); zero != plain->second.end() && zero->second.contains(0))
            all.try_emplace(0, zero->second.at(0));
        PlotSeries series{family.empty() ? "all" : family, {}, false, Provenance::measured};
        for (const auto& [fraction, values] : all)
          series.points.push_back({fraction, mean_of(values), bootstrap_interval(values), values.size()});
        plot.series.push_back(std::move(series));
      }
      plots.push_back(std::move(plot));
    }
  }
}

struct Pair {
  double predicted = 0, measured = 0;
  std::size_t n = 0;
};

// One point per context and run: the mean prediction for its requests and the mean measurement.
template <class Of>
void add_predicted(const std::vector<Story>& stories, std::vector<ReportPlot>& plots, ReportPlot plot, Of of) {
  std::size_t requests = 0;
  for (const Story& story : stories) {
    std::map<Digest128, Pair> contexts;
    for (const Story::Answer& one : story.answers) {
      if (one.record->predicted_quality < 0 || one.record->predicted_ttft_seconds < 0) continue;
      const auto both = of(story, *one.record);
      if (!both) continue;
      Pair& pair = contexts[one.record->context];
      pair.predicted += both->first;
      pair.measured += both->second;
      ++pair.n;
      ++requests;
    }
    PlotSeries series{story.name, {}, false, story.provenance};
    for (const auto& [key, pair] : contexts)
      series.points.push_back(
          {pair.predicted / static_cast<double>(pair.n), pair.measured / static_cast<double>(pair.n), {}, pair.n});
    std::ranges::sort(series.points, {}, [](const PlotPoint& point) { return std::pair(point.x, point.y); });
    if (series.points.size() > plot_point_limit) {  // thinned out evenly
      std::vector<PlotPoint> kept;
      for (std::size_t i = 0; i < plot_point_limit; ++i)
        kept.push_back(series.points[i * series.points.size() / plot_point_limit]);
      series.points = std::move(kept);
      plot.note +=
          " " + std::to_string(plot_point_limit) + " of " + std::to_string(contexts.size()) + " contexts shown.";
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  plot.note += " n = " + std::to_string(requests) + " answers with a prediction.";
  if (!plot.series.empty()) plots.push_back(std::move(plot));
}

}  // namespace

void HitRate::add(bool hit) {
  bool& oldest = window_[answers_++ % plot_hit_window];
  in_window_ += hit;
  in_window_ -= oldest;
  hits_ += hit;
  oldest = hit;
}

double HitRate::recent() const {
  const std::size_t window = std::min(answers_, plot_hit_window);
  return window > 0 ? 100.0 * static_cast<double>(in_window_) / static_cast<double>(window) : 0;
}

double HitRate::since_the_beginning() const {
  return answers_ > 0 ? 100.0 * static_cast<double>(hits_) / static_cast<double>(answers_) : 0;
}

std::vector<ReportPlot> plots_of_runs(const std::vector<RecordedRun>& runs) {
  std::vector<std::string> names;
  names.reserve(runs.size());
  for (const RecordedRun& run : runs) names.push_back(run.summary.policy);
  names = named_apart(std::move(names));
  std::vector<Story> stories;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    stories.push_back(PlotReader(runs[i]).take_story());
    stories.back().name = names[i];
  }
  std::vector<ReportPlot> plots;
  add_occupancy(stories, plots);
  add_hit_rates(stories, plots);
  add_sensitivity(stories, plots);
  const std::string by_context = "One point per context, means over its requests; on the line both are equal.";
  add_predicted(
      stories, plots,
      {"predicted_ttft",
       "",
       "Predicted against measured TTFT",
       by_context + " Predictions are of the steady state, in which all planned placements are complete.",
       "predicted TTFT (service)",
       "ms",
       "measured TTFT (service)",
       "ms",
       ReportPlot::Kind::points,
       true,
       {}},
      [](const Story&, const RequestRecord& record) {
        return std::optional(std::pair(record.predicted_ttft_seconds * 1e3, record.timing.ttft_service_seconds * 1e3));
      });
  std::vector<const RequestRecord*> records;
  for (const Story& story : stories)
    for (const Story::Answer& answer : story.answers) records.push_back(answer.record);
  const std::string metric = stories.empty() || stories.front().quality_metric.empty()
                                 ? "quality"
                                 : quality_name(stories.front().quality_metric, answer_basis(records));
  add_predicted(stories, plots,
                {"predicted_quality",
                 "",
                 "Predicted against measured quality",
                 by_context + " Held-out questions only.",
                 "predicted " + metric,
                 "1",
                 "measured " + metric,
                 "1",
                 ReportPlot::Kind::points,
                 true,
                 {}},
                [](const Story& story, const RequestRecord& record) -> std::optional<std::pair<double, double>> {
                  const auto quality = record.quality.find(story.quality_metric);
                  if (quality == record.quality.end() || !record.held_out) return std::nullopt;
                  return std::pair(record.predicted_quality, quality->second);
                });
  return plots;
}

}  // namespace kvantage::inline report
