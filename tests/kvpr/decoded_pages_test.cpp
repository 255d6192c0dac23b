// links: kv_experiments kv_tiers
// Tokens after the prompt become pages, of one kind each where layer inputs are kept. These are on the tier or in
// memory, are counted there, and are gone with the pages.
#include "core/kvpr/decoded_pages.h"

#include <QTemporaryDir>
#include <QtTest>

#include "core/kvpr/layer_rows.h"
#include "tests/kvpr/plain_decode.h"
#include "tests/model/cache_contents.h"
#include "tests/support/test_program.h"

namespace decoded_pages_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int prompt_tokens = 21, page_tokens = 4;

/// 16 tokens: rows of each pass.
std::vector<std::pair<int, DecodedPages::Pass>> passes() {
  using Pass = DecodedPages::Pass;
  std::vector<std::pair<int, Pass>> all{{5, Pass::fed}, {1, Pass::decoded}, {1, Pass::decoded}, {3, Pass::fed}};
  all.insert(all.end(), 6, {1, Pass::decoded});
  return all;
}

}  // namespace

class DecodedPagesTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Transformer> model_;
  std::unique_ptr<PrefilledWithInputs> prefilled_;
  std::unique_ptr<StorageTier> tier_ = memory_tier();

  DecodedPages pages(KeptInputs kept) {
    return {*model_,
            *RowCodec::make(model_->kv_shape(), nullptr),
            *tier_,
            prompt_tokens,
            {.page_tokens = page_tokens, .inputs = kept, .name = "answer"}};
  }
  /// Any rows: the newest ones of the prefill.
  void pass(DecodedPages& to, std::int32_t first, int rows, DecodedPages::Pass kind) {
    to.begin_pass(rows, kind);
    const std::vector<std::byte> inputs(static_cast<std::size_t>(rows) * layer_input_bytes(*model_));
    for (int layer = 0; layer < model_->config().layers; ++layer) {
      if (to.wants_inputs()) to.take(layer, first, rows, inputs);
      to.take_rows(prefilled_->cache, layer);
    }
    const Status ended = to.end_pass(true);
    QVERIFY2(ended.has_value(), ended ? "" : ended.error().message.c_str());
  }
  /// With inputs, pages of 5, 2, 3 and 4 tokens, and 2 tokens that wait for more. Without, four pages of 4.
  void fill(DecodedPages& to) {
    std::int32_t at = prompt_tokens;
    for (const auto& [rows, kind] : passes()) {
      pass(to, at, rows, kind);
      at += rows;
    }
  }
  /// All rows are held, one pass after the other.
  void check_rows(const DecodedPages& made) {
    KvCache held(prefilled_->pool), taken(prefilled_->pool);
    const std::size_t half = layer_row_bytes(model_->kv_shape()) / 2;
    for (int layer = 0; layer < model_->config().layers; ++layer) {
      std::int32_t at = prompt_tokens;
      for (const auto& [rows, kind] : passes()) {
        std::vector<std::byte> keys(static_cast<std::size_t>(rows) * half), values(keys.size());
        copy_rows(prefilled_->cache, layer, prompt_tokens - rows, rows, keys.data(), values.data());
        QVERIFY(append_rows(taken, layer, keys, values, at, rows).has_value());
        at += rows;
      }
      QVERIFY(made.append_held(held, layer, 0).has_value());
    }
    QVERIFY(contents(held) == contents(taken));
  }

 private slots:
  void initTestCase() {
    const GoldenCase golden("opt");
    model_ = load_golden(golden, folder_, false);
    QVERIFY(reports_decoded_inputs(*model_));  // it computes in fp32
    prefilled_ = std::make_unique<PrefilledWithInputs>(
        *model_, std::vector<std::int32_t>(golden.tokens.begin(), golden.tokens.begin() + prompt_tokens));
  }

  void passesBecomePages_data() {
    QTest::addColumn<int>("kept");
    for (const int kept : {0, 1, 2}) QTest::addRow("%s", std::array{"none", "tier", "memory"}[kept]) << kept;
  }
  void passesBecomePages() {
    QFETCH(const int, kept);
    const auto inputs = static_cast<KeptInputs>(kept);
    const bool keeps = inputs != KeptInputs::none;
    const auto layers = static_cast<std::uint64_t>(model_->config().layers);
    const std::uint64_t token = model_->kv_shape().bytes_per_token(), input = layers * layer_input_bytes(*model_);
    {
      DecodedPages made = pages(inputs);
      fill(made);
      QCOMPARE(made.written_pages(), std::size_t{4});
      const auto first = keeps ? std::vector{21, 26, 28, 31} : std::vector{21, 25, 29, 33},
                 tokens = keeps ? std::vector{5, 2, 3, 4} : std::vector{4, 4, 4, 4};
      std::uint64_t written = 0;
      for (std::size_t page = 0; page < 4; ++page) {
        QCOMPARE(made.first_of(page), first[page]);
        QCOMPARE(made.tokens_of(page), tokens[page]);
        QCOMPARE(made.tokens_before(page), first[page]);
        const auto count = static_cast<std::uint64_t>(tokens[page]);
        written += layers * padded_block(count * token / layers);
        if (inputs == KeptInputs::on_tier) written += layers * padded_block(count * input / layers);
        const OffloadedBlock& block = made.layer(page, 0).blocks.front();
        QCOMPARE(block.decoded, !keeps || page % 2 == 1);
        QCOMPARE(block.inputs.bytes > 0, inputs == KeptInputs::on_tier);
      }
      QCOMPARE(made.written_bytes(), written);
      const int end = keeps ? 35 : 37;
      QCOMPARE(made.tokens_before(4), end);
      std::vector<int> ends;
      made.add_recomputable(4, ends);
      QCOMPARE(ends, keeps ? (std::vector<int>{26, 28, 31, 35}) : std::vector<int>());

      // Until no layer in flight relies on them, all rows are held; inputs for the tier, until they are written.
      const std::uint64_t held = inputs == KeptInputs::none ? 0 : inputs == KeptInputs::on_tier ? 2 : 16;
      QCOMPARE(made.held_bytes(), 16 * token + held * input);
      check_rows(made);
      made.release(4);
      QCOMPARE(made.held_bytes(), static_cast<std::uint64_t>(prompt_tokens + 16 - end) * token + held * input);
      QCOMPARE(made.resident_bytes(), inputs == KeptInputs::in_memory ? 16 * input : 0);
      QVERIFY(tier_->used_bytes() > 0);
    }
    QCOMPARE(tier_->used_bytes(), std::uint64_t{0});
  }

  // A decode step of bf16 with libtorch's products reads fp32, so only fed tokens can be recomputed.
  void inputsOfOtherTypesAreNotKept() {
    prefilled_.reset();  // before its model
    model_ = load_golden(GoldenCase("opt"), folder_, true);
    prefilled_ = std::make_unique<PrefilledWithInputs>(*model_, std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
    DecodedPages made = pages(KeptInputs::on_tier);
    fill(made);
    std::vector<int> ends;
    made.add_recomputable(4, ends);
    QCOMPARE(ends, reports_decoded_inputs(*model_) ? (std::vector<int>{26, 28, 31, 35}) : std::vector<int>{26});
  }
};

KV_TEST_GUILESS_MAIN(DecodedPagesTest)

}  // namespace decoded_pages_test

#include "decoded_pages_test.moc"
