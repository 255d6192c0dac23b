// links: core_inspect tiers
// What an earlier question about a text has computed: as much of it is reused as there is, with the same answers, and
// what is kept for that is bounded.
#include <QtTest>

#include <utility>

#include "tests/inspect/asking.h"
#include "tests/support/test_program.h"

namespace text_reuse_test {

using namespace kvantage;
using namespace kvantage::test;

class TextReuseTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // Of the second question nothing but itself is computed, and its answers are those of an asker that never saw the
  // text: with the same columns, with others, and in the other order.
  void aSecondQuestionReusesTheText_data() {
    QTest::addColumn<bool>("swapped");
    QTest::newRow("in this order") << false;
    QTest::newRow("in the other order") << true;
  }
  void aSecondQuestionReusesTheText() {
    QFETCH(bool, swapped);
    const std::vector<AskColumn> columns{{}, {"knorm+kivi4", 0.5, {}}, {"keydiff", 0.4, {}}, {"keydiff", 0.4, "dram"}};
    Asking asking, alone;
    AskRequest first = asking.request(columns), second = first;
    second.question = asking.workload.questions[1].question;
    QVERIFY(second.question != first.question);
    if (swapped) std::swap(first, second);
    const auto before = asking.answered(first), after = asking.answered(second), fresh = alone.answered(second);
    QCOMPARE(after->error, std::string());
    QCOMPARE(after->answers.size(), columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const AskAnswer &reused = after->answers[c], &computed = fresh->answers[c];
      QCOMPARE(text_of(reused), text_of(computed));
      QCOMPARE(reused.tokens.size(), computed.tokens.size());
      for (std::size_t t = 0; t < reused.tokens.size(); ++t) QCOMPARE(reused.tokens[t].text, computed.tokens[t].text);
      QCOMPARE(reused.ended, computed.ended);
      QVERIFY(reused.parts_at == computed.parts_at && reused.kept == computed.kept);
      QCOMPARE(reused.bytes, computed.bytes);
      QCOMPARE(reused.bytes_read, computed.bytes_read);
      QVERIFY(before->answers[c].reused == AskReuse::nothing && computed.reused == AskReuse::nothing);
    }
    QVERIFY(after->attention == fresh->attention);
    QVERIFY(after->text == before->text);  // the same list of tokens
    // In memory: the question alone. From the tier: loaded again, as a request's would be.
    for (std::size_t c = 0; c < 3; ++c) {
      const AskAnswer& answer = after->answers[c];
      QCOMPARE(answer.reused, AskReuse::form);
      QCOMPARE(answer.text_seconds, 0.0);
      QVERIFY(answer.ttft_seconds > 0 && answer.ttft_seconds < fresh->answers[c].ttft_seconds);
    }
    QCOMPARE(after->answers[3].reused, AskReuse::nothing);
    QVERIFY(after->answers[3].text_seconds > 0);
    QVERIFY(after->seconds < fresh->seconds);
  }

  // Another fraction, another method, a text of one's own that is the same: as much is reused as there is.
  void asMuchIsReusedAsThereIs() {
    Asking asking, alone;
    const auto seconds_of = [](const AskAnswer& answer) { return answer.text_seconds; };
    const auto first = asking.answered(asking.request({{"knorm", 0.5, {}}}));
    const auto other = asking.answered(asking.request({{"knorm", 0.3, {}}, {"keydiff", 0.3, {}}, {"knorm", 0.3, {}}}));
    for (const AskAnswer& answer : other->answers) QCOMPARE(answer.reused, AskReuse::text);
    // Scores of knorm are there, those of keydiff are not; all of it is less than with the prefill of the text.
    QVERIFY(seconds_of(other->answers[0]) > 0);
    QVERIFY(seconds_of(other->answers[1]) > seconds_of(other->answers[0]));
    QVERIFY(seconds_of(other->answers[1]) < seconds_of(first->answers[0]));
    QCOMPARE(seconds_of(other->answers[2]), seconds_of(other->answers[0]));  // made once, counts for both
    AskRequest own = asking.request({{"knorm", 0.3, {}}});
    own.context.clear();
    own.text = asking.workload.contexts[0].text;
    const auto typed = asking.answered(own), fresh = alone.answered(own);
    QCOMPARE(typed->answers[0].reused, AskReuse::form);
    QCOMPARE(text_of(typed->answers[0]), text_of(fresh->answers[0]));
    // Its columns dropped the form with 0.5; another text has nothing of this one.
    QCOMPARE(asking.answered(asking.request({{"knorm", 0.5, {}}}))->answers[0].reused, AskReuse::text);
    AskRequest another = asking.request({{"knorm", 0.5, {}}});
    another.context = asking.workload.contexts[1].id;
    QCOMPARE(asking.answered(another)->answers[0].reused, AskReuse::nothing);
  }

