// links: core_inspect tiers
// The part of the engine that looks at one context, without the others: what it answers, what it leaves to requests.
#include "core/inspect/context_inspector.h"

#include <QtTest>

#include "tests/support/engine_parts.h"
#include "tests/support/test_program.h"

namespace context_inspector_test {

using namespace kvantage;
using namespace kvantage::test;

class ContextInspectorTest : public QObject {
  Q_OBJECT

  static std::shared_ptr<const KeepMapResult> finish(ContextInspector& inspector, const InspectionMailbox& mailbox) {
    for (int turn = 0; turn < 100000; ++turn) {
      if (!inspector.step({})) break;
      if (mailbox.result() != nullptr && mailbox.result()->complete) break;
    }
    return mailbox.result();
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aMailboxKeepsTheNewestRequestAndTheNewestResult() {
    InspectionMailbox mailbox;
    QVERIFY(!mailbox.has_news() && mailbox.result() == nullptr);
    QCOMPARE(mailbox.ask({.context = "a", .methods = {}, .question = {}}), std::uint64_t{1});
    QCOMPARE(mailbox.ask({.context = "b", .methods = {}, .question = {}}), std::uint64_t{2});
    QVERIFY(mailbox.has_news());
    const auto news = mailbox.take();
    QVERIFY(news.asked && !news.dropped && !mailbox.has_news());
    QCOMPARE(news.asked->ticket, std::uint64_t{2});
    QCOMPARE(news.asked->request.context, std::string("b"));
    mailbox.ask({.context = "c", .methods = {}, .question = {}});
    mailbox.drop();
    const auto dropped = mailbox.take();
    QVERIFY(dropped.dropped && !dropped.asked);
    QCOMPARE(mailbox.refuse({.context = "d", .methods = {}, .question = {}}, "over"), std::uint64_t{4});
    QVERIFY(mailbox.result()->complete);
    QCOMPARE(mailbox.result()->error, std::string("over"));
    mailbox.publish("working", nullptr);
    QCOMPARE(mailbox.work(), std::string("working"));
    QCOMPARE(mailbox.result()->ticket, std::uint64_t{4});  // no result: the old one stays
  }

  // Turn after turn until it is complete, while the clock of serving stands still.
  void whatIsAskedIsAnsweredOutsideTheTimeOfServing() {
    EngineParts parts(small_workload(2, 16, 3));
    InspectionMailbox mailbox;
    ContextInspector inspector(parts.services(), parts.serving_clock, mailbox, 12);
    QVERIFY(!inspector.step({}));  // nobody asks
    mailbox.ask({.context = "c1", .methods = {"knorm", "keydiff"}, .removed_fraction = 0.5, .question = 0});
    const std::int64_t wall = parts.clock.monotonic_ns(), serving = parts.serving_clock.monotonic_ns();
    const auto result = finish(inspector, mailbox);
    QVERIFY(result != nullptr && result->complete);
    QCOMPARE(result->error, std::string());
    QCOMPARE(result->context->id, std::string("c1"));
    QCOMPARE(result->forms.size(), std::size_t{2});
    const auto heads = static_cast<std::size_t>(result->context->layers * result->context->kv_heads);
    for (const KeepMapForm& form : result->forms) {
      QCOMPARE(form.kept.size(), heads * result->context->tokens.size());
      const auto kept = static_cast<std::size_t>(std::ranges::count(form.kept, true));
      QVERIFY(kept > 0 && kept < form.kept.size());
      QVERIFY(form.answer && form.bytes > 0);
    }
    QVERIFY(result->uncompressed);
    const std::int64_t wall_took = parts.clock.monotonic_ns() - wall;
    const std::int64_t serving_took = parts.serving_clock.monotonic_ns() - serving;
    QVERIFY(serving_took < wall_took / 2);
    QVERIFY(result->seconds > 0);
    QVERIFY(!inspector.step({}));  // nothing is left
  }

  void aContextThatThereIsNotIsSaid() {
    EngineParts parts(small_workload(1, 16, 3));
    InspectionMailbox mailbox;
    ContextInspector inspector(parts.services(), parts.serving_clock, mailbox, 12);
    mailbox.ask({.context = "nowhere", .methods = {"knorm"}, .question = {}});
    QVERIFY(inspector.step({}));
    QVERIFY(mailbox.result()->complete && mailbox.result()->error.find("'nowhere'") != std::string::npos);
    QVERIFY(mailbox.work().empty());
  }

  // Requests come first: nothing while one waits for a device, nothing without room, all of it once they are gone.
  void requestsComeFirst() {
    EngineParts parts(small_workload(1, 16, 3));
    InspectionMailbox mailbox;
    ContextInspector inspector(parts.services(), parts.serving_clock, mailbox, 12);
    mailbox.ask({.context = "c0", .methods = {"knorm"}, .question = {}});
    QVERIFY(!inspector.step({.any = true, .await_bytes = true, .reserved_blocks = 0}));
    const std::size_t all = parts.runtime->pool->capacity_blocks();
    QVERIFY(inspector.step({.any = true, .await_bytes = false, .reserved_blocks = all}));
    QCOMPARE(mailbox.work(), std::string("Waiting for space in the block pool"));
    QVERIFY(mailbox.result() == nullptr);
    QVERIFY(!inspector.step({.any = true, .await_bytes = false, .reserved_blocks = 0}));  // none of them has ended
    inspector.retry();
    QVERIFY(inspector.step({.any = true, .await_bytes = false, .reserved_blocks = 0}));
    QVERIFY(inspector.free_memory());
    QVERIFY(!inspector.free_memory());  // it had nothing any more
    QCOMPARE(parts.runtime->pool->live_blocks(), std::size_t{0});
    const auto result = finish(inspector, mailbox);  // no request is left
    QVERIFY(result != nullptr && result->complete && result->error.empty());
  }

  void whatNobodyLooksAtIsDroppedAndItsMemoryGivenBack() {
    EngineParts parts(small_workload(1, 16, 3));
    InspectionMailbox mailbox;
    ContextInspector inspector(parts.services(), parts.serving_clock, mailbox, 12);
    mailbox.ask({.context = "c0", .methods = {"knorm"}, .question = 0});
    QVERIFY(inspector.step({}));
    QVERIFY(parts.runtime->pool->live_blocks() > 0);
    mailbox.drop();
    QVERIFY(!inspector.step({}));
    QCOMPARE(parts.runtime->pool->live_blocks(), std::size_t{0});
    QVERIFY(mailbox.work().empty());
  }
};

KV_TEST_GUILESS_MAIN(ContextInspectorTest)

}  // namespace context_inspector_test

#include "context_inspector_test.moc"
