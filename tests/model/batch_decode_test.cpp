// links: kv_experiments
// Several sequences decoded together get what each of them gets alone, bit for bit.
#include <QTemporaryDir>
#include <QTest>
#include <cstring>

#include "core/model/batch_decode.h"
#include "core/model/generate.h"
#include "tests/model/cache_contents.h"
#include "tests/model/tiny_checkpoint.h"
#include "tests/support/test_program.h"

namespace batch_decode_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int prompt_lengths[] = {1, 31, 32, 33, 64, 100, 7, 150, 65};

/// Evicts the oldest row of every head of a layer.
struct DropOldest final : DecodeHooks {
  int calls = 0;     // that succeeded
  int fail_at = -1;  // once
  Status after_layer(KvCache& cache, int layer, std::span<const float>) override {
    if (calls == std::exchange(fail_at, calls == fail_at ? -1 : fail_at)) return fail(ErrorCode::no_space, "full");
    ++calls;
    return cache.evict(layer, KeptIndices(static_cast<std::size_t>(cache.shape().kv_heads), {0}));
  }
};

struct EverySecondRow final : DecodeHooks {
  std::vector<std::int32_t> chosen;
  bool selects(int layer) const override { return layer % 2 == 1; }
  std::span<const std::int32_t> rows(const KvCache& cache, int layer, int query_head,
                                     std::span<const float> query) override {
    chosen.clear();
    const int group = 2;  // of the tiny model
    const int kept = cache.kept(layer, query_head / group);
    for (std::int32_t row = query.front() > 0 ? 1 : 0; row < kept; row += 2) chosen.push_back(row);
    if (chosen.empty()) chosen.push_back(kept - 1);
    return chosen;
  }
};

}  // namespace

class BatchDecodeTest : public QObject {
  Q_OBJECT
  QTemporaryDir folders_[2];                          // fp32, bf16
  std::vector<std::unique_ptr<Transformer>> models_;  // one an instruction set, fp32 then bf16

