// links: kv_experiments
// A removed fraction of 0 changes nothing, on the default model: no token leaves under any scorer and budget, and
// under every scorer 200 questions get the same answers, token by token, from a cache that was kept, stored and read.
#include "tests/compress/asked_contexts.h"
#include "tests/support/test_program.h"

namespace removing_nothing_test {

using namespace kvantage;
using namespace kvantage::test;

class RemovingNothingTest : public QObject {
  Q_OBJECT
  std::unique_ptr<AskedContexts> asked_;

  static void everyScorer() {
    QTest::addColumn<QString>("scorer");
    for (const MethodInfo& info : known_methods())
      QTest::newRow(info.name.c_str()) << QString::fromStdString(info.name);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor ../shared/data holds one");
    asked_ = std::make_unique<AskedContexts>();
    for (const AskedContext& context : asked_->contexts)
      for (const auto& answer : context.answers) QVERIFY(!answer.empty());
  }

  void noTokenLeavesUnderAnyScorerAndBudget_data() { everyScorer(); }
  void noTokenLeavesUnderAnyScorerAndBudget() {
    QFETCH(QString, scorer);
    for (std::size_t c = 0; c < 2; ++c) {
      const AskedContext& context = asked_->contexts[c];
      std::vector<std::int32_t> all(context.tokens.size());
      std::iota(all.begin(), all.end(), 0);
      const auto scores = method_of(scorer.toStdString())->scores(context.cache, context.observed).value();
      const auto known = known_methods();
      const auto info = std::ranges::find(known, scorer.toStdString(), &MethodInfo::name);
      for (const BudgetInfo& budget : known_budgets()) {
        if (refuses(budget.name, *info)) continue;
        const auto method = method_of(budget.name + "(" + scorer.toStdString() + ")");
        for (const auto& layer : method->keep_for(scores, 0))
          for (const auto& head : layer) QCOMPARE(head, all);
      }
    }
  }

  void twoHundredQuestionsGetTheSameAnswers_data() { everyScorer(); }
  void twoHundredQuestionsGetTheSameAnswers() {
    QFETCH(QString, scorer);
    std::vector<std::string> wrong;
    QVERIFY(asked_->ask_all_under(*method_of(scorer.toStdString()), wrong) >= 200);
    QVERIFY2(wrong.empty(), wrong.empty() ? "" : wrong.front().c_str());
  }
};

KV_TEST_GUILESS_MAIN(RemovingNothingTest)

}  // namespace removing_nothing_test

#include "removing_nothing_test.moc"
