// links: kv_experiments
// Whether a model fits into memory, against numbers computed by hand for Qwen2.5-0.5B: 24 layers, 2 KV heads of 64.
#include <QtTest>

#include "core/fits/model_memory.h"
#include "tests/support/test_program.h"

namespace model_memory_test {

using namespace kvantage;

/// In bf16: 494,032,768 parameters; 12,288 bytes of keys and values a token, and 192 of positions in the pool's blocks.
ModelFacts qwen() {
  ModelFacts facts;
  facts.weights.loaded_bytes = 988'065'536;
  facts.workspace_bytes = 14'566'912;
  facts.caches.bytes_per_token = 12'288;
  facts.caches.pool_bytes_per_token = 12'480;
  facts.caches.pool_limit_bytes = std::uint64_t{2} << 30;
  facts.caches.max_positions = 32'768;
  return facts;
}

class ModelMemoryTest : public QObject {
  Q_OBJECT

 private slots:
  void theSumIsThatOfItsParts() {
    const MemoryEstimate memory = estimate_memory(qwen(), 4096, std::uint64_t{2} << 30);
    QCOMPARE(memory.cache_bytes, std::uint64_t{51'118'080});  // 4,096 x 12,480
    QCOMPARE(memory.needed_bytes, std::uint64_t{1'053'750'528});
    QCOMPARE(memory.max_tokens, 32'768);  // the rest holds 91,712: all positions of the model
    QVERIFY(memory.fits);
  }

  void theLongestContextIsWhatTheRestHolds() {
    const MemoryEstimate memory = estimate_memory(qwen(), 4096, 1'200'000'000);
    QCOMPARE(memory.max_tokens, 15'808);  // 197,367,552 bytes: 494 blocks of 32 tokens
    QVERIFY(memory.fits);
    QVERIFY(estimate_memory(qwen(), 15'808, 1'200'000'000).fits);
    QVERIFY(!estimate_memory(qwen(), 15'809, 1'200'000'000).fits);
  }

  void withoutRoomForTheWeightsNothingFits() {
    const MemoryEstimate memory = estimate_memory(qwen(), 1, 1'000'000'000);
    QCOMPARE(memory.max_tokens, 0);
    QVERIFY(!memory.fits);
    QCOMPARE(memory.needed_bytes, std::uint64_t{988'065'536 + 14'566'912 + 32 * 12'480});  // a block is whole
  }

  void thePoolIsALimitOfItsOwn() {
    ModelFacts facts = qwen();
    facts.caches.pool_limit_bytes = 64 * 32 * 12'480;
    const MemoryEstimate memory = estimate_memory(facts, 4096, std::uint64_t{64} << 30);
    QCOMPARE(memory.max_tokens, 2048);
    QVERIFY(!memory.fits);
    QVERIFY(memory.needed_bytes < memory.available_bytes);
  }

  void whatIsNotKnownDoesNotFit() {
    const MemoryEstimate memory = estimate_memory(ModelFacts{}, 1, std::uint64_t{64} << 30);
    QCOMPARE(memory.needed_bytes, std::uint64_t{0});
    QVERIFY(!memory.fits);
  }
};

KV_TEST_APPLESS_MAIN(ModelMemoryTest)

}  // namespace model_memory_test

#include "model_memory_test.moc"
