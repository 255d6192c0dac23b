// links: core_engine tiers
// A change of settings, alone: what it asks of the other parts, in order, and what is said when one of them refuses.
#include "core/engine/settings_applier.h"

#include <QtTest>

#include "core/base/duration.h"
#include "tests/support/engine_parts_work.h"
#include "tests/support/memory_stores.h"
#include "tests/support/test_program.h"

namespace settings_applier_test {

using namespace kvantage;
using namespace kvantage::test;

using Asked = std::vector<std::string>;

/// Keeps what is asked, and answers as a test wants.
struct AskedParts final : SettingsParts {
  Status time_codecs(const std::vector<std::string>& methods) override {
    timed_methods = methods;
    return {};
  }
  Status time_tier(std::size_t tier, const TierConfig& setting) override {
    note("time tier " + std::to_string(tier) + " at " + shortest_number(setting.throttle.bytes_per_second));
    return timed;
  }
  void inject_faults(std::size_t tier, const TierConfig& setting, bool enabled) override {
    note((enabled ? "inject " + setting.faults : "no faults") + " in tier " + std::to_string(tier));
  }
  Status use_policy(const std::string& name) override {
    note("policy " + name);
    return policy_used;
  }
  void dispatch_event(const PolicyEvent& event) override {
    note(event.kind == PolicyEvent::Kind::settings_changed ? "settings_changed" : "another event");
  }
  void change_rate(double requests_per_second) override { note("rate " + shortest_number(requests_per_second)); }
  void use_metric(const std::string& name) override { note("metric " + name); }
  Status load_references(const ProfileScope& scope) override {
    note("references of " + scope.quality_metric);
    return references_loaded;
  }
  void forget_answers() override { note("forget answers"); }
  void forget_curves() override { note("forget curves"); }
  Status load_curves(const ProfileScope& scope, ProfileStore* store, const ShippedProfiles& shipped) override {
    note("curves of " + scope.quality_metric + (store == nullptr ? ", no store" : "") + ", " +
         std::to_string(shipped.files.size()) + " files");
    return {};
  }
  void use_all_curves() override { note("use all curves"); }
  void use_scope(const ProfileScope& scope) override {
    note("profile " + scope.quality_metric + (scope.model == model ? "" : " with an embedder"));
  }
  void recheck_curves() override { note("recheck curves"); }
  void retry_failed_profiles() override { note("retry failed profiles"); }
  void publish_snapshot(const std::string& reason) override { note("snapshot: " + reason); }
  void publish_costs() override { note("costs"); }
  void hand_on(const SessionSettings& settings) override { note("hand on " + settings.policy); }

  void note(const std::string& what) { asked.push_back(what); }

  Asked asked;
  std::vector<std::string> timed_methods;
  Digest128 model;  // without an embedder
  Status timed, policy_used, references_loaded;
};

struct ShownScope final : PublishedScope {
  void set_scope(ProfileScope shown) override { scope = std::move(shown); }
  ProfileScope scope;
};

struct NamedEmbedder final : Embedder {
  int width() const override { return 1; }
  Expected<std::vector<std::vector<float>>> embed(std::span<const std::string> texts) override {
    return std::vector<std::vector<float>>(texts.size(), {1});
  }
  Digest128 digest() const override { return digest_of("an embedder"); }
};

struct Applying {
  /// Sources of curves: a store and one file, or neither.
  explicit Applying(bool with_profiles = true, QualityMeter::MakeEmbedder embedder = {}) : meter(std::move(embedder)) {
    settings.policy = "lru";
    settings.tiers = {{.name = "dram", .budget = EngineParts::tier_bytes}};
    settings.methods = {"knorm"};
    settings.removed_fractions = {0.5};
    profiles.model = parts.model = digest_of("the model");
    if (with_profiles) {
      profiles.store = &store;
      profiles.shipped.files = {"shipped.json"};
    }
    applier.emplace(world.services(), parts, published, meter, settings, profiles,
                    [this](std::size_t tier, const TierConfig& setting) {
                      parts.note("throttle tier " + std::to_string(tier) + " to " +
                                 shortest_number(setting.throttle.bytes_per_second));
                      return rethrottled;
                    });
  }
  /// What a change asks, without what every change does at its end.
  template <class Change>
  Asked asked_by(Change&& edit) {
    SessionSettings next = settings;
    edit(next);
    parts.asked.clear();
    applier->apply(next);
    Asked asked = parts.asked;
    const Asked end{"costs", "settings_changed"};
    if (asked.size() < 2 || !std::equal(end.begin(), end.end(), asked.end() - 2)) return {"no end"};
    asked.resize(asked.size() - 2);
    return asked;
  }
  std::vector<std::string> messages() const {
    std::vector<std::string> texts;
    for (const auto& message : world.sink.all<events::Message>()) texts.push_back(message.text);
    return texts;
  }

