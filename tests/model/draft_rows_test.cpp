// links: kv_runtime
// Several tokens of one sequence in a pass get the numbers that they get one after the other, bit for bit, in every
// architecture; truncate() leaves the cache as if the rejected ones had never been there; and greedy answers with
// prompt lookup are those without.
#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <set>

#include "core/model/batch_decode.h"
#include "core/model/sampling.h"
#include "core/request/ngram_lookup.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace draft_rows_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Tokens = std::vector<std::int32_t>;

/// Rows, places and blocks of all heads.
struct Layout {
  std::vector<std::byte> rows;
  std::vector<std::int32_t> places;
  bool operator==(const Layout&) const = default;
};

Layout layout_of(const KvCache& cache) {
  Layout layout;
  const std::size_t row = static_cast<std::size_t>(cache.shape().head_dim) * bytes_of(cache.shape().type);
  for (int layer = 0; layer < cache.shape().layers; ++layer)
    for (int head = 0; head < cache.shape().kv_heads; ++head) {
      const HeadView view = cache.head(layer, head);
      std::vector<std::byte> rows(2 * static_cast<std::size_t>(view.kept) * row);
      std::vector<std::int32_t> positions(static_cast<std::size_t>(view.kept));
      cache.gather_head(layer, head, rows.data(), rows.data() + rows.size() / 2, positions.data());
      layout.rows.insert(layout.rows.end(), rows.begin(), rows.end());
      for (const std::int32_t number : {view.kept, view.used, static_cast<std::int32_t>(view.blocks.size())})
        layout.places.push_back(number);
      layout.places.insert(layout.places.end(), positions.begin(), positions.end());
      layout.places.insert(layout.places.end(), view.row_slots.begin(), view.row_slots.end());
    }
  layout.places.push_back(cache.sequence_length());
  return layout;
}

std::vector<float> logits_alone(Transformer& model, KvCache& cache, std::int32_t token) {
  std::vector<float> logits(static_cast<std::size_t>(model.config().vocab_size));
  const auto status = model.decode(cache, token, cache.sequence_length(), logits);
  if (!status) qFatal("%s", status.error().message.c_str());
  return logits;
}

KvCache prefilled(Transformer& model, BlockPool& pool, const Tokens& prompt) {
  KvCache cache(pool);
  PrefillTask prefill(model, cache, prompt, 0);
  if (!prefill.run()) qFatal("prefill failed");
  return cache;
}

/// Of every head another share of rows, so that heads are ragged and have holes.
void make_holes(KvCache& cache) {
  for (int layer = 0; layer < cache.shape().layers; ++layer) {
    KeptIndices dropped(static_cast<std::size_t>(cache.shape().kv_heads));
    for (std::size_t head = 0; head < dropped.size(); ++head)
      for (std::int32_t i = 1; i < cache.kept(layer, static_cast<int>(head)); i += 2 + static_cast<std::int32_t>(head))
        dropped[head].push_back(i);
    if (!cache.evict(layer, dropped)) qFatal("evict failed");
  }
}

std::vector<DecodeSequence> rows_of(KvCache& cache, std::span<const std::int32_t> tokens) {
  std::vector<DecodeSequence> rows;
  for (const std::int32_t token : tokens)
    rows.push_back({&cache, token, cache.sequence_length() + static_cast<std::int32_t>(rows.size())});
  return rows;
}

}  // namespace

class DraftRowsTest : public QObject {
  Q_OBJECT

  int greedy_ = 0, with_accepted_ = 0;  // models that answered, and those that accepted drafts

  static std::unique_ptr<Transformer> load(const QString& name, const std::filesystem::path& from, bool bf16, int isa,
                                           const QTemporaryDir& folder) {
    return load_golden(GoldenCase(name.toStdString(), from), folder, bf16,
                       {.compute = {}, .kv_type = {}, .memory_limit_bytes = 0, .isa = static_cast<Isa>(isa)});
  }

