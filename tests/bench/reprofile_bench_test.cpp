// links: app_wiring
// Drifting questions served with re-profiled curves and with those of the beginning: quality over the run, what
// it costs, and the most that a request waited for it. KVANTAGE_BENCH_REQUESTS and KVANTAGE_BENCH_RATE ask for longer
// runs.
#include <QtTest>

#include <algorithm>
#include <cstdio>

#include "core/base/statistics.h"
#include "tests/support/engine_harness.h"
#include "tests/support/test_program.h"

namespace reprofile_bench_test {

using namespace kvantage;
using namespace kvantage::test;

class ReprofileBench : public QObject {
  Q_OBJECT

 private slots:
  void qualityOverTheRun_data() {
    QTest::addColumn<bool>("reprofile");
    QTest::newRow("curves kept") << false;
    QTest::newRow("re-profiled curves") << true;
  }
  void qualityOverTheRun() {
    QFETCH(bool, reprofile);
    if (model_directory() != source_directory() / "resources" / "model") QSKIP("the default model is not there");
    const std::uint64_t requests =
        qEnvironmentVariableIsSet("KVANTAGE_BENCH_REQUESTS") ? qgetenv("KVANTAGE_BENCH_REQUESTS").toULongLong() : 240;
    const double rate =
        qEnvironmentVariableIsSet("KVANTAGE_BENCH_RATE") ? qgetenv("KVANTAGE_BENCH_RATE").toDouble() : 0;
    static QTemporaryDir folder;  // the second run finds the first curves
    SessionOptions options;
    options.model = model_directory();
    options.workload = source_directory() / "sample_workloads" / "drifting-questions";
    options.store = folder.path().toStdString() + "/store";
    options.cold_start = true;
    options.warm_every_context = true;
    options.request_limit = requests;
    options.requests_per_second = rate;
    options.reprofile = reprofile;
    if (const QByteArray alpha = qgetenv("KVANTAGE_BENCH_ALPHA"); !alpha.isEmpty()) options.alpha = alpha.toDouble();
    if (const QByteArray batch = qgetenv("KVANTAGE_BENCH_BATCH"); !batch.isEmpty()) options.max_batch = batch.toInt();
    EngineHarness harness;
    auto session = open_session(options, {&harness.sink});
    QVERIFY2(session, session ? "" : session.error().message.c_str());
    harness.session = std::move(*session);
    QCOMPARE(harness.wait(), RunState::ready);
    harness.engine().profile_all();
    QCOMPARE(harness.wait(1200), RunState::ready);
    harness.sink.clear();
    harness.engine().start();
    QCOMPARE(harness.wait(3000), RunState::finished);
    std::vector<RequestRecord> records = harness.sink.records();
    std::ranges::sort(records, {}, &RequestRecord::id);
    records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(harness.session.warmup_requests));
    constexpr std::size_t windows = 10;
    std::printf("%s, %zu requests\n  part of the run  quality  profiled  TTFT service ms\n", QTest::currentDataTag(),
                records.size());
    for (std::size_t w = 0; w < windows; ++w) {
      std::vector<double> quality, profiled, ttft;
      for (std::size_t i = records.size() * w / windows; i < records.size() * (w + 1) / windows; ++i) {
        quality.push_back(records[i].quality.at("token_f1"));
        profiled.push_back(records[i].predicted_quality);
        ttft.push_back(records[i].timing.ttft_service_seconds);
      }
      std::printf("  %.1f to %.1f        %.3f    %.3f     %.1f\n", static_cast<double>(w) / windows,
                  static_cast<double>(w + 1) / windows, mean_of(quality), mean_of(profiled), mean_of(ttft) * 1e3);
    }
    const auto counted = harness.sink.all<events::EngineCounted>();
    QCOMPARE(counted.size(), std::size_t{harness.session.warmup_requests > 0 ? 2u : 1u});
    const events::EngineCounted& c = counted.back();  // an earlier one covers the warm-up alone
    std::printf(
        "  busy %.1f s, of it %.2f %% re-profiling; %llu drifts, %llu curves re-profiled; longest step of profiling "
        "%.1f ms, "
        "of a prefill %.1f ms\n",
        c.busy_seconds, c.busy_seconds > 0 ? 100 * c.reprofiling_seconds / c.busy_seconds : 0,
        static_cast<unsigned long long>(c.drifts), static_cast<unsigned long long>(c.reprofiles),
        c.longest_profile_step_seconds * 1e3, c.longest_prefill_step_seconds * 1e3);
    for (const auto& event : harness.sink.all<events::ContextProfiled>())
      if (event.after_drift) std::printf("  %s re-profiled in %.2f s\n", event.context_id.c_str(), event.seconds);
  }
};

KV_TEST_GUILESS_MAIN(ReprofileBench)

}  // namespace reprofile_bench_test

#include "reprofile_bench_test.moc"
