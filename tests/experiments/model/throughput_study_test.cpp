// links: kv_experiments
// Requests side by side in one pool: who fits, what they hold, and that eviction is what makes the difference.
#include "core/experiments/model/throughput_study.h"

#include <QTemporaryDir>
#include <QtTest>

#include "core/model/random_llama.h"
#include "tests/support/test_program.h"

namespace throughput_study_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int prompt = 64, output = 64, whole = prompt + output, page = 16;

}  // namespace

class ThroughputStudyTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<Transformer> model_;
  const std::shared_ptr<const Clock> clock_ = machine_clock();

  std::size_t tables() const {
    return static_cast<std::size_t>(model_->kv_shape().layers) * static_cast<std::size_t>(model_->kv_shape().kv_heads);
  }
  static ThroughputSetting setting_of(const char* eviction, int requests, int batch) {
    ThroughputSetting setting{
        .prompt_tokens = prompt, .output_tokens = output, .requests = requests, .max_batch = batch};
    setting.eviction = parse_decode_eviction(eviction).value();
    return setting;
  }
  ThroughputRun run(const ThroughputSetting& setting) {
    auto measured = measure_throughput(*model_, setting, *clock_);
    if (!measured) qFatal("%s", measured.error().message.c_str());
    return *measured;
  }

 private slots:
  void initTestCase() {
    const std::filesystem::path folder = folder_.path().toStdString();
    const Status written = write_random_llama(
        folder, {.hidden = 256, .heads = 4, .layers = 2, .ffn = 512, .vocab = 64, .positions = whole, .kv_heads = 2},
        1);
    QVERIFY2(written.has_value(), written ? "" : written.error().message.c_str());
    auto model = Transformer::load(folder);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    model_ = std::move(*model);
    QCOMPARE(model_->kv_shape().kv_heads, 2);
  }

  void theFullCacheHoldsEveryToken() {
    const ThroughputRun three = run(setting_of("none", 3, 8));
    QCOMPARE(three.batch, 3);
    // The token chosen last is never computed, so it has no rows; its page is begun by the one before it.
    QCOMPARE(three.peak_blocks, 3 * tables() * whole / page);
    QCOMPARE(three.steps, std::int64_t{output - 1});
    QCOMPARE(three.counts.tokens_evicted, std::int64_t{0});
    QVERIFY(three.tokens_per_second() > 0 && three.seconds_per_output_token() > 0);
    QVERIFY(std::abs(three.tokens_per_second() * three.seconds - 3.0 * whole) < 1e-6);
    QVERIFY(three.prefill_seconds + three.decode_seconds <= three.seconds);
    // Half of them at a time take twice as many steps.
    const ThroughputRun waves = run(setting_of("none", 4, 2));
    QCOMPARE(waves.batch, 2);
    QCOMPARE(waves.steps, std::int64_t{2 * (output - 1)});
    QCOMPARE(waves.peak_blocks, 2 * tables() * whole / page);
  }

  void aBudgetAboveTheSequenceEvictsNothing() {
    const ThroughputRun full = run(setting_of("none", 2, 2));
    for (const char* eviction : {"paged_eviction(budget=128)", "knorm(budget=128)", "streaming_llm(budget=128)"}) {
      const ThroughputRun evicting = run(setting_of(eviction, 2, 2));
      QCOMPARE(evicting.counts.tokens_evicted, std::int64_t{0});
      QCOMPARE(evicting.peak_blocks, full.peak_blocks);
    }
  }

  void whatIsEvictedLeavesRoom() {
    const ThroughputRun paged = run(setting_of("paged_eviction(budget=32)", 2, 2));
    // Rows of both requests in all heads, but what is kept: the budget and at most the page that is being filled.
    const auto kept_at_most = static_cast<std::int64_t>(2 * tables() * (32 + page));
    const auto rows = static_cast<std::int64_t>(2 * tables() * (whole - 1));
    QVERIFY(paged.counts.tokens_evicted >= rows - kept_at_most);
    QVERIFY(paged.counts.tokens_evicted <= rows - static_cast<std::int64_t>(2 * tables() * 32));
    // The second prompt is there as a whole while the first request holds its budget.
    QVERIFY(paged.peak_blocks <= tables() * ((32 + 2 * page) / page + prompt / page));
    QVERIFY(paged.counts.blocks_freed_by_eviction > 0);
    // Single rows leave free slots: without compaction, blocks stay.
    const ThroughputRun none = run(setting_of("knorm(budget=32,compaction=none)", 2, 2));
    const ThroughputRun repack = run(setting_of("knorm(budget=32,compact_every=4)", 2, 2));
    QVERIFY(none.counts.passes == 0 && repack.counts.passes > 0);
    QVERIFY(none.counts.blocks_freed_by_compaction == 0 && repack.counts.blocks_freed_by_compaction > 0);
    QVERIFY(repack.peak_blocks < none.peak_blocks);
  }

  void aPoolHasRoomForMoreRequestsThatEvict() {
    ThroughputSetting full = setting_of("none", 6, 6), paged = setting_of("paged_eviction(budget=16)", 6, 6);
    full.pool_tokens = paged.pool_tokens = 2 * whole;
    const ThroughputRun two = run(full), more = run(paged);
    QCOMPARE(two.batch, 2);
    QVERIFY2(more.batch >= 4, qPrintable(QString::number(more.batch)));
    QVERIFY(more.steps < two.steps);
    for (const ThroughputRun& run : {two, more}) {
      QCOMPARE(run.preempted, 0);
      QVERIFY(run.peak_blocks <= tables() * 2 * whole / page);
    }
  }

  // What a request was seen to hold, and no more: those that find no block begin again, and all end.
  void whatWasMeasuredIsReserved() {
    ThroughputSetting knorm = setting_of("knorm(budget=16,compaction=none)", 6, 6);
    const ThroughputRun beside = run(knorm);
    knorm.pool_tokens = 2 * whole;
    QCOMPARE(run(knorm).batch, 2);  // holes may keep every block
    knorm.held_blocks = (beside.peak_blocks + 5) / 6;
    const ThroughputRun measured = run(knorm);
    QVERIFY(measured.batch > 2 && measured.preempted == 0);
    knorm.held_blocks = tables();  // too few
    const ThroughputRun short_of = run(knorm);
    QVERIFY(short_of.preempted > 0);
    QCOMPARE(short_of.counts.steps, measured.counts.steps);  // each to its full length, in the end
  }

  void methodsThatWeighAttentionRunToo() {
    const ThroughputRun run_of = run(setting_of("h2o(budget=32)", 1, 1));
    QVERIFY(run_of.counts.tokens_evicted > 0 && run_of.counts.deciding_seconds > 0);
  }

  void whatCannotBeMeasuredIsRefused() {
    const auto refused = [&](const ThroughputSetting& setting) {
      const auto measured = measure_throughput(*model_, setting, *clock_);
      return measured ? std::string() : measured.error().message;
    };
    QVERIFY(QString::fromStdString(refused(setting_of("quest", 1, 1))).contains("evicts nothing"));
    QVERIFY(QString::fromStdString(refused(setting_of("triattention", 1, 1))).contains("calibrated"));
    ThroughputSetting large = setting_of("none", 1, 1);
    large.output_tokens = output + 1;
    QVERIFY(QString::fromStdString(refused(large)).contains("129 positions"));
    ThroughputSetting small = setting_of("none", 1, 1);
    small.pool_tokens = whole - page;
    QVERIFY(QString::fromStdString(refused(small)).contains("holds no whole request"));
    int asked = 0;
    const auto stopped =
        measure_throughput(*model_, setting_of("none", 1, 1), *clock_, [&asked] { return ++asked > 3; });
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    QCOMPARE(asked, 4);
  }
};

KV_TEST_GUILESS_MAIN(ThroughputStudyTest)

}  // namespace throughput_study_test

#include "throughput_study_test.moc"