  void every_model() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("from");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<int>("isa");
    for (const auto& from : {GoldenCase::folder(), GoldenCase::architectures()})
      for (const auto& name : GoldenCase::names(from))
        for (const bool bf16 : {false, true})
          for (const int isa : std::set<int>{0, static_cast<int>(best_isa())})
            QTest::addRow("%s, %s, %s", name.c_str(), bf16 ? "bf16" : "fp32", to_string(static_cast<Isa>(isa)))
                << QString::fromStdString(name) << QString::fromStdString(from.string()) << bf16 << isa;
  }

 private slots:
  void cleanupTestCase() {
    if (greedy_ < 8) return;  // a few were chosen by name
    QVERIFY2(2 * with_accepted_ > greedy_, qPrintable(QString("%1 of %2").arg(with_accepted_).arg(greedy_)));
  }

  void aPassGivesWhatTokensGetOneByOne_data() { every_model(); }
  void aPassGivesWhatTokensGetOneByOne() {
    QFETCH(QString, name);
    QFETCH(QString, from);
    QFETCH(bool, bf16);
    QFETCH(int, isa);
    const QTemporaryDir folder;
    const auto model = load(name, from.toStdString(), bf16, isa, folder);
    const int vocabulary = model->config().vocab_size;
    Random random(17);
    for (const bool holes : {false, true}) {
      BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20), plain(model->kv_shape(), 32, std::size_t{64} << 20);
      const Tokens prompt = random_tokens(random, holes ? 30 : 20, vocabulary),
                   other = random_tokens(random, 11, vocabulary);
      KvCache drafted = prefilled(*model, pool, prompt), alone = prefilled(*model, plain, prompt),
              beside = prefilled(*model, pool, other), beside_alone = prefilled(*model, plain, other);
      if (holes) {
        make_holes(drafted);
        make_holes(alone);
      }
      for (int step = 0; step < 6; ++step) {
        const Tokens tokens = random_tokens(random, 1 + random.below(9), vocabulary),
                     more = random_tokens(random, 1 + random.below(3), vocabulary);
        std::vector<DecodeSequence> rows = rows_of(drafted, tokens);
        const std::vector<DecodeSequence> others = rows_of(beside, more);
        rows.insert(step % 2 == 0 ? rows.end() : rows.begin(), others.begin(), others.end());
        const std::size_t first = step % 2 == 0 ? 0 : others.size(), first_other = step % 2 == 0 ? tokens.size() : 0;
        BatchDecodeTask pass(*model, rows);
        const auto status = pass.run();
        QVERIFY2(status.has_value(), status ? "" : status.error().message.c_str());
        {
          KvCache probe = alone.share();
          for (std::size_t i = 0; i < tokens.size(); ++i)
            QVERIFY2(std::ranges::equal(logits_alone(*model, probe, tokens[i]), pass.logits(first + i)),
                     qPrintable(QString("step %1, row %2").arg(step).arg(i)));
        }
        for (std::size_t i = 0; i < more.size(); ++i)
          QVERIFY(std::ranges::equal(logits_alone(*model, beside_alone, more[i]), pass.logits(first_other + i)));
        const std::size_t accepted = random.below(tokens.size());
        drafted.truncate(alone.sequence_length() + static_cast<std::int32_t>(accepted) + 1);
        for (std::size_t i = 0; i <= accepted; ++i) (void)logits_alone(*model, alone, tokens[i]);
        QVERIFY2(layout_of(drafted) == layout_of(alone), qPrintable(QString("step %1").arg(step)));
        QVERIFY(layout_of(beside) == layout_of(beside_alone));
        QCOMPARE(pool.live_blocks(), plain.live_blocks());
      }
    }
  }

  // Random models repeat themselves, so most of them accept drafts.
  void greedyAnswersAreThoseWithoutDrafts_data() { every_model(); }
  void greedyAnswersAreThoseWithoutDrafts() {
    QFETCH(QString, name);
    QFETCH(QString, from);
    QFETCH(bool, bf16);
    QFETCH(int, isa);
    const QTemporaryDir folder;
    const auto model = load(name, from.toStdString(), bf16, isa, folder);
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    Random random(3);
    constexpr std::size_t answer_tokens = 40;
    const Tokens prompt = random_tokens(random, 24, model->config().vocab_size);
    Tokens answers[2];
    std::size_t accepted = 0;
    for (const bool drafts : {false, true}) {
      KvCache cache = prefilled(*model, pool, prompt);
      NgramLookup lookup(3);
      lookup.append(prompt);
      Tokens& answer = answers[drafts];
      answer.push_back(prompt.front());
      lookup.append(answer);
      while (answer.size() < answer_tokens) {
        const Tokens draft = drafts ? lookup.next(8).tokens : Tokens{};
        Tokens tokens{answer.back()};
        tokens.insert(tokens.end(), draft.begin(), draft.end());
        const std::int32_t position = cache.sequence_length();
        BatchDecodeTask pass(*model, rows_of(cache, tokens));
        QVERIFY(pass.run().has_value());
        const std::size_t before = answer.size();
        for (std::size_t row = 0; row < tokens.size(); ++row) {
          answer.push_back(greedy_token(pass.logits(row)));
          lookup.append({&answer.back(), 1});
          if (row < draft.size() && answer.back() != draft[row]) break;
        }
        accepted += answer.size() - before - 1;
        cache.truncate(position + static_cast<std::int32_t>(answer.size() - before));
      }
      answer.resize(answer_tokens);
    }
    QVERIFY(answers[0] == answers[1]);
    ++greedy_;
    if (accepted > 0) ++with_accepted_;
  }

  // A block for the token, none for its drafts: these leave, and the token is decoded.
  void aFullPoolIsLeftByDrafts() {
    const QTemporaryDir folder;
    const auto model = load("qwen2", GoldenCase::folder(), false, static_cast<int>(best_isa()), folder);
    Random random(5);
    const Tokens prompt = random_tokens(random, 31, 256), tokens{7, 8, 9};
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20), plain(model->kv_shape(), 32, std::size_t{64} << 20);
    KvCache drafted = prefilled(*model, pool, prompt), alone = prefilled(*model, plain, prompt);
    std::vector<BlockId> held;
    while (pool.free_blocks() > 0) held.push_back(pool.allocate().value());
    BatchDecodeTask pass(*model, rows_of(drafted, tokens));
    const Status full = pass.run();
    QVERIFY(!full && full.error().code == ErrorCode::no_space);
    for (const std::size_t row : {2, 1}) pass.leave(row);
    drafted.truncate(32);
    QVERIFY(pass.run().has_value());
    QVERIFY(std::ranges::equal(logits_alone(*model, alone, tokens[0]), pass.logits(0)));
    QVERIFY(layout_of(drafted) == layout_of(alone));
    for (const BlockId block : held) pool.release(block);
  }

  void hooksTakeOneTokenAtATime() {
    const QTemporaryDir folder;
    const auto model = load("qwen2", GoldenCase::folder(), false, 0, folder);
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache = prefilled(*model, pool, {1, 2, 3});
    DecodeHooks hooks;
    for (const std::size_t hooked : {0, 1}) {
      std::vector<DecodeSequence> rows = rows_of(cache, Tokens{4, 5});
      rows[hooked].hooks = &hooks;
      const Status refused = BatchDecodeTask(*model, rows).run();
      QVERIFY(!refused && refused.error().code == ErrorCode::internal);
      QCOMPARE(cache.sequence_length(), 3);
    }
  }
};

KV_TEST_GUILESS_MAIN(DraftRowsTest)

}  // namespace draft_rows_test

#include "draft_rows_test.moc"
