// links: core_store tiers
// Decode-time eviction of one request on the real model: with room enough an answer is that of no eviction bit for bit,
// the prompt is cut to the budget one layer per step, and nobody else's blocks change.
#include "core/request/decode_eviction_stage.h"

#include <QtTest>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace decode_eviction_stage_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::shared_ptr<const DecodeEvictionSetting> eviction_of(const std::string& text) {
  return std::make_shared<const DecodeEvictionSetting>(parse_decode_eviction(text).value().value());
}

struct Decoding {
  std::shared_ptr<RequestTask> task;
  std::vector<float> logits;  // of the last pass
  std::size_t cut_steps = 0;
  std::size_t blocks_after_cut = 0;
};

/// A request about a context, served to its end. at_first_token: called once, before anything is evicted.
Decoding serve(StageParts& parts, const std::string& eviction, int answer_tokens = 24,
               const std::function<void(RequestTask&)>& at_first_token = {}) {
  RequestInput input = input_of(parts, 0, 0, answer_tokens);
  if (eviction != "none") input.decode_eviction = eviction_of(eviction);
  Decoding decoding{std::make_shared<RequestTask>(*parts.runtime, parts.lender, parts.serving_clock, std::move(input),
                                                  std::nullopt, 0.0, [](const std::string&) {}),
                    {},
                    0,
                    0};
  RequestTask& task = *decoding.task;
  bool first = false;
  while (!task.done()) {
    if (task.needs() == RequestTask::Need::compute) {
      if (task.decode().has_begun()) ++decoding.cut_steps;
      must(task.compute());
    } else {
      if (decoding.blocks_after_cut == 0) decoding.blocks_after_cut = task.cache().held_bytes();
      BatchDecodeTask decode(*parts.runtime->model, {task.decode().next_decode()});
      must(decode.run());
      decoding.logits.assign(decode.logits(0).begin(), decode.logits(0).end());
      task.decode().take_token(decode.logits(0));
    }
    if (task.decode().has_begun() && !std::exchange(first, true) && at_first_token) at_first_token(task);
  }
  return decoding;
}

}  // namespace

class DecodeEvictionStageTest : public QObject {
  Q_OBJECT

