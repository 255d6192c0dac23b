// links: kv_ui
// Controls > Regime: what applying one sets, as one step of undo, where it cannot be applied and why, and how far a
// session is from it.
#include "ui/live/controls/regime_controls.h"

#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/experiments/evicpress_rules.h"
#include "core/workload/regimes/regime_facts.h"
#include "tests/support/test_program.h"
#include "tests/support/three_contexts.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/controls/model/regime_move.h"
#include "ui/text/words.h"

namespace regime_controls_test {

using namespace kvantage;

namespace {

const Regime& regime(const char* name) { return **find_regime(name); }

bool near(double value, double wanted) { return std::abs(value - wanted) <= 1e-9 * std::abs(wanted); }

Snapshot machine() {
  Snapshot snapshot = test::three_contexts();
  // Latency in s, bytes/s, unpacking in s a token; the middle one with the 3 ms that it is throttled by.
  snapshot.tiers = {{"fast", 1, {0.001, 1e9, 1e-7, 0}, false},
                    {"mid", 1, {0.004, 5e7, 0, 0}, true, 0.003},
                    {"far", 1, {0, 1e9, 0, 0}, false}};
  return snapshot;
}

SessionSettings settings_of_machine() {
  SessionSettings settings;
  settings.policy = "lru";
  settings.methods = {"none"};
  settings.removed_fractions = {0.5};
  settings.requests_per_second = 3;
  settings.max_batch = 4;
  settings.compute_or_load = "auto";
  settings.reprofile = true;
  settings.tiers = {
      {.name = "fast", .budget = TierBudget(1 << 20)},
      {.name = "mid", .budget = TierBudget(1 << 21), .throttle = {5e7, 0.003}, .faults = "torn_write:0.1"},
      {.name = "far", .budget = TierBudget(1 << 22)}};
  return settings;
}

/// A session whose tiers do what devices would: each has a speed of its own, and throttles make it slower.
class DeviceSession : public ScriptedSession {
 public:
  explicit DeviceSession(bool remote) : remote_(remote) {
    if (!remote) return;
    SessionSettings settings = this->settings();
    settings.tiers.push_back({.name = "remote", .budget = TierBudget(1 << 28)});
    if (!apply(settings)) qFatal("three tiers are sound");
    applied.clear();
  }
  std::shared_ptr<const Snapshot> snapshot() const override {
    const auto scripted = ScriptedSession::snapshot();
    if (!scripted) return nullptr;
    auto timed = std::make_shared<Snapshot>(*scripted);
    if (remote_) timed->tiers.push_back({.name = "remote", .budget_bytes = 0, .model = {}, .throttled = false});
    const SessionSettings now = settings();
    for (std::size_t t = 0; t < timed->tiers.size(); ++t) {
      TierState& tier = timed->tiers[t];
      const TierThrottle& throttle = now.tiers[t].throttle;
      tier.budget_bytes = now.tiers[t].budget.bytes();
      tier.throttled = throttle.any();
      tier.model = devices[t];
      tier.model.latency_seconds += throttle.latency_seconds;
      tier.added_latency_seconds = throttle.latency_seconds;
      if (throttle.bytes_per_second > 0)
        tier.model.bytes_per_second = std::min(throttle.bytes_per_second, devices[t].bytes_per_second);
    }
    return timed;
  }
  double kv_bytes() const {
    return sum([](const ContextState& one) { return static_cast<double>(one.full_bytes); });
  }
  double tokens() const {
    return sum([](const ContextState& one) { return static_cast<double>(one.tokens); });
  }
  double prefill_seconds() const {
    const PrefillModel prefill = snapshot()->prefill;
    return sum([&](const ContextState& one) { return prefill.seconds(one.tokens); });
  }

  TierModel devices[3] = {{0.0004, 5e9, 2e-7, 0}, {0.001, 1e9, 2e-7, 0}, {0.002, 1e9, 0, 0}};

