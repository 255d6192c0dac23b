// links: kv_experiments
// A removed fraction of 0 changes nothing, on the default model: 200 questions get the same answers, token by token,
// under every budget and from pools of every page size. Scorers: removing_nothing_test.cpp.
#include "tests/compress/asked_contexts.h"
#include "tests/support/test_program.h"

namespace removing_nothing_budgets_test {

using namespace kvantage;
using namespace kvantage::test;

class RemovingNothingBudgetsTest : public QObject {
  Q_OBJECT
  std::unique_ptr<AskedContexts> asked_;

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor ../shared/data holds one");
    asked_ = std::make_unique<AskedContexts>();
  }

  void twoHundredQuestionsGetTheSameAnswers_data() {
    QTest::addColumn<QString>("text");
    for (const BudgetInfo& info : known_budgets()) {
      const std::string text = info.name + (info.name == "rerotate" ? "(streaming_llm)"
                                            : info.name == "block"  ? "(keydiff)"
                                                                    : "(snapkv)");
      QTest::newRow(text.c_str()) << QString::fromStdString(text);
    }
  }
  void twoHundredQuestionsGetTheSameAnswers() {
    QFETCH(QString, text);
    std::vector<std::string> wrong;
    QVERIFY(asked_->ask_all_under(*method_of(text.toStdString()), wrong) >= 200);
    QVERIFY2(wrong.empty(), wrong.empty() ? "" : wrong.front().c_str());
  }

  /// Sixteen tokens each, whether the model would stop before or not.
  void anyPageSizeAnswersTwoHundredQuestionsTheSame() {
    constexpr int tokens = 16;
    std::vector<std::vector<std::int32_t>> expected;  // from pages of 32
    QCOMPARE(asked_->runtime->pool->block_tokens(), 32);
    for (const AskedContext& context : asked_->contexts)
      for (const auto& question : context.questions)
        expected.push_back(asked_->answer(context.cache, question, tokens));
    QVERIFY(expected.size() >= 200);
    for (const int page : {8, 16, 64, 128}) {
      std::size_t next = 0;
      for (const AskedContext& context : asked_->contexts) {
        BlockPool pool(context.cache.shape(), page, std::size_t{64} << 20);
        KvCache cache(pool);
        asked_->prefill(cache, context.tokens);
        for (const auto& question : context.questions) {
          const auto answer = asked_->answer(cache, question, tokens);
          QCOMPARE(answer.size(), std::size_t{tokens});
          QVERIFY2(answer == expected[next++],
                   qPrintable(QStringLiteral("pages of %1, question %2").arg(page).arg(next)));
        }
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(RemovingNothingBudgetsTest)

}  // namespace removing_nothing_budgets_test

#include "removing_nothing_budgets_test.moc"
