// links: kv_experiments kv_tiers
// A context loaded in three ways: bytes follow from what is recomputed, and what cannot be compared is refused.
#include <QTemporaryDir>
#include <QtTest>

#include "core/experiments/model/context_load_study.h"
#include "core/kvpr/recompute_profile.h"
#include "tests/kvpr/plain_decode.h"
#include "tests/model/tiny_checkpoint.h"
#include "tests/support/test_program.h"

namespace context_load_study_test {

using namespace kvantage;
using namespace kvantage::test;

class ContextLoadStudyTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void theSameCacheInEachWay() {
    const GoldenCase golden("opt");
    const auto model = load_golden(golden, folder_, false);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + 40);
    ContextLoadStudyOptions options;
    options.profile = half(*model);
    options.chunk_tokens = chunk;
    const auto runs = compare_context_loads(*model, *tier, buffers, prompt, options);
    QVERIFY2(runs.has_value(), runs ? "" : runs.error().message.c_str());
    QCOMPARE(runs->size(), std::size_t{3});
    for (const ContextLoadRun& run : *runs) {
      const auto recomputed = static_cast<std::uint64_t>(run.load.recomputed_tokens), layers = std::uint64_t{3};
      if (run.mode == SplitMode::load_only) QCOMPARE(recomputed, std::uint64_t{0});
      if (run.mode == SplitMode::recompute_only) QCOMPARE(recomputed, std::uint64_t{40});
      if (run.mode == SplitMode::solved) QVERIFY(recomputed > 0 && recomputed < 40);
      // hidden 64, fp32: a chunk's inputs are 2 KiB, padded to 4; its keys and values 4 KiB.
      QCOMPARE(run.load.input_bytes, layers * recomputed / chunk * 4096);
      QCOMPARE(run.load.kv_bytes, layers * (40 - recomputed) / chunk * 4096);
      QCOMPARE(run.load.predicted_bytes, layers * (recomputed * 256 + (40 - recomputed) * 512));
      QVERIFY(run.load.seconds > 0 && run.load.predicted_seconds > 0);
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
    const auto taking_in = profile_taking_in(*model, 40, chunk, system_executor().clock());
    QVERIFY(taking_in.has_value() && *taking_in > 0);
  }

  void refusals() {
    const GoldenCase golden("llama");  // inputs as large as keys and values
    const auto model = load_golden(golden, folder_, false);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    ContextLoadStudyOptions options;
    options.profile = half(*model);
    options.chunk_tokens = chunk;
    const auto refused = compare_context_loads(*model, *tier, buffers, golden.tokens, options);
    QVERIFY(!refused && refused.error().message.find("cannot pay; ") != std::string::npos);
    options.modes = {SplitMode::load_only, SplitMode::recompute_only};  // loading and computing alone do not need it
    QVERIFY(compare_context_loads(*model, *tier, buffers, golden.tokens, options).has_value());
    int asked = 0;
    options.stop = [&asked] { return ++asked == 3; };
    const auto stopped = compare_context_loads(*model, *tier, buffers, golden.tokens, options);
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    options.rounds = 2;
    const auto even = compare_context_loads(*model, *tier, buffers, golden.tokens, options);
    QVERIFY(!even && even.error().code == ErrorCode::usage);
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(ContextLoadStudyTest)

}  // namespace context_load_study_test

#include "context_load_study_test.moc"
