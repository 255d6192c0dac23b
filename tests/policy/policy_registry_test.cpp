// links: kv_base
// The text forms of policies: what is understood, what it is called afterwards, what is refused and how.
#include <QtTest>
#include <algorithm>
#include <set>

#include "core/base/random.h"
#include "core/policy/method_text.h"
#include "core/policy/policies.h"
#include "core/policy/policy.h"
#include "core/policy/policy_info.h"
#include "tests/support/test_program.h"

namespace policy_registry_test {

using namespace kvantage;

class PolicyRegistryTest : public QObject {
  Q_OBJECT
 private slots:
  void everyKnownPolicyIsUnderstoodAndKeepsItsName_data() {
    QTest::addColumn<QString>("text");
    for (const std::string& text : known_policies()) QTest::newRow(text.c_str()) << QString::fromStdString(text);
  }
  void everyKnownPolicyIsUnderstoodAndKeepsItsName() {
    QFETCH(QString, text);
    const auto policy = make_policy(text.toStdString());
    QVERIFY(policy.has_value());
    QCOMPARE(QString::fromStdString((*policy)->name()), text);
    const bool optimizes = text.startsWith("evicpress") || text.startsWith("formula") ||
                           text.startsWith("adaptcache") || text == "optimal";
    QCOMPARE((*policy)->uses_alpha(), optimizes);
    QCOMPARE((*policy)->is_planner(), optimizes);
  }
  void namesAreBroughtToOneForm_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("name");
    QTest::newRow("defaults") << "evicpress(start=utility,drop=absolute,replan_requests=16)"
                              << "evicpress";
    QTest::newRow("empty arguments") << "lru"
                                     << "lru";
    QTest::newRow("nested method") << "fixed(adakv(snapkv,window=16)+kivi4,0.30)"
                                   << "fixed(adakv(snapkv,window=16)+kivi4,0.3)";
    QTest::newRow("order of options") << "evicpress(drop=best,start=quality)"
                                      << "evicpress(start=quality,drop=best)";
    QTest::newRow("eviction of a form") << "fixed(knorm,0.5,eviction=lfu)"
                                        << "fixed(knorm,0.5,eviction=lfu)";
    QTest::newRow("default eviction of a form") << "fixed(knorm,0.5,eviction=lru)"
                                                << "fixed(knorm,0.5)";
    QTest::newRow("adaptcache, default") << "adaptcache(quality=dataset,utility=described,pool=session)"
                                         << "adaptcache";
    QTest::newRow("adaptcache, unusual") << "adaptcache(pool=paper,quality=context,utility=printed)"
                                         << "adaptcache(utility=printed,quality=context,pool=paper)";
    QTest::newRow("impress, default") << "impress"
                                      << "impress(kept=0.5)";
    QTest::newRow("impress, unusual") << "impress(probes=2,chunk=32,kept=0.30)"
                                      << "impress(kept=0.3,chunk=32,probes=2)";
    QTest::newRow("important fraction, default") << "important_fraction"
                                                 << "important_fraction(kept=0.5)";
    QTest::newRow("important fraction, unusual") << "important_fraction(method=impress(snapkv),kept=0.30)"
                                                 << "important_fraction(kept=0.3,method=impress(snapkv))";
    QTest::newRow("optimal") << "optimal(replan_requests=16)"
                             << "optimal";
    QTest::newRow("interval") << "evicpress(replan_requests=0)"
                              << "evicpress(replan_requests=0)";
    if (find_policy_info("formula") != nullptr)
      QTest::newRow("formula") << "formula(max(alpha*quality,ttft<=1 ? 1 : 2),quality=raw,drop=absolute)"
                               << "formula(max(alpha*quality,ttft<=1 ? 1 : 2),quality=raw)";
  }
  void namesAreBroughtToOneForm() {
    QFETCH(QString, text);
    QFETCH(QString, name);
    const auto policy = make_policy(text.toStdString());
    QVERIFY2(policy.has_value(), policy ? "" : policy.error().message.c_str());
    QCOMPARE(QString::fromStdString((*policy)->name()), name);
    QCOMPARE((*make_policy((*policy)->name()))->name(), (*policy)->name());
  }
  void oneFormForAllIsRead() {
    QVERIFY(!read_fixed("lru") && !read_fixed("evicpress") && !read_fixed("fixed(knorm)"));
    const auto fixed = read_fixed("fixed(adakv(snapkv,safeguard=10),0.30,eviction=gdsf)");
    QVERIFY(fixed.has_value());
    QCOMPARE(fixed->method, std::string("adakv(snapkv,safeguard=10)"));
    QCOMPARE(fixed->removed_fraction, 0.3);
    QCOMPARE(fixed->eviction, std::string("gdsf"));
    QCOMPARE(read_fixed("fixed(none,0)")->eviction, std::string("lru"));
  }
  void nonsenseIsAUsageError_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("near miss") << "evicpres"
                               << "did you mean 'evicpress'";
    QTest::newRow("nothing near") << "belady-optimal"
                                  << "choose one of full_prefill";
    QTest::newRow("empty") << ""
                           << "unknown policy ''; choose one of";
    QTest::newRow("a bound") << "lp_bound"
                             << "lp_gap";
    QTest::newRow("missing arguments") << "fixed"
                                       << "fixed(METHOD";
    QTest::newRow("missing fraction") << "fixed(knorm)"
                                      << "fixed(METHOD";
    QTest::newRow("fraction of one") << "fixed(knorm,1)"
                                     << "removed fraction";
    QTest::newRow("fraction in words") << "fixed(knorm,half)"
                                       << "removed fraction";
    QTest::newRow("fraction not a number") << "fixed(knorm,nan)"
                                           << "removed fraction";
    QTest::newRow("bad method") << "fixed(knorm(,0.5)"
                                << "parentheses";
    QTest::newRow("empty method") << "fixed(,0.5)"
                                  << "method";
    QTest::newRow("open") << "fixed(knorm,0.5"
                          << "ends without ')'";
    QTest::newRow("tail") << "fixed(knorm,0.5)x"
                          << "ends without ')'";
    QTest::newRow("unbalanced") << "fixed(a)b),0.5)"
                                << "parentheses";
    QTest::newRow("arguments where none belong") << "lru(2)"
                                                 << "lru";
    QTest::newRow("unknown option") << "evicpress(begin=utility)"
                                    << "start=utility";
    QTest::newRow("unknown value") << "evicpress(start=speed)"
                                   << "unknown start 'speed'; choose one of utility, quality";
    QTest::newRow("negative interval") << "evicpress(replan_requests=-1)"
                                       << "replan_requests";
    QTest::newRow("unknown eviction") << "fixed(knorm,0.5,eviction=mru)"
                                      << "unknown eviction 'mru'; did you mean 'lru'?";
    QTest::newRow("eviction without a name") << "fixed(knorm,0.5,lfu)"
                                             << "eviction=lru|lfu";
    QTest::newRow("unknown reading") << "adaptcache(utility=paper)"
                                     << "unknown utility 'paper'; choose one of described, printed";
    QTest::newRow("nothing kept") << "impress(kept=0)"
                                  << "kept=0.5 keeps half";
    QTest::newRow("more than all kept") << "impress(kept=1.1)"
                                        << "kept=0.5 keeps half";
    QTest::newRow("kept of nothing") << "impress(0.5)"
                                     << "impress(kept=";
    QTest::newRow("impress as it was") << "impress(kept=0.5,method=snapkv)"
                                       << "write important_fraction(kept=0.5,method=snapkv)";
    QTest::newRow("no chunk") << "impress(chunk=0)"
                              << "chunk";
    QTest::newRow("no probe") << "impress(probes=0)"
                              << "probes";
    QTest::newRow("nothing kept of a fraction") << "important_fraction(kept=0)"
                                                << "kept=0.5 keeps half";
    QTest::newRow("bad method of a fraction") << "important_fraction(method=snapkv+)"
                                              << "method";
    QTest::newRow("option twice") << "evicpress(start=utility,start=quality)"
                                  << "option 'start' is given twice; give it once";
    QTest::newRow("option twice, apart") << "evicpress(prices=lp,drop=best,prices=lp)"
                                         << "'prices' is given twice";
    QTest::newRow("kept twice") << "important_fraction(kept=0.5,method=snapkv(window=8),kept=0.4)"
                                << "'kept' is given twice";
    QTest::newRow("no option") << "evicpress()"
                               << "start=utility";
  }
  void nonsenseIsAUsageError() {
    QFETCH(QString, text);
    QFETCH(QString, mentions);
    const auto policy = make_policy(text.toStdString());
    QVERIFY(!policy.has_value());
    QCOMPARE(policy.error().code, ErrorCode::usage);
    QVERIFY2(policy.error().message.find(mentions.toStdString()) != std::string::npos, policy.error().message.c_str());
  }
  void everyPolicyIsDescribedByItsForm() {
    std::set<std::string> described;
    for (const PolicyInfo& info : policy_infos()) {
      QVERIFY(described.insert(std::string(info.name)).second);
      QVERIFY(!info.summary.empty() && !info.source.empty());
      if (info.name == "fixed" || info.name == "formula") continue;  // METHOD is no method, EXPRESSION no formula
      const auto policy = make_policy(info.form());
      QVERIFY2(policy.has_value(), policy ? "" : policy.error().message.c_str());
      // The form gives the defaults.
      if (const auto bare = make_policy(info.name)) QCOMPARE((*policy)->name(), (*bare)->name());
    }
    for (const std::string& text : known_policies()) QVERIFY(described.contains(text.substr(0, text.find('('))));
  }
  void traitsAreThoseOfTheRows() {
    std::set<std::string> storing_nothing, slow_to_plan;
    for (const PolicyInfo& info : policy_infos()) {
      if (!info.traits.stores) storing_nothing.insert(info.name);
      if (!info.traits.plans_at_scale) slow_to_plan.insert(info.name);
      const EvictionOrderInfo* order = find_eviction_order(info.name);
      QCOMPARE(info.traits.eviction_order, order != nullptr && order->is_policy ? info.name : std::string());
      if (info.traits.eviction_parameter.empty()) continue;
      const auto names_order = std::ranges::find(info.parameters, info.traits.eviction_parameter, &ParameterInfo::key);
      QVERIFY(names_order != info.parameters.end());
      QVERIFY(find_eviction_order(names_order->default_value) != nullptr);
    }
    QVERIFY(storing_nothing == std::set<std::string>{"full_prefill"});
    QVERIFY(slow_to_plan == std::set<std::string>{"optimal"});
    QCOMPARE(find_policy_info("fixed")->traits.eviction_parameter, std::string("eviction"));
  }
  void anyTextIsAnsweredWithoutHarm() {
    const std::string letters = "fixed(,)0.5snapkv+=evicpress_ ";
    Random random(41);
    for (int i = 0; i < 50'000; ++i) {
      std::string text = i % 2 == 0 ? "fixed(" : "";
      for (auto n = random.below(20); n > 0; --n) text += letters[random.below(letters.size())];
      const auto policy = make_policy(text);
      if (policy) QVERIFY(make_policy((*policy)->name()).has_value());
      static_cast<void>(check_method_text(text));
    }
    QVERIFY(!check_method_text(std::string(100'000, '(')).has_value());
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "a(";
    QVERIFY(!check_method_text(deep).has_value());
  }
};

KV_TEST_GUILESS_MAIN(PolicyRegistryTest)

}  // namespace policy_registry_test

#include "policy_registry_test.moc"
