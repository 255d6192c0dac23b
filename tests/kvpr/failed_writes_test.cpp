// links: kv_experiments kv_tiers
// A tier that takes no write: several of them fail at once, and nobody waits for any of them afterwards.
#include <QTemporaryDir>
#include <QtTest>

#include "core/kvpr/decoded_pages.h"
#include "core/kvpr/offloaded_prompt.h"
#include "tests/kvpr/plain_decode.h"
#include "tests/model/tiny_checkpoint.h"
#include "tests/support/switchable_tier.h"
#include "tests/support/test_program.h"

namespace failed_writes_test {

using namespace kvantage;
using namespace kvantage::test;

class FailedWritesTest : public QObject {
  Q_OBJECT
  static constexpr int tokens_ = 2 * chunk;
  QTemporaryDir folder_;
  std::unique_ptr<Transformer> model_;
  std::unique_ptr<BlockPool> pool_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<LayerInputs> inputs_;
  SwitchableTier tier_{memory_tier()};

 private slots:
  void initTestCase() {
    const GoldenCase golden("llama_mha_linear");
    model_ = load_golden(golden, folder_, false);
    QVERIFY(model_->kv_shape().layers > 1);
    pool_ = std::make_unique<BlockPool>(model_->kv_shape(), 32, std::size_t{64} << 20);
    cache_ = std::make_unique<KvCache>(*pool_);
    inputs_ = std::make_unique<LayerInputs>(*model_, tokens_);
    PrefillTask task(*model_, *cache_, {golden.tokens.begin(), golden.tokens.begin() + tokens_}, 0,
                     {.chunk_tokens = chunk});
    const CaptureLayerInputs capture(*model_, *inputs_);
    QVERIFY(task.run());
    tier_.refuses_writes = true;
  }

  void aPromptIsGivenUp() {
    OffloadedPrompt prompt(tier_, tokens_, chunk, *RowCodec::make(model_->kv_shape(), nullptr), "prompt");
    for (int layer = 0; layer < model_->kv_shape().layers; ++layer)
      QVERIFY(prompt.add_layer(*model_, *cache_, *inputs_));
    const Status taken = prompt.poll(0);
    QVERIFY(!taken);
    QCOMPARE(taken.error().code, ErrorCode::io);
    QCOMPARE(prompt.writes_left(), std::size_t{0});
  }

  void pagesAreGivenUp() {
    DecodedPages pages(*model_, *RowCodec::make(model_->kv_shape(), nullptr), tier_, tokens_,
                       {.page_tokens = chunk, .name = "answer"});
    pages.begin_pass(chunk, DecodedPages::Pass::fed);
    for (int layer = 0; layer < model_->kv_shape().layers; ++layer) pages.take_rows(*cache_, layer);
    QVERIFY(pages.end_pass(false));
    const Status taken = pages.end_pass(false);
    QVERIFY(!taken);
    QCOMPARE(taken.error().code, ErrorCode::io);
    QCOMPARE(pages.written_pages(), std::size_t{0});
    QVERIFY(pages.end_pass(true));  // none is in flight
  }

  void cleanupTestCase() { QCOMPARE(tier_.used_bytes(), std::uint64_t{0}); }
};

KV_TEST_GUILESS_MAIN(FailedWritesTest)

}  // namespace failed_writes_test

#include "failed_writes_test.moc"