  SessionSettings settings;
  EngineParts world{small_workload(2, 8, 3, 2), with_pool(32 << 20)};
  ShownScope published;
  QualityMeter meter;
  MemoryProfileStore store;
  SettingsApplier::Profiles profiles{.store = nullptr, .shipped = {}, .model = {}, .workload = digest_of("texts")};
  AskedParts parts;
  Status rethrottled;
  std::optional<SettingsApplier> applier;
};

class SettingsApplierTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void whatDidNotChangeIsNotMoved() {
    Applying session;
    QCOMPARE(session.asked_by([](SessionSettings&) {}), (Asked{"recheck curves", "hand on lru"}));
    QCOMPARE(session.world.sink.count<events::SettingChanged>(), std::size_t{0});
    QCOMPARE(session.world.sink.count<events::TierOccupancy>(), std::size_t{1});
  }

  void eachSettingThatChangedIsToldOnce() {
    Applying session;
    QCOMPARE(session.asked_by([](SessionSettings& settings) {
      settings.alpha = 2;
      settings.max_batch = 3;
      settings.requests_per_second = 5;
    }),
             (Asked{"recheck curves", "hand on lru", "rate 5"}));
    const auto changes = session.world.sink.all<events::SettingChanged>();
    QCOMPARE(changes.size(), std::size_t{3});
    QCOMPARE(changes[0].name, std::string("alpha"));
    QCOMPARE(changes[0].after, Json(2.0));
    QCOMPARE(session.world.catalog->snapshot().alpha, 2.0);
    QCOMPARE(session.settings.max_batch, 3);
  }

  void aBudgetIsTheTiersAndThePlans() {
    Applying session;
    QCOMPARE(session.asked_by([](SessionSettings& settings) { settings.tiers[0].budget = 1 << 20; }),
             (Asked{"recheck curves", "hand on lru"}));
    QCOMPARE(session.world.store->tiers()[0].capacity(), std::uint64_t{1 << 20});
    QCOMPARE(session.world.catalog->snapshot().tiers[0].budget_bytes, std::uint64_t{1 << 20});
  }

  void faultsAreInjectedAndTheTierIsNotTimed() {
    Applying session;
    QCOMPARE(session.asked_by([](SessionSettings& settings) { settings.tiers[0].faults = "seed 1"; }),
             (Asked{"inject seed 1 in tier 0", "recheck curves", "hand on lru"}));
  }

  // It is the tier that is timed, not its faults.
  void aThrottledTierIsTimedAgainWithoutFaults() {
    Applying session;
    session.settings.tiers[0].faults = "seed 1";
    const auto throttle = [](SessionSettings& settings) { settings.tiers[0].throttle.bytes_per_second = 5; };
    QCOMPARE(session.asked_by(throttle), (Asked{"no faults in tier 0", "throttle tier 0 to 5", "time tier 0 at 5",
                                                "inject seed 1 in tier 0", "recheck curves", "hand on lru"}));
  }

  void aThrottleThatIsRefusedIsSaidAndNothingIsTimed() {
    Applying session;
    session.rethrottled = fail(ErrorCode::io, "the device is gone");
    const auto throttle = [](SessionSettings& settings) { settings.tiers[0].throttle.bytes_per_second = 5; };
    QCOMPARE(session.asked_by(throttle), (Asked{"no faults in tier 0", "throttle tier 0 to 5", "inject  in tier 0",
                                                "recheck curves", "hand on lru"}));
    QCOMPARE(session.messages(), std::vector<std::string>{"tier 'dram': the device is gone"});
  }

  void aTierThatCannotBeTimedIsSaid() {
    Applying session;
    session.parts.timed = fail(ErrorCode::io, "too slow");
    (void)session.asked_by([](SessionSettings& settings) { settings.tiers[0].throttle.latency_seconds = 1; });
    QCOMPARE(session.messages(), std::vector<std::string>{"tier 'dram': too slow"});
    QCOMPARE(session.parts.asked[3], std::string("inject  in tier 0"));  // its faults are back all the same
  }

