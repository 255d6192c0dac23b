// links: kv_base kv_tiers
// The papers' regimes: their numbers against the sources, what they make of a machine, and when a session is in one.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/workload/presets.h"
#include "core/workload/regimes/regime_facts.h"
#include "tests/support/test_program.h"
#include "tests/support/three_contexts.h"
#include "tiers/kinds/tier_text.h"

namespace regimes_test {

using namespace kvantage;

namespace {

const Regime& regime(const char* name) { return **find_regime(name); }

bool near(double value, double wanted, double share = 1e-9) {
  return std::abs(value - wanted) <= share * std::abs(wanted);
}

Snapshot machine() { return test::three_contexts(); }

/// The machine within the regime: each load / prefill and each budget as it should be, but for these factors of SSD's.
Snapshot machine_in(const Regime& regime, double ssd_load_factor = 1, double ssd_budget_factor = 1) {
  Snapshot snapshot = machine();
  for (const RegimeTier& tier : regime.tiers) {
    const bool ssd = tier.name == "ssd";
    const double load = tier.load_per_prefill * (ssd ? ssd_load_factor : 1) * 0.33;
    const double budget = regime.preset_percent / 100 * tier.times_first * 18e6 * (ssd ? ssd_budget_factor : 1);
    snapshot.tiers.push_back({std::string(tier.name),
                              tier.times_first > 0 ? static_cast<std::uint64_t>(std::llround(budget))
                                                   : std::numeric_limits<std::uint64_t>::max(),
                              {0, 18e6 / load, 0, 0},
                              true});
  }
  return snapshot;
}

const RegimeDeviation* row(const std::vector<RegimeDeviation>& rows, const char* what) {
  const auto found = std::ranges::find(rows, what, &RegimeDeviation::what);
  return found == rows.end() ? nullptr : &*found;
}

void each_regime() {
  QTest::addColumn<QString>("name");
  for (const Regime& one : paper_regimes()) QTest::newRow(std::string(one.name).c_str()) << QString::fromUtf8(one.name);
}

}  // namespace

class RegimesTest : public QObject {
  Q_OBJECT

 private slots:
  void loadsAreThoseOfTheAuthorsCoefficients() {
    const Regime& evicpress = regime("evicpress-regime");
    const double prefill = 3.95e-5;  // seconds a token
    const double loads[] = {3.40e-6, 1.77e-5, 1.878e-4};
    for (std::size_t t = 0; t < 3; ++t)
      QVERIFY2(near(evicpress.tiers[t].load_per_prefill, loads[t] / prefill, 0.05),
               std::string(evicpress.tiers[t].name).c_str());
    const Regime& adaptcache = regime("adaptcache-regime");
    QVERIFY(near(adaptcache.tiers[0].load_per_prefill, 8.547e-6 / 1.179e-4, 0.05));
    // 131,072 bytes a token at the paper's 1 GB/s; the paper has one TTFT for both.
    QVERIFY(near(131072 / 1e9 / 1.179e-4, 1.11, 0.01));
    QCOMPARE(adaptcache.tiers[1].load_per_prefill, 1.0);
  }

  // 555 contexts of table 1's mean length in 80 GB.
  void budgetsAreThoseOfThePapersMachine() {
    const double tokens = 555 * (11586 + 12311 + 2741 + 7526 + 4885 + 40003) / 6.0;
    const double bytes_per_token[] = {524288, 196608, 131072, 98304};  // LongChat, Qwen2.5-14B, Llama-3.1-8B, Qwen3-30B
    const std::vector<double>& percents = regime("evicpress-regime").first_percents;
    QCOMPARE(percents.size(), std::size_t{4});
    for (std::size_t i = 0; i < 4; ++i) {
      const double percent = 100 * 80e9 / (tokens * bytes_per_token[i]);
      QVERIFY2(std::abs(percents[i] - percent) < 0.6, qPrintable(QString::number(percent)));
    }
    QCOMPARE(regime("evicpress-regime").tiers[1].times_first, 800.0 / 80);
    QCOMPARE(regime("adaptcache-regime").tiers[1].times_first, 400.0 / 100);
    QCOMPARE(regime("authors-simulator").first_percents, std::vector<double>{40});
  }

