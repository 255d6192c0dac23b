// links: kv_experiments
// EvicPress at the paper's scale: bytes, shares and times worked out by hand, lengths against the log-normal, and LRU
// against a search over the whole sequence of requests that is written apart from the product.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/experiments/paper_scale.h"
#include "core/policy/simulate.h"
#include "core/policy/utility.h"
#include "core/ports/tier_config.h"
#include "core/simulator/presets.h"
#include "core/workload/regimes/regime_facts.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace paper_scale_test {

using namespace kvantage;

namespace {

/// 8 bytes a token; keydiff keeps 40 % of the tokens, in 3,240 bytes: a header of 40 bytes comes on top.
ContextState measured_context(std::string id, double raw, double expected) {
  ContextState context;
  context.key = {0, 1 + static_cast<std::uint64_t>(id.back())};
  context.id = std::move(id);
  context.family = "news";
  context.tokens = 1000;
  context.full_bytes = 8000;
  context.placement = {0, "none", 0};  // a session's, which a simulation does not begin with
  context.stored_bytes = 8000;
  context.frequency = 3;
  auto profile = std::make_shared<ContextProfile>();
  profile->points.push_back({"none", 0, 1, 1, 1, 8, 8000, 1000, 0.98});
  profile->points.push_back({"keydiff", 0.6, raw, raw, raw, 8, 3240, 400, expected});
  profile->points.push_back({"kivi4", 0, 0.99, 0.99, 0.99, 8, 2500, 1000, 0.99});
  context.profile = profile;
  return context;
}

Snapshot measured(std::size_t contexts, std::size_t tiers = 3) {
  Snapshot snapshot;
  snapshot.prefill = {0, 2e-3, 0};
  for (std::size_t i = 0; i < contexts; ++i)
    snapshot.contexts.push_back(measured_context(std::string("m") + static_cast<char>('a' + i), 0.9, 0.8));
  for (std::size_t t = 0; t < tiers; ++t)
    snapshot.tiers.push_back({t == 0 ? "dram" : t == 1 ? "ssd" : "remote", 1 << 20, {0, 8e6, 0, 0}, true});
  snapshot.candidates.methods = {"keydiff", "kivi4"};
  snapshot.candidates.fractions = {0.6};
  return snapshot;
}

SimulatedScale scale_of(const PaperScale& scale, const Snapshot& from) {
  auto made = paper_scale(scale, from, {"keydiff"}, 7);
  if (!made) qFatal("%s", made.error().message.c_str());
  return *std::move(made);
}

/// One context of the mean length, 13,175 tokens.
SimulatedScale one_context(std::uint64_t dram_bytes = 80'000'000'000, std::uint64_t ssd_bytes = 800'000'000'000) {
  return scale_of({.contexts = 1, .dram_bytes = dram_bytes, .ssd_bytes = ssd_bytes}, measured(1));
}

PolicySample only_sample(const SimulatedScale& scale, const char* policy) {
  const auto outcomes = simulate_policy(scale, policy, {}, {0});
  if (!outcomes || outcomes->size() != 1 || outcomes->front().samples.size() != 1) qFatal("no single sample");
  return outcomes->front().samples.front();
}

bool close_to(double value, double wanted, double relative = 1e-9) {
  return std::fabs(value - wanted) <= relative * std::fabs(wanted);
}

/// Least recently used over several tiers, by a search through all contexts at each step. A context enters the first
/// tier that could hold it; whoever was asked longest ago moves a tier down.
class SearchedLru {
 public:
  SearchedLru(std::vector<std::uint64_t> budgets, std::vector<std::uint64_t> sizes)
      : budgets_(std::move(budgets)), sizes_(std::move(sizes)), tier_(sizes_.size(), -1), last_(sizes_.size(), 0) {}

  /// The tier that serves it; -1: none.
  int request(std::size_t item) {
    const int served = tier_[item];
    last_[item] = ++now_;
    tier_[item] = -1;
    enter(item, 0);
    return served;
  }