  /// A prompt of its own for each sequence, some of its rows dropped from every second one.
  struct Prompt {
    KvCache cache;
    std::int32_t token = 0;
    std::int32_t position = 0;
  };
  static Prompt prompt(Transformer& model, BlockPool& pool, std::size_t sequence) {
    Random random(100 + sequence);
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < prompt_lengths[sequence % std::size(prompt_lengths)]; ++i)
      tokens.push_back(static_cast<std::int32_t>(random.below(256)));
    const auto length = static_cast<std::int32_t>(tokens.size());
    Prompt result{KvCache(pool), static_cast<std::int32_t>(random.below(256)), length};
    PrefillTask prefill(model, result.cache, tokens, 0);
    if (!prefill.run()) qFatal("prefill failed");
    result.cache.set_sequence_length(length);
    if (sequence % 2 == 1 && length > 8)
      for (int layer = 0; layer < model.config().layers; ++layer) {
        KeptIndices dropped(static_cast<std::size_t>(model.config().kv_heads));
        for (std::size_t head = 0; head < dropped.size(); ++head)
          for (std::int32_t i = 1; i < length - 1; i += 2 + static_cast<std::int32_t>(head)) dropped[head].push_back(i);
        if (!result.cache.evict(layer, dropped)) qFatal("evict failed");
      }
    return result;
  }

 private slots:
  void initTestCase() {
    const GoldenCase golden("qwen2");
    for (int bf16 = 0; bf16 < 2; ++bf16) {
      golden.write(folders_[bf16].path().toStdString(), bf16 == 1);
      for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) {
        auto model =
            Transformer::load(folders_[bf16].path().toStdString(),
                              {.compute = {}, .kv_type = {}, .memory_limit_bytes = 0, .isa = static_cast<Isa>(isa)});
        QVERIFY(model.has_value());
        models_.push_back(std::move(*model));
      }
    }
  }

  void eachSequenceGetsWhatItGetsAlone_data() {
    QTest::addColumn<int>("batch");
    for (const int batch : {1, 2, 3, 4, 5, 7, 8, 9}) QTest::newRow(std::to_string(batch).c_str()) << batch;
  }
  void eachSequenceGetsWhatItGetsAlone() {
    QFETCH(int, batch);
    for (const auto& model : models_) {
      BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
      std::vector<Prompt> together, alone;
      for (std::size_t s = 0; s < static_cast<std::size_t>(batch); ++s) {
        together.push_back(prompt(*model, pool, s));
        alone.push_back(prompt(*model, pool, s));
      }
      for (int step = 0; step < 6; ++step) {
        std::vector<DecodeSequence> sequences;
        for (Prompt& p : together) sequences.push_back({&p.cache, p.token, p.position});
        BatchDecodeTask task(*model, sequences);
        QVERIFY(task.run().has_value());
        for (std::size_t s = 0; s < together.size(); ++s) {
          std::vector<float> logits(task.logits(s).size());
          QVERIFY(model->decode(alone[s].cache, alone[s].token, alone[s].position, logits).has_value());
          QVERIFY2(std::memcmp(logits.data(), task.logits(s).data(), logits.size() * sizeof(float)) == 0,
                   qPrintable(QString("sequence %1, step %2").arg(s).arg(step)));
          for (Prompt* p : {&together[s], &alone[s]}) {
            p->token = greedy_token(logits);
            ++p->position;
          }
        }
      }
      for (std::size_t s = 0; s < together.size(); ++s)
        QVERIFY(contents(together[s].cache) == contents(alone[s].cache));
    }
  }

  // One sequence evicts, one selects the rows that it reads, two have no hooks: each gets what it gets alone.
  void hooksBelongToTheirSequenceAlone() {
    for (const auto& model : models_) {
      BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
      std::vector<Prompt> together, alone;
      for (std::size_t s = 0; s < 4; ++s) {
        together.push_back(prompt(*model, pool, s + 2));
        alone.push_back(prompt(*model, pool, s + 2));
      }
      std::array<DropOldest, 2> drop;
      std::array<EverySecondRow, 2> second;
      const auto hooks = [&](std::size_t s, std::size_t copy) -> DecodeHooks* {
        if (s == 1) return &drop[copy];
        return s == 2 ? static_cast<DecodeHooks*>(&second[copy]) : nullptr;
      };
      for (int step = 0; step < 6; ++step) {
        std::vector<DecodeSequence> sequences;
        for (std::size_t s = 0; s < together.size(); ++s)
          sequences.push_back({&together[s].cache, together[s].token, together[s].position, hooks(s, 0)});
        BatchDecodeTask task(*model, sequences);
        QVERIFY(task.run().has_value());
        for (std::size_t s = 0; s < together.size(); ++s) {
          DecodeTask one(*model, alone[s].cache, alone[s].token, alone[s].position, hooks(s, 1));
          QVERIFY(one.run().has_value());
          QVERIFY2(std::ranges::equal(one.logits(), task.logits(s)),
                   qPrintable(QString("sequence %1, step %2").arg(s).arg(step)));
          for (Prompt* p : {&together[s], &alone[s]}) {
            p->token = greedy_token(one.logits());
            ++p->position;
          }
        }
      }
      for (std::size_t s = 0; s < together.size(); ++s)
        QVERIFY(contents(together[s].cache) == contents(alone[s].cache));
      QCOMPARE(drop[0].calls, 6 * model->config().layers);
      QVERIFY(together[1].cache.kept(0, 0) < static_cast<int>(together[1].cache.sequence_length()));
    }
  }

  // The step continues where it stopped: hooks that have seen the layer do not see it again.
  void aHookThatFailsIsAskedAgainAlone() {
    Transformer& model = *models_.back();
    BlockPool pool(model.kv_shape(), 32, std::size_t{64} << 20);
    std::vector<Prompt> plain, hooked;
    for (const std::size_t s : {2, 4}) {
      plain.push_back(prompt(model, pool, s));
      hooked.push_back(prompt(model, pool, s));
    }
    DropOldest first, second, first_alone, second_alone;
    second.fail_at = 2;
    BatchDecodeTask task(model, {{&hooked[0].cache, hooked[0].token, hooked[0].position, &first},
                                 {&hooked[1].cache, hooked[1].token, hooked[1].position, &second}});
    const Status failed = task.run();
    QVERIFY(!failed);
    QCOMPARE(failed.error().code, ErrorCode::no_space);
    QVERIFY(task.run().has_value());
    QCOMPARE(first.calls, model.config().layers);
    for (std::size_t s = 0; s < 2; ++s) {
      DecodeTask one(model, plain[s].cache, plain[s].token, plain[s].position, s == 0 ? &first_alone : &second_alone);
      QVERIFY(one.run().has_value());
      QVERIFY(std::ranges::equal(one.logits(), task.logits(s)));
      QVERIFY(contents(plain[s].cache) == contents(hooked[s].cache));
    }
  }

  void aFullPoolStopsTheStepAndRoomLetsItContinue() {
    Transformer& model = *models_.back();
    BlockPool measure(model.kv_shape(), 32, std::size_t{64} << 20);
    std::vector<Prompt> plain;
    for (const std::size_t s : {2, 4, 2})
      plain.push_back(prompt(model, measure, s));  // 32, 64 and 32 rows: all blocks full
    // Room for what they hold, one more token of two of them, and a filler that stands in the way.
    const std::size_t token_blocks = static_cast<std::size_t>(model.config().layers * model.config().kv_heads);
    BlockPool pool(model.kv_shape(), 32, (measure.live_blocks() + 3 * token_blocks) * measure.block_bytes());
    std::vector<Prompt> tight;
    for (const std::size_t s : {2, 4, 2}) tight.push_back(prompt(model, pool, s));
    std::vector<BlockId> filler;
    while (pool.live_blocks() < pool.capacity_blocks() - token_blocks - 3) filler.push_back(pool.allocate().value());
    std::vector<DecodeSequence> sequences;
    for (Prompt& p : tight) sequences.push_back({&p.cache, p.token, p.position});
    BatchDecodeTask task(model, sequences);
    Status status;
    while (status && !task.done()) status = task.step();
    QVERIFY(!status);
    QCOMPARE(status.error().code, ErrorCode::no_space);
    QVERIFY(!task.step());  // nothing has changed
    task.leave(1);          // the second gives its room up
    tight[1].cache.clear();
    QVERIFY(task.run().has_value());
    for (const std::size_t s : {0, 2}) {
      std::vector<float> logits(task.logits(s).size());
      QVERIFY(model.decode(plain[s].cache, plain[s].token, plain[s].position, logits).has_value());
      QVERIFY(std::memcmp(logits.data(), task.logits(s).data(), logits.size() * sizeof(float)) == 0);
      QVERIFY(contents(plain[s].cache) == contents(tight[s].cache));
    }
    for (const BlockId block : filler) pool.release(block);
  }

  void aTokenThatIsNoneIsRefusedBeforeAnythingIsComputed() {
    Transformer& model = *models_.front();
    BlockPool pool(model.kv_shape(), 32, std::size_t{64} << 20);
    Prompt good = prompt(model, pool, 3), bad = prompt(model, pool, 5);
    const auto before = contents(good.cache);
    BatchDecodeTask task(model, {{&good.cache, good.token, good.position}, {&bad.cache, 1 << 20, bad.position}});
    QVERIFY(!task.run());
    QVERIFY(contents(good.cache) == before);
  }
};

KV_TEST_GUILESS_MAIN(BatchDecodeTest)

}  // namespace batch_decode_test

#include "batch_decode_test.moc"
