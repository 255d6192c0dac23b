// links: kv_runtime
// The default model (or the trial one) cannot tell where rows are: answers over caches with holes, repacked ones and
// ones whose physical order is scrambled are those over a dense cache with the same survivors, bit for bit.
#include <QtTest>
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "core/base/random.h"
#include "core/kv/compaction.h"
#include "core/kv/serial.h"
#include "core/model/transformer.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace paged_answers_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int context_tokens = 600, answer_tokens = 200, cadence = 50;
const SystemClock system_clock;

/// What happens to tokens that are dropped.
enum class Removal { gathered, marked, repacked, filled, mixed };

KeptIndices draw(const KvCache& cache, int layer, double chance, bool dropped, Random& random) {
  KeptIndices indices(static_cast<std::size_t>(cache.shape().kv_heads));
  for (int h = 0; h < cache.shape().kv_heads; ++h)
    for (int i = 0; i < cache.kept(layer, h); ++i)
      if ((random.uniform() < chance) == dropped) indices[static_cast<std::size_t>(h)].push_back(i);
  return indices;
}

/// Drops a share of the tokens of every head, its own ones each, and compacts as `removal` says. The same seed drops
/// the same tokens whatever the removal.
void drop(KvCache& cache, double share, Removal removal, std::int32_t round_start, std::uint64_t seed) {
  Random random(seed);
  for (int l = 0; l < cache.shape().layers; ++l) {
    const KeptIndices indices = draw(cache, l, share, removal != Removal::gathered, random);
    const auto status = removal == Removal::gathered ? cache.keep(l, indices) : cache.evict(l, indices);
    if (!status) qFatal("%s", status.error().message.c_str());
  }
  if (removal == Removal::gathered || removal == Removal::marked) return;
  const bool fill = removal == Removal::filled || (removal == Removal::mixed && round_start / cadence % 2 == 0);
  const auto plan = fill ? plan_hole_fill(cache, {}, round_start) : plan_repack(cache);
  if (!commit(cache, plan, system_clock)) qFatal("commit");
}

struct Answer {
  std::vector<std::int32_t> tokens;
  std::vector<float> logits;  // of every step
  bool operator==(const Answer& other) const {
    return tokens == other.tokens && logits.size() == other.logits.size() &&
           std::memcmp(logits.data(), other.logits.data(), logits.size() * sizeof(float)) == 0;
  }
};

}  // namespace

class PagedAnswersTest : public QObject {
  Q_OBJECT
  std::unique_ptr<Transformer> model_;
  std::vector<std::int32_t> context_, question_;

  std::vector<std::int32_t> random_tokens(int count, std::uint64_t seed) const {
    Random random(seed);
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < count; ++i)
      tokens.push_back(
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(model_->config().vocab_size))));
    return tokens;
  }

  /// Context, drop, question, then decoding with further drops every `cadence` tokens.
  Answer answer(BlockPool& pool, Removal removal, bool drops_on_the_way) const {
    KvCache cache(pool);
    PrefillTask prefill(*model_, cache, context_, 0, {.chunk_tokens = 256, .logits = PrefillLogits::none});
    if (const auto status = prefill.run(); !status) qFatal("%s", status.error().message.c_str());
    drop(cache, 0.5, removal, context_tokens / 2, 1);
    PrefillTask question(*model_, cache, question_, cache.sequence_length(),
                         {.chunk_tokens = 256, .logits = PrefillLogits::last});
    if (const auto status = question.run(); !status) qFatal("%s", status.error().message.c_str());
    Answer answer;
    std::vector<float> logits(question.logits().begin(), question.logits().end());
    for (int t = 0; t < answer_tokens; ++t) {
      answer.tokens.push_back(static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin()));
      answer.logits.insert(answer.logits.end(), logits.begin(), logits.end());
      if (drops_on_the_way && t % cadence == cadence - 1)
        drop(cache, 0.1, removal, cache.sequence_length() - cadence, static_cast<std::uint64_t>(t));
      if (!model_->decode(cache, answer.tokens.back(), cache.sequence_length(), logits)) qFatal("decode");
    }
    return answer;
  }
  BlockPool pool_of(int block_tokens) const { return {model_->kv_shape(), block_tokens, std::size_t{32} << 20}; }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    auto model = Transformer::load(model_directory().string());
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    model_ = std::move(*model);
    context_ = random_tokens(context_tokens, 5);
    question_ = random_tokens(20, 6);
  }

  void whereRowsLieChangesNoBitOfTwoHundredTokens_data() {
    QTest::addColumn<int>("block_tokens");
    QTest::addColumn<bool>("drops_on_the_way");
    QTest::newRow("4 tokens a page, drops on the way") << 4 << true;
    QTest::newRow("16 tokens a page") << 16 << false;
    QTest::newRow("16 tokens a page, drops on the way") << 16 << true;
    QTest::newRow("128 tokens a page, drops on the way") << 128 << true;
  }
  void whereRowsLieChangesNoBitOfTwoHundredTokens() {
    QFETCH(int, block_tokens);
    QFETCH(bool, drops_on_the_way);
    BlockPool dense_pool = pool_of(32);
    const Answer dense = answer(dense_pool, Removal::gathered, drops_on_the_way);
    for (const Removal removal : {Removal::marked, Removal::repacked, Removal::filled, Removal::mixed}) {
      BlockPool pool = pool_of(block_tokens);
      QVERIFY(answer(pool, removal, drops_on_the_way) == dense);
    }
  }

  void anyPageSizeAnswersTheSame() {
    BlockPool first_pool = pool_of(32);
    const Answer first = answer(first_pool, Removal::filled, true);
    for (const int block_tokens : {4, 8, 16, 64, 128}) {
      BlockPool pool = pool_of(block_tokens);
      QVERIFY(answer(pool, Removal::filled, true) == first);
    }
  }

  /// A prefix that two requests share is read by both while each evicts, compacts and answers on its own.
  void sharersOfAPrefixDoNotNoticeEachOther() {
    BlockPool pool = pool_of(16);
    KvCache prefix(pool);
    PrefillTask prefill(*model_, prefix, context_, 0, {.chunk_tokens = 256, .logits = PrefillLogits::none});
    QVERIFY(prefill.run().has_value());
    std::array<std::vector<float>, 2> alone, together;
    const auto decode = [&](KvCache& cache, int who, int step, std::vector<float>& all) {
      std::vector<float> logits(static_cast<std::size_t>(model_->config().vocab_size));
      const auto token = static_cast<std::int32_t>(7 + 31 * who + step);
      if (!model_->decode(cache, token, cache.sequence_length(), logits)) qFatal("decode");
      all.insert(all.end(), logits.begin(), logits.end());
      if (step % 10 == 9)
        drop(cache, 0.2, who == 0 ? Removal::filled : Removal::repacked, cache.sequence_length() - 10,
             static_cast<std::uint64_t>(100 * who + step));
    };
    for (int who = 0; who < 2; ++who) {
      KvCache cache = prefix.share();
      for (int step = 0; step < 40; ++step) decode(cache, who, step, alone[static_cast<std::size_t>(who)]);
    }
    {
      std::array<KvCache, 2> caches{prefix.share(), prefix.share()};
      for (int step = 0; step < 40; ++step)
        for (std::size_t who = 0; who < 2; ++who) decode(caches[who], static_cast<int>(who), step, together[who]);
    }
    for (std::size_t who = 0; who < 2; ++who) QVERIFY(alone[who] == together[who]);
    prefix.clear();
    QCOMPARE(pool.live_blocks(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(PagedAnswersTest)

}  // namespace paged_answers_test

#include "paged_answers_test.moc"