  void aPolicyThatCannotBeUsedLeavesTheOneBefore() {
    Applying session;
    QCOMPARE(session.asked_by([](SessionSettings& settings) { settings.policy = "evicpress"; }),
             (Asked{"recheck curves", "policy evicpress", "hand on evicpress"}));
    session.parts.policy_used = fail(ErrorCode::usage, "no such policy");
    QCOMPARE(session.asked_by([](SessionSettings& settings) { settings.policy = "nosuch"; }),
             (Asked{"recheck curves", "policy nosuch", "hand on evicpress"}));
    QCOMPARE(session.settings.policy, std::string("evicpress"));
    QCOMPARE(session.messages(), std::vector<std::string>{"no such policy"});
  }

  void otherCandidatesAreUsedAndRecorded() {
    const Asked wanted{"recheck curves", "hand on lru", "retry failed profiles", "use all curves",
                       "snapshot: settings"};
    Applying session;
    QCOMPARE(session.asked_by([](SessionSettings& settings) { settings.methods = {"random"}; }), wanted);
    QCOMPARE(session.parts.timed_methods, std::vector<std::string>{"random"});
    QCOMPARE(session.asked_by([](SessionSettings& settings) { settings.removed_fractions = {0.25}; }), wanted);
  }

  void anotherMetricBringsItsOwnCurves() {
    Applying session;
    QCOMPARE(
        session.asked_by([](SessionSettings& settings) {
          settings.quality_metric = "rouge_l";
          settings.methods = {"random"};  // the curves that are loaded are used anyway
        }),
        (Asked{"recheck curves", "hand on lru", "profile rouge_l", "metric rouge_l", "profile rouge_l", "forget curves",
               "forget answers", "references of rouge_l", "curves of rouge_l, 1 files", "snapshot: settings"}));
    QCOMPARE(session.applier->scope().quality_metric, std::string("rouge_l"));
    QVERIFY(session.applier->scope().model == session.parts.model);
    QVERIFY(session.applier->scope().workload == session.profiles.workload);
    QCOMPARE(session.published.scope.quality_metric, std::string("rouge_l"));
    QCOMPARE(session.messages(), std::vector<std::string>{});
  }

  void withoutAStoreOnlyCurvesAreAskedFor() {
    Applying session(false);
    must(session.applier->load_profiles());
    QCOMPARE(session.parts.asked.back(), std::string("curves of token_f1, no store, 0 files"));
    QVERIFY(std::ranges::find(session.parts.asked, "references of token_f1") == session.parts.asked.end());
  }

  void referencesThatCannotBeLoadedAreSaid() {
    Applying session;
    session.parts.references_loaded = fail(ErrorCode::io, "the database is locked");
    (void)session.asked_by([](SessionSettings& settings) { settings.quality_metric = "rouge_l"; });
    QCOMPARE(session.messages(), std::vector<std::string>{"quality curves: the database is locked"});
  }

  // Vectors of different embedders are not comparable.
  void aMetricOfMeaningHasTheScopeOfItsEmbedder() {
    Applying session(true, [] { return std::unique_ptr<Embedder>(std::make_unique<NamedEmbedder>()); });
    QCOMPARE(session.asked_by([](SessionSettings& settings) { settings.quality_metric = "cosine"; }),
             (Asked{"recheck curves", "hand on lru", "profile cosine", "metric cosine",
                    "profile cosine with an embedder", "forget curves", "forget answers", "references of cosine",
                    "curves of cosine, 1 files", "snapshot: settings"}));
    QVERIFY(session.published.scope.model == session.applier->scope().model);
    QVERIFY(session.applier->scope().model != session.parts.model);
  }

  // No curve of the metric before is continued.
  void withoutItsEmbedderAMetricHasNoCurves() {
    Applying session;
    QCOMPARE(session.asked_by([](SessionSettings& settings) { settings.quality_metric = "cosine"; }),
             (Asked{"recheck curves", "hand on lru", "profile cosine", "snapshot: settings"}));
    QCOMPARE(session.messages().size(), std::size_t{1});
    QVERIFY(session.messages()[0].starts_with("quality curves: "));
  }
};

KV_TEST_GUILESS_MAIN(SettingsApplierTest)

}  // namespace settings_applier_test

#include "settings_applier_test.moc"