 private:
  double sum(const std::function<double(const ContextState&)>& of) const {
    double all = 0;
    for (const ContextState& context : snapshot()->contexts) all += of(context);
    return all;
  }
  bool remote_;
};

/// The controls over such a session, without a window.
struct Bench {
  explicit Bench(bool remote, bool loaded = true) : session(remote) {
    if (loaded) load();
  }
  void load() {
    session.set_state(RunState::ready);
    run.tick();
    controls.flush();
  }
  /// Until the controls show what the session does now.
  void follow() {
    settings.flush();
    const std::shared_ptr<const Snapshot> before = run.snapshot();
    session.serve(1);
    if (!QTest::qWaitFor([&] { return run.tick(), run.snapshot() != before; }, 60000)) qFatal("no snapshot");
    controls.flush();
  }
  void choose(QComboBox& combo, int index) {
    combo.setCurrentIndex(index);
    emit combo.activated(index);
  }
  void choose_regime(const char* name) { choose(controls.regime(), controls.regime().findText(name)); }
  QUndoStack& undo() { return settings.undo_stack(); }

  DeviceSession session;
  RunModel run{session};
  SettingsController settings{session};
  RegimeControls controls{run, settings};
};

QStringList items(const QComboBox& combo) {
  QStringList texts;
  for (int i = 0; i < combo.count(); ++i) texts << combo.itemText(i);
  return texts;
}

}  // namespace

class RegimeControlsTest : public QObject {
  Q_OBJECT