 private:
  void enter(std::size_t item, std::size_t first) {
    for (std::size_t tier = first; tier < budgets_.size(); ++tier) {
      if (sizes_[item] > budgets_[tier]) continue;
      while (used(tier) + static_cast<double>(sizes_[item]) > static_cast<double>(budgets_[tier])) {
        const std::size_t oldest = oldest_in(tier);
        tier_[oldest] = -1;
        enter(oldest, tier + 1);
      }
      tier_[item] = static_cast<int>(tier);
      return;
    }
  }
  double used(std::size_t tier) const {
    double sum = 0;
    for (std::size_t i = 0; i < tier_.size(); ++i)
      if (tier_[i] == static_cast<int>(tier)) sum += static_cast<double>(sizes_[i]);
    return sum;
  }
  std::size_t oldest_in(std::size_t tier) const {
    std::size_t oldest = tier_.size();
    for (std::size_t i = 0; i < tier_.size(); ++i)
      if (tier_[i] == static_cast<int>(tier) && (oldest == tier_.size() || last_[i] < last_[oldest])) oldest = i;
    return oldest;
  }

  std::vector<std::uint64_t> budgets_, sizes_;
  std::vector<int> tier_;
  std::vector<std::uint64_t> last_;
  std::uint64_t now_ = 0;
};

ScaleStudy study_of(SimulatedScale scale) {
  const auto requests = draw_requests(scale.snapshot, 400, 5);
  ScaleStudy study{std::move(scale), {}};
  for (const char* policy : {"full_prefill", "lru", "fixed(keydiff,0.6)", "evicpress(quality=raw)"}) {
    auto outcomes = simulate_policy(study.scale, policy, paper_alphas(study.scale), requests);
    if (!outcomes) qFatal("%s", outcomes.error().message.c_str());
    for (PolicyOutcome& outcome : *outcomes) study.outcomes.push_back(std::move(outcome));
  }
  return study;
}

}  // namespace

class PaperScaleTest : public QObject {
  Q_OBJECT
 private slots:
  // The preset of the simulator has the same published numbers.
  void theNumbersAreThoseOfThePreset() {
    const auto preset = read_preset(test::source_directory() / "resources/presets/qwen3-30b-a3b-evicpress.json");
    QVERIFY2(preset, preset ? "" : preset.error().message.c_str());
    const PaperScale scale;
    QCOMPARE(static_cast<double>(scale.bytes_per_token), preset->bytes_per_token);
    QCOMPARE(scale.prefill_seconds, preset->prefill->seconds_per_token);
    QCOMPARE(scale.dram_seconds, preset->tier("dram")->line.seconds_per_token);
    QCOMPARE(scale.ssd_seconds, preset->tier("ssd")->line.seconds_per_token);
    QCOMPARE(scale.remote_seconds, preset->tier("remote")->line.seconds_per_token);
    QCOMPARE(scale.bytes_per_token, std::uint64_t{2 * 48 * 4 * 128 * 2});
  }