  void everyRegimeIsWhole_data() { each_regime(); }
  void everyRegimeIsWhole() {
    QFETCH(QString, name);
    const Regime& one = **find_regime(name.toStdString());
    QVERIFY(!one.paper.empty() && one.description.size() > 20 && one.description.size() < 160);
    QVERIFY(std::ranges::count(one.first_percents, one.preset_percent) == 1);
    QVERIFY(std::ranges::is_sorted(one.alpha_factors) && one.sources.size() >= 6);
    for (const RegimeSource& source : one.sources) QVERIFY(!source.number.empty() && !source.source.empty());
    for (const double percent : one.first_percents) {
      const auto tiers = parse_tiers(tier_texts(one, percent));
      QVERIFY2(tiers, tiers ? "" : tiers.error().message.c_str());
      QCOMPARE(tiers->size(), one.tiers.size());
      for (std::size_t t = 0; t < tiers->size(); ++t) {
        const TierConfig& tier = (*tiers)[t];
        QCOMPARE(tier.name, std::string(one.tiers[t].name));
        QCOMPARE(tier.throttle.load_per_prefill, one.tiers[t].load_per_prefill);
        QCOMPARE(tier.budget.is_unlimited(), one.tiers[t].times_first == 0);
        if (!tier.budget.is_unlimited()) QVERIFY(near(tier.budget.percent(), percent * one.tiers[t].times_first));
      }
    }
  }

  void tiersAreWrittenAsText() {
    QCOMPARE(tier_texts(regime("evicpress-regime"), 11),
             (std::vector<std::string>{"dram=11%,bandwidth=prefill/0.09", "ssd=110%,bandwidth=prefill/0.45",
                                       "remote=unlimited,bandwidth=prefill/4.75"}));
    QCOMPARE(tier_texts(regime("adaptcache-regime"), 5),
             (std::vector<std::string>{"dram=5%,bandwidth=prefill/0.07", "ssd=20%,bandwidth=prefill/1"}));
  }

  void namesAreFound() {
    const auto unknown = find_regime("evicpres-regime");
    QVERIFY(regime_named("evicpress-regime") == &regime("evicpress-regime") && regime_named("evicpress") == nullptr);
    for (const char* name : {"adaptcache-regime", "adaptcache-regime-code", "adaptcache-regime-tasks"})
      QVERIFY(regime_of_workload(name) == &regime("adaptcache-regime"));
    for (const char* name : {"adaptcache", "adaptcache-regimes", "my-adaptcache-regime", "evicpress-regime-code",
                             "adaptcache-regime-", "adaptcache-regime-code-2", ""})
      QVERIFY2(regime_of_workload(name) == nullptr, name);
    // The presets in a regime are those of the papers' tiers.
    for (const WorkloadPreset& preset : workload_presets()) {
      const Regime* in = regime_of_workload(preset.options.name);
      const bool has_its_tiers = std::ranges::any_of(paper_regimes(), [&](const Regime& one) {
        return preset.session.tiers == tier_texts(one, one.preset_percent);
      });
      QCOMPARE(in != nullptr, has_its_tiers);
      if (in != nullptr) QCOMPARE(preset.session.tiers, tier_texts(*in, in->preset_percent));
    }
    QVERIFY(!unknown && unknown.error().message.find("'evicpress-regime'") != std::string::npos);
    const auto far = find_regime("x");
    QVERIFY(!far && far.error().message.find("choose from evicpress-regime, authors-simulator, adaptcache-regime") !=
                        std::string::npos);
  }

  void factsAreOfAllContexts() {
    const RegimeFacts facts = facts_of(machine());
    QCOMPARE(facts.contexts, 3.0);
    QCOMPARE(facts.kv_bytes, 18e6);
    QCOMPARE(facts.tokens, 6000.0);
    QVERIFY(near(facts.prefill_seconds, 0.33));
    QCOMPARE(facts.median_kv_bytes, 6e6);
    QVERIFY(near(facts.median_prefill_seconds, 0.11));
    QCOMPARE(facts.bytes_per_token(), 3000.0);
    QVERIFY(near(facts.prefill_seconds_per_token(), 5.5e-5));
  }

