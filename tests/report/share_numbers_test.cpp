// links: kv_reports
// The page of a shared run has the numbers of the run: means and intervals of its report, occupancy of a replay, hit
// rates of its charts, and means so far of the metrics that a window sums up. All are read back from the page.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/report/replay_source.h"
#include "core/report/run_metrics.h"
#include "core/report/run_plots.h"
#include "core/report/share/share_page.h"
#include "tests/report/share_sample.h"
#include "tests/support/test_program.h"

namespace share_numbers_test {

using namespace kvantage;

namespace {

/// Between the events of sample_journal(), which are 50 ms apart.
constexpr double between = 0.025;

void compare(const Json& json, const Distribution& distribution) {
  QCOMPARE(json.at("n").get<std::size_t>(), distribution.n);
  QCOMPARE(json.at("mean").get<double>(), distribution.mean);
  QVERIFY(distribution.interval.has_value());
  QCOMPARE(json.at("low").get<double>(), distribution.interval->low);
  QCOMPARE(json.at("high").get<double>(), distribution.interval->high);
  QCOMPARE(json.at("provenance").get<std::string>(), std::string(display_name(distribution.provenance)));
}

const ReportPlot* plot_of(const std::vector<ReportPlot>& plots, const std::string& name) {
  const auto found = std::ranges::find(plots, name, &ReportPlot::name);
  return found == plots.end() ? nullptr : &*found;
}

/// Of a chart's series, whose times start at the first request.
std::optional<double> plotted(const PlotSeries& series, double seconds) {
  std::optional<double> value;
  for (const PlotPoint& point : series.points)
    if (point.x <= seconds) value = point.y;
  return value;
}

}  // namespace

class ShareNumbersTest : public QObject {
  Q_OBJECT
  Json page_;
  RunReport report_;

 private slots:
  void initTestCase() {
    const auto page = share_page(shared_sample());
    QVERIFY2(page.has_value(), page ? "" : page.error().message.c_str());
    page_ = data_of_page(*page);
    QCOMPARE(page_.value("format", ""), std::string("kvantage-share"));
    report_ = report_of_runs({shared_sample()});
  }

  void segmentsAreTheRowsOfTheReport() {
    const Json& segments = page_.at("segments");
    QCOMPARE(report_.rows.size(), std::size_t{2});
    QCOMPARE(segments.size(), report_.rows.size());
    QCOMPARE(page_.at("metric").get<std::string>(), std::string("token_f1"));
    QCOMPARE(page_.at("claim").get<std::string>(), report_.claim);
    for (std::size_t i = 0; i < report_.rows.size(); ++i) {
      const PolicyRow& row = report_.rows[i];
      const Json& segment = segments.at(i);
      QCOMPARE(segment.at("name").get<std::string>(), row.policy);
      QCOMPARE(segment.at("alpha").get<double>(), row.alpha);
      QCOMPARE(segment.at("requests").get<std::size_t>(), row.requests);
      QCOMPARE(segment.at("cancelled").get<std::size_t>(), row.cancelled);
      compare(segment.at("ttft"), row.ttft_service_seconds);
      compare(segment.at("hit_rate"), row.hit_rate);
      QCOMPARE(segment.at("quality").size(), row.quality.size());
      for (const auto& [metric, distribution] : row.quality) compare(segment.at("quality").at(metric), distribution);
      QCOMPARE(segment.at("sources").size(), row.sources.size());
      for (std::size_t s = 0; s < row.sources.size(); ++s) {
        QCOMPARE(segment.at("sources").at(s).at("name").get<std::string>(), row.sources[s].source);
        QCOMPARE(segment.at("sources").at(s).at("rate").get<double>(), row.sources[s].request_rate);
      }
    }
    QCOMPARE(segments.at(0).at("warmup_requests").get<int>(), 5);
  }

  void settingsThatDifferHaveTheirValues() {
    const Json& differ = page_.at("settings").at("differ");
    QCOMPARE(differ.size(), std::size_t{2});
    QCOMPARE(dump_json(differ.at(0)), std::string(R"({"name":"alpha","values":["0.5","2"]})"));
    QCOMPARE(dump_json(differ.at(1)), std::string(R"({"name":"tiers/0/budget_bytes","values":["4194304","3145728"]})"));
    const Json& same = page_.at("settings").at("same");
    const auto has = [&](const std::string& name, const std::string& value) {
      return std::any_of(same.begin(), same.end(), [&](const Json& one) {
        return one.at("name").get<std::string>() == name && one.at("value").get<std::string>() == value;
      });
    };
    QVERIFY(has("quality_metric", "token_f1"));
    QVERIFY(has("policy", "lru"));
    QVERIFY(has("tiers/0/name", "dram"));
    QVERIFY(has("warmup", "5"));
  }

