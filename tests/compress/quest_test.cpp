// links: kv_experiments
// Page selection on the real model: which pages are read, and that nothing else changes.
#include <QtTest>
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/compress/decode/quest.h"
#include "tests/compress/decoding_prompt.h"
#include "tests/support/test_program.h"

namespace quest_test {

using namespace kvantage;
using namespace kvantage::test;

class QuestTest : public QObject {
  Q_OBJECT
  std::unique_ptr<Prefilled> prefilled_;

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor ../shared/data holds one");
    prefilled_ = std::make_unique<Prefilled>();
  }

  void questReadsFewerRowsAndEvictsNone() {
    const int group = prefilled_->group();
    QuestSelector all({.page_tokens = 16, .budget_tokens = 4096, .dense_layers = 2}, group);
    QuestSelector few({.page_tokens = 16, .budget_tokens = 64, .dense_layers = 2}, group);
    const auto logits = [&](DecodeHooks* hooks) {
      Prompt prompt(*prefilled_);
      prompt.step(20, hooks);
      const auto added = static_cast<std::size_t>(prompt.setting.layers * prompt.setting.kv_heads);
      if (prompt.cache.kept_rows() != prefilled_->cache->kept_rows() + added) qFatal("rows");
      return prompt.logits;
    };
    QCOMPARE(logits(&all), logits(nullptr));  // every page chosen: the same numbers
    (void)logits(&few);
    QVERIFY(few.rows_read() > 0);
    QVERIFY(few.rows_read() * 4 < few.rows_held());
    QCOMPARE(all.rows_read(), all.rows_held());
  }

  void questChoosesThePagesOfTheHighestBounds() {
    const KvCache& cache = *prefilled_->cache;
    QuestSelector quest({.page_tokens = 16, .budget_tokens = 48, .dense_layers = 0});
    const int dim = prefilled_->setting.head_dim;
    std::vector<std::byte> bytes(static_cast<std::size_t>(prompt_tokens * dim) * bytes_of(cache.shape().type));
    cache.gather_head(1, 1, bytes.data(), nullptr, nullptr);
    if (cache.shape().type != KvType::bf16) QSKIP("the default model holds bf16");
    const auto key = [&](int t, int d) {
      std::uint32_t bits = 0;
      std::memcpy(reinterpret_cast<char*>(&bits) + 2, &bytes[static_cast<std::size_t>(t * dim + d) * 2], 2);
      return std::bit_cast<float>(bits);
    };
    Random random(3);
    std::vector<float> query;
    for (int d = 0; d < dim; ++d) query.push_back(static_cast<float>(random.normal()));
    std::vector<std::pair<double, int>> bounds;
    for (int page = 0; page * 16 < prompt_tokens; ++page) {
      double bound = 0;
      for (int d = 0; d < dim; ++d) {
        double best = -1e30;
        for (int t = page * 16; t < std::min(prompt_tokens, page * 16 + 16); ++t)
          best = std::max(best, double(key(t, d)) * double(query[static_cast<std::size_t>(d)]));
        bound += best;  // the largest product over the page, channel by channel
      }
      bounds.emplace_back(-bound, page);
    }
    std::ranges::sort(bounds);
    std::vector<std::int32_t> expected;
    std::vector<int> pages{bounds[0].second, bounds[1].second, bounds[2].second};
    std::ranges::sort(pages);
    for (const int page : pages)
      for (int t = page * 16; t < std::min(prompt_tokens, page * 16 + 16); ++t) expected.push_back(t);
    const auto chosen = quest.rows(cache, 1, 1, query);
    QCOMPARE(std::vector<std::int32_t>(chosen.begin(), chosen.end()), expected);
  }
};

KV_TEST_GUILESS_MAIN(QuestTest)

}  // namespace quest_test

#include "quest_test.moc"