  static void everyMethod() {
    QTest::addColumn<QString>("name");
    for (const DecodeMethodInfo& method : decode_methods())
      QTest::newRow(std::string(method.name).c_str()) << QString::fromStdString(std::string(method.name));
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void withRoomEnoughTheAnswerIsThatOfNone_data() { everyMethod(); }
  void withRoomEnoughTheAnswerIsThatOfNone() {
    QFETCH(const QString, name);
    StageParts parts;
    const Decoding without = serve(parts, "none");
    const Decoding with = serve(parts, name.toStdString() + "(budget=100000)");
    QCOMPARE(with.task->decode().answer_tokens(), without.task->decode().answer_tokens());
    QCOMPARE(with.logits, without.logits);  // bit for bit
    const DecodingRecord& record = with.task->record().decoding;
    QVERIFY(record.used());
    QCOMPARE(record.evicted_entries, std::uint64_t{0});
    QCOMPARE(record.peak_bytes, without.task->record().decoding.peak_bytes);
    QCOMPARE(record.budget_tokens, 100000);
    QVERIFY(without.task->record().decoding.eviction.empty());
  }

  void thePromptIsCutToTheBudget_data() { everyMethod(); }
  void thePromptIsCutToTheBudget() {
    QFETCH(const QString, name);
    const DecodeMethodInfo& method = *find_decode_method(name.toStdString());
    StageParts parts;
    const int prompt = static_cast<int>(parts.tokens().size() + input_of(parts, 0, 0).question_tokens.size());
    const Decoding with = serve(parts, name.toStdString() + "(budget=25%)");
    const RequestRecord& record = with.task->record();
    QCOMPARE(record.decoding.budget_tokens, static_cast<int>(std::lround(0.25 * prompt)));
    QCOMPARE(with.cut_steps, static_cast<std::size_t>(parts.layers()));
    if (method.selects) {
      QCOMPARE(record.decoding.evicted_entries, std::uint64_t{0});
      QVERIFY(record.decoding.read_fraction > 0 && record.decoding.read_fraction < 0.6);
      return;
    }
    const KvShape& shape = parts.runtime->model->kv_shape();
    const auto heads = static_cast<std::uint64_t>(shape.layers * shape.kv_heads);
    QVERIFY(record.decoding.evicted_entries >=
            heads * static_cast<std::uint64_t>(prompt - record.decoding.budget_tokens));
    // Every head has its budget and at most one more block.
    const auto block = static_cast<std::uint64_t>(parts.runtime->pool->block_tokens());
    const std::uint64_t blocks = (static_cast<std::uint64_t>(record.decoding.budget_tokens) + block - 1) / block;
    QVERIFY(with.blocks_after_cut <= heads * blocks * parts.runtime->pool->block_bytes());
    QVERIFY(record.decoding.peak_bytes > with.blocks_after_cut);
    QVERIFY(record.decoding.deciding_seconds > 0 && record.decoding.cut_seconds > 0);
  }

  void blocksOfOthersStayAsTheyAre_data() { everyMethod(); }
  void blocksOfOthersStayAsTheyAre() {
    QFETCH(const QString, name);
    StageParts parts;
    const KvCache computed = parts.computed();
    std::optional<KvCache> shared;
    const Decoding with = serve(parts, name.toStdString() + "(budget=25%)", 24,
                                [&](RequestTask& task) { shared.emplace(task.share_context()); });
    QVERIFY(shared.has_value());
    QVERIFY(digest_of(*shared) == digest_of(computed));
    if (find_decode_method(name.toStdString())->selects) return;  // it changes no row, so all blocks stay shared
    const std::size_t live = parts.runtime->pool->live_blocks();
    shared.reset();
    QVERIFY(parts.runtime->pool->live_blocks() < live);
  }

  void noBlockIsLost() {
    StageParts parts;
    const std::size_t before = parts.runtime->pool->live_blocks();
    for (const DecodeMethodInfo& method : decode_methods())
      (void)serve(parts, std::string(method.name) + "(budget=16)");
    QCOMPARE(parts.runtime->pool->live_blocks(), before);
  }

  // The cut of a shared cache needs new blocks. Where there are none it says so, changes nothing, and resumes later.
  void aFullPoolIsNoLoss() {
    StageParts parts;
    std::optional<KvCache> shared;
    const Decoding free =
        serve(parts, "h2o(budget=25%)", 24, [&](RequestTask& task) { shared.emplace(task.share_context()); });
    shared.reset();
    RequestInput input = input_of(parts, 0, 0, 24);
    input.decode_eviction = eviction_of("h2o(budget=25%)");
    RequestTask task(*parts.runtime, parts.lender, parts.serving_clock, std::move(input), std::nullopt, 0.0,
                     [](const std::string&) {});
    int refused = 0;
    while (!task.done()) {
      if (task.needs() != RequestTask::Need::compute) {
        BatchDecodeTask decode(*parts.runtime->model, {task.decode().next_decode()});
        must(decode.run());
        task.decode().take_token(decode.logits(0));
        continue;
      }
      if (task.decode().has_begun() && !shared) shared.emplace(task.share_context());
      const bool hold = task.decode().has_begun() && refused < 2;
      if (hold) parts.hold_all_blocks();
      const Status computed = task.compute();
      if (hold) parts.give_blocks_back();
      if (computed) continue;
      QVERIFY(computed.error().code == ErrorCode::no_space);
      ++refused;
    }
    QCOMPARE(refused, 2);
    QCOMPARE(task.decode().answer_tokens(), free.task->decode().answer_tokens());
  }

  // Pages leave one by one as the answer fills others: the answer never holds more than its budget and a page.
  void pagesFollowTheAnswer_data() {
    QTest::addColumn<QString>("setting");
    for (const char* setting :
         {"paged_eviction(budget=64)", "paged_eviction(budget=64,table=head)",
          "paged_eviction(budget=64,table=sequence)", "paged_eviction(budget=64,evict_when=page_full)"})
      QTest::newRow(setting) << setting;
  }
  void pagesFollowTheAnswer() {
    QFETCH(const QString, setting);
    StageParts parts;
    RequestInput input = input_of(parts, 0, 0, 200);
    input.decode_eviction = eviction_of(setting.toStdString());
    RequestTask task(*parts.runtime, parts.lender, parts.serving_clock, std::move(input), std::nullopt, 0.0,
                     [](const std::string&) {});
    const int page = parts.runtime->pool->block_tokens();
    std::vector<float> other(static_cast<std::size_t>(parts.runtime->model->config().vocab_size), 0.0F);
    other[20] = 1.0F;  // never the end of the answer
    int most = 0, fewest = 1 << 20, tokens = 0;
    while (!task.done()) {
      if (task.needs() == RequestTask::Need::compute) {
        must(task.compute());
        continue;
      }
      BatchDecodeTask decode(*parts.runtime->model, {task.decode().next_decode()});
      must(decode.run());
      task.decode().take_token(other);
      if (task.done()) break;
      ++tokens;
      for (int l = 0; l < parts.layers(); ++l) {
        most = std::max(most, task.cache().kept(l, 0));
        fewest = std::min(fewest, task.cache().kept(l, 0));
        QCOMPARE(task.cache().kept(l, 1), task.cache().kept(l, 0));
      }
    }
    QVERIFY(tokens > 100);
    QVERIFY2(most <= 64 + page, std::to_string(most).c_str());
    QVERIFY2(fewest >= 64 - page, std::to_string(fewest).c_str());
    QVERIFY(task.record().decoding.evicted_entries > 0);
  }

  // The request ends with an error instead of an answer from another model's means.
  void meansOfAnotherModelEndTheRequest() {
    StageParts parts;
    (void)serve(parts, "triattention(budget=25%)");
    QVERIFY(parts.runtime->calibration.model == parts.runtime->digest());
    ++parts.runtime->calibration.model.low;
    RequestInput input = input_of(parts, 0, 0, 12);
    input.decode_eviction = eviction_of("triattention(budget=25%)");
    RequestTask task(*parts.runtime, parts.lender, parts.serving_clock, std::move(input), std::nullopt, 0.0,
                     [](const std::string&) {});
    Status computed;
    while (computed && task.needs() == RequestTask::Need::compute) computed = task.compute();
    QVERIFY(!computed && computed.error().code == ErrorCode::rejected_input);
    QVERIFY2(computed.error().message.find("another model") != std::string::npos, computed.error().message.c_str());
    QVERIFY(!task.done());
  }

  // Budgets per head leave heads of different lengths; the answer says that it was decoded without eviction.
  void headsOfDifferentLengthsAreLeftAlone() {
    StageParts parts;
    store_context(parts, 0, {.tier = 0, .method = "adakv(snapkv)", .removed_fraction = 0.5});
    RequestInput input = input_of(parts, 0, 0, 12);
    input.decode_eviction = eviction_of("keydiff(budget=10%)");
    RequestTask task(*parts.runtime, parts.lender, parts.serving_clock, std::move(input),
                     parts.store->find(parts.tokens()).value(), 0.0, [](const std::string&) {});
    while (!task.done()) {
      if (task.needs() == RequestTask::Need::bytes) {
        must(task.poll(0.001));
      } else if (task.needs() == RequestTask::Need::compute) {
        must(task.compute());
      } else {
        BatchDecodeTask decode(*parts.runtime->model, {task.decode().next_decode()});
        must(decode.run());
        task.decode().take_token(decode.logits(0));
      }
    }
    QVERIFY(!task.record().decoding.used());
    QCOMPARE(task.record().decoding.not_applied, std::string("heads hold different numbers of tokens"));
    QCOMPARE(task.record().decoding.evicted_entries, std::uint64_t{0});
  }
};

KV_TEST_GUILESS_MAIN(DecodeEvictionStageTest)

}  // namespace decode_eviction_stage_test

#include "decode_eviction_stage_test.moc"
