// links: kv_ui
// Targets of the Frontier: the cheapest plan for them, told, used and undone; and their bar below the chart.
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <memory>

#include "core/policy/explain/target_search.h"
#include "core/policy/frontier.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/frontier/frontier_page.h"
#include "ui/live/frontier/model/frontier_request.h"
#include "ui/live/frontier/model/frontier_targets.h"
#include "ui/text/words.h"

namespace frontier_targets_test {

using namespace kvantage;
using State = FrontierTargets::State;

namespace {

/// A session with its models, without a window.
struct Bench {
  ScriptedSession session;
  RunModel run{session};
  std::unique_ptr<SettingsController> settings;
  TierPrices prices;
  std::unique_ptr<FrontierTargets> targets;

  Bench() {
    session.set_state(RunState::ready);
    session.serve(40);
    run.tick(1000);
    settings = std::make_unique<SettingsController>(session);
    targets = std::make_unique<FrontierTargets>(run, *settings, prices);
  }
  TargetQuestion question() const {
    TargetQuestion asked;
    asked.snapshot = expected_demand(snapshot_under(*run.snapshot(), settings->shown(), settings->committed()));
    asked.alphas = run.alpha_scale().grid(FrontierTargets::alphas);
    asked.prices = prices.prices(settings->shown().tiers);
    return asked;
  }
  /// What the present budgets reach at the alpha in the middle, with some room.
  PlanTarget within_reach() const {
    const TargetQuestion asked = question();
    const auto policy = *make_policy("evicpress");
    const FrontierPoint point = policy->alpha_planner(asked.snapshot)->at(asked.alphas[asked.alphas.size() / 2]);
    return {std::floor(1000 * point.mean_quality - 5) / 1000, point.mean_ttft_seconds * 1.05};
  }
};

}  // namespace

class FrontierTargetsTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void theCheapestPlanIsToldUsedAndUndone() {
    Bench bench;
    FrontierTargets& targets = *bench.targets;
    QVERIFY(bench.run.snapshot() && bench.run.profiled_contexts() > 0);
    const PlanTarget target = bench.within_reach();
    targets.set_target(target);
    QCOMPARE(targets.state(), State::no_target);  // nobody looks
    QSignalSpy changed(&targets, &FrontierTargets::targetChanged);
    targets.set_active(true);
    QCOMPARE(changed.count(), 1);
    QTRY_COMPARE(targets.state(), State::ready);
    TargetQuestion asked = bench.question();
    asked.target = target;
    const auto policy = *make_policy("evicpress");
    const TargetAnswer expected = solve_target(asked, *policy);
    QVERIFY(expected.plan && targets.answer() && targets.answer()->plan);
    const TargetPlan& plan = *targets.answer()->plan;
    QCOMPARE(plan.cost, expected.plan->cost);
    QCOMPARE(plan.budgets, expected.plan->budgets);
    QCOMPARE(targets.solution()->quality, plan.quality);
    QVERIFY(plan.quality >= *target.quality && plan.ttft_seconds <= *target.ttft_seconds);
    const QString text = targets.text();
    const QStringList parts{"Cheapest plan that meets quality ≥ " + quality_text(*target.quality) +
                                " and mean TTFT ≤ " + seconds_text(*target.ttft_seconds),
                            "α " + number_text(plan.alpha),
                            "dram " + bytes_text(static_cast<double>(plan.budgets[0])),
                            "cost " + number_text(plan.cost),
                            "predicted quality " + quality_text(plan.quality),
                            "plans tried: " + QString::number(targets.answer()->tried)};
    for (const QString& part : parts) QVERIFY2(text.contains(part), qPrintable(part + " is not in: " + text));

    const SessionSettings before = bench.settings->committed();
    QVERIFY(targets.use());
    const SessionSettings after = bench.settings->committed();
    QCOMPARE(after.alpha, plan.alpha);
    QCOMPARE(after.tiers[0].budget.bytes(), plan.budgets[0]);
    QCOMPARE(after.tiers[1].budget.bytes(), plan.budgets[1]);
    QCOMPARE(after.tiers[1].throttle.bytes_per_second, before.tiers[1].throttle.bytes_per_second);
    QCOMPARE(bench.settings->undo_stack().count(), 1);
    bench.settings->undo_stack().undo();
    QVERIFY(bench.settings->committed() == before);
  }

