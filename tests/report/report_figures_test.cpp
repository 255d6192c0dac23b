// links: kv_reports
// Every metric of a report equals what a plain count over the records gives, and nothing gets lost in between.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/report/formats/report_formats.h"
#include "core/report/metric_list.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace report_figures_test {

using namespace kvantage;

namespace {

bool near(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max({1.0, std::fabs(a), std::fabs(b)}); }

// The definition in docs/metrics.md, by full sorting.
double plain_percentile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double h = static_cast<double>(values.size() - 1) * p;
  const auto i = static_cast<std::size_t>(h);
  return i + 1 < values.size() ? values[i] * (1 - (h - std::floor(h))) + values[i + 1] * (h - std::floor(h))
                               : values[i];
}

double plain_mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// What the metrics of a run are made of, counted record by record.
struct PlainCounts {
  std::vector<double> service, ttft, itl, f1, f1_uncompressed, f1_chance, e2e;
  std::set<std::string> contexts;
  std::map<std::string, int> by_source;
  std::size_t cancelled = 0, misses = 0;
  double answer_tokens = 0;
};

PlainCounts count_plainly(const PolicyRun& run) {
  PlainCounts plain;
  for (const RequestRecord& record : run.records) {
    if (record.cancelled) {
      ++plain.cancelled;
      continue;
    }
    plain.service.push_back(record.timing.ttft_service_seconds);
    plain.ttft.push_back(record.timing.ttft_seconds);
    plain.e2e.push_back(record.timing.e2e_seconds);
    plain.contexts.insert(record.context_id);
    ++plain.by_source[record.source];
    plain.misses += record.source == "prefill" ? 1 : 0;
    plain.answer_tokens += record.answer_tokens;
    if (record.answer_tokens > 1) plain.itl.push_back(record.timing.mean_itl_seconds);
    if (!record.held_out) continue;
    plain.f1.push_back(record.quality.at("token_f1"));
    plain.f1_uncompressed.push_back(record.quality_uncompressed.at("token_f1"));
    plain.f1_chance.push_back(record.quality_chance.at("token_f1"));
  }
  return plain;
}

}  // namespace

class ReportFiguresTest : public QObject {
  Q_OBJECT

 private slots:
  // Requests whose decoding the plan chose, by what it chose; the others are in no option.
  void plannedOptionsAreCountedApart() {
    PolicyRun run = sample_run(4, "evicpress", 120);
    std::map<std::string, std::vector<double>> itl, quality;
    for (std::size_t i = 0; i < run.records.size(); ++i) {
      RequestRecord& record = run.records[i];
      if (i % 3 == 2) continue;
      const std::string option = i % 3 == 0 ? "none" : "knorm(budget=25%)";
      record.decoding.choice = DecodeChoice{option, 2, 0.25, 0.5, 1.5};
      if (record.cancelled) continue;
      if (record.answer_tokens > 1) itl[option].push_back(record.timing.mean_itl_seconds);
      if (record.held_out) quality[option].push_back(record.quality.at("token_f1"));
    }
    const RunReport report = build_report(Json{{"quality_metric", "token_f1"}}, Json::object(), {run});
    const auto& options = report.rows.at(0).decoding.by_option;
    QCOMPARE(options.size(), std::size_t{2});
    for (const auto& [option, metrics] : options) {
      QCOMPARE(metrics.at("itl_seconds").n, itl.at(option).size());
      QVERIFY(near(metrics.at("itl_seconds").mean, plain_mean(itl.at(option))));
      QCOMPARE(metrics.at("quality").n, quality.at(option).size());
      QVERIFY(near(metrics.at("quality").mean, plain_mean(quality.at(option))));
      QCOMPARE(metrics.at("predicted_quality").mean, 0.25);
      QCOMPARE(metrics.at("predicted_itl_seconds").mean, 0.5);
      QVERIFY(metrics.at("predicted_quality").provenance == Provenance::predicted);
    }
    const Json row = to_report_json(report).at("rows").at(0);
    QVERIFY(near(row.at("decode_options").at("none").at("quality").at("mean").get<double>(),
                 plain_mean(quality.at("none"))));
    const auto metrics = metric_list(report.rows[0]);
    QVERIFY(std::ranges::any_of(metrics, [&](const ReportMetric& metric) {
      return metric.name == "decode_option_itl_seconds" && metric.part == "none" && metric.unit == "s" &&
             metric.n == itl.at("none").size();
    }));
    const RunReport without =
        build_report(Json{{"quality_metric", "token_f1"}}, Json::object(), {sample_run(4, "lru", 9)});
    QVERIFY(!to_report_json(without).at("rows").at(0).contains("decode_options"));
  }

