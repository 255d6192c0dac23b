// links: kv_runtime kv_gpu_emulated
// The references that kernels are compared with, themselves compared with core on caches of its own: scores, the
// tokens that stay, gathered rows, plans of compaction. So what a kernel computes is what the processor computes.
#include "tests/gpu/cache_image.h"  // before the kernels: it takes a word of Qt away

#include <limits>

#include "core/compress/budgets/budget.h"
#include "gpu/kernels/gather_paged.h"
#include "gpu/kernels/score_keydiff.h"
#include "gpu/kernels/score_knorm.h"
#include "gpu/kernels/score_snapkv.h"
#include "gpu/kernels/select_top.h"
#include "tests/compress/random_context.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

const SystemClock system_clock;

constexpr KvShape shape{2, 2, 64, KvType::bf16};

/// The largest difference of a method's scores in core to those of a reference, over the larger of both; negative where
/// they are not as many.
double difference(const LayerScores& scores, const std::vector<float>& reference) {
  double most = 0;
  std::size_t at = 0;
  for (const auto& heads : scores.layers)
    for (const LayerScores::Head& head : heads)
      for (const float score : head.scores) {
        if (at == reference.size()) return -1;
        const auto a = static_cast<double>(score), b = static_cast<double>(reference[at++]);
        most = std::max(most, std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-6}));
      }
  return at == reference.size() ? most : -1;
}

}  // namespace

class ReferencesMatchCoreScoresTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scores_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<int>("tokens");
    for (const char* method : {"knorm", "keydiff", "snapkv(window=24,kernel=5)"})
      for (const int tokens : {150, 25, 24, 7, 1})
        QTest::addRow("%s of %d", method, tokens) << QString(method) << tokens;
  }
  void scores() {
    QFETCH(QString, method);
    QFETCH(int, tokens);
    RandomContext context(shape, tokens, 24);
    WindowQueries& queries = context.observed.queries;
    std::vector<std::uint16_t>
        rounded;  // [layers, kv_heads, group, window, head_dim]: core computes on what a device is given
    for (auto& layer : queries.layers)
      for (float& number : layer) {
        rounded.push_back(gpu::narrowed(number));
        number = gpu::widened(rounded.back());
      }
    const auto core = method_of(method.toStdString())->scores(context.cache, context.observed);
    QVERIFY2(core.has_value(), core ? "" : core.error().message.c_str());
    auto arena = arena_of(context.pool, {&context.cache});
    const Image image(context.cache, arena);
    std::vector<float> reference(image.row_slots.size());
    if (method == "knorm") gpu::score_knorm_reference(image.heads, reference.data());
    if (method == "keydiff") gpu::score_keydiff_reference(image.heads, reference.data());
    if (method.startsWith("snapkv"))
      gpu::score_snapkv_reference(image.heads,
                                  {.queries = rounded.data(),
                                   .group = query_group,
                                   .window = queries.window,
                                   .kernel = 5,
                                   .layer_heads = shape.kv_heads},
                                  reference.data());
    const double most = difference(*core, reference);
    QVERIFY2(most >= 0 && most < 2e-4, qPrintable(QString::number(most)));
  }

  void bestTokensWithTiesAndWithoutNumbers() {
    Random random(21);
    const float infinity = std::numeric_limits<float>::infinity();
    const float special[] = {0.0F, -0.0F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), 1.0F, -1.0F};
    for (int round = 0; round < 200; ++round) {
      LayerScores::Head head;
      head.scores.resize(random.below(60));
      for (float& score : head.scores)
        score = random.below(2) == 0 ? special[random.below(7)] : static_cast<float>(random.normal());
      rank(head);
      const auto kept = static_cast<std::int32_t>(head.scores.size());
      const std::int32_t first = 0,
                         want = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(kept) + 3));
      std::vector<std::int32_t> reference(static_cast<std::size_t>(std::min(want, kept)), -1);
      gpu::select_top_reference({head.scores.data(), &first, &kept, 1, kept}, &want, &first, reference.data());
      QCOMPARE(reference, best_tokens(head, static_cast<std::size_t>(want)));
    }
  }

  void gatheredRowsAreThoseThatKeepLeaves() {
    RandomContext context(shape, 90);
    Random random(22);
    auto arena = arena_of(context.pool, {&context.cache});
    const Image image(context.cache, arena);
    std::vector<KeptIndices> kept;
    std::vector<std::int32_t> indices, first_row, counts;
    for (int l = 0; l < shape.layers; ++l) {
      kept.push_back(random_indices(context.cache, l, 0.4, random));
      for (const auto& head : kept.back()) {
        first_row.push_back(static_cast<std::int32_t>(indices.size()));
        counts.push_back(static_cast<std::int32_t>(head.size()));
        indices.insert(indices.end(), head.begin(), head.end());
      }
    }
    const std::size_t numbers = indices.size() * static_cast<std::size_t>(shape.head_dim);
    std::vector<std::uint16_t> keys(numbers), values(numbers);
    std::vector<std::int32_t> positions(indices.size());
    gpu::gather_rows_reference(image.heads, indices.data(), first_row.data(), counts.data(),
                               {keys.data(), values.data(), positions.data()});
    for (int l = 0; l < shape.layers; ++l)
      QVERIFY(context.cache.keep(l, kept[static_cast<std::size_t>(l)]).has_value());
    PlainHead all;
    for (const PlainHead& head : contents(context.cache)) {
      all.keys.insert(all.keys.end(), head.keys.begin(), head.keys.end());
      all.values.insert(all.values.end(), head.values.begin(), head.values.end());
      all.positions.insert(all.positions.end(), head.positions.begin(), head.positions.end());
    }
    QVERIFY(std::ranges::equal(std::as_bytes(std::span(keys)), all.keys));
    QVERIFY(std::ranges::equal(std::as_bytes(std::span(values)), all.values));
    QCOMPARE(positions, all.positions);
  }

  // Rounds of appending, evicting and both kinds of compaction, half of them while a second cache holds a part of the
  // blocks.
  void plansOfCoreAreCarriedOut() {
    int staged = 0, carried_out = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Random random(100 + seed);
      BlockPool pool(shape, 16, 600 * BlockPool(shape, 16, 0).block_bytes());
      KvCache cache(pool);
      std::vector<KvCache> others;
      int position = 0;
      for (int round = 0; round < 5; ++round) {
        const int tokens = 20 + static_cast<int>(random.below(60));
        for (int l = 0; l < shape.layers; ++l) {
          QVERIFY(append(cache, l, position, tokens, random).has_value());
          if (round == 0 && l + 1 == shape.layers && seed % 2 == 1) others.push_back(cache.share());
        }
        for (int l = 0; l < shape.layers; ++l)
          QVERIFY(cache.evict(l, random_indices(cache, l, 0.3, random)).has_value());
        const CompactionPlan plan = round == 4 ? plan_repack(cache) : plan_hole_fill(cache, {}, position);
        position += tokens;
        if (plan.empty()) continue;
        std::vector<const KvCache*> holders{&cache};
        for (const KvCache& other : others) holders.push_back(&other);
        auto arena = arena_of(pool, holders);
        const Moves moves(plan, pool, arena);
        for (const HeadCompaction& head : plan.heads) staged += head.layout.staged ? 1 : 0;
        const Status promised = gpu::check_moves(moves.moves);
        QVERIFY2(promised.has_value(), promised ? "" : promised.error().message.c_str());
        gpu::compact_reference(moves.moves);
        QVERIFY(commit(cache, plan, system_clock).has_value());
        for (const KvCache* holder : holders) QCOMPARE(Image(*holder, arena).contents(), contents(*holder));
        ++carried_out;
      }
    }
    QVERIFY(staged > 0);
    QVERIFY(carried_out > 40);
  }
};

QTEST_GUILESS_MAIN(ReferencesMatchCoreScoresTest)
#include "references_match_core_scores_test.moc"
