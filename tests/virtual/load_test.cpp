// links: kv_runtime kv_tiers
// Compute-or-load in virtual time: the loader's thread and the computing one meet at known times.
#include <QtTest>

#include "tests/load/stored_contexts.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tiers/buffer_pool.h"
#include "tiers/dram_tier.h"
#include "tiers/queued_tier.h"
#include "tiers/throttled_tier.h"

namespace load_test {

using namespace kvantage;
using namespace kvantage::test;

class LoadTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // The model computes in no time, so what a load takes is what the tier takes for the pieces behind the front.
  void theLoaderTakesWhatItsTierTakes() {
    constexpr double bytes_per_second = 50e6, latency_seconds = 0.003;
    const StoredContexts contexts(70, 256);
    const StoredForm form = contexts.store("none", 0);
    const auto pieces = context_pieces(*form.header).value();
    QVERIFY(pieces.size() >= 3);
    VirtualExecutor executor;
    ThrottledTier tier(QueuedTier::open(std::make_unique<DramStore>("dram"), 0, 0, executor).value(),
                       {bytes_per_second, latency_seconds});
    write_or_fail(tier, form);
    BufferPool buffers(std::size_t{64} << 20);
    for (int computed = 0; computed <= static_cast<int>(pieces.size()); ++computed) {
      KvCache cache(*contexts.runtime->pool);
      const auto done = load_or_compute(
          *contexts.runtime->model, {&tier, form.header, {}}, buffers, cache,
          {.tier = {latency_seconds, bytes_per_second, 0, 0}, .prefill = {0, 6e-5, 0}, .computed_pieces = computed});
      QVERIFY2(done.has_value(), done ? "" : done.error().message.c_str());
      QCOMPARE(difference(cache, *form.cache), QString());
      QCOMPARE(done->computed_pieces, computed);
      QCOMPARE(buffers.leased_bytes(), std::size_t{0});
      double bytes = 0;
      for (std::size_t p = static_cast<std::size_t>(computed); p < pieces.size(); ++p) bytes += pieces[p].bytes;
      const double wanted = bytes > 0 ? latency_seconds + bytes / bytes_per_second : 0;
      // Two reads are in flight at a time, so latencies hide; extents are padded to pages, waits end on a nanosecond.
      QVERIFY2(done->seconds >= wanted && done->seconds < wanted * 1.01 + 0.001,
               qPrintable(QString("%1 s, not %2 s").arg(done->seconds).arg(wanted)));
      QCOMPARE(done->compute_seconds, 0.0);
    }
  }
};

KV_TEST_GUILESS_MAIN(LoadTest)

}  // namespace load_test

#include "load_test.moc"