 private slots:
  void settingsAreWorkedOutByHand() {
    const Snapshot snapshot = machine();
    const SessionSettings before = settings_of_machine();
    const auto after =
        settings_in({.regime = &regime("evicpress-regime"), .first_percent = 2, .alpha = 3}, snapshot, before);
    QVERIFY(after);
    QCOMPARE(after->tiers[0].budget.bytes(), std::uint64_t{360'000});
    QCOMPARE(after->tiers[1].budget.bytes(), std::uint64_t{3'600'000});
    QVERIFY(after->tiers[2].budget.is_unlimited());
    // Of 29.7 ms, 3 are latency and 0.6 unpacking; of 148.5 ms, 3 are latency without the throttle; 1567.5 ms.
    QVERIFY(near(after->tiers[0].throttle.bytes_per_second, 18e6 / 0.0261));
    QVERIFY(near(after->tiers[1].throttle.bytes_per_second, 18e6 / 0.1455));
    QVERIFY(near(after->tiers[2].throttle.bytes_per_second, 18e6 / 1.5675));
    for (const TierConfig& tier : after->tiers)
      QVERIFY(tier.throttle.latency_seconds == 0 && !tier.throttle.is_relative());
    QVERIFY(near(after->alpha, 3 * 0.5225));  // the middle context from the slowest tier: 1567.5 ms * 6 / 18
    // The paper's own rule (section 4.4): plain evicpress pools qualities, which is ours, so that figures compare no
    // claim with its runs (evicpress_rule()).
    QCOMPARE(after->policy, std::string("evicpress(quality=raw)"));
    QVERIFY(evicpress_rule(after->policy)->is_papers);
    // As figures set them for the papers' systems, which load whatever is stored and do not re-profile held-out
    // questions (settings_of() in study_cells.cpp).
    QCOMPARE(after->compute_or_load, std::string("off"));
    QVERIFY(!after->reprofile);
    QCOMPARE(after->methods, (std::vector<std::string>{"keydiff", "knorm", "snapkv"}));
    QCOMPARE(after->removed_fractions, (std::vector<double>{0.2, 0.4, 0.6, 0.8, 0.9}));
    QCOMPARE(after->requests_per_second, 0.0);
    QVERIFY(validate(*after));
    // The rest stays.
    SessionSettings rest = *after;
    static_cast<PlanSettings&>(rest) = before;
    rest.requests_per_second = before.requests_per_second;
    rest.compute_or_load = before.compute_or_load;
    rest.reprofile = before.reprofile;
    for (std::size_t t = 0; t < 3; ++t) {
      rest.tiers[t].budget = before.tiers[t].budget;
      rest.tiers[t].throttle = before.tiers[t].throttle;
    }
    QVERIFY(rest == before);
    // Latency belongs to the fit: settings that were taken back before the tiers were timed again change nothing.
    SessionSettings undone = before;
    undone.tiers[1].throttle.latency_seconds = 0;
    const auto again =
        settings_in({.regime = &regime("evicpress-regime"), .first_percent = 2, .alpha = 3}, snapshot, undone);
    QVERIFY(again && again->tiers[1].throttle.bytes_per_second == after->tiers[1].throttle.bytes_per_second);
  }

  void aTierThatIsSlowerByItselfHasFullSpeed() {
    Snapshot snapshot = machine();
    snapshot.tiers[0].model.bytes_per_second = 1e8;
    const auto after = settings_in({.regime = &regime("evicpress-regime"), .first_percent = 2, .alpha = 0}, snapshot,
                                   settings_of_machine());
    QVERIFY(after && !after->tiers[0].throttle.any() && after->tiers[1].throttle.bytes_per_second > 0);
  }

  void whatIsNotTimedIsFound() {
    QVERIFY(is_timed(machine()));
    Snapshot unreached = machine();
    unreached.tiers[2].model = {};
    QVERIFY(!is_timed(unreached));
    Snapshot unfitted = machine();
    unfitted.prefill = {};
    QVERIFY(!is_timed(unfitted));
    const auto nothing = settings_in({.regime = &regime("evicpress-regime"), .first_percent = 2, .alpha = 0}, unfitted,
                                     settings_of_machine());
    QVERIFY(!nothing && nothing.error().code == ErrorCode::usage);
  }

  void choicesAreThoseOfTheRegime() {
    Bench bench(true);
    RegimeControls& controls = bench.controls;
    QCOMPARE(items(controls.regime()),
             (QStringList{"as set", "evicpress-regime", "authors-simulator", "adaptcache-regime"}));
    const QString tip = controls.regime().itemData(1, Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains("arXiv 2512.14946\n") && tip.contains("DRAM holds a fiftieth"), qPrintable(tip));
    QVERIFY(!controls.apply_button().isVisibleTo(&controls));  // "as set" takes one line
    bench.choose_regime("evicpress-regime");
    QVERIFY(controls.apply_button().isVisibleTo(&controls));
    QCOMPARE(items(controls.budget()),
             (QStringList{"2 % of all KV", "5 % of all KV", "8 % of all KV", "11 % of all KV"}));
    QCOMPARE(controls.budget().currentData().toDouble(), 2.0);
    QVERIFY(controls.budget().toolTip().contains("ssd 10 ×, remote unlimited"));
    QCOMPARE(items(controls.alpha()),
             (QStringList{"0.1 × median remote TTFT", "0.3 × median remote TTFT", "1 × median remote TTFT",
                          "3 × median remote TTFT", "10 × median remote TTFT"}));
    QCOMPARE(controls.alpha().currentIndex(), 2);
    bench.choose_regime("adaptcache-regime");
    QCOMPARE(items(controls.budget()).size(), 5);
    QCOMPARE(controls.budget().currentData().toDouble(), 7.0);
    QCOMPARE(controls.alpha().itemText(0), QString("0.1 × median prefill"));
    bench.choose(controls.regime(), 0);
    QVERIFY(!controls.apply_button().isVisibleTo(&controls));
    QVERIFY(bench.session.applied.empty() && bench.undo().count() == 0);  // choosing sets nothing
  }

  void applyingIsOneStepAndIsUndone() {
    Bench bench(true);
    const SessionSettings before = bench.session.settings();
    const double kv_bytes = bench.session.kv_bytes(), tokens = bench.session.tokens(),
                 prefill = bench.session.prefill_seconds();
    bench.choose_regime("evicpress-regime");
    bench.choose(bench.controls.budget(), 1);
    bench.choose(bench.controls.alpha(), 4);
    QVERIFY(bench.controls.apply_button().isEnabled());
    QVERIFY2(bench.controls.note_text().endsWith("This regime's: uniform."), qPrintable(bench.controls.note_text()));
    QVERIFY2(bench.controls.note_text().startsWith(
                 "Policy: evicpress(quality=raw). Stored contexts are loaded, never recomputed; no re-profiling."),
             qPrintable(bench.controls.note_text()));
    QVERIFY(bench.controls.apply_button().toolTip().contains("turns off recomputing"));
    bench.controls.apply_button().click();
    QCOMPARE(bench.undo().count(), 1);
    QCOMPARE(bench.undo().text(0), QString("Regime: evicpress-regime, DRAM 5 %"));
    bench.settings.flush();
    QCOMPARE(bench.session.applied.size(), std::size_t{1});
    const SessionSettings after = bench.session.settings();
    QVERIFY(after == bench.settings.committed());
    QCOMPARE(after.tiers[0].budget.bytes(), static_cast<std::uint64_t>(0.05 * kv_bytes));
    QCOMPARE(after.tiers[1].budget.bytes(), static_cast<std::uint64_t>(0.5 * kv_bytes));
    QVERIFY(after.tiers[2].budget.is_unlimited());
    const double loads[] = {0.09, 0.45, 4.75};
    for (std::size_t t = 0; t < 3; ++t) {
      const TierModel& device = bench.session.devices[t];
      const double seconds = 24 * device.latency_seconds + device.decode_seconds_per_token * tokens +
                             kv_bytes / after.tiers[t].throttle.bytes_per_second;
      QVERIFY2(near(seconds, loads[t] * prefill), qPrintable(QString::number(seconds / prefill)));
    }
    const Snapshot snapshot = *bench.session.snapshot();
    std::vector<std::uint64_t> bytes;
    for (const ContextState& context : snapshot.contexts) bytes.push_back(context.full_bytes);
    std::ranges::sort(bytes);
    QVERIFY(near(after.alpha, 10 * 4.75 * prefill * static_cast<double>(bytes[12]) / kv_bytes));
    QCOMPARE(after.policy, std::string("evicpress(quality=raw)"));  // the paper's rule, as above
    QVERIFY(before.reprofile && before.compute_or_load == "auto");
    QVERIFY(!after.reprofile && after.compute_or_load == "off");
    QCOMPARE(after.methods, (std::vector<std::string>{"keydiff", "knorm", "snapkv"}));
    QCOMPARE(after.requests_per_second, 0.0);
    QCOMPARE(after.max_batch, before.max_batch);

    bench.undo().undo();
    bench.settings.flush();
    QVERIFY(bench.session.settings() == before);
    bench.undo().redo();
    bench.settings.flush();
    QVERIFY(bench.session.settings() == after);
    // From within the regime it is the same again: the throttles of now do not count.
    bench.follow();
    bench.controls.apply_button().click();
    const SessionSettings again = bench.settings.committed();
    for (std::size_t t = 0; t < 3; ++t) {
      QVERIFY(near(again.tiers[t].throttle.bytes_per_second, after.tiers[t].throttle.bytes_per_second));
      QCOMPARE(again.tiers[t].budget, after.tiers[t].budget);
    }
  }

  void arrivalsOfAdaptcacheArePoisson() {
    Bench bench(false);
    bench.choose_regime("adaptcache-regime");
    bench.choose(bench.controls.budget(), 4);
    QVERIFY(bench.controls.note_text().endsWith("This regime's: each context once, then uniform."));
    bench.controls.apply_button().click();
    const SessionSettings after = bench.settings.committed();
    QCOMPARE(bench.undo().text(0), QString("Regime: adaptcache-regime, DRAM 10 %"));
    QVERIFY(near(after.requests_per_second, 0.5 * 24 / bench.session.prefill_seconds()));
    QCOMPARE(after.policy, std::string("adaptcache(pool=paper)"));
    QCOMPARE(after.tiers[1].budget.bytes(), static_cast<std::uint64_t>(0.4 * bench.session.kv_bytes()));
    std::vector<double> prefills;
    for (const ContextState& context : bench.session.snapshot()->contexts)
      prefills.push_back(bench.session.snapshot()->prefill.seconds(context.tokens));
    std::ranges::sort(prefills);
    QVERIFY(near(after.alpha, prefills[12]));
  }

  void thePapersScaleIsAFigure() {
    Bench bench(true);
    bench.choose_regime("evicpress-regime");
    QVERIFY2(bench.controls.scale_text().endsWith("800 GB of SSD), simulated: Papers > evicpress/paper-scale"),
             qPrintable(bench.controls.scale_text()));
    bench.choose_regime("authors-simulator");
    QVERIFY2(bench.controls.scale_text().endsWith("Papers > evicpress/paper-scale, with budget 0.4"),
             qPrintable(bench.controls.scale_text()));
    bench.choose_regime("adaptcache-regime");
    QVERIFY2(bench.controls.scale_text().endsWith("400 GB of SSD), simulated: Papers > adaptcache/paper-scale"),
             qPrintable(bench.controls.scale_text()));
  }

  void anotherNumberOfTiersIsRefused() {
    Bench bench(false);
    bench.choose_regime("evicpress-regime");
    QVERIFY(!bench.controls.apply_button().isEnabled());
    const QString note = bench.controls.note_text();
    QVERIFY2(note.startsWith("evicpress-regime has 3 tiers, this session 2.") &&
                 note.contains("workload make --preset evicpress-regime"),
             qPrintable(note));
    QVERIFY(bench.controls.rows_text().isEmpty() && bench.controls.verdict_text().isEmpty());
    bench.controls.apply_button().click();
    QVERIFY(bench.undo().count() == 0 && bench.session.applied.empty());
    bench.choose_regime("adaptcache-regime");
    QVERIFY(bench.controls.apply_button().isEnabled());
    Bench three(true);
    three.choose_regime("adaptcache-regime");
    QVERIFY(!three.controls.apply_button().isEnabled());
    QVERIFY(three.controls.note_text().startsWith("adaptcache-regime has 2 tiers, this session 3."));
  }

  void aRecordedRunTakesNone() {
    Bench bench(true);
    bench.settings.set_fixed("Settings are those of a recorded run");
    bench.choose_regime("evicpress-regime");
    QVERIFY(!bench.controls.apply_button().isEnabled());
    QVERIFY2(bench.controls.note_text().startsWith("Settings of a recorded run are read-only."),
             qPrintable(bench.controls.note_text()));
    QCOMPARE(bench.controls.rows_text().count('\n'), 5);  // how far it was from the regime is shown
    bench.controls.apply_button().click();
    QCOMPARE(bench.undo().count(), 0);
    // With another number of tiers there are no rows, and the reason is still that it was recorded.
    bench.choose_regime("adaptcache-regime");
    QVERIFY(bench.controls.note_text().startsWith("Settings of a recorded run are read-only."));
    QVERIFY(bench.controls.rows_text().isEmpty());
  }

  void untilTimesAreMeasuredItIsRefused() {
    Bench bench(true, false);
    bench.choose_regime("evicpress-regime");
    QVERIFY(!bench.controls.apply_button().isEnabled());
    QVERIFY2(bench.controls.note_text().startsWith("Prefill and tiers are not timed yet."),
             qPrintable(bench.controls.note_text()));
    const TierModel remote = std::exchange(bench.session.devices[2], TierModel{});  // not reached yet
    bench.load();
    QVERIFY(!bench.controls.apply_button().isEnabled() && bench.controls.rows_text().isEmpty());
    bench.session.devices[2] = remote;
    bench.follow();
    QVERIFY(bench.controls.apply_button().isEnabled());
    QCOMPARE(bench.controls.rows_text().count('\n'), 5);
  }

  void deviationsAreThoseOfTheSession() {
    Bench bench(true);
    SessionSettings halved = bench.session.settings();
    halved.tiers[0].budget = static_cast<std::uint64_t>(0.05 * bench.session.kv_bytes());
    QVERIFY(bench.settings.commit(halved, "budget", {}));
    bench.follow();
    bench.choose_regime("evicpress-regime");
    const QStringList rows = bench.controls.rows_text().split('\n');
    QCOMPARE(rows.size(), 6);
    QCOMPARE(rows[0], QString("budget in % of KV, dram: 5 (regime: 5)"));
    QVERIFY2(rows[2].endsWith("(regime: unlimited)"), qPrintable(rows[2]));
    const TierModel& remote = bench.session.devices[2];
    const double load = (24 * remote.latency_seconds + bench.session.kv_bytes() / remote.bytes_per_second) /
                        bench.session.prefill_seconds();
    QCOMPARE(rows[5], QStringLiteral("load / prefill, remote: %1 (regime: 4.75)").arg(load, 0, 'g', 3));
    const QString verdict = bench.controls.verdict_text();
    QVERIFY2(verdict.startsWith("No verdict: budget in % of KV, ssd is ") &&
                 verdict.contains("; load / prefill, remote is ") && verdict.endsWith("off the regime's 4.75"),
             qPrintable(verdict));

    bench.controls.apply_button().click();
    bench.follow();
    QCOMPARE(bench.controls.rows_text(), QString("budget in % of KV, dram: 2 (regime: 2)\n"
                                                 "budget in % of KV, ssd: 20 (regime: 20)\n"
                                                 "budget in % of KV, remote: unlimited (regime: unlimited)\n"
                                                 "load / prefill, dram: 0.09 (regime: 0.09)\n"
                                                 "load / prefill, ssd: 0.45 (regime: 0.45)\n"
                                                 "load / prefill, remote: 4.75 (regime: 4.75)"));
    QVERIFY2(bench.controls.verdict_text().isEmpty(), qPrintable(bench.controls.verdict_text()));
    SessionSettings slower = bench.settings.committed();
    slower.tiers[1].throttle.latency_seconds = 0.12 * 0.45 * bench.session.prefill_seconds() / 24;
    QVERIFY(bench.settings.commit(slower, "latency", {}));
    bench.follow();
    QCOMPARE(bench.controls.verdict_text(),
             QString("No verdict: load / prefill, ssd is 0.504, 12.0 % off the regime's 0.45"));
  }

  // Snapshots arrive many times a second.
  void deviationsFollowOnlyWhereTheyAreSeen() {
    Bench bench(true);
    bench.choose_regime("evicpress-regime");
    const QString first = bench.controls.rows_text();
    bench.session.devices[2].bytes_per_second /= 2;
    const std::shared_ptr<const Snapshot> before = bench.run.snapshot();
    bench.session.serve(1);
    QTRY_VERIFY((bench.run.tick(), bench.run.snapshot() != before));
    test::settle(300);
    QCOMPARE(bench.controls.rows_text(), first);
    bench.controls.show();
    QTRY_VERIFY(bench.controls.rows_text() != first);
  }

  void theWindowHasThem() {
    ScriptedSession session;
    ScriptedWindow scripted;
    auto window = scripted.loaded(session);
    const SessionSettings before = session.settings();
    RegimeControls& controls = controls_of(*window).regime();
    QVERIFY(controls.isVisibleTo(window.get()));
    controls.regime().setCurrentIndex(controls.regime().findText("adaptcache-regime"));
    emit controls.regime().activated(controls.regime().currentIndex());
    QTRY_VERIFY(controls.apply_button().isEnabled());
    controls.apply_button().click();
    QTRY_COMPARE(session.settings().policy, std::string("adaptcache(pool=paper)"));
    QCOMPARE(controls_of(*window).policy().currentData().toString(), QString("adaptcache(pool=paper)"));
    QVERIFY(controls_of(*window).tier("ssd")->setting() == session.settings().tiers[1]);
    QVERIFY(session.settings().requests_per_second > 0);
    settings_of(*window).undo_stack().undo();
    QTRY_VERIFY(session.settings() == before);
  }
};

KV_TEST_MAIN(RegimeControlsTest)

}  // namespace regime_controls_test

#include "regime_controls_test.moc"