  // (11,586 + 12,311 + 2,741 + 7,526 + 4,885 + 40,003) / 6 = 79,052 / 6.
  void lengthsHaveThePapersMean() {
    QVERIFY(close_to(paper_mean_tokens(), 79'052.0 / 6));
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto lengths = paper_lengths(555, seed);
      double sum = 0;
      for (const int tokens : lengths) sum += tokens;
      QVERIFY2(std::fabs(sum / 555 - 79'052.0 / 6) < 0.5, qPrintable(QString::number(sum / 555)));
    }
    QCOMPARE(paper_lengths(555, 1), paper_lengths(555, 1));
    QVERIFY(paper_lengths(555, 1) != paper_lengths(555, 2));
  }

  // The median of a log-normal is mean / sqrt(1 + variation^2), and 15.87 % are below that / exp(sigma).
  void lengthsAreLogNormalInEachDataSet() {
    constexpr std::size_t count = 60'000;
    std::map<std::size_t, std::vector<double>> datasets;
    const auto lengths = paper_lengths(count, 11);
    for (std::size_t i = 0; i < count; ++i) datasets[i % 6].push_back(lengths[i]);
    for (auto& [index, tokens] : datasets) {
      const PaperDataset& dataset = paper_datasets[index];
      std::ranges::sort(tokens);
      const double spread = std::sqrt(1 + dataset.variation * dataset.variation);
      const double median = dataset.mean_tokens / spread, sigma = std::sqrt(2 * std::log(spread));
      QVERIFY2(close_to(tokens[tokens.size() / 2], median, 0.04), dataset.name);
      QVERIFY2(close_to(tokens[static_cast<std::size_t>(0.1587 * static_cast<double>(tokens.size()))],
                        median * std::exp(-sigma), 0.04),
               dataset.name);
    }
  }

  // 555 contexts of 13,175 1/3 tokens of 98,304 bytes are 718.83 GB, of which 80 GB are 11.129 %.
  void budgetsAreTheRegimesShares() {
    const SimulatedScale scale = scale_of({}, measured(4));
    QCOMPARE(scale.snapshot.contexts.size(), std::size_t{555});
    double bytes = 0;
    for (const ContextState& context : scale.snapshot.contexts) {
      QCOMPARE(context.full_bytes, static_cast<std::uint64_t>(context.tokens) * 98'304);
      bytes += static_cast<double>(context.full_bytes);
    }
    QVERIFY2(close_to(bytes, 718'829'322'240.0, 1e-4), qPrintable(QString::number(bytes, 'g', 15)));
    QVERIFY(std::fabs(first_tier_share(scale) - 0.11129) < 2e-5);
    QCOMPARE(scale.snapshot.tiers[1].budget_bytes, std::uint64_t{800'000'000'000});
    QCOMPARE(scale.snapshot.tiers[2].budget_bytes, TierBudget::unlimited_bytes);
    const auto rows = regime_deviations(*regime_named("evicpress-regime"), scale.snapshot);
    QVERIFY2(is_in_regime(rows), withheld_text(rows).c_str());
    const double ratios[] = {0.0860759, 0.448101, 4.75443};  // 3.40e-6, 1.77e-5, 1.878e-4 / 3.95e-5
    for (std::size_t t = 0; t < 3; ++t) QVERIFY(close_to(rows[3 + t].measured, ratios[t], 1e-5));
  }

  // 40 % of 718.83 GB, ten times that, and no limit: the authors' simulator at the paper's scale.
  void aShareTakesThePlaceOfTheBytes() {
    const SimulatedScale scale = scale_of({.dram_share = 0.4}, measured(4));
    const double bytes = facts_of(scale.snapshot).kv_bytes;
    const auto budget = [&scale](std::size_t tier) {
      return static_cast<double>(scale.snapshot.tiers.at(tier).budget_bytes);
    };
    QVERIFY(close_to(bytes, 718'829'322'240.0, 1e-4));
    QVERIFY(close_to(budget(0), 0.4 * bytes) && close_to(budget(1), 4 * bytes));
    QCOMPARE(scale.snapshot.tiers[2].budget_bytes, TierBudget::unlimited_bytes);
    QVERIFY(is_in_regime(regime_deviations(*regime_named("authors-simulator"), scale.snapshot)));
    // Its rows are held against that regime; those of 80 GB against the paper's.
    const auto title = [](const PaperScale& shown) {
      const ScaleStudy study = study_of(scale_of(shown, measured(4)));
      return figure_paper_scale(*find_paper_figure("evicpress/paper-scale"), study, {}).tables.back().title;
    };
    QCOMPARE(title({.contexts = 60, .dram_share = 0.4}),
             std::string("Regime authors-simulator, and what was simulated"));
    const std::string papers = "Regime evicpress-regime, and what was simulated";
    QCOMPARE(title({.contexts = 60, .dram_share = 0.12}), papers);
    QCOMPARE(title({.contexts = 60, .dram_bytes = 8'600'000'000}), papers);
  }

  void formsKeepTheirShareOfBytesAndTokens() {
    const SimulatedScale scale = one_context();
    const ContextState& context = scale.snapshot.contexts.front();
    QCOMPARE(context.tokens, 13'175);
    QCOMPARE(context.full_bytes, std::uint64_t{1'295'155'200});
    const ProfilePoint* whole = find_point(context, "none", 0);
    const ProfilePoint* form = find_point(context, "keydiff", 0.6);
    QVERIFY(whole != nullptr && form != nullptr && find_point(context, "kivi4", 0) == nullptr);
    QCOMPARE(whole->bytes, std::uint64_t{1'295'155'200});
    QCOMPARE(whole->kept_tokens, 13'175);
    QCOMPARE(form->bytes, std::uint64_t{524'537'856});  // 3,240 of 8,000
    QCOMPARE(form->kept_tokens, 5'270);                 // 400 of 1,000
    QCOMPARE(form->quality, 0.9);
    QCOMPARE(form->expected_quality, 0.8);
  }

  // 13,175 tokens, times the seconds of each tier; a form takes its share of the bytes.
  void hitsTakeTheAuthorsSecondsPerToken_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<double>("dram_bytes");
    QTest::addColumn<double>("ssd_bytes");
    QTest::addColumn<QString>("source");
    QTest::addColumn<double>("seconds");
    QTest::addColumn<double>("quality");
    QTest::newRow("prefill") << "full_prefill" << 80e9 << 800e9 << "prefill" << 0.5204125 << 0.98;
    QTest::newRow("dram") << "lru" << 80e9 << 800e9 << "dram" << 0.044795 << 0.98;
    QTest::newRow("ssd") << "lru" << 1e9 << 800e9 << "ssd" << 0.2331975 << 0.98;
    QTest::newRow("remote, which has no limit") << "lru" << 1e9 << 1e9 << "remote" << 2.474265 << 0.98;
    QTest::newRow("a form in dram") << "fixed(keydiff,0.6)" << 1e9 << 800e9 << "dram" << 0.018141975 << 0.8;
    QTest::newRow("a form on remote") << "fixed(keydiff,0.6)" << 1e8 << 1e8 << "remote" << 1.002077325 << 0.8;
  }
  void hitsTakeTheAuthorsSecondsPerToken() {
    QFETCH(QString, policy);
    QFETCH(double, dram_bytes);
    QFETCH(double, ssd_bytes);
    QFETCH(QString, source);
    QFETCH(double, seconds);
    QFETCH(double, quality);
    const PolicySample sample =
        only_sample(one_context(static_cast<std::uint64_t>(dram_bytes), static_cast<std::uint64_t>(ssd_bytes)),
                    policy.toStdString().c_str());
    QCOMPARE(sample.source, source.toStdString());
    QVERIFY2(close_to(sample.ttft_seconds, seconds, 1e-8), qPrintable(QString::number(sample.ttft_seconds, 'g', 12)));
    QCOMPARE(sample.question_seconds, 0.0);
    QCOMPARE(*sample.quality, quality);
    QCOMPARE(sample.context, std::string("ma"));
  }

  void theRemoteTierHoldsEveryContext() {
    const SimulatedScale scale = scale_of({.dram_bytes = 1, .ssd_bytes = 1}, measured(4));
    const auto outcomes = simulate_policy(scale, "lru", {}, draw_requests(scale.snapshot, 1000, 3));
    QVERIFY(outcomes);
    QCOMPARE(hit_rate(outcomes->front(), "remote"), 1.0);
  }

  void lruIsTheSearchedOne() {
    // About 5, 30 and 100 % of 62 contexts' bytes; the longest contexts are larger than DRAM.
    const SimulatedScale scale =
        scale_of({.contexts = 62, .dram_bytes = 4'000'000'000, .ssd_bytes = 24'000'000'000}, measured(4));
    std::vector<std::uint64_t> sizes, budgets;
    for (const ContextState& context : scale.snapshot.contexts) sizes.push_back(context.full_bytes);
    for (const TierState& tier : scale.snapshot.tiers) budgets.push_back(tier.budget_bytes);
    QVERIFY(*std::ranges::max_element(sizes) > budgets.front());
    SearchedLru searched(budgets, sizes);
    for (std::size_t i = 0; i < sizes.size(); ++i) QCOMPARE(searched.request(i), -1);
    const auto requests = draw_requests(scale.snapshot, 6000, 9);
    const auto outcomes = simulate_policy(scale, "lru", {0.3, 1}, requests);
    QVERIFY(outcomes && outcomes->size() == 1);  // alpha has no effect on it
    std::map<std::string, int> counts;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      const std::string& source = outcomes->front().samples[r].source;
      const int tier = searched.request(requests[r]);
      QVERIFY(tier >= 0);
      if (source != scale.snapshot.tiers[static_cast<std::size_t>(tier)].name)
        QFAIL(qPrintable(QString("request %1 of context %2: %3").arg(r).arg(requests[r]).arg(source.c_str())));
      ++counts[source];
    }
    for (const char* tier : {"dram", "ssd", "remote"}) QVERIFY2(counts[tier] > 100, tier);
  }

  // 555 = 4 * 138 + 3.
  void curvesAreDealtEvenly() {
    const SimulatedScale scale = scale_of({}, measured(4));
    std::map<std::string, int> counts;
    for (std::size_t i = 0; i < scale.curves.size(); ++i) {
      ++counts[scale.curves[i]];
      QVERIFY(scale.snapshot.contexts[i].id.starts_with(scale.curves[i] + "/"));
    }
    QCOMPARE(counts.size(), std::size_t{4});
    for (const auto& [name, count] : counts) QVERIFY2(count == 138 || count == 139, name.c_str());
    QVERIFY(std::ranges::is_sorted(scale.snapshot.contexts, {}, &ContextState::key));
    QCOMPARE(scale_of({}, measured(4)).curves, scale.curves);
    QVERIFY(paper_scale({}, measured(4), {"keydiff"}, 8)->curves != scale.curves);
  }

  void alphasAreMultiplesOfTheMedianRemoteLoad() {
    const SimulatedScale scale = scale_of({}, measured(4));
    auto lengths = paper_lengths(555, 7);
    std::ranges::nth_element(lengths, lengths.begin() + 277);
    const double unit = lengths[277] * 1.878e-4;
    const auto alphas = paper_alphas(scale);
    QCOMPARE(alphas.size(), std::size_t{5});
    const double factors[] = {0.1, 0.3, 1, 3, 10};
    for (std::size_t i = 0; i < 5; ++i) QVERIFY(close_to(alphas[i], factors[i] * unit));
  }

  // The policy plans with the mean over the profile's questions; the sample has the quality expected of others.
  void rawQualitiesArePredictedAndNotServed() {
    const auto outcomes = simulate_policy(one_context(600'000'000), "evicpress(quality=raw)", {0.001}, {0, 0});
    QVERIFY(outcomes && outcomes->size() == 1);
    const PolicySample& sample = outcomes->front().samples.back();
    QCOMPARE(sample.source, std::string("dram"));  // compressed: whole, it is larger
    QCOMPARE(*sample.predicted_quality, 0.9);
    QCOMPARE(*sample.quality, 0.8);
    QCOMPARE(outcomes->front().alpha, 0.001);
  }

  void theSessionsContextsHaveTheSameShares() {
    QVERIFY(!session_scale(measured(4, 2), {"keydiff"}, 0.1));
    QVERIFY(!session_scale(measured(0), {"keydiff"}, 0.1));
    Snapshot from = measured(4);
    from.prefill_at_rest = PrefillModel{0, 1e-3, 0};
    from.hybrid = HybridServing{};
    const auto scale = session_scale(from, {"keydiff"}, 0.1);
    QVERIFY(scale);
    QCOMPARE(scale->snapshot.tiers[0].budget_bytes, std::uint64_t{3200});  // of 4 * 8,000
    QCOMPARE(scale->snapshot.tiers[1].budget_bytes, std::uint64_t{32000});
    QCOMPARE(scale->snapshot.tiers[2].budget_bytes, TierBudget::unlimited_bytes);
    QVERIFY(!scale->snapshot.hybrid);
    QCOMPARE(scale->curves.size(), std::size_t{4});
    QVERIFY(close_to(only_sample(*scale, "full_prefill").ttft_seconds, 1));  // at rest: 1,000 tokens of 1 ms
  }

  void whatIsNotSimulatedIsRefused() {
    const auto impress = simulate_policy(one_context(), "impress(kept=0.5)", {}, {0});
    QVERIFY(!impress && impress.error().code == ErrorCode::usage);
    QVERIFY2(impress.error().message.find("not simulated") != std::string::npos, impress.error().message.c_str());
    Snapshot bare = measured(2);
    for (ContextState& context : bare.contexts) context.profile = nullptr;
    const auto without = paper_scale({}, bare, {"keydiff"}, 1);
    QVERIFY(!without && without.error().code == ErrorCode::usage);
  }

  void theFigureIsSimulatedAndSettlesNothing() {
    const PaperFigure& figure = *find_paper_figure("evicpress/paper-scale");
    const ScaleStudy paper = study_of(scale_of({.contexts = 60, .dram_bytes = 8'600'000'000}, measured(4)));
    const ScaleStudy session = study_of(*session_scale(measured(4), {"keydiff"}, 0.4));
    const FigureResult alone = figure_paper_scale(figure, paper, {});
    const FigureResult result = figure_paper_scale(figure, paper, session);
    QCOMPARE(result.figure, std::string("evicpress/paper-scale"));
    QCOMPARE(result.provenance, Provenance::simulated);
    QVERIFY(result.measured.empty() && result.time_findings.empty() && result.runs.empty());
    QCOMPARE(test::verdict_of(result, "evicpress/ttft-vs-lru"), std::string("none"));
    QCOMPARE(alone.tables.size(), std::size_t{5});  // two of them are bars beside the paper's spans
    QCOMPARE(result.tables.size(), std::size_t{9});
    for (const FigureTable& table : result.tables)
      for (const auto& row : table.rows) QVERIFY2(row.size() == table.columns.size(), table.title.c_str());
    // Of each point, the hits of all sources are all requests.
    const FigureTable& points = result.tables.front();
    QCOMPARE(points.rows.size(), std::size_t{8});  // three policies, and one at five alphas
    for (const auto& row : points.rows) {
      double percent = 0;
      for (std::size_t c = 9; c < 13; ++c) percent += row[c].get<double>();
      QVERIFY(close_to(percent, 100));
      QCOMPARE(row[13].get<int>(), 400);
    }
    QCOMPARE(points.rows.front()[12].get<double>(), 100.0);  // full_prefill
    QVERIFY(std::ranges::any_of(result.findings, [](const std::string& finding) {
      return finding.starts_with("evicpress by section 4.4 at ") && finding.find("over lru") != std::string::npos;
    }));
    // 8.6 and 800 GB of 60 * 13,175 1/3 * 98,304 bytes, 77.7 GB.
    QCOMPARE(result.findings.back(), std::string("paper's scale: dram + ssd holds 1040 % of all KV, uncompressed"));
    QCOMPARE(result.settings.at("simulated contexts").get<int>(), 60);
    QCOMPARE(result.settings.at("quality curves").get<int>(), 4);
  }
};

KV_TEST_GUILESS_MAIN(PaperScaleTest)

}  // namespace paper_scale_test

#include "paper_scale_test.moc"