  void aSessionIsWorkedOutByHand() {
    const RegimeFacts facts = facts_of(machine());
    const auto evicpress = session_in(regime("evicpress-regime"), facts);
    QVERIFY(evicpress);
    // The middle context from the remote tier: 4.75 * 330 ms * 6 / 18.
    const double median = 0.5225;
    QCOMPARE(evicpress->alphas.size(), std::size_t{5});
    for (std::size_t i = 0; i < 5; ++i)
      QVERIFY(near(evicpress->alphas[i], median * std::vector<double>{0.1, 0.3, 1, 3, 10}[i]));
    QCOMPARE(evicpress->requests_per_second, 0.0);

    const auto adaptcache = session_in(regime("adaptcache-regime"), facts);
    QVERIFY(adaptcache);
    for (std::size_t i = 0; i < 4; ++i)
      QVERIFY(near(adaptcache->alphas[i], 0.11 * std::vector{0.1, 1.0, 2.0, 10.0}[i]));
    QVERIFY(near(adaptcache->requests_per_second, 0.5 / 0.11));
  }

  void aSessionNeedsFacts() {
    const auto nothing = session_in(regime("evicpress-regime"), facts_of(Snapshot{}));
    QVERIFY(!nothing && nothing.error().code == ErrorCode::usage);
    QVERIFY(nothing.error().message.find("open a session on a workload first") != std::string::npos);
    Snapshot untimed = machine();
    untimed.prefill = {};
    QVERIFY(!session_in(regime("evicpress-regime"), facts_of(untimed)));
  }

  void whatIsAsItShouldBeIsInTheRegime_data() { each_regime(); }
  void whatIsAsItShouldBeIsInTheRegime() {
    QFETCH(QString, name);
    const Regime& one = **find_regime(name.toStdString());
    const auto rows = regime_deviations(one, machine_in(one));
    QCOMPARE(rows.size(), 2 * one.tiers.size());
    for (const RegimeDeviation& each : rows)
      QVERIFY2(each.holds && std::abs(each.off_percent) < 1e-3, each.what.c_str());
    QVERIFY(is_in_regime(rows));
    QVERIFY(withheld_text(rows).empty());
  }

  void aTenthIsTheBound_data() {
    QTest::addColumn<double>("factor");
    QTest::addColumn<bool>("holds");
    for (const double factor : {0.91, 1.0, 1.09, 1.1}) QTest::addRow("%g", factor) << factor << true;
    for (const double factor : {0.89, 1.11, 2.0}) QTest::addRow("%g", factor) << factor << false;
  }
  void aTenthIsTheBound() {
    QFETCH(double, factor);
    QFETCH(bool, holds);
    const Regime& one = regime("evicpress-regime");
    const auto loads = regime_deviations(one, machine_in(one, factor));
    const RegimeDeviation* load = row(loads, "load / prefill, ssd");
    QVERIFY(load != nullptr && load->wanted == 0.45 && near(load->measured, 0.45 * factor));
    QVERIFY(std::abs(load->off_percent - 100 * (factor - 1)) < 1e-6);
    QCOMPARE(load->holds, holds);
    QCOMPARE(is_in_regime(loads), holds);

    const auto budgets = regime_deviations(one, machine_in(one, 1, factor));
    const RegimeDeviation* budget = row(budgets, "budget in % of KV, ssd");
    QVERIFY(budget != nullptr && budget->wanted == 20 && near(budget->measured, 20 * factor));
    QCOMPARE(budget->holds, holds);
    QCOMPARE(is_in_regime(budgets), holds);
  }

  void latencyAndUnpackingAreLoads() {
    const Regime& one = regime("evicpress-regime");
    Snapshot snapshot = machine_in(one);
    snapshot.tiers[0].model.latency_seconds = 0.11 * 0.09 * 0.33 / 3;  // of three contexts: 11 % more
    QVERIFY(near(row(regime_deviations(one, snapshot), "load / prefill, dram")->off_percent, 11, 1e-6));
    snapshot.tiers[0].model = {0, snapshot.tiers[0].model.bytes_per_second, 0.09 * 0.09 * 0.33 / 6000, 0};
    const auto rows = regime_deviations(one, snapshot);
    QVERIFY(near(row(rows, "load / prefill, dram")->off_percent, 9, 1e-6) && is_in_regime(rows));
  }