  void figuresEqualPlainCounts_data() {
    QTest::addColumn<int>("seed");
    QTest::addColumn<int>("requests");
    for (int seed = 1; seed <= 12; ++seed) QTest::addRow("seed %d", seed) << seed << (seed == 1 ? 1 : 17 * seed);
  }
  void figuresEqualPlainCounts() {
    QFETCH(int, seed);
    QFETCH(int, requests);
    const PolicyRun run = sample_run(static_cast<std::uint64_t>(seed), "lru", requests);
    const PolicyRow row = build_report({}, {}, {run}).rows.at(0);

    PlainCounts plain = count_plainly(run);
    if (plain.service.empty()) return;  // the one request was cancelled
    QCOMPARE(row.requests, plain.service.size());
    QCOMPARE(row.cancelled, plain.cancelled);
    QCOMPARE(row.requests + row.cancelled, run.records.size());
    QCOMPARE(row.ttft_service_seconds.n, plain.service.size());
    QCOMPARE(row.ttft_service_seconds.contexts, plain.contexts.size());
    QVERIFY(near(row.ttft_service_seconds.mean, plain_mean(plain.service)));
    QVERIFY(near(row.ttft_service_seconds.p50, plain_percentile(plain.service, 0.5)));
    QVERIFY(near(row.ttft_service_seconds.p95, plain_percentile(plain.service, 0.95)));
    QVERIFY(near(row.ttft_service_seconds.p99, plain_percentile(plain.service, 0.99)));
    QVERIFY(near(row.ttft_seconds.mean, plain_mean(plain.ttft)));
    QVERIFY(near(row.ttft_seconds.p95, plain_percentile(plain.ttft, 0.95)));
    QVERIFY(near(row.e2e_seconds.p95, plain_percentile(plain.e2e, 0.95)));
    if (!plain.itl.empty()) QVERIFY(near(row.decoding.itl_seconds.mean, plain_mean(plain.itl)));
    if (!plain.f1.empty()) {
      QVERIFY(near(row.quality.at("token_f1").mean, plain_mean(plain.f1)));
      QCOMPARE(row.quality.at("token_f1").n, plain.f1.size());
      QVERIFY(near(row.quality_uncompressed.at("token_f1").mean, plain_mean(plain.f1_uncompressed)));
      QVERIFY(near(row.quality_chance.at("token_f1").mean, plain_mean(plain.f1_chance)));
      QCOMPARE(row.quality_chance.at("token_f1").n, plain.f1.size());
      QVERIFY(!row.quality_chance.contains("exact_match"));
    }
    QVERIFY(near(row.requests_per_second->value, static_cast<double>(plain.service.size()) / 12.5));
    QVERIFY(near(row.output_tokens_per_second->value, plain.answer_tokens / 12.5));

    // hits + misses = requests, and every rate adds up to one.
    std::uint64_t served = 0, tokens = 0, reasons = 0;
    double request_rate = 0, token_rate = 0, byte_rate = 0;
    for (const SourceShare& share : row.sources) {
      QCOMPARE(share.requests, static_cast<std::uint64_t>(plain.by_source[share.source]));
      served += share.requests;
      tokens += share.tokens;
      request_rate += share.request_rate;
      token_rate += share.token_rate;
      byte_rate += *share.byte_rate;
    }
    std::uint64_t all_tokens = 0;
    for (const RequestRecord& record : run.records)
      if (!record.cancelled) all_tokens += static_cast<std::uint64_t>(record.context_tokens);
    for (const auto& [reason, count] : row.misses) reasons += count;
    QCOMPARE(served, static_cast<std::uint64_t>(plain.service.size()));
    QCOMPARE(reasons, static_cast<std::uint64_t>(plain.misses));
    QCOMPARE(tokens, all_tokens);
    QVERIFY(near(request_rate, 1) && near(token_rate, 1) && near(byte_rate, 1));

    // The split adds up to the time it splits.
    const TtftSplit& split = row.split;
    QVERIFY(near(split.lookup.value + split.load.value + split.decode.value + split.context_prefill.value +
                     split.question_prefill.value + split.other.value,
                 row.ttft_service_seconds.mean));
    QVERIFY(split.other.value >= 0);
  }

  void aPartialHitCountsItsTokensForBoth() {
    PolicyRun run;
    run.kv_bytes_per_token = 10;
    RequestRecord record;
    record.context_tokens = 1000;
    record.prefix_hit_tokens = 600;
    record.bytes_loaded = 3000;
    record.source = "ssd";
    run.records = {record};
    const PolicyRow row = build_report({}, {}, {run}).rows.at(0);
    QCOMPARE(row.sources.size(), std::size_t{2});
    QCOMPARE(row.sources[0].source, std::string("ssd"));
    QCOMPARE(row.sources[0].request_rate, 1.0);
    QCOMPARE(row.sources[0].token_rate, 0.6);
    QCOMPARE(*row.sources[0].byte_rate, 3.0 / 7.0);
    QCOMPARE(row.sources[1].source, std::string("prefill"));
    QCOMPARE(row.sources[1].requests, std::uint64_t{0});
    QCOMPARE(row.sources[1].token_rate, 0.4);
  }