  // As a replay has it, after every event.
  void occupancyIsThatOfAReplay() {
    const auto replay = ReplaySource::open(shared_sample());
    QVERIFY(replay.has_value());
    const double duration = (*replay)->duration();
    QVERIFY(std::fabs(page_.at("run").at("duration_seconds").get<double>() - duration) <= 1e-6);
    QCOMPARE(page_.at("tiers").size(), std::size_t{2});
    int compared = 0;
    for (double seconds = between; seconds < duration + 1; seconds += 2 * between) {
      const ReplayState& state = (*replay)->seek((*replay)->moment_at(seconds));
      for (const Json& tier : page_.at("tiers")) {
        const auto known = state.occupancy.find(tier.at("name").get<std::string>());
        const Json used = value_at(tier.at("used"), seconds), budget = value_at(tier.at("budget"), seconds);
        QCOMPARE(used.is_null(), known == state.occupancy.end());
        if (used.is_null()) continue;
        QCOMPARE(used.get<std::uint64_t>(), known->second.used_bytes);
        QCOMPARE(budget.get<std::uint64_t>(), known->second.budget_bytes);
        ++compared;
      }
    }
    QVERIFY(compared > 200);
    // Not a comparison of equal constants: both budgets of dram appear.
    QCOMPARE(value_at(page_.at("tiers").at(0).at("budget"), 1).get<int>(), 4194304);
    QCOMPARE(value_at(page_.at("tiers").at(0).at("budget"), duration).get<int>(), 3145728);
  }

  // As the report's chart has them, which has every answer of so short a run.
  void hitRatesAreThoseOfTheReport() {
    const ReportPlot* plot = plot_of(report_.plots, "hit_rate");
    QVERIFY(plot != nullptr);
    const Json& hits = page_.at("hits");
    QCOMPARE(hits.at("window").get<std::size_t>(), plot_hit_window);
    QCOMPARE(2 * hits.at("sources").size(), plot->series.size());
    const double first = page_.at("run").at("first_request_seconds").get<double>();
    QCOMPARE(first, 0.05);
    int compared = 0;
    for (std::size_t i = 0; i < plot->series.size(); ++i) {
      const Json& source = hits.at("sources").at(i / 2);
      if (i % 2 == 0) QCOMPARE(source.at("name").get<std::string>(), plot->series[i].name);
      for (double seconds = between; seconds < 6.5; seconds += 2 * between) {
        const auto wanted = plotted(plot->series[i], seconds - first);
        const Json value = value_at(source.at(i % 2 == 0 ? "recent" : "all"), seconds);
        QCOMPARE(value.is_null(), !wanted.has_value());
        if (!wanted) continue;
        QCOMPARE(value.get<double>(), *wanted);
        ++compared;
      }
    }
    QVERIFY(compared > 200);
  }

  // The means so far of a segment are those of its answers until then.
  void runningMeansAreThoseOfTheAnswersSoFar() {
    const RecordedRun run = shared_sample();
    for (const std::size_t segment : {std::size_t{0}, std::size_t{1}}) {
      const Json& running = page_.at("segments").at(segment).at("running");
      RunMetrics metrics;
      std::size_t warmup = 5, at = 0;
      for (const Event& event : run.events) {
        const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
        if (finished == nullptr) continue;
        const bool counts = warmup == 0;
        if (!counts) --warmup;
        if (!counts || finished->record.cancelled || (finished->record.alpha == 2) != (segment == 1)) continue;
        metrics.add(finished->record);
        QCOMPARE(running.at("n").at(at).get<std::uint64_t>(), metrics.answered());
        QCOMPARE(running.at("ttft").at(at).get<double>(), metrics.ttft_service_seconds().mean());
        const auto quality = metrics.quality().find("token_f1");
        QCOMPARE(running.at("quality").at(at).is_null(), quality == metrics.quality().end());
        if (quality != metrics.quality().end())
          QCOMPARE(running.at("quality").at(at).get<double>(), quality->second.mean());
        ++at;
      }
      QCOMPARE(at, running.at("t").size());
      QVERIFY(at > 20);
    }
  }

