// links: core_inspect tiers
// Questions of the user's own: answers are those of the keep map and of stored entries, a tier is as before, and
// requests come first.
#include "core/inspect/text_asker.h"

#include <QtTest>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/inspect/keep_map.h"
#include "core/workload/make_workload.h"
#include "tests/inspect/asking.h"
#include "tests/support/test_program.h"

namespace text_asker_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

double sum_of(const std::vector<float>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

}  // namespace

class TextAskerTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void answersAreThoseOfTheKeepMap() {
    Asking asking;
    const std::vector<std::string> methods{"keydiff", "knorm+kivi4", "snapkv"};
    const auto result =
        asking.answered(asking.request({{}, {methods[0], 0.6, {}}, {methods[1], 0.6, {}}, {methods[2], 0.6, {}}}));
    QVERIFY(result != nullptr && result->complete);
    QCOMPARE(result->error, std::string());
    QCOMPARE(result->answers.size(), std::size_t{4});

    EngineParts& parts = asking.parts;
    const std::size_t context = *parts.catalog->index_of_id(asking.workload.contexts[0].id);
    const ContextDetails& details = parts.catalog->details(context);
    Prefilled original = prefilled(parts, context);
    KeepMapTask task(*parts.runtime, parts.catalog->facts(context), details, std::move(original.cache),
                     observation_of(*parts.runtime, std::move(original.queries)), TextAsker::min_answer_tokens,
                     parts.clock);
    must(task.ask({asking.workload.contexts[0].id, methods, 0.6, 0}));
    while (!task.done()) must(task.step());
    const KeepMapResult map = task.result();
    QVERIFY(result->text->tokens == map.context->tokens);
    QCOMPARE(result->text->full_bytes, map.context->full_bytes);
    QCOMPARE(text_of(result->answers[0]), map.uncompressed->text);
    QCOMPARE(result->answers[0].ended, map.uncompressed->ended);
    QCOMPARE(result->answers[0].bytes, map.context->full_bytes);
    QVERIFY(result->answers[0].kept->empty());
    const auto heads = static_cast<std::size_t>(map.context->layers * map.context->kv_heads);
    const std::size_t tokens = map.context->tokens.size();
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const AskAnswer& answer = result->answers[m + 1];
      const KeepMapForm& form = map.forms[m];
      QCOMPARE(answer.column.method, form.method);
      QCOMPARE(answer.column.removed_fraction, form.removed_fraction);
      QCOMPARE(text_of(answer), form.answer->text);
      QCOMPARE(answer.ended, form.answer->ended);
      QCOMPARE(answer.bytes, form.bytes);
      QCOMPARE(answer.bytes_read, std::uint64_t{0});
      QVERIFY(answer.note.empty() && answer.stage == AskStage::done);
      QCOMPARE(answer.kept->size(), tokens);
      for (std::size_t t = 0; t < tokens; ++t) {
        std::size_t keeping = 0;
        for (std::size_t head = 0; head < heads; ++head) keeping += form.kept[head * tokens + t] ? 1 : 0;
        QCOMPARE((*answer.kept)[t], static_cast<float>(keeping) / static_cast<float>(heads));
      }
    }
  }

  // Times grow from token to token and begin with the text; the clock of serving stands still.
  void timesAreThoseOfTheColumn() {
    Asking asking;
    const std::int64_t wall = asking.parts.clock.monotonic_ns(), serving = asking.parts.serving_clock.monotonic_ns();
    const auto result = asking.answered(asking.request({{}, {"knorm", 0.5, {}}}));
    const std::int64_t took = asking.parts.clock.monotonic_ns() - wall;
    QVERIFY(asking.parts.serving_clock.monotonic_ns() - serving < took / 2);
    double last_total = 0;
    for (const AskAnswer& answer : result->answers) {
      QVERIFY(answer.text_seconds > 0 && answer.ttft_seconds > answer.text_seconds);
      QVERIFY(!answer.tokens.empty());
      QCOMPARE(answer.tokens.front().seconds, answer.ttft_seconds);
      for (std::size_t t = 1; t < answer.tokens.size(); ++t)
        QVERIFY(answer.tokens[t].seconds > answer.tokens[t - 1].seconds);
      last_total += answer.tokens.back().seconds - answer.text_seconds;
    }
    // Scoring and cutting come on top of the prefill, which both share.
    QVERIFY(result->answers[1].text_seconds > result->answers[0].text_seconds);
    QVERIFY(last_total < static_cast<double>(took) * 1e-9);
    QVERIFY(result->seconds > 0);
    QVERIFY(asking.mailbox.work().empty());
    QVERIFY(!asking.asker.step({}));  // nothing is left to do
  }

  // Each step hands out what is new: a token and the one before it at most, however long the answer is.
  void changesAreWhatIsNew() {
    Asking asking;
    asking.ask(asking.request({{}, {"keydiff", 0.5, {}}}));
    std::optional<AskResult> held;
    std::size_t most = 0, publications = 0;
    while (!held || !held->complete) {
      QVERIFY(asking.asker.step({.any = true, .await_bytes = false, .reserved_blocks = 0}));
      auto change = asking.mailbox.since(held ? seen_of(*held) : AskSeen{});
      if (!change) continue;
      ++publications;
      for (const AskAnswer& answer : change->answers) most = std::max(most, answer.tokens.size());
      if (held) {
        QVERIFY(continues(*held, *change));
        QVERIFY(&*held->request == &*change->request && held->text == change->text);  // shared, not copied
        add_change(*held, *std::move(change));
      } else {
        held = std::move(change);
      }
      QVERIFY(!asking.mailbox.since(seen_of(*held)));
    }
    const auto whole = asking.mailbox.result();
    const std::size_t tokens = whole->answers[0].tokens.size();
    QVERIFY2(tokens > 1 && publications > 4, qPrintable(QString("%1 tokens, %2").arg(tokens).arg(publications)));
    for (std::size_t c = 0; c < 2; ++c) {
      QCOMPARE(text_of(held->answers[c]), text_of(whole->answers[c]));
      QCOMPARE(held->answers[c].tokens.size(), whole->answers[c].tokens.size());
      QCOMPARE(held->answers[c].first, std::size_t{0});
    }
    QVERIFY2(most <= 4, qPrintable(QString::number(most)));  // some come in one turn
  }

  // The bytes are really on the tier and really read, and nothing stays there.
  void aTierIsReadAndLeftAsItWas() {
    for (const AskColumn& form : std::vector<AskColumn>{
             {"none", 0, "dram"}, {"keydiff", 0.5, "dram"}, {"knorm+kivi4", 0.5, "dram"}, {"kivi4", 0, "dram"}}) {
      Asking asking;
      AskColumn in_memory = form;
      in_memory.tier.clear();
      const auto result = asking.answered(asking.request({in_memory, form}));
      QCOMPARE(result->error, std::string());
      const AskAnswer& read = result->answers[1];
      const SwitchableTier::Written& written = asking.parts.dram->last_write;
      QCOMPARE(read.note, std::string());
      QCOMPARE(read.bytes, written.info.bytes);
      QCOMPARE(read.bytes, result->answers[0].bytes);
      QCOMPARE(read.bytes_read, written.info.bytes - written.info.header_bytes);
      QVERIFY(read.text_seconds > 0);
      QCOMPARE(text_of(read), text_of(result->answers[0]));
      QVERIFY(!read.parts_at && read.kept == result->answers[0].kept);
      QVERIFY(asking.parts.dram->entries().empty());
      QCOMPARE(asking.parts.dram->used_bytes(), std::uint64_t{0});
      QCOMPARE(asking.parts.dram->capacity(), EngineParts::tier_bytes);
      QVERIFY(!asking.parts.catalog->state(0).placement.stored() && !asking.parts.catalog->state(1).placement.stored());
      QVERIFY(asking.parts.sink.events.empty());
    }
  }

  // The run's own entry of this form is read; nothing is written.
  void aPlacedEntryIsReadItself() {
    Asking asking;
    EngineParts& parts = asking.parts;
    const std::size_t context = *parts.catalog->index_of_id(asking.workload.contexts[0].id);
    Prefilled original = prefilled(parts, context);
    parts.store->originals().keep(context, std::move(original.cache), std::move(original.queries), false);
    const Configuration to{0, "keydiff", 0.5};
    PlacementAction action;
    action.context = parts.catalog->facts(context).key;
    action.to = to;
    must(parts.store->commit(action));
    parts.store->finish_writes();
    const EntryInfo placed = parts.catalog->details(context).entry;
    parts.dram->last_write = {};
    const auto result =
        asking.answered(asking.request({{"keydiff", 0.5, {}}, {"keydiff", 0.5, "dram"}, {"keydiff", 0.4, "dram"}}));
    QCOMPARE(result->answers[1].bytes, placed.bytes);
    QCOMPARE(result->answers[1].bytes_read, placed.bytes - placed.header_bytes);
    QCOMPARE(text_of(result->answers[1]), text_of(result->answers[0]));
    QVERIFY(result->answers[1].kept == result->answers[0].kept);
    QVERIFY(parts.dram->last_write.info.bytes > 0);  // of the other fraction, which is not placed
    QCOMPARE(result->answers[2].bytes, parts.dram->last_write.info.bytes);
    QCOMPARE(parts.dram->entries().size(), std::size_t{1});
    QVERIFY(parts.dram->contains(placed.key) && parts.catalog->state(context).placement == to);
  }

  void aTierThatFailsIsNoted_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("says");
    QTest::newRow("full") << "full"
                          << "dram has no room";
    QTest::newRow("away") << "away"
                          << "dram does not respond";
    QTest::newRow("writes") << "writes"
                            << "writing to dram failed";
    QTest::newRow("reads") << "reads"
                           << "reading from dram failed";
  }
  void aTierThatFailsIsNoted() {
    QFETCH(QString, what);
    QFETCH(QString, says);
    Asking asking;
    SwitchableTier& dram = *asking.parts.dram;
    if (what == "full") dram.set_capacity(4096);
    dram.away = what == "away";
    dram.refuses_writes = what == "writes";
    if (what == "reads") dram.read_failure = "checksum";
    const std::uint64_t capacity = dram.capacity();
    const auto result = asking.answered(asking.request({{"keydiff", 0.5, {}}, {"keydiff", 0.5, "dram"}}));
    QCOMPARE(result->error, std::string());
    const AskAnswer& answer = result->answers[1];
    QVERIFY2(QString::fromStdString(answer.note).contains(says), answer.note.c_str());
    QCOMPARE(answer.bytes_read, std::uint64_t{0});
    QCOMPARE(answer.bytes, result->answers[0].bytes);
    QCOMPARE(text_of(answer), text_of(result->answers[0]));
    QVERIFY(answer.text_seconds > 0 && answer.stage == AskStage::done);
    QVERIFY(dram.entries().empty());
    QCOMPARE(dram.capacity(), capacity);
  }

  void whatIsCancelledLeavesNothing_data() {
    QTest::addColumn<bool>("writing");
    QTest::newRow("while it is written") << true;
    QTest::newRow("while it is read") << false;
  }
  void whatIsCancelledLeavesNothing() {
    QFETCH(bool, writing);
    Asking asking;
    SwitchableTier& dram = *asking.parts.dram;
    (writing ? dram.holds_writes : dram.holds_reads) = true;
    const auto held = [&] { return writing ? dram.held_writes() : dram.held_reads(); };
    asking.ask(asking.request({{"keydiff", 0.5, "dram"}}));
    for (int turn = 0; turn < 100000 && held() == 0; ++turn) QVERIFY(asking.asker.step({}));
    QCOMPARE(held(), std::size_t{1});
    asking.mailbox.drop();
    QVERIFY(!asking.asker.step({}));
    QCOMPARE(held(), std::size_t{0});
    QVERIFY(dram.entries().empty());
    QCOMPARE(dram.capacity(), EngineParts::tier_bytes);
    QCOMPARE(asking.parts.runtime->pool->live_blocks(), std::size_t{0});
    QVERIFY(asking.mailbox.work().empty());
    QVERIFY(!asking.mailbox.result()->complete);
  }

  // A text of the user's own is tokenized as the workload's, so it is answered alike.
  void aTextOfOnesOwnIsAskedLikeAContext() {
    Asking asking;
    const std::vector<AskColumn> columns{{}, {"keydiff", 0.5, "dram"}};
    const auto context = asking.answered(asking.request(columns));
    QVERIFY(asking.asker.free_memory());  // nothing is reused
    AskRequest own = asking.request(columns);
    own.context.clear();
    own.text = asking.workload.contexts[0].text;
    const auto text = asking.answered(own);
    QCOMPARE(text->error, std::string());
    QVERIFY(text->text->tokens == context->text->tokens);
    QCOMPARE(text->text->full_bytes, context->text->full_bytes);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      QCOMPARE(text_of(text->answers[c]), text_of(context->answers[c]));
      QCOMPARE(text->answers[c].bytes_read, context->answers[c].bytes_read);
      QVERIFY(text->answers[c].kept == context->answers[c].kept);
    }
    QVERIFY(text->attention == context->attention);
  }

  void answersPartWhereTheyDiffer() {
    Asking asking(small_workload(1, 40, 3));
    bool parts = false;
    for (const WorkloadQuestion& question : asking.workload.questions) {
      AskRequest request = asking.request({{}, {"keydiff", 0.9, {}}, {"knorm", 0.9, {}}, {}});
      request.question = question.question;
      const auto result = asking.answered(request);
      const std::vector<AskToken>& first = result->answers[0].tokens;
      QVERIFY(!result->answers[0].parts_at && !result->answers[3].parts_at);
      for (const AskAnswer& answer : result->answers) {
        const std::size_t at = answer.parts_at.value_or(answer.tokens.size());
        QVERIFY(at <= std::min(first.size(), answer.tokens.size()));
        for (std::size_t t = 0; t < at; ++t) QCOMPARE(answer.tokens[t].text, first[t].text);
        if (!answer.parts_at) QCOMPARE(answer.tokens.size(), first.size());
        if (answer.parts_at && at < std::min(first.size(), answer.tokens.size()))
          QVERIFY(answer.tokens[at].text != first[at].text);
        parts |= answer.parts_at.has_value();
      }
    }
    QVERIFY(parts);  // there is something to be seen
  }

  // The shares add up to 1, and the fact that answers the question gets more than its part of them. The first token
  // takes attention whatever it says, so it does not count.
  void attentionIsOnTheFact() {
    MakeWorkloadOptions options;
    options.families = {"registry"};
    options.contexts_per_family = 1;
    options.min_tokens = 500;
    options.max_tokens = 700;
    Asking asking(make_workload(options).value());
    std::size_t right = 0, found = 0;
    for (const WorkloadQuestion& question : asking.workload.questions) {
      AskRequest request = asking.request({{}});
      request.question = question.question;
      const auto result = asking.answered(request);
      QCOMPARE(result->attention->shares.size(), result->text->tokens.size());
      QVERIFY(std::abs(sum_of(result->attention->shares) - 1) < 1e-4);
      QVERIFY(result->attention->densest && result->attention->densest->begin >= 1 &&
              result->attention->densest->begin < result->attention->densest->end);
      QVERIFY(result->attention->densest->end <= result->text->tokens.size());
      QVERIFY(result->attention->densest->end - result->attention->densest->begin <= 24);
      std::string answer, shown;
      for (const AskToken& token : result->answers[0].tokens) answer += token.text;
      if (answer.find(question.gold) == std::string::npos) continue;  // it found no fact
      ++right;
      for (const std::string& token : result->text->tokens) shown += token;
      // The sentence with the answer, which stands once in the text.
      const std::size_t at = shown.find(question.gold);
      QVERIFY(at != std::string::npos);
      const std::size_t before = shown.rfind('.', at), begin = before == std::string::npos ? 0 : before + 1,
                        end = shown.find('.', at);
      double all = 0, fact = 0;
      std::size_t tokens_of_fact = 0, offset = result->text->tokens[0].size();
      for (std::size_t t = 1; t < result->text->tokens.size(); ++t) {
        const auto share = static_cast<double>(result->attention->shares[t]);
        all += share;
        if (offset >= begin && offset < end) {
          fact += share;
          ++tokens_of_fact;
        }
        offset += result->text->tokens[t].size();
      }
      const double part =
          static_cast<double>(tokens_of_fact) / static_cast<double>(result->attention->shares.size() - 1);
      std::size_t marked = 0, behind = 0;  // where the attended span begins and ends in the text
      for (std::size_t t = 0; t < result->attention->densest->end; ++t) {
        if (t == result->attention->densest->begin) marked = behind;
        behind += result->text->tokens[t].size();
      }
      found += fact > 1.5 * part * all && marked < end && behind > begin ? 1 : 0;
    }
    QVERIFY2(right >= 8 && 10 * found >= 9 * right, qPrintable(QStringLiteral("%1 of %2").arg(found).arg(right)));
  }

  void requestsThatMakeNoSenseAreRefused_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("says");
    QTest::newRow("context") << "context"
                             << "'nowhere' is not in this workload";
    QTest::newRow("text") << "text"
                          << "there is no text";
    QTest::newRow("long") << "long"
                          << "shorten";
    QTest::newRow("question") << "question"
                              << "the question is empty";
    QTest::newRow("no column") << "no column"
                               << "0 columns";
    QTest::newRow("five columns") << "five columns"
                                  << "5 columns";
    QTest::newRow("method") << "method"
                            << "knorm";
    QTest::newRow("fraction") << "fraction"
                              << "not in [0, 1)";
    QTest::newRow("tier") << "tier"
                          << "no tier 'tape'; choose one of dram";
  }
  void requestsThatMakeNoSenseAreRefused() {
    QFETCH(QString, what);
    QFETCH(QString, says);
    Asking asking;
    AskRequest request = asking.request({{"knorm", 0.5, {}}});
    if (what == "context") request.context = "nowhere";
    if (what == "text" || what == "long") request.context.clear();
    if (what == "text") request.text = " \n";
    if (what == "long")
      for (int i = 0; i < 1000; ++i) request.text += "The badge of Ada Holt is 4321 . ";
    if (what == "question") request.question = "  ";
    if (what == "no column") request.columns.clear();
    if (what == "five columns") request.columns.resize(5);
    if (what == "method") request.columns[0].method = "knrom";
    if (what == "fraction") request.columns[0].removed_fraction = 1;
    if (what == "tier") request.columns[0].tier = "tape";
    const auto result = asking.answered(request);
    QVERIFY(result != nullptr && result->complete && result->text == nullptr && result->answers.empty());
    QVERIFY2(QString::fromStdString(result->error).contains(says), result->error.c_str());
    QVERIFY(*result->request == request);
    QVERIFY(asking.mailbox.work().empty());
    QCOMPARE(asking.answered(asking.request({{}}))->error, std::string());  // the next one is answered
  }

  // Requests come first: nothing while one waits for a device, nothing without room, all of it once they are gone.
  void requestsComeFirst() {
    Asking asking;
    EngineParts& parts = asking.parts;
    asking.ask(asking.request({{"knorm", 0.5, {}}}));
    QVERIFY(!asking.asker.step({.any = true, .await_bytes = true, .reserved_blocks = 0}));
    const std::size_t all = parts.runtime->pool->capacity_blocks();
    QVERIFY(asking.asker.step({.any = true, .await_bytes = false, .reserved_blocks = all}));
    QCOMPARE(asking.mailbox.work(), std::string("Waiting for space in the block pool"));
    QVERIFY(!asking.asker.step({.any = true, .await_bytes = false, .reserved_blocks = 0}));  // none of them has ended
    asking.asker.retry();
    while (parts.runtime->pool->live_blocks() == 0)
      QVERIFY(asking.asker.step({.any = true, .await_bytes = false, .reserved_blocks = 0}));
    QVERIFY(asking.asker.free_memory());
    QVERIFY(!asking.asker.free_memory());  // it had nothing any more
    QCOMPARE(parts.runtime->pool->live_blocks(), std::size_t{0});
    const auto result = asking.finish();  // no request is left
    QVERIFY(result != nullptr && result->complete && result->error.empty());
  }

  // Beside requests a turn ends where only the tier has work.
  void aTierIsNotWaitedForBesideRequests() {
    Asking asking;
    asking.parts.dram->holds_reads = true;
    asking.ask(asking.request({{"keydiff", 0.5, "dram"}}));
    while (asking.parts.dram->held_reads() == 0) QVERIFY(asking.asker.step({}));
    const std::int64_t before = asking.parts.clock.monotonic_ns();
    QVERIFY(asking.asker.step({.any = true, .await_bytes = false, .reserved_blocks = 0}));
    QVERIFY(asking.parts.clock.monotonic_ns() - before < 10 * EngineParts::step_ns);
    asking.mailbox.drop();
    QVERIFY(!asking.asker.step({}));
  }

  void everyTokenIsPublished() {
    Asking asking;
    asking.ask(asking.request({{}}));
    std::size_t shown = 0;
    bool incomplete = false;
    for (int turn = 0; turn < 100000 && asking.asker.step({}); ++turn) {
      const auto result = asking.mailbox.result();
      if (result == nullptr) continue;
      QVERIFY(result->answers[0].tokens.size() >= shown);
      shown = result->answers[0].tokens.size();
      incomplete |= !result->complete && result->text != nullptr && shown > 0;
      if (result->complete) break;
    }
    QVERIFY(incomplete && shown > 0);
  }
};

KV_TEST_GUILESS_MAIN(TextAskerTest)

}  // namespace text_asker_test

#include "text_asker_test.moc"
