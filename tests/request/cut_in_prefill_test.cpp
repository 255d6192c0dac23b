// links: core_store tiers
// Prompts that are cut layer by layer during their prefill (PagedEviction, Algorithm 2) on the real model: the same
// tokens are kept as by a cut after the first token, the same answer follows, and less memory is held.
#include <QtTest>

#include <functional>

#include "core/request/request_task.h"
#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace cut_in_prefill_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr int chunk_tokens = 64;

inline std::shared_ptr<const DecodeEvictionSetting> eviction_of(const std::string& text) {
  return std::make_shared<const DecodeEvictionSetting>(parse_decode_eviction(text).value().value());
}

/// Several chunks, and several blocks for each head.
struct Prompt : StageParts {
  Prompt() : StageParts(chunk_tokens, 48) {}
  std::size_t prompt_tokens() { return tokens().size() + input_of(*this, 0, 0).question_tokens.size(); }
  std::uint64_t blocks_of(std::size_t rows) const {
    const auto block = static_cast<std::size_t>(runtime->pool->block_tokens());
    return (rows + block - 1) / block;
  }
};

struct Served {
  RequestRecord record;
  std::vector<std::int32_t> answer;
  std::vector<float> logits;  // of the last pass
  Digest128 kept;             // all rows before the first token is decoded
  int steps_after_first_token = 0;
  bool computed_original = false;
};

inline Served serve(Prompt& parts, const std::string& eviction, bool keeps_original,
                    std::optional<CacheHit> hit = std::nullopt,
                    const std::function<void(RequestTask&)>& at_first_token = {}) {
  RequestInput input = input_of(parts, 0, 0, 40);
  input.decode_eviction = eviction_of(eviction);
  input.keeps_original = keeps_original;
  RequestTask task(*parts.runtime, parts.lender, parts.serving_clock, std::move(input), std::move(hit), 0.0,
                   [](const std::string&) {});
  Served served;
  bool first = true, cut = false;
  while (!task.done()) {
    if (task.needs() == RequestTask::Need::bytes) {
      must(task.poll(0.001));
    } else if (task.needs() == RequestTask::Need::compute) {
      served.steps_after_first_token += task.decode().has_begun() ? 1 : 0;
      must(task.compute());
    } else {
      if (!std::exchange(cut, true)) served.kept = digest_of(task.cache());
      BatchDecodeTask decode(*parts.runtime->model, {task.decode().next_decode()});
      must(decode.run());
      served.logits.assign(decode.logits(0).begin(), decode.logits(0).end());
      task.decode().take_token(decode.logits(0));
    }
    if (task.decode().has_begun() && std::exchange(first, false)) {
      served.computed_original = task.computed_original();
      if (at_first_token) at_first_token(task);
    }
  }
  served.record = task.record();
  served.answer = task.decode().answer_tokens();
  return served;
}

class CutInPrefillTest : public QObject {
  Q_OBJECT

  static void everyMethodAndWay() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("stored");
    for (const char* method : {"paged_eviction", "knorm", "keydiff", "streaming_llm"})
      for (const bool stored : {false, true})
        QTest::addRow("%s, %s", method, stored ? "loaded" : "computed") << method << stored;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // Bit for bit: neither the order of the prefill nor the moment of the cut shows.
  void theSameTokensAreKept_data() { everyMethodAndWay(); }
  void theSameTokensAreKept() {
    QFETCH(const QString, method);
    QFETCH(const bool, stored);
    Prompt parts;
    if (stored) store_context(parts, 0, {.tier = 0});
    const auto hit = [&]() -> std::optional<CacheHit> {
      if (!stored) return std::nullopt;
      return parts.store->find(parts.tokens()).value();
    };
    const std::string name = method.toStdString();
    const Served after = serve(parts, name + "(budget=20%)", false, hit());
    const Served during = serve(parts, name + "(budget=20%,cut=prefill)", false, hit());
    QVERIFY(during.kept == after.kept);
    QCOMPARE(during.answer, after.answer);
    QCOMPARE(during.logits, after.logits);
    QVERIFY(during.answer.size() > 1);
    const DecodingRecord &a = after.record.decoding, &d = during.record.decoding;
    QCOMPARE(d.evicted_entries, a.evicted_entries);
    QVERIFY(a.evicted_entries > 0);
    QCOMPARE(d.budget_tokens, a.budget_tokens);
    QCOMPARE(during.record.kept_tokens, after.record.kept_tokens);
    QCOMPARE(during.record.source, after.record.source);
    QCOMPARE(after.steps_after_first_token, parts.layers());
    QCOMPARE(during.steps_after_first_token, 0);
    QVERIFY(d.cut_seconds > 0);
  }

