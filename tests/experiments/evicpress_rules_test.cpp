// links: kv_experiments
// Which runs of evicpress a paper's claim is held against: those of its own rule.
#include "core/experiments/evicpress_rules.h"

#include <QtTest>

#include "core/workload/regimes/regimes.h"
#include "tests/support/test_program.h"

namespace evicpress_rules_test {
using namespace kvantage;

PolicyOutcome run_of(const std::string& policy, double alpha = 1, const std::string& extension = {}) {
  PolicyOutcome run{policy, alpha, 0.1, 1, {}};
  run.extension = extension;
  return run;
}

Outcomes all_of(const std::vector<PolicyOutcome>& runs) {
  Outcomes all;
  for (const PolicyOutcome& run : runs) all.push_back(&run);
  return all;
}

class EvicPressRulesTest : public QObject {
  Q_OBJECT
 private slots:
  void aRuleHasItsName_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("is_papers");
    QTest::newRow("evicpress(quality=raw)") << "section 4.4" << true;
    QTest::newRow("evicpress(drop=absolute,prices=none,quality=raw,start=utility)") << "section 4.4" << true;
    QTest::newRow("evicpress(start=quality,quality=raw)") << "algorithm 1" << true;
    QTest::newRow("evicpress( start = quality , drop= per_byte, quality=raw )")
        << "algorithm 1, drop=per_byte (the authors' code)" << false;
    QTest::newRow("evicpress(replan_requests=4,quality=raw)") << "section 4.4" << true;
    QTest::newRow("evicpress(drop=per_byte,quality=raw)") << "section 4.4, drop=per_byte (the authors' code)" << false;
    QTest::newRow("evicpress") << "section 4.4, pooled qualities (ours)" << false;
    QTest::newRow("evicpress(quality=pooled)") << "section 4.4, pooled qualities (ours)" << false;
    QTest::newRow("evicpress(drop=best)") << "section 4.4, pooled qualities, drop=best (ours)" << false;
    QTest::newRow("evicpress(start=quality,drop=best,quality=raw)") << "algorithm 1, drop=best (ours)" << false;
    QTest::newRow("evicpress(prices=lp)") << "section 4.4, pooled qualities, prices=lp (ours)" << false;
    QTest::newRow("evicpress(drop=per_byte)") << "section 4.4, pooled qualities, drop=per_byte (ours)" << false;
    QTest::newRow("evicpress(drop=per_byte,prices=lp,quality=raw)")
        << "section 4.4, drop=per_byte, prices=lp (ours)" << false;
  }
  void aRuleHasItsName() {
    QFETCH(QString, name);
    QFETCH(bool, is_papers);
    const auto rule = evicpress_rule(QTest::currentDataTag());
    QVERIFY(rule.has_value());
    QCOMPARE(QString::fromStdString(rule->name), name);
    QCOMPARE(rule->is_papers, is_papers);
  }

  // What Controls > Regime applies and `run evicpress-regime` serves is what the claims are held against.
  void theRegimesOfEvicPressHaveThePapersRule() {
    for (const char* name : {"evicpress-regime", "authors-simulator"}) {
      const auto rule = evicpress_rule(std::string(regime_named(name)->policy));
      QVERIFY2(rule && rule->is_papers && rule->name == "section 4.4", name);
    }
  }

  void othersHaveNone() {
    for (const char* policy : {"lru", "adaptcache", "fixed(evicpress,0.5)", "evicpressed", "evicpress("})
      QVERIFY2(!evicpress_rule(policy), policy);
  }

  void runsAreGroupedByRuleAndExtension() {
    std::vector<PolicyOutcome> runs{run_of("lru", 0),
                                    run_of("evicpress(quality=raw)", 1),
                                    run_of("evicpress(drop=best,quality=raw)", 1),
                                    run_of("evicpress(quality=raw)", 2),
                                    run_of("evicpress(drop=best,quality=raw)", 1, codecs_extension),
                                    run_of("evicpress(start=quality,quality=raw)", 1),
                                    run_of("evicpress(drop=best)", 1, compute_or_load_extension)};
    runs.push_back(run_of("evicpress(quality=raw)", 3));
    runs.back().budget_fraction = 0.2;
    const auto rules = by_rule(runs, 0.1);
    QCOMPARE(rules.size(), std::size_t{5});
    QCOMPARE(rules[0].outcomes, (Outcomes{&runs[1], &runs[3]}));
    QVERIFY(rules[0].rule.is_papers);
    QCOMPARE(rules[1].outcomes, (Outcomes{&runs[2]}));
    QCOMPARE(rules[2].rule.name, std::string("section 4.4, drop=best (ours), codecs (EvicPress section 8, extension)"));
    QCOMPARE(rules[3].outcomes, (Outcomes{&runs[5]}));
    QCOMPARE(rules[4].rule.name,
             std::string("section 4.4, pooled qualities, drop=best (ours), codecs (EvicPress section 8, extension), "
                         "compute or load (ours)"));
    QVERIFY(!rules[2].rule.is_papers && !rules[4].rule.is_papers);
    QVERIFY(by_rule(runs, 0.3).empty());
  }

  void thePapersRuleComesFirst() {
    const std::vector<PolicyOutcome> both{
        run_of("evicpress(start=quality,quality=raw)"), run_of("evicpress(quality=raw)"),
        run_of("evicpress(quality=raw)", 1, codecs_extension), run_of("evicpress(drop=best,quality=raw)")};
    QCOMPARE(of_papers_rule(all_of(both)), (Outcomes{&both[1]}));
    QCOMPARE(compared_runs(all_of(both)), (Outcomes{&both[1]}));
    const std::vector<PolicyOutcome> first{run_of("evicpress(drop=best,quality=raw)"),
                                           run_of("evicpress(start=quality,quality=raw)")};
    QCOMPARE(of_papers_rule(all_of(first)), (Outcomes{&first[1]}));
    const std::vector<PolicyOutcome> ours{run_of("evicpress(drop=best,quality=raw)"),
                                          run_of("evicpress(quality=raw)", 1, codecs_extension)};
    QVERIFY(of_papers_rule(all_of(ours)).empty());
    QCOMPARE(compared_runs(all_of(ours)), all_of(ours));
  }

  void aResultNamesTheRule() {
    FigureResult papers, ours, none;
    QVERIFY(name_rule(papers, {run_of("lru"), run_of("evicpress(quality=raw)")}));
    QCOMPARE(papers.settings.at("evicpress").get<std::string>(), std::string("section 4.4"));
    QVERIFY(papers.findings.empty());
    QVERIFY(!name_rule(ours, {run_of("evicpress(prices=lp,quality=raw)")}));
    QCOMPARE(ours.findings, (std::vector<std::string>{no_papers_rule}));
    QVERIFY(!name_rule(none, {run_of("lru")}));
    QVERIFY(none.findings.empty());
  }
};

KV_TEST_APPLESS_MAIN(EvicPressRulesTest)

}  // namespace evicpress_rules_test

#include "evicpress_rules_test.moc"