  void pricesDecideWhichTierGrows() {
    Bench bench;
    FrontierTargets& targets = *bench.targets;
    targets.set_active(true);
    targets.set_target({{}, bench.within_reach().ttft_seconds});
    QTRY_COMPARE(targets.state(), State::ready);
    QVERIFY(targets.answer()->plan);
    bench.prices.set_price("dram", 0);
    bench.prices.set_price("ssd", 1000);
    TargetQuestion asked = bench.question();
    QCOMPARE(asked.prices, (std::vector<double>{0, 1000}));
    asked.target = targets.target();
    const TargetAnswer expected = solve_target(asked, **make_policy("evicpress"));
    QVERIFY(expected.plan);
    QTRY_COMPARE(targets.answer() && targets.answer()->plan ? targets.answer()->plan->cost : -1, expected.plan->cost);
  }

  void whyThereIsNoneIsSaid() {
    Bench bench;
    FrontierTargets& targets = *bench.targets;
    QVERIFY(targets.text().isEmpty());
    targets.set_active(true);
    targets.set_target({{}, 1e-9});  // faster than any load
    QCOMPARE(targets.state(), State::searching);
    QTRY_COMPARE(targets.state(), State::ready);
    QVERIFY(!targets.answer()->plan && !targets.use() && !targets.solution());
    QVERIFY2(targets.text().startsWith("No plan meets mean TTFT ≤ ") && targets.text().contains("Nearest: α "),
             qPrintable(targets.text()));
    SessionSettings changed = bench.settings->committed();
    changed.policy = "lru";
    bench.settings->preview(changed);
    QTRY_COMPARE(targets.state(), State::no_alpha);
    QVERIFY2(targets.text().contains("lru"), qPrintable(targets.text()));
    bench.settings->cancel_preview();
    QTRY_COMPARE(targets.state(), State::ready);
    bench.session.forget_profiles(24);
    bench.run.tick(1000);
    // The snapshot without profiles may be read a little later.
    QTRY_VERIFY((bench.run.tick(1000), bench.run.profiled_contexts() == 0));
    targets.set_target({0.6, {}});
    QTRY_COMPARE(targets.state(), State::no_profile);
    targets.set_target({});
    QCOMPARE(targets.state(), State::no_target);
    QVERIFY(targets.text().isEmpty());
  }

  // What a search that ended early did not find may exist.
  void aSearchThatEndedEarlySaysSo() {
    TargetAnswer answer;
    answer.nearest = TargetPlan{
        .alpha = 2, .budgets = {1 << 20}, .quality = 0.5, .ttft_seconds = 0.25, .ttft_p95_seconds = 0.5, .cost = 1};
    answer.tried = 48;
    const QString complete = target_answer_text({0.9, {}}, answer, {"dram"});
    QVERIFY2(complete.startsWith("No plan meets quality ≥ 0.900; plans tried: 48. Nearest: α "), qPrintable(complete));
    answer.complete = false;
    const QString early = target_answer_text({0.9, {}}, answer, {"dram"});
    QVERIFY2(early.startsWith("No plan found that meets quality ≥ 0.900; search limit reached, plans tried: 48. "
                              "Nearest: α "),
             qPrintable(early));
    QCOMPARE(early.section("Nearest: ", 1), complete.section("Nearest: ", 1));
  }

  void targetsAreLimited() {
    Bench bench;
    bench.targets->set_target({1.5, -1.0});
    QVERIFY(bench.targets->target() == (PlanTarget{1.0, {}}));
    QSignalSpy changed(bench.targets.get(), &FrontierTargets::targetChanged);
    bench.targets->set_target({1.0, {}});
    QCOMPARE(changed.count(), 0);
    QCOMPARE(target_text({0.5, 0.04}), QString("quality ≥ 0.500 and mean TTFT ≤ 40.0 ms"));
    QCOMPARE(target_text({{}, 0.04, TargetTtft::p95}), QString("TTFT p95 ≤ 40.0 ms"));
    QCOMPARE(target_text({{}, {}, TargetTtft::p95}), QString());
    QCOMPARE(target_text({}), QString());
  }

