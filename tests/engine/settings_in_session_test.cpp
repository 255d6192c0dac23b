// links: core_engine tiers
// A change of settings over all parts, without a loop: what each setting moves, and what is said when it cannot.
#include "core/engine/settings_applier.h"

#include <QtTest>

#include <set>

#include "tests/support/session_parts.h"
#include "tests/support/test_program.h"

namespace settings_in_session_test {

using namespace kvantage;
using namespace kvantage::test;

struct Applying : WholeParts {
  explicit Applying(const std::string& policy = "lru") : WholeParts(policy) { must(applier.load_profiles()); }
  /// A curve of context 0 by a metric, as one that was measured before.
  void save_curve(const std::string& metric, double quality) {
    std::vector<ProfileCell> cells;
    for (const auto& [method, fraction] : {std::pair{"none", 0.0}, {"knorm", 0.5}, {"random", 0.5}})
      cells.push_back({.context = state(0).key,
                       .context_id = state(0).id,
                       .family = state(0).family,
                       .point = {.method = method, .removed_fraction = fraction, .quality = quality, .n = 2},
                       .scores = {quality, quality}});
    must(profiles.save_profile({.model = {}, .workload = config.workload.digest(), .quality_metric = metric}, cells));
  }
  std::set<std::string> methods_in_plans() {
    std::set<std::string> methods;
    if (state(0).profile != nullptr)
      for (const ProfilePoint& point : state(0).profile->points) methods.insert(point.method);
    return methods;
  }
  template <class Change>
  void change(Change&& edit) {
    SessionSettings next = settings;
    edit(next);
    applier.apply(next);
  }

  std::vector<double> throttled;  // bytes per second of each call
  Status rethrottled;             // what a call returns
  SettingsApplier applier{world.services(),
                          parts.of_settings(),
                          board,
                          meter,
                          settings,
                          {.store = &profiles, .shipped = {}, .model = {}, .workload = config.workload.digest()},
                          [this](std::size_t, const TierConfig& tier) {
                            throttled.push_back(tier.throttle.bytes_per_second);
                            return rethrottled;
                          }};
};

class SettingsInSessionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void eachSettingThatChangedIsToldOnce() {
    Applying session;
    session.change([](SessionSettings& settings) {
      settings.alpha = 2;
      settings.max_batch = 3;
    });
    const auto changes = session.world.sink.all<events::SettingChanged>();
    QCOMPARE(changes.size(), std::size_t{2});
    QCOMPARE(changes[0].name, std::string("alpha"));
    QCOMPARE(changes[0].before, Json(1.0));
    QCOMPARE(changes[0].after, Json(2.0));
    QCOMPARE(changes[1].name, std::string("max_batch"));
    QCOMPARE(session.world.catalog->snapshot().alpha, 2.0);
    QCOMPARE(session.settings.max_batch, 3);
  }

  void aSmallerBudgetIsTheTiersAndThePlans() {
    Applying session;
    session.change([](SessionSettings& settings) { settings.tiers[0].budget = 1 << 20; });
    QCOMPARE(session.world.store->tiers()[0].capacity(), std::uint64_t{1 << 20});
    QCOMPARE(session.world.catalog->snapshot().tiers[0].budget_bytes, std::uint64_t{1 << 20});
    QVERIFY(session.throttled.empty());
  }

  // It is the tier that is timed, not its faults.
  void aThrottledTierIsTimedAgainWithoutFaults() {
    Applying session;
    session.change([](SessionSettings& settings) {
      settings.tiers[0].throttle.bytes_per_second = 1e9;
      settings.tiers[0].faults = "seed 1: 100 % of reads fail";
    });
    QCOMPARE(session.throttled, std::vector<double>{1e9});
    QCOMPARE(session.world.sink.count<events::TierFitted>(), std::size_t{1});
    const std::string faults = session.settings.tiers[0].faults + " at 0 entries";
    QCOMPARE(session.injected, (std::vector<std::string>{faults, " at 0 entries", faults}));
  }

  void aThrottleThatIsRefusedIsSaidAndNothingIsTimed() {
    Applying session;
    session.rethrottled = fail(ErrorCode::io, "the device is gone");
    session.change([](SessionSettings& settings) { settings.tiers[0].throttle.bytes_per_second = 1e9; });
    QCOMPARE(session.messages(), std::vector<std::string>{"tier 'dram': the device is gone"});
    QCOMPARE(session.world.sink.count<events::TierFitted>(), std::size_t{0});
  }

  void aPolicyThatCannotBeUsedLeavesTheOneBefore() {
    Applying session;
    session.change([](SessionSettings& settings) { settings.policy = "nosuch"; });
    QCOMPARE(session.settings.policy, std::string("lru"));
    QCOMPARE(session.messages().size(), std::size_t{1});
    session.change([](SessionSettings& settings) { settings.policy = "evicpress"; });
    QCOMPARE(session.settings.policy, std::string("evicpress"));
    const auto plans = session.world.sink.all<events::PlanMade>();
    QVERIFY(!plans.empty());
    QCOMPARE(plans.back().policy, std::string("evicpress"));
  }

  void plansSeeTheCandidatesOfTheSession() {
    Applying session;
    session.save_curve("token_f1", 0.5);
    must(session.applier.load_profiles());
    QCOMPARE(session.methods_in_plans(), (std::set<std::string>{"knorm", "none"}));
    session.change([](SessionSettings& settings) { settings.methods = {"random"}; });
    QCOMPARE(session.methods_in_plans(), (std::set<std::string>{"none", "random"}));
  }

  void anotherMetricBringsItsOwnCurves() {
    Applying session;
    session.save_curve("token_f1", 0.25);
    session.save_curve("rouge_l", 0.75);
    must(session.applier.load_profiles());
    QCOMPARE(session.state(0).profile->points[0].quality, 0.25);
    session.change([](SessionSettings& settings) { settings.quality_metric = "rouge_l"; });
    QCOMPARE(session.state(0).profile->points[0].quality, 0.75);
    QCOMPARE(session.applier.scope().quality_metric, std::string("rouge_l"));
    QCOMPARE(session.board.scope().quality_metric, std::string("rouge_l"));
    session.change([](SessionSettings& settings) { settings.quality_metric = "exact_match"; });
    QVERIFY(session.state(0).profile == nullptr);  // none of another metric
  }

  void theRateMovesThoseStillToCome() {
    Applying session;
    session.change([](SessionSettings& settings) { settings.requests_per_second = 5; });
    QCOMPARE(session.parts.arrivals.rate(), 5.0);
  }
};

KV_TEST_GUILESS_MAIN(SettingsInSessionTest)

}  // namespace settings_in_session_test

#include "settings_in_session_test.moc"