  // At most one layer is whole: the others have their budget, or nothing yet.
  void thePeakFalls_data() { everyMethodAndWay(); }
  void thePeakFalls() {
    QFETCH(const QString, method);
    QFETCH(const bool, stored);
    Prompt parts;
    const std::uint64_t whole = parts.blocks_of(parts.prompt_tokens());
    QVERIFY(whole >= 4 && parts.tokens().size() > 3 * chunk_tokens);
    if (stored) store_context(parts, 0, {.tier = 0});
    const auto peak = [&](const std::string& cut) {
      std::optional<CacheHit> hit;
      if (stored) hit = parts.store->find(parts.tokens()).value();
      const std::string setting = method.toStdString() + "(budget=10%" + cut + ")";
      return serve(parts, setting, false, std::move(hit)).record.decoding;
    };
    const DecodingRecord after = peak(""), during = peak(",cut=prefill");
    const auto layers = static_cast<std::uint64_t>(parts.layers()),
               heads = static_cast<std::uint64_t>(parts.runtime->model->kv_shape().kv_heads),
               block_bytes = static_cast<std::uint64_t>(parts.runtime->pool->block_bytes());
    QVERIFY(after.peak_bytes >= layers * heads * whole * block_bytes);
    // While decoding, each head has its budget and at most one block more.
    const std::uint64_t budget = parts.blocks_of(static_cast<std::size_t>(during.budget_tokens)) + 1;
    QVERIFY(during.peak_bytes <= heads * (whole + layers * budget) * block_bytes);
    QVERIFY(4 * during.peak_bytes < 3 * after.peak_bytes);
    qInfo("%s: peak %.1f KiB instead of %.1f KiB", QTest::currentDataTag(),
          static_cast<double>(during.peak_bytes) / 1024, static_cast<double>(after.peak_bytes) / 1024);
  }

  // A context that is to be stored is computed whole, and kept before the cut.
  void whereAnOriginalIsKeptTheCutWaits() {
    Prompt parts;
    const Digest128 computed = digest_of(parts.computed());
    Digest128 kept;
    const auto keep = [&](RequestTask& task) { kept = digest_of(task.share_context()); };
    const Served served = serve(parts, "paged_eviction(budget=20%,cut=prefill)", true, std::nullopt, keep);
    QVERIFY(served.computed_original);
    QVERIFY(kept == computed);
    QCOMPARE(served.steps_after_first_token, parts.layers());
    QVERIFY(!serve(parts, "paged_eviction(budget=20%,cut=prefill)", false).computed_original);
  }

  // They score by what the question attends to, which is known when its prefill is done.
  void methodsThatReadQueriesCutAfterwards() {
    for (const char* method : {"h2o", "tova", "r_kv"}) {
      Prompt parts;
      const Served served = serve(parts, std::string(method) + "(budget=20%,cut=prefill)", false);
      QCOMPARE(served.steps_after_first_token, parts.layers());
      QVERIFY(served.computed_original && served.record.decoding.evicted_entries > 0);
    }
  }

  // Heads of a compressed entry may hold different numbers of tokens, which is known when all layers are there.
  void aCompressedEntryIsCutAfterwards() {
    Prompt parts;
    store_context(parts, 0, {.tier = 0, .method = "knorm", .removed_fraction = 0.3});
    const Served served =
        serve(parts, "paged_eviction(budget=20%,cut=prefill)", false, parts.store->find(parts.tokens()).value());
    QCOMPARE(served.record.source, std::string("dram"));
    QCOMPARE(served.steps_after_first_token, parts.layers());
  }

  // As where a read fails midway: the prompt is prefilled again, and nothing is counted twice.
  void aRestartForgetsWhatWasCut() {
    Prompt parts;
    const auto setting = eviction_of("paged_eviction(budget=20%,cut=prefill)");
    const auto evicted = [&](bool restarts) {
      RequestState state = parts.state();
      DecodeEvictionStage eviction(state, *setting);
      const auto prefill = [&](int layers) {
        state.cache.clear();
        state.cache = parts.computed();
        QuestionPrefillStage question(state, nullptr, 0, false, {&eviction, nullptr});
        while (!question.done() && eviction.next_layer() < layers) must(question.compute());
        return question.done();
      };
      if (restarts) {
        if (prefill(2)) qFatal("the whole prompt was cut");
        eviction.restart();
      }
      if (eviction.has_begun() || eviction.next_layer() != 0) qFatal("it did not restart");
      if (!prefill(1 << 20)) qFatal("the prompt was not cut");
      DecodingRecord record;
      eviction.fill_in(record);
      return record.evicted_entries;
    };
    const std::uint64_t once = evicted(false);
    QVERIFY(once > 0);
    QCOMPARE(evicted(true), once);
  }

  void noBlockIsLost() {
    Prompt parts;
    const std::size_t before = parts.runtime->pool->live_blocks();
    (void)serve(parts, "paged_eviction(budget=20%,cut=prefill)", false);
    QCOMPARE(parts.runtime->pool->live_blocks(), before);
  }
};

KV_TEST_GUILESS_MAIN(CutInPrefillTest)

}  // namespace cut_in_prefill_test

#include "cut_in_prefill_test.moc"
