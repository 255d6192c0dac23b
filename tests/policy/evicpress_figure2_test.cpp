// links: kv_base
// The worked example of EvicPress, figure 2: a 4 GB cache that may be cut to 5 % without loss, an 8 GB cache that any
// cut ruins; a fast tier of 20 GB/s that holds 8 GB, a slow one of 2 GB/s. The paper gives total TTFT 0.3, 2.4, 0.5 s
// and quality 75, 100, 100 %.
#include <QtTest>

#include "core/policy/actions.h"
#include "core/policy/policy.h"
#include "core/policy/simulate.h"

using namespace kvantage;

namespace {

constexpr std::uint64_t GB = 1'000'000'000;

Snapshot figure2() {
  Snapshot snapshot;
  snapshot.alpha = 1;
  snapshot.tiers = {{"fast", 8 * GB, {0, 20e9, 0, 0}, false}, {"slow", 1000 * GB, {0, 2e9, 0, 0}, false}};
  snapshot.prefill = {0, 1e-3, 0};
  const auto add = [&](std::uint64_t key, int tokens, std::uint64_t bytes, double cut_quality) {
    auto profile = std::make_shared<ContextProfile>();
    profile->points.push_back({"none", 0, 1, 1, 1, 8, bytes, tokens});
    for (const double removed : {0.5, 0.95}) {
      const double kept = 1 - removed;
      profile->points.push_back({"cut", removed, cut_quality, cut_quality, cut_quality, 8,
                                 static_cast<std::uint64_t>(static_cast<double>(bytes) * kept + 0.5),
                                 static_cast<int>(tokens * kept)});
    }
    ContextState context;
    context.key = {0, key};
    context.id = std::string("context ").append(std::to_string(key));
    context.tokens = tokens;
    context.full_bytes = bytes;
    context.frequency = 1;
    context.archived = true;
    context.profile = profile;
    snapshot.contexts.push_back(context);
  };
  add(1, 40'000, 4 * GB, 1.0);
  add(2, 80'000, 8 * GB, 0.5);
  return snapshot;
}

struct Outcome {
  double total_ttft = 0, mean_quality = 0;
};

/// Both contexts enter in order, then each is asked for once more.
Outcome after_entering(const char* text) {
  const auto policy = *make_policy(text);
  PolicyState state{figure2()};
  for (std::size_t c = 0; c < 2; ++c)
    for (const PlacementAction& action :
         policy->step(state, {PolicyEvent::Kind::context_computed, state.snapshot.contexts[c].key}))
      apply(state.snapshot, action);
  const auto now = *make_policy("lru");  // reports what is there
  const Plan plan = now->plan(state.snapshot);
  return {plan.contexts[0].ttft_seconds + plan.contexts[1].ttft_seconds, plan.mean_quality};
}

}  // namespace

class EvicPressFigure2Test : public QObject {
  Q_OBJECT
 private slots:
  void givesThePapersNumbers_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("total_ttft");
    QTest::addColumn<double>("quality");
    QTest::newRow("compression only") << "fixed(cut,0.5)" << 0.3 << 0.75;
    QTest::newRow("eviction only") << "lru" << 2.4 << 1.0;
    QTest::newRow("both together") << "evicpress" << 0.5 << 1.0;
    QTest::newRow("both together, as algorithm 1") << "evicpress(start=quality)" << 0.5 << 1.0;
    QTest::newRow("both together, best drop") << "evicpress(drop=best)" << 0.5 << 1.0;
  }
  void givesThePapersNumbers() {
    QFETCH(QString, text);
    QFETCH(double, total_ttft);
    QFETCH(double, quality);
    const Outcome outcome = after_entering(text.toUtf8().constData());
    QVERIFY2(std::fabs(outcome.total_ttft - total_ttft) < 1e-9, qPrintable(QString::number(outcome.total_ttft)));
    QVERIFY2(std::fabs(outcome.mean_quality - quality) < 1e-9, qPrintable(QString::number(outcome.mean_quality)));
  }
  void theReasonNamesTheDropAndTheNextBest() {
    const Plan plan = (*make_policy("evicpress"))->plan(figure2());
    QCOMPARE(plan.contexts[0].configuration.tier, 1);
    QCOMPARE(plan.contexts[0].configuration.removed_fraction, 0.95);
    QVERIFY(std::fabs(plan.contexts[0].utility_drop - 0.09) < 1e-9);
    QCOMPARE(QString::fromStdString(plan.contexts[0].reason),
             "fast full: least utility drop 0.09; next best: context 2 to fast, cut without 95 %, 0.12");
  }
};

QTEST_GUILESS_MAIN(EvicPressFigure2Test)
#include "evicpress_figure2_test.moc"
