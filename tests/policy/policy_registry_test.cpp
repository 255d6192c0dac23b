// links: kv_base
// The text forms of policies: what is understood, what it is called afterwards, what is refused and how.
#include <QtTest>

#include "core/base/random.h"
#include "core/policy/method_text.h"
#include "core/policy/policy.h"

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
    QCOMPARE((*policy)->knows_alpha(), text.startsWith("evicpress"));
    QCOMPARE((*policy)->plans(), text.startsWith("evicpress"));
  }
  void namesAreBroughtToOneForm_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("name");
    QTest::newRow("defaults") << "evicpress(start=utility,drop=absolute,replan_requests=16)" << "evicpress";
    QTest::newRow("empty arguments") << "lru" << "lru";
    QTest::newRow("nested method") << "fixed(adakv(snapkv,window=16)+kivi4,0.30)" << "fixed(adakv(snapkv,window=16)+kivi4,0.3)";
    QTest::newRow("order of options") << "evicpress(drop=best,start=quality)" << "evicpress(start=quality,drop=best)";
    QTest::newRow("interval") << "evicpress(replan_requests=0)" << "evicpress(replan_requests=0)";
  }
  void namesAreBroughtToOneForm() {
    QFETCH(QString, text);
    QFETCH(QString, name);
    const auto policy = make_policy(text.toStdString());
    QVERIFY2(policy.has_value(), policy ? "" : policy.error().message.c_str());
    QCOMPARE(QString::fromStdString((*policy)->name()), name);
    QCOMPARE((*make_policy((*policy)->name()))->name(), (*policy)->name());
  }
  void nonsenseIsAUsageError_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("near miss") << "evicpres" << "did you mean 'evicpress'";
    QTest::newRow("nothing near") << "belady-optimal" << "choose one of full_prefill";
    QTest::newRow("empty") << "" << "not known";
    QTest::newRow("missing arguments") << "fixed" << "fixed(METHOD";
    QTest::newRow("missing fraction") << "fixed(knorm)" << "fixed(METHOD";
    QTest::newRow("fraction of one") << "fixed(knorm,1)" << "removed fraction";
    QTest::newRow("fraction in words") << "fixed(knorm,half)" << "removed fraction";
    QTest::newRow("fraction not a number") << "fixed(knorm,nan)" << "removed fraction";
    QTest::newRow("bad method") << "fixed(knorm(,0.5)" << "parentheses";
    QTest::newRow("empty method") << "fixed(,0.5)" << "method";
    QTest::newRow("open") << "fixed(knorm,0.5" << "ends without ')'";
    QTest::newRow("tail") << "fixed(knorm,0.5)x" << "ends without ')'";
    QTest::newRow("unbalanced") << "fixed(a)b),0.5)" << "parentheses";
    QTest::newRow("arguments where none belong") << "lru(2)" << "lru";
    QTest::newRow("unknown option") << "evicpress(begin=utility)" << "start=utility";
    QTest::newRow("unknown value") << "evicpress(start=speed)" << "start=utility";
    QTest::newRow("negative interval") << "evicpress(replan_requests=-1)" << "replan_requests";
    QTest::newRow("no option") << "evicpress()" << "start=utility";
  }
  void nonsenseIsAUsageError() {
    QFETCH(QString, text);
    QFETCH(QString, mentions);
    const auto policy = make_policy(text.toStdString());
    QVERIFY(!policy.has_value());
    QCOMPARE(policy.error().code, ErrorCode::usage);
    QVERIFY2(policy.error().message.find(mentions.toStdString()) != std::string::npos, policy.error().message.c_str());
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

QTEST_GUILESS_MAIN(PolicyRegistryTest)
#include "policy_registry_test.moc"