  // Shaping slows loads: prefill, decode and quality stay measured. A simulated run is simulated throughout.
  void provenanceFollowsTheWeakestPart() {
    PolicyRun run = sample_run(4, "lru", 100);
    PolicyRow row = build_report({}, {}, {run}).rows.at(0);
    QCOMPARE(row.ttft_service_seconds.provenance, Provenance::throttled);
    QCOMPARE(row.split.load.provenance, Provenance::throttled);
    QCOMPARE(row.split.context_prefill.provenance, Provenance::measured);
    QCOMPARE(row.split.question_prefill.provenance, Provenance::measured);
    QCOMPARE(row.quality.at("token_f1").provenance, Provenance::measured);
    QCOMPARE(row.requests_per_second->provenance, Provenance::throttled);
    for (RequestRecord& record : run.records) record.provenance = Provenance::measured;
    QCOMPARE(build_report({}, {}, {run}).rows.at(0).ttft_seconds.provenance, Provenance::measured);
    run.records[5].provenance = Provenance::simulated;
    run.records[5].cancelled = false;
    row = build_report({}, {}, {run}).rows.at(0);
    QCOMPARE(row.split.context_prefill.provenance, Provenance::simulated);
    QCOMPARE(row.ttft_service_seconds.provenance, Provenance::simulated);
  }

  void aRunWithoutAnswersHasARowOfNothing() {
    PolicyRun run;
    run.policy = "lru";
    const RunReport report = build_report({}, {}, {run});
    QCOMPARE(report.rows.size(), std::size_t{1});
    QCOMPARE(report.rows[0].requests, std::size_t{0});
    QVERIFY(!report.rows[0].requests_per_second);
    QCOMPARE(report.claim, std::string("No request was answered."));
    QVERIFY(!to_text(report).empty() && !to_html(report).empty());
    QVERIFY(build_report({}, {}, {}).rows.empty() && !to_html(build_report({}, {}, {})).empty());
  }

  void figuresThatAreNoNumbersAreLeftOut() {
    PolicyRun run = sample_run(4, "lru", 20);
    run.records[3].cancelled = false;
    run.records[3].timing.ttft_service_seconds = std::numeric_limits<double>::quiet_NaN();
    const PolicyRow row = build_report({}, {}, {run}).rows.at(0);
    QCOMPARE(row.ttft_service_seconds.n, row.requests - 1);
    QVERIFY(std::isfinite(row.ttft_service_seconds.mean) && std::isfinite(row.split.other.value));
  }

  void theClaimNamesFastestAndBest() {
    PolicyRun fast = sample_run(1, "fast", 50), good = sample_run(1, "good", 50);
    for (RequestRecord& record : fast.records) record.quality = {{"token_f1", 0.25}};
    for (RequestRecord& record : good.records) {
      record.quality = {{"token_f1", 0.75}};
      record.timing.ttft_service_seconds += 1;
    }
    const RunReport report = build_report({{"quality_metric", "token_f1"}}, {}, {good, fast});
    QVERIFY2(report.claim.find("fast is fastest") != std::string::npos, report.claim.c_str());
    QVERIFY2(report.claim.find("good has the best token_f1") != std::string::npos, report.claim.c_str());
    QVERIFY2(report.claim.find("do not overlap") != std::string::npos, report.claim.c_str());
  }

  // Where readers see the same number there is no winner; what differs is judged as before.
  void equalNumbersTie() {
    const auto row = [](const std::string& policy, double f1, double later) {
      PolicyRun run = sample_run(1, policy, 50);
      for (RequestRecord& record : run.records) {
        record.quality = {{"token_f1", f1}};
        record.timing.ttft_service_seconds += later;
      }
      return run;
    };
    const auto claim = [](const std::vector<PolicyRun>& runs) {
      return build_report({{"quality_metric", "token_f1"}}, {}, runs).claim;
    };
    const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    const std::string all = claim({row("lru", 0.96304, 0), row("gdsf", 0.96296, 5), row("lfu", 0.963, 5)});
    QVERIFY2(all.starts_with("Of 3 compared, lru is fastest (mean TTFT "), all.c_str());
    QVERIFY2(says(all, ") and 3 tie for the best token_f1 (0.963); in TTFT, the best 95 % interval overlaps no other"),
             all.c_str());
    QVERIFY2(!says(all, "has the best"), all.c_str());
    const std::string two = claim({row("lru", 0.9, 0), row("gdsf", 0.963, 5), row("lfu", 0.963, 5)});
    QVERIFY2(says(two, " and 2 tie for the best token_f1 (0.963: gdsf, lfu); their 95 % intervals do not overlap"),
             two.c_str());
    const std::string times = claim({row("lru", 0.9, 0), row("gdsf", 0.963, 1e-7)});
    QVERIFY2(times.starts_with("Of 2 compared, 2 tie for the lowest mean TTFT (") &&
                 says(times, " ms) and gdsf has the best token_f1 (mean TTFT ") && !says(times, "fastest"),
             times.c_str());
    const std::string same = claim({row("lru", 0.963, 0), row("gdsf", 0.963, 0)});
    QVERIFY2(same.ends_with(" and 2 tie for the best token_f1 (0.963); there is no difference to judge."),
             same.c_str());
  }

