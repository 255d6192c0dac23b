// links: kv_base
// Predictions against sums done by hand, and guesses that say they are guesses.
#include <QtTest>
#include <limits>

#include "core/policy/access_statistics.h"
#include "core/policy/utility.h"
#include "core/ports/recorded_snapshot.h"
#include "tests/support/test_program.h"

namespace utility_test {

using namespace kvantage;

namespace {

Snapshot small_world() {
  Snapshot snapshot;
  snapshot.alpha = 2;
  snapshot.tiers = {{"dram", 1000, {0.5, 100, 0.01, 0}, false}};
  snapshot.prefill = {1, 0.1, 0.001};
  snapshot.question = {0.25, 0.002};
  auto profile = std::make_shared<ContextProfile>();
  profile->points = {{"none", 0, 0.8, 0, 1, 4, 1000, 100},
                     {"knorm", 0.4, 0.6, 0, 1, 4, 620, 60},
                     {"knorm", 0.8, 0.2, 0, 1, 4, 220, 20}};
  ContextState context;
  context.tokens = 100;
  context.full_bytes = 1000;
  context.frequency = 3;
  context.profile = profile;
  snapshot.contexts = {context};
  return snapshot;
}

void close_to(double actual, double expected) {
  QVERIFY2(std::fabs(actual - expected) < 1e-12, qPrintable(QString("%1 instead of %2").arg(actual).arg(expected)));
}

}  // namespace

class UtilityTest : public QObject {
  Q_OBJECT
 private slots:
  void storedIsLoadDecodeAndQuestion() {
    const Snapshot s = small_world();
    const Prediction p = predict(s, s.contexts[0], {0, "knorm", 0.4}, 1);
    QCOMPARE(p.bytes, 620ULL);
    close_to(p.quality, 0.6);
    close_to(p.ttft_seconds, 0.5 + 6.2 + 0.6 + 0.25 + 0.12);
    close_to(p.utility, (2 * 0.6 - (0.5 + 6.2 + 0.6 + 0.25 + 0.12)) * 3);
    QVERIFY(!p.quality_assumed);
  }
  // 1024 tokens in four pieces; 10 s of loading, 12.8 s of computing: two pieces each way take 6.4 s.
  void aFrontThatIsComputedMeanwhileShortensTheLoad() {
    Snapshot s = small_world();
    s.tiers[0].model = {0, 1e5, 0, 0};
    s.prefill = {0, 0.0125, 0};
    s.contexts[0].tokens = 1024;
    s.contexts[0].full_bytes = 1'000'000;
    auto profile = std::make_shared<ContextProfile>();
    profile->points = {{"none", 0, 0.8, 0, 1, 4, 1'000'000, 1024}, {"kivi4", 0, 0.7, 0, 1, 4, 1'000'000, 1024}};
    s.contexts[0].profile = profile;
    const double question = 0.25 + 0.002 * 1024;
    const auto seconds = [&](const char* method) { return predict(s, s.contexts[0], {0, method, 0}, 1).ttft_seconds; };
    close_to(seconds("none"), 10 + question);
    s.hybrid = HybridServing{.methods = {"none"}, .piece_tokens = 256, .layers = 8};
    close_to(seconds("none"), 6.4 + question);
    close_to(seconds("kivi4"), 10 + question);  // cannot be read in pieces
    close_to(predict(s, s.contexts[0], {}, 1).ttft_seconds, 12.8 + question);
    // It would not be read at all: a plan should not keep it there.
    s.tiers[0].model.latency_seconds = 50;
    close_to(seconds("none"), 60 + question);
    s.hybrid->computes_all = false;  // then three pieces are computed during the latency, and one is loaded
    close_to(seconds("none"), 52.5 + question);
    s.tiers[0].model = {0, 1e6, 0, 0};
    close_to(seconds("none"), 1 + question);  // loaded before a piece is computed
  }
  void notStoredIsPrefillAndQuestionAtFullQuality() {
    const Snapshot s = small_world();
    const Prediction p = predict(s, s.contexts[0], {}, 1);
    QCOMPARE(p.bytes, 0ULL);
    close_to(p.quality, 0.8);
    close_to(p.ttft_seconds, 1 + 10 + 10 + 0.25 + 0.2);
  }
  void theExampleOfSection42() {
    // EvicPress 4.2: quality 0.65 and 0.67 at TTFT 0.05 s, alpha 1, gives utilities near 0.607 and 0.621.
    close_to(utility(1, 0.65, 0.05, 1), 0.60);
    QVERIFY(utility(1, 0.67, 0.05, 1) > utility(1, 0.65, 0.05, 1));
  }
  void whatWasNotMeasuredIsGuessedAndMarked_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("removed");
    QTest::addColumn<double>("quality");
    QTest::newRow("between none and the first point") << "knorm" << 0.2 << 0.7;
    QTest::newRow("between two points") << "knorm" << 0.6 << 0.4;
    QTest::newRow("beyond the last point") << "knorm" << 0.9 << 0.2;
    QTest::newRow("a method never measured") << "snapkv" << 0.5 << 0.8;
  }
  void whatWasNotMeasuredIsGuessedAndMarked() {
    QFETCH(QString, method);
    QFETCH(double, removed);
    QFETCH(double, quality);
    const Snapshot s = small_world();
    const Prediction p = predict(s, s.contexts[0], {0, method.toStdString(), removed}, 1);
    close_to(p.quality, quality);
    QVERIFY(p.quality_assumed);
    QVERIFY(p.bytes >= static_cast<std::uint64_t>(1000 * (1 - removed)));
  }
  void estimatedBytesAreAboveTheShareOfTokensAndBelowTheWhole() {
    ContextState context;
    context.full_bytes = 10'000'000;
    for (const double removed : {0.1, 0.5, 0.9}) {
      const auto bytes = configuration_bytes({}, context, "snapkv", removed);
      QVERIFY(static_cast<double>(bytes) > 1e7 * (1 - removed));
      QVERIFY(bytes < context.full_bytes);
    }
    QCOMPARE(configuration_bytes({}, context, "none", 0), context.full_bytes);
    context.full_bytes = 100;
    QCOMPARE(configuration_bytes({}, context, "snapkv", 0.5), 100ULL);
  }
  // Layers whose sliding window the text has passed keep their rows whatever is removed.
  void windowedBytesStay() {
    ContextState context;
    context.full_bytes = 10'000'000;
    context.windowed_bytes = 4'000'000;
    QCOMPARE(configuration_bytes({}, context, "snapkv", 0.5), 7'000'000ULL + 10'000'000 / 32 + 4096);
    QCOMPARE(configuration_bytes({}, context, "none", 0), context.full_bytes);
    // Plans of a record estimate as the session did; a record without such layers is as before.
    Snapshot taken;
    taken.contexts = {context, {}};
    const events::SnapshotTaken record = recorded_snapshot(taken, "start");
    QVERIFY(!record.contexts[1].windowed_bytes);
    QCOMPARE(configuration_bytes({}, snapshot_of(record).contexts[0], "snapkv", 0.5),
             7'000'000ULL + 10'000'000 / 32 + 4096);
  }
  // What its codec makes of the kept tokens; never more than the plain rows.
  void encodedBytesAreThoseOfTheCodec() {
    Snapshot s;
    s.codec_costs = {{.method = "kivi4", .encoded = EncodedSize{50'000, 250}},
                     {.method = "knorm+kivi4", .encoded = EncodedSize{50'000, 250}},
                     {.method = "kivi4+zstd"}};
    ContextState context;
    context.tokens = 4000;
    context.full_bytes = 4'200'000;
    QCOMPARE(configuration_bytes(s, context, "kivi4", 0), 1'050'000ULL);
    QCOMPARE(configuration_bytes(s, context, "knorm+kivi4", 0.5), 550'000ULL + 2000 * 250 / 32 + 4096);
    QCOMPARE(configuration_bytes(s, context, "kivi4+zstd", 0), context.full_bytes);  // not known before it encodes
    QCOMPARE(configuration_bytes(s, context, {.tier = 0, .method = "kivi4"}), 1'050'000ULL);
    QCOMPARE(configuration_bytes(s, context, {.tier = not_stored, .method = "kivi4"}), 0ULL);
    auto profile = std::make_shared<ContextProfile>();
    profile->points = {{"kivi4", 0, 0.7, 0, 1, 4, 1'000'123, 4000}};
    context.profile = profile;
    QCOMPARE(configuration_bytes(s, context, "kivi4", 0), 1'000'123ULL);  // measured
    context.profile = nullptr;
    context.tokens = 10;
    context.full_bytes = 10'000;
    QCOMPARE(configuration_bytes(s, context, "kivi4", 0), 10'000ULL);
  }
  // The encoded size has full windows; what is removed is of the other layers.
  void encodedWindowsCountOnce() {
    Snapshot s;
    s.codec_costs = {{.method = "knorm+kivi4", .encoded = EncodedSize{1'000'000, 400}}};
    ContextState context;
    context.tokens = 4000;
    context.full_bytes = 10'000'000;
    context.windowed_bytes = 4'000'000;
    QCOMPARE(configuration_bytes(s, context, "knorm+kivi4", 0.5), 1'800'000ULL + 2000 * 400 / 32 + 4096);
    context.windowed_bytes = 10'000'000;
    QCOMPARE(configuration_bytes(s, context, "knorm+kivi4", 0.5), 1'800'000ULL + 2000 * 400 / 32 + 4096);
  }
  void bytesOnTheTierAreTheTrueOnes() {
    Snapshot s = small_world();
    s.contexts[0].placement = {0, "knorm", 0.4};
    s.contexts[0].stored_bytes = 640;
    QCOMPARE(predict(s, s.contexts[0], {0, "knorm", 0.4}, 1).bytes, 640ULL);
    QCOMPARE(predict(s, s.contexts[0], {0, "knorm", 0.8}, 1).bytes, 220ULL);
  }
  void unprofiledQualityIsTheMeanOfTheProfiled() {
    Snapshot s = small_world();
    s.contexts.push_back(s.contexts[0]);
    s.contexts[1].profile = nullptr;
    close_to(mean_uncompressed_quality(s), 0.8);
    s.contexts[0].profile = nullptr;
    close_to(mean_uncompressed_quality(s), 1.0);
    const Prediction p = predict(s, s.contexts[1], {}, 0.8);
    close_to(p.quality, 0.8);
    QVERIFY(p.quality_assumed);
  }
  // Layers that are restored while the next ones arrive: of the shorter of load and restoring one layer shows.
  void restoringHidesBehindTheLoad() {
    Snapshot s = small_world();
    s.codec_costs = {{"m", 1e-3}};
    close_to(exposed_codec_seconds(s, 0, "m", 0, 100, 0.5), 0.1);
    s.codec_costs.front().overlapped_layers = 5;
    close_to(exposed_codec_seconds(s, 0, "m", 0, 100, 0.5), 0.02);
    close_to(exposed_codec_seconds(s, 0, "m", 0, 100, 0.05), 0.06);  // 0.05 are loaded in 0.01 a layer
    close_to(exposed_codec_seconds(s, 0, "m", 0, 100, 0), 0.1);
    close_to(codec_seconds(s, 0, "m", 0, 100), 0.1);
    close_to(exposed_codec_seconds(s, 0, "other", 0, 100, 0.5), 0);
  }
  // Against a pipeline that is followed layer by layer: a layer is computed once it is there and the one before is
  // done.
  void aQuestionFollowsItsLoadLayerByLayer() {
    for (const int layers : {1, 2, 6, 32})
      for (const double transfer : {0.0, 0.3, 1.0, 4.0})
        for (const double computing : {0.0, 0.5, 1.0, 7.0}) {
          double done = 0;
          for (int layer = 0; layer < layers; ++layer)
            done = std::max(done, transfer * (layer + 1) / layers) + computing / layers;
          close_to(QuestionModel{.following_layers = layers}.seconds_with_load(transfer, computing), done);
        }
    close_to(QuestionModel{}.seconds_with_load(0.3, 0.5), 0.8);
  }
  void aHitHidesLoadingBehindTheQuestion() {
    Snapshot s = small_world();
    s.codec_costs = {{"kivi4", 1e-3}};
    const double whole = predict(s, s.contexts[0], {0, "none", 0}, 1).ttft_seconds;
    const TierModel& tier = s.tiers[0].model;
    const FormOnTier form{.tier = 0, .method = "kivi4", .removed_fraction = 0, .bytes = 4000, .kept_tokens = 100};
    const double sum = stored_ttft_seconds(s, s.contexts[0], form);
    s.question.following_layers = 4;
    const double transfer = 4000 / tier.bytes_per_second,
                 computing = 100 * (tier.decode_seconds_per_token + 1e-3) + s.question.seconds(100);
    close_to(sum, tier.latency_seconds + transfer + computing);
    close_to(stored_ttft_seconds(s, s.contexts[0], form),
             tier.latency_seconds + (transfer + computing + 3 * std::max(transfer, computing)) / 4);
    QVERIFY(predict(s, s.contexts[0], {0, "none", 0}, 1).ttft_seconds < whole);
    s.question.following_layers = 1;
    close_to(predict(s, s.contexts[0], {0, "none", 0}, 1).ttft_seconds, whole);
  }
  void aBrokenFitStaysANumber() {
    Snapshot s = small_world();
    s.tiers[0].model.bytes_per_second = 0;
    s.contexts[0].frequency = 0;
    const Prediction p = predict(s, s.contexts[0], {0, "none", 0}, 1);
    QVERIFY(std::isfinite(p.ttft_seconds));
    QVERIFY(std::isfinite(p.utility));
    s.tiers[0].model.latency_seconds = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(std::isfinite(predict(s, s.contexts[0], {0, "none", 0}, 1).utility));
  }
  void requestsFadeWithTheirHalfLife() {
    Snapshot s = small_world();
    s.contexts[0].frequency = 0;
    s.contexts.push_back(s.contexts[0]);
    note_request(s, 0, 1, 10);
    for (std::uint64_t counter = 2; counter <= 11; ++counter) note_request(s, 1, counter, 10);
    QVERIFY(std::fabs(s.contexts[0].frequency - 0.5) < 1e-9);
    double expected = 0;
    for (int ago = 0; ago < 10; ++ago) expected += std::pow(0.5, ago / 10.0);
    QVERIFY(std::fabs(s.contexts[1].frequency - expected) < 1e-9);
    QCOMPARE(s.contexts[0].last_access, 1ULL);
    QCOMPARE(s.contexts[1].last_access, 11ULL);
  }
  void withoutAHalfLifeRequestsAreCounted() {
    Snapshot s = small_world();
    s.contexts[0].frequency = 0;
    for (std::uint64_t counter = 1; counter <= 7; ++counter) note_request(s, 0, counter, 0);
    QCOMPARE(s.contexts[0].frequency, 7.0);
  }
};

KV_TEST_GUILESS_MAIN(UtilityTest)

}  // namespace utility_test

#include "utility_test.moc"
