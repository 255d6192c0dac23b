// links: core_store tiers
// A request from its first step to its last: what its record says does not depend on where its answer ends.
#include <QtTest>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace request_task_test {

using namespace kvantage;
using namespace kvantage::test;

class RequestTaskTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // The first token ends an answer of one token, and then the question is no longer in the cache.
  void theQuestionIsNoKeptToken_data() {
    QTest::addColumn<int>("answer_tokens");
    QTest::newRow("one token") << 1;
    QTest::newRow("several") << 12;
  }
  void theQuestionIsNoKeptToken() {
    QFETCH(const int, answer_tokens);
    StageParts parts;
    const auto computed = served(parts, 0, 0, std::nullopt, answer_tokens);
    QCOMPARE(computed->record().kept_tokens, static_cast<int>(parts.tokens().size()));
    store_context(parts, 0, {.tier = 0});
    const auto loaded = served(parts, 0, 0, parts.store->find(parts.tokens()).value(), answer_tokens);
    QCOMPARE(loaded->record().kept_tokens, static_cast<int>(parts.tokens().size()));
    QVERIFY(loaded->load_sample());
    QCOMPARE(loaded->load_sample()->kept_tokens, static_cast<int>(parts.tokens().size()));
  }
};

KV_TEST_GUILESS_MAIN(RequestTaskTest)

}  // namespace request_task_test

#include "request_task_test.moc"