  void theTtftOfATargetIsTheMeanOrTheP95() {
    const QTemporaryDir folder;
    Bench bench;
    FrontierTargets& targets = *bench.targets;
    targets.set_active(true);
    QSettings settings(folder.filePath("w.ini"), QSettings::IniFormat);
    settings.setValue("targets/ttft", "fastest");  // nothing that is known
    TargetBar bar(targets);
    bar.keep_in(settings, "targets/ttft");
    QCOMPARE(bar.ttft_of().currentText(), QString("Mean TTFT ≤"));
    bar.ttft_of().setFocus();
    QTest::keyClick(&bar.ttft_of(), Qt::Key_Down);
    QCOMPARE(bar.ttft_of().currentText(), QString("TTFT p95 ≤"));
    QCOMPARE(settings.value("targets/ttft").toString(), QString("p95"));
    bar.ttft().setValue(bench.within_reach().ttft_seconds.value() * 2000);
    QCOMPARE(targets.target().ttft_of, TargetTtft::p95);
    QTRY_COMPARE(targets.state(), State::ready);
    TargetQuestion asked = bench.question();
    asked.target = targets.target();
    const TargetAnswer expected = solve_target(asked, **make_policy("evicpress"));
    QVERIFY(expected.plan && targets.answer()->plan);
    QCOMPARE(targets.answer()->plan->cost, expected.plan->cost);
    QVERIFY(targets.answer()->plan->ttft_p95_seconds <= *targets.target().ttft_seconds);
    QVERIFY2(bar.text().startsWith("Cheapest plan that meets TTFT p95 ≤ "), qPrintable(bar.text()));
    bar.clear_button().click();
    QVERIFY(!targets.target().any() && targets.target().ttft_of == TargetTtft::p95);  // for the next one
    Bench next;
    TargetBar next_bar(*next.targets);
    next_bar.keep_in(settings, "targets/ttft");
    QCOMPARE(next_bar.ttft_of().currentText(), QString("TTFT p95 ≤"));
  }

  void theBarBelowTheChartSetsAndClearsThem() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    session.pause();
    auto& page = *window->findChild<FrontierPage*>();
    TargetBar& bar = page.target_bar();
    QVERIFY(bar.isHidden() && !page.targets().active());
    page.targets_button().click();
    QTRY_VERIFY(bar.isVisible() && page.targets().active());
    QVERIFY(bar.text().isEmpty() && !bar.use_button().isEnabled() && !bar.clear_button().isEnabled());
    // Uncompressed caches are as good as this at least; typed, and with the arrow keys.
    bar.quality().setValue(0.2);
    QTest::keyClick(&bar.quality(), Qt::Key_Up);
    QCOMPARE(page.targets().target().quality.value_or(0), 0.21);
    QTRY_VERIFY2(bar.text().startsWith("Cheapest plan that meets quality ≥ 0.210"), qPrintable(bar.text()));
    QVERIFY(bar.use_button().isEnabled());
    bar.ttft().setValue(250);
    QCOMPARE(page.targets().target().ttft_seconds.value_or(0), 0.25);
    QCOMPARE(page.targets().target().quality.value_or(0), 0.21);
    QTRY_VERIFY(page.targets().state() == State::ready);
    // From elsewhere: the fields follow, and what they round stays as it is.
    page.targets().set_target({0.25, 0.0412345});
    QCOMPARE(bar.quality().value(), 0.25);
    QCOMPARE(bar.ttft().value(), 41.23);
    bar.quality().setValue(0.3);
    QCOMPARE(page.targets().target().ttft_seconds.value_or(0), 0.0412345);
    bar.clear_button().click();
    QVERIFY(!page.targets().target().any());
    QCOMPARE(bar.quality().text(), QString("none"));
    QVERIFY(bar.text().isEmpty());
    page.targets().set_target({0.2, {}});
    QTRY_VERIFY(bar.use_button().isEnabled());
    const double alpha = page.targets().answer()->plan->alpha;
    bar.use_button().click();
    QCOMPARE(settings_of(*window).committed().alpha, alpha);
    page.targets_button().click();
    QVERIFY(bar.isHidden() && !page.targets().active());
    QVERIFY(page.targets().target().quality.has_value());  // for the next time
  }
};

KV_TEST_MAIN(FrontierTargetsTest)

}  // namespace frontier_targets_test

#include "frontier_targets_test.moc"
