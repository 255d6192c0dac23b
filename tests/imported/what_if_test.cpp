// links: kv_base
// Policies on imported curves over a trace: with numbers that can be followed by hand.
#include "core/imported/what_if.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>

#include "core/base/files.h"
#include "core/imported/use_imported.h"
#include "tests/support/test_program.h"

namespace what_if_test {

using namespace kvantage;

class WhatIfTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  /// Two contexts of 1,000 tokens, each asked for five times in turn, one block each.
  std::filesystem::path trace() const {
    const auto path = std::filesystem::path(folder_.path().toStdString()) / "trace.jsonl";
    std::string text;
    for (int i = 0; i < 10; ++i)
      text += R"({"timestamp": )" + std::to_string(i * 1000) +
              R"(, "input_length": 1000, "output_length": 1, "hash_ids": [)" + std::to_string(2 * (i % 2)) + ", " +
              std::to_string(2 * (i % 2) + 1) + "]}\n";
    if (!write_text_file(path, text)) qFatal("cannot write %s", path.c_str());
    return path;
  }
  /// Computing takes 1 ms a token and loading 0.1 ms; half of the tokens lose 0.4 of 0.9.
  static SimulatorPreset preset() {
    SimulatorPreset made;
    made.name = "by hand";
    made.source = "numbers of this test";
    made.bytes_per_token = 100;
    made.prefill = PrefillModel{};
    made.prefill->seconds_per_token = 1e-3;
    made.tiers = {{"dram", "", LoadLine{0, 1e-4}}};
    ImportedProfile profile;
    profile.source.file = "scores.csv";
    profile.points = {{.dataset = "qa", .quality = 0.9},
                      {.dataset = "qa", .method = "snapkv", .removed_fraction = 0.5, .quality = 0.5}};
    if (const Status used = use_profile(made, profile); !used) qFatal("%s", used.error().message.c_str());
    return made;
  }
  WhatIf asked(double share) const {
    WhatIf made;
    made.preset = preset();
    made.tier_shares = {share};
    made.trace = trace();
    return made;
  }
  static bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

 private slots:
  void whatAllFitsIsLoaded() {
    const auto points = what_if(asked(1.0), [] { return false; });
    QVERIFY2(points.has_value(), points ? "" : points.error().message.c_str());
    QCOMPARE(points->size(), std::size_t{8});
    const WhatIfPoint &prefill = points->at(0), &lru = points->at(1);
    QCOMPARE(prefill.policy, std::string("full_prefill"));
    QVERIFY(!prefill.alpha && near(prefill.ttft_seconds, 1.0) && near(prefill.quality, 0.9));
    QCOMPARE(prefill.hit_share, 0.0);
    // Two computed, eight loaded.
    QCOMPARE(lru.policy, std::string("lru"));
    QVERIFY(!lru.alpha && near(lru.ttft_seconds, (2 * 1.0 + 8 * 0.1) / 10) && near(lru.quality, 0.9));
    QVERIFY(near(lru.hit_share, 0.8));
    for (std::size_t i = 2; i < points->size(); ++i) {
      QCOMPARE(points->at(i).policy, std::string("evicpress"));
      QCOMPARE(points->at(i).alpha.value(), WhatIf{}.alphas[i - 2]);
    }
    // Where quality is worth 30 s, nothing is compressed; where it is worth nothing, it may be.
    QVERIFY(near(points->back().quality, 0.9));
    QVERIFY(points->at(2).quality <= points->back().quality);
  }

  void qualityIsPaidForWithTime() {
    const auto points = what_if(asked(0.5), [] { return false; });
    QVERIFY2(points.has_value(), points ? "" : points.error().message.c_str());
    // One of the two fits uncompressed, both compressed.
    const WhatIfPoint &fast = points->at(2), &good = points->back();
    QVERIFY(fast.quality < good.quality - 0.1);
    QVERIFY(fast.ttft_seconds < good.ttft_seconds - 0.1);
  }

  void whatIsMissingIsNamed() {
    const auto refused = [](const WhatIf& made) {
      const auto points = what_if(made, [] { return false; });
      return points ? std::string() : points.error().message;
    };
    WhatIf untimed = asked(1);
    untimed.preset.prefill.reset();
    QCOMPARE(refused(untimed), std::string("by hand: has no times; add a table of times, or choose another"));
    WhatIf unplaced = asked(1);
    unplaced.preset.tiers.clear();
    QCOMPARE(refused(unplaced),
             std::string("by hand: has no times of a tier; add a table of times with a column tier"));
    WhatIf lost = asked(1);
    lost.trace = "/nonexistent/trace.jsonl";
    QVERIFY(refused(lost).find("/nonexistent/trace.jsonl") != std::string::npos);
    const auto stopped = what_if(asked(1), [] { return true; });
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
  }
};

KV_TEST_GUILESS_MAIN(WhatIfTest)

}  // namespace what_if_test

#include "what_if_test.moc"