  void plansAndAnnotationsAreThoseOfTheJournal() {
    const Json& plans = page_.at("plans");
    QCOMPARE(dump_json(plans.at("alpha")), std::string("[0.5,2]"));
    QCOMPARE(dump_json(plans.at("ttft")), std::string("[0.125,0.25]"));
    QCOMPARE(dump_json(plans.at("quality")), std::string("[0.75,0.8]"));
    QCOMPARE(dump_json(plans.at("t")), std::string("[1,4]"));
    const Json& marks = page_.at("annotations");
    QCOMPARE(marks.size(), std::size_t{5});
    std::vector<std::string> kinds;
    for (const Json& mark : marks) kinds.push_back(mark.at("kind").get<std::string>());
    QCOMPARE(kinds, (std::vector<std::string>{"drift", "profile", "fault", "setting", "setting"}));
    QVERIFY(marks.at(0).at("text").get<std::string>().ends_with(": quality 0.250, profile 0.750"));
    QVERIFY(
        marks.at(2).at("text").get<std::string>().ends_with(": read from ssd failed: checksum; the entry was dropped"));
    QCOMPARE(marks.at(3).at("text").get<std::string>(), std::string("alpha: 0.5 to 2.0"));
    QCOMPARE(marks.at(4).at("text").get<std::string>(), std::string("tiers/0/budget_bytes: 4194304 to 3145728"));
    QCOMPARE(marks.at(4).at("t").get<double>(), 3.0);
  }

  void requestsAreThoseOfTheJournal() {
    const RecordedRun run = shared_sample();
    const Json& requests = page_.at("requests");
    std::size_t at = 0;
    for (const Event& event : run.events) {
      const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
      if (finished == nullptr) continue;
      const RequestRecord& record = finished->record;
      const auto name = [&](const char* column) {
        return requests.at("names").at(column).at(requests.at(column).at(at).get<std::size_t>()).get<std::string>();
      };
      const auto is_close = [&](const char* column, double seconds) {  // six digits
        return std::fabs(requests.at(column).at(at).get<double>() - seconds) <= 1e-5 * std::fabs(seconds);
      };
      QCOMPARE(requests.at("id").at(at).get<std::uint64_t>(), record.id);
      QCOMPARE(name("context"), record.context_id);
      QCOMPARE(name("source"), record.source);
      QCOMPARE(requests.at("segment").at(at).get<std::size_t>(), std::size_t{at < 30 ? 0U : 1U});
      QVERIFY(is_close("ttft", record.timing.ttft_service_seconds));
      QVERIFY(is_close("unpack", record.timing.decode_seconds));
      QVERIFY(is_close("question_prefill", record.timing.question_prefill_seconds));
      QVERIFY(is_close("quality", record.quality.at("token_f1")));
      const int flags = (at < 5 ? 1 : 0) | (record.cancelled ? 2 : 0) | (record.held_out ? 0 : 4);
      QCOMPARE(requests.at("flags").at(at).get<int>(), flags);
      ++at;
    }
    QCOMPARE(at, std::size_t{60});
    for (const char* column : {"t", "id", "context", "source", "kv", "miss", "ttft", "queue", "quality", "provenance"})
      QCOMPARE(requests.at(column).size(), at);
  }

  // A run that ended before its first answer still has a row, as in its report.
  void aRunWithoutAnswersHasAPage() {
    RecordedRun run = shared_sample();
    run.events.resize(1);
    const auto data = share_data(std::move(run));
    QVERIFY(data.has_value());
    QCOMPARE(data->at("segments").size(), std::size_t{1});
    QCOMPARE(data->at("requests").at("t").size(), std::size_t{0});
    QVERIFY(data->at("segments").at(0).at("ttft").at("mean").is_null());
    const auto none = share_data({{"empty", 1, 2, "lru", "", 0, Json()}, {}});
    QVERIFY(none.has_value());
    QCOMPARE(none->at("run").at("outcome").get<std::string>(), std::string("no end recorded"));
  }
};

KV_TEST_APPLESS_MAIN(ShareNumbersTest)

}  // namespace share_numbers_test

#include "share_numbers_test.moc"