  // What is kept is counted, bounded, and there for requests.
  void whatIsKeptIsBounded() {
    Asking asking(small_workload(6, 20, 2));
    const BlockPool& pool = *asking.parts.runtime->pool;
    QCOMPARE(asking.asker.kept_bytes(), std::size_t{0});
    std::vector<std::size_t> kept;
    for (const WorkloadContext& context : asking.workload.contexts) {
      AskRequest request = asking.request({{}, {"keydiff", 0.5, {}}});
      request.context = context.id;
      QCOMPARE(asking.answered(request)->answers[0].reused, AskReuse::nothing);
      QVERIFY(pool.held_bytes() > 0 && pool.held_bytes() <= asking.asker.kept_bytes());
      QVERIFY(asking.asker.kept_bytes() <= pool.capacity_blocks() * pool.block_bytes() / TextAsker::kept_part);
      kept.push_back(asking.asker.kept_bytes());
    }
    QVERIFY(kept[1] > kept[0] && kept[3] > kept[2]);
    // Four texts at most: those asked about last.
    const auto reused = [&](std::size_t context) {
      AskRequest request = asking.request({{}});
      request.context = asking.workload.contexts[context].id;
      return asking.answered(request)->answers[0].reused;
    };
    QCOMPARE(reused(2), AskReuse::form);
    QCOMPARE(reused(0), AskReuse::nothing);  // in place of context 3, which was used least recently
    QCOMPARE(reused(2), AskReuse::form);
    QCOMPARE(reused(3), AskReuse::nothing);
    // A request that reserves the pool leaves nothing of it, nor does one that finds no block.
    QVERIFY(!asking.asker.step({.any = true, .await_bytes = true, .reserved_blocks = pool.capacity_blocks()}));
    QCOMPARE(asking.asker.kept_bytes(), std::size_t{0});
    QCOMPARE(pool.live_blocks(), std::size_t{0});
    QCOMPARE(reused(3), AskReuse::nothing);
    QVERIFY(pool.live_blocks() > 0);
    QVERIFY(asking.asker.free_memory());
    QVERIFY(!asking.asker.free_memory());
    QCOMPARE(pool.live_blocks(), std::size_t{0});
    QCOMPARE(reused(3), AskReuse::nothing);
  }

  // A question that is dropped, or replaced while its text is computed, leaves nothing half done to the next one.
  void halfATextIsNotReused() {
    Asking asking, alone;
    const AskRequest request = asking.request({{}, {"keydiff", 0.5, {}}});
    asking.ask(request);
    while (asking.parts.runtime->pool->live_blocks() == 0)
      QVERIFY(asking.asker.step({.any = true, .await_bytes = false, .reserved_blocks = 0}));
    QVERIFY(asking.mailbox.work() == "Computing the text");
    const auto again = asking.answered(request), fresh = alone.answered(request);
    for (std::size_t c = 0; c < 2; ++c) {
      QCOMPARE(again->answers[c].reused, AskReuse::nothing);
      QCOMPARE(text_of(again->answers[c]), text_of(fresh->answers[c]));
    }
    asking.mailbox.drop();
    QVERIFY(!asking.asker.step({}));
    QCOMPARE(asking.parts.runtime->pool->live_blocks(), std::size_t{0});
    QCOMPARE(asking.answered(request)->answers[0].reused, AskReuse::nothing);
  }

  // Blocks for the question, but not for what is kept beside it, as others hold them: it is answered without.
  void whatIsKeptIsNoObstacle() {
    const Workload workload = small_workload(2, 20, 3);
    Asking wide(workload);
    const ModelRuntime& runtime = *wide.parts.runtime;
    const std::size_t text = runtime.blocks_for(wide.parts.catalog->details(0).tokens.size());
    Asking narrow(workload, with_pool(20 * text * runtime.pool->block_bytes()));
    BlockPool& pool = *narrow.parts.runtime->pool;
    // The text as computed and as read, question and answer.
    const std::size_t left = 2 * text + runtime.blocks_for(256) + 2 * runtime.blocks_for(1);
    std::vector<BlockId> held;
    while (pool.capacity_blocks() - pool.live_blocks() > left) held.push_back(pool.allocate().value());
    const std::vector<AskColumn> columns{{}, {"kivi4", 0, {}}, {"kivi2", 0, {}}, {"keydiff", 0.1, {}}};
    for (std::size_t question = 0; question < 2; ++question) {
      AskRequest request = wide.request(columns);
      request.question = workload.questions[question].question;
      const auto result = narrow.answered(request), fresh = wide.answered(request);
      QCOMPARE(result->error, std::string());
      for (std::size_t c = 0; c < columns.size(); ++c)
        QCOMPARE(text_of(result->answers[c]), text_of(fresh->answers[c]));
      QCOMPARE(result->answers[2].reused, AskReuse::nothing);
      QVERIFY(!narrow.asker.step({}));
      QCOMPARE(narrow.asker.kept_bytes(), std::size_t{0});
    }
    QCOMPARE(pool.live_blocks(), held.size());
    for (const BlockId block : held) pool.release(block);
  }
};

KV_TEST_GUILESS_MAIN(TextReuseTest)

}  // namespace text_reuse_test

#include "text_reuse_test.moc"