  // One context gives no interval, so nothing is said of intervals that do not overlap.
  void withoutIntervalsNothingIsJudged() {
    PolicyRun fast = sample_run(1, "fast", 50), slow = sample_run(1, "slow", 50);
    for (PolicyRun* run : {&fast, &slow})
      for (RequestRecord& record : run->records) {
        record.context_id = "one";
        record.context = digest_of(record.context_id);
        if (run == &slow) record.timing.ttft_service_seconds += 5;
      }
    const std::string text = build_report({{"quality_metric", "token_f1"}}, {}, {fast, slow}).claim;
    QVERIFY2(text.ends_with("; without 95 % intervals, no difference is judged."), text.c_str());
  }

  // A policy without answers, or one whose run ended early, neither wins nor loses.
  void aPolicyThatDidNotServeIsNotBeaten() {
    PolicyRun lru = sample_run(1, "lru", 50), none, early = sample_run(3, "early", 40);
    none.policy = "none";
    early.unfinished = "stopped";
    for (RequestRecord& record : early.records) record.timing.ttft_service_seconds /= 100;
    const auto claim = [](const std::vector<PolicyRun>& runs) {
      return build_report({{"quality_metric", "token_f1"}}, {}, runs).claim;
    };
    for (const auto& [runs, others] :
         {std::pair{std::vector{lru, none}, "none (no request answered)."},
          std::pair{std::vector{lru, early}, "early (stopped)."},
          std::pair{std::vector{none, lru, early}, "none (no request answered); early (stopped)."}}) {
      const std::string text = claim(runs);
      QVERIFY2(text.starts_with("lru answered ") && text.ends_with(std::string(" Not compared: ") + others) &&
                   text.find("fastest") == std::string::npos && text.find("best") == std::string::npos,
               text.c_str());
    }
    const std::string two = claim({lru, sample_run(2, "gdsf", 50), early});
    QVERIFY2(two.starts_with("Of 2 compared, ") && two.ends_with(" Not compared: early (stopped).") &&
                 two.find("early is fastest") == std::string::npos,
             two.c_str());
    none.unfinished = "stopped";
    QCOMPARE(claim({none, early}), std::string("No policy can be compared. Not compared: none (stopped); early "
                                               "(stopped)."));
    QCOMPARE(claim({none}), std::string("No request was answered. Not complete: none (stopped)."));
    QVERIFY(claim({early}).ends_with(" Not complete: early (stopped)."));
  }

  // The same requests twice: the one that a digit puts ahead is neither faster nor better.
  void noDifferenceIsClaimedWhereNoiseWouldDo() {
    const PolicyRun one = sample_run(1, "lru", 50), again = sample_run(2, "lru (2)", 50);
    const std::string alike = build_report({{"quality_metric", "token_f1"}}, {}, {one, again}).claim;
    QVERIFY2(alike.find("the TTFT difference to lru") != std::string::npos, alike.c_str());
    QVERIFY2(alike.find("the token_f1 difference to lru") != std::string::npos &&
                 alike.find("do not overlap") == std::string::npos,
             alike.c_str());
    // One of several that is far behind in one metric is not among those that do not differ in it.
    PolicyRun slow = sample_run(3, "slow", 50);
    for (RequestRecord& record : slow.records) record.timing.ttft_service_seconds += 5;
    const std::string three = build_report({{"quality_metric", "token_f1"}}, {}, {one, again, slow}).claim;
    const std::size_t ttft = three.find("the TTFT difference to"), quality = three.find("; the token_f1 difference to");
    QVERIFY2(ttft < quality && quality != std::string::npos, three.c_str());
    const std::string of_ttft = three.substr(ttft, quality - ttft);
    QVERIFY2(of_ttft.find("slow") == std::string::npos && of_ttft.find("lru") != std::string::npos, three.c_str());
    QVERIFY2(three.find("slow", quality) != std::string::npos, three.c_str());
  }
};

KV_TEST_GUILESS_MAIN(ReportFiguresTest)

}  // namespace report_figures_test

#include "report_figures_test.moc"