  void theFastestTierMayHaveAnyOfTheBudgets() {
    const Regime& one = regime("evicpress-regime");
    for (const double percent : one.first_percents) {
      Snapshot snapshot = machine_in(one);
      snapshot.tiers[0].budget_bytes = static_cast<std::uint64_t>(std::llround(percent * 180'000));
      snapshot.tiers[1].budget_bytes = 10 * snapshot.tiers[0].budget_bytes;
      QVERIFY2(is_in_regime(regime_deviations(one, snapshot)), qPrintable(QString::number(percent)));
    }
    Snapshot between = machine_in(one);
    between.tiers[0].budget_bytes = 3 * 180'000;
    QVERIFY(!row(regime_deviations(one, between), "budget in % of KV, dram")->holds);
  }

  void aVerdictIsWithheldInWords() {
    const Regime& one = regime("evicpress-regime");
    QCOMPARE(withheld_text(regime_deviations(one, machine_in(one, 1.12))),
             std::string("no verdict: load / prefill, ssd is 0.504, 12.0 % off the regime's 0.45"));
    Snapshot limited = machine_in(one, 0.8);
    limited.tiers[2].budget_bytes = 90'000'000;
    const auto rows = regime_deviations(one, limited);
    QCOMPARE(withheld_text(rows), std::string("no verdict: budget in % of KV, remote is 500, not unlimited; load / "
                                              "prefill, ssd is 0.36, 20.0 % off the regime's 0.45"));
    Snapshot fewer = machine_in(one);
    fewer.tiers.pop_back();
    const auto missing = regime_deviations(one, fewer);
    QCOMPARE(missing.size(), std::size_t{1});
    QVERIFY(!is_in_regime(missing) && missing[0].wanted == 3 && missing[0].measured == 2);
    QVERIFY(!is_in_regime({}));
    Snapshot empty = machine_in(one);
    empty.contexts.clear();
    QVERIFY(!is_in_regime(regime_deviations(one, empty)));
  }

  // A session in no regime is shown beside one by what both have.
  void anotherNumberOfTiersLeavesWhatBothHave() {
    const Regime& one = regime("evicpress-regime");
    QCOMPARE(shared_deviations(one, machine_in(one, 1.12)), regime_deviations(one, machine_in(one, 1.12)));
    Snapshot fewer = machine_in(one, 2);
    fewer.tiers.pop_back();
    const auto rows = shared_deviations(one, fewer);
    QCOMPARE(rows.size(), std::size_t{5});
    QVERIFY(rows[0].what == tiers_row && rows[0].wanted == 3 && rows[0].measured == 2 && !rows[0].holds);
    QVERIFY(row(rows, "budget in % of KV, dram")->holds && row(rows, "load / prefill, dram")->holds);
    QVERIFY(near(row(rows, "load / prefill, ssd")->measured, 0.9) && !row(rows, "load / prefill, ssd")->holds);
    QVERIFY(row(rows, "load / prefill, remote") == nullptr);
    Snapshot more = machine_in(one);
    more.tiers.push_back(more.tiers.back());
    QCOMPARE(shared_deviations(one, more).size(), std::size_t{7});
    QCOMPARE(shared_deviations(one, machine()).size(), std::size_t{1});  // no tier at all
  }

  void presetsAreTheRegimes_data() { each_regime(); }
  void presetsAreTheRegimes() {
    QFETCH(QString, name);
    const Regime& one = **find_regime(name.toStdString());
    const auto preset = find_workload_preset(name.toStdString());
    QVERIFY(preset && !(*preset)->is_sample);
    const SessionStart& session = (*preset)->session;
    QCOMPARE(session.tiers, tier_texts(one, one.preset_percent));
    QCOMPARE(session.policy, std::string(one.policy));
    QCOMPARE(session.methods.size(), one.methods.size());
    QCOMPARE(session.removed_fractions, one.removed_fractions);
    QVERIFY(!session.reprofile);
    QCOMPARE(session.compute_or_load, std::string("off"));  // as figures serve it
    const ArrivalProcess& arrivals = (*preset)->options.arrivals;
    QCOMPARE(arrivals.zipf_exponent, 0.0);
    QCOMPARE(arrivals.each_context_first, one.each_context_first);
    QCOMPARE(arrivals.requests_per_second > 0, one.requests_per_prefill > 0);
    const auto workload = make_workload((*preset)->options), first = make_workload(workload_presets().back().options);
    QVERIFY(workload && first);
    QCOMPARE(workload->contexts.size(), std::size_t{54});
    QVERIFY(workload->digest() == first->digest());  // one set of quality curves
    QVERIFY(workload->arrivals.requests > 2 * workload->contexts.size());
  }
};

KV_TEST_APPLESS_MAIN(RegimesTest)

}  // namespace regimes_test

#include "regimes_test.moc"
