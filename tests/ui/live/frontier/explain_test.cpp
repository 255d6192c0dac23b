// links: kv_ui
// 'Explain' and what hovering and clicking on the Frontier show: from models, not from pixels.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <set>

#include "core/policy/explain/plan_moves.h"
#include "core/policy/frontier.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/charts/model_table.h"
#include "ui/live/controls/model/fault_presets.h"
#include "ui/live/frontier/frontier_levels.h"
#include "ui/live/frontier/frontier_tips.h"
#include "ui/live/frontier/model/frontier_planner.h"
#include "ui/text/words.h"

namespace explain_test {

using namespace kvantage;

namespace {

/// A canvas on which a mean is at (1000 * seconds, 1000 * quality).
FrontierCanvas flat(const FrontierModel& model, const std::vector<MeasuredPoint>& measured) {
  return {
      model,
      measured,
      theme_of(ThemeKind::light),
      QRectF(0, 0, 1000, 1000),
      QFont(),
      [](const FrontierMean& mean) { return std::optional(QPointF(1000 * mean.ttft_seconds, 1000 * mean.quality)); },
      [](const QString&) { return false; }};
}

}  // namespace

class ExplainTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void theTableIsTheDifferenceOfTwoPlans() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(60);
    QTRY_COMPARE(run_of(*window).served(), 60u);
    QTRY_COMPARE(run_of(*window).snapshot()->version, session.snapshot()->version);
    session.pause();
    FrontierPage* page = window->findChild<FrontierPage*>();
    ExplainModel& model = page->explain().model();
    QAbstractItemModelTester tester(&model);
    QCOMPARE(model.state(), ExplainModel::State::off);
    QVERIFY(!run_of(*window).frontier.second_alpha());
    page->explain_button().click();
    QTRY_VERIFY(page->explain().isVisible());
    const double alpha = settings_of(*window).shown().alpha;
    model.set_second_alpha(alpha * 20);
    QTRY_VERIFY(model.difference() && model.difference()->second_alpha == alpha * 20);
    QCOMPARE(run_of(*window).frontier.second_alpha().value_or(0), alpha * 20);
    QVERIFY(run_of(*window).frontier.second().has_value());
    const Snapshot planned = steady_state(
        snapshot_under(*run_of(*window).snapshot(), settings_of(*window).shown(), settings_of(*window).committed()));
    const auto expected = moves_between(planned, **make_policy("evicpress"), alpha, alpha * 20);
    QVERIFY(expected && !expected->moves.empty());
    QTRY_COMPARE(model.rowCount(), static_cast<int>(expected->moves.size()));
    for (int r = 0; r < model.rowCount(); ++r) {
      const ContextMove& move = expected->moves[static_cast<std::size_t>(r)];
      QCOMPARE(model.index(r, ExplainModel::context).data().toString(), to_q(planned.contexts[move.context].id));
      QCOMPARE(model.index(r, ExplainModel::utility).data(ExplainModel::sort_role).toDouble(),
               std::fabs(move.utility_change));
      QVERIFY(model.index(r, ExplainModel::from).data().toString() !=
              model.index(r, ExplainModel::to).data().toString());
    }
    QVERIFY(page->explain().text().startsWith(QString("%1 of 24 contexts change placement").arg(model.rowCount())));
    const ChartTable table = table_of(*page->explain().table().model());
    QCOMPARE(table.rows.size(), model.rowCount());
    QCOMPARE(table.header.size(), int{ExplainModel::column_count});

    // A row chosen here is chosen everywhere, and the other way round.
    page->explain().table().selectRow(0);
    QCOMPARE(run_of(*window).selection.context(), page->explain().marked());
    QCOMPARE(contexts_of(*window).marked(), page->explain().marked());
    const QString last = model.index(model.rowCount() - 1, 0).data(ExplainModel::context_role).toString();
    run_of(*window).selection.choose_context(last);
    QCOMPARE(page->explain().marked(), last);
    QVERIFY(run_of(*window).frontier.chosen_mean().has_value());
    run_of(*window).selection.clear();
    QCOMPARE(page->explain().marked(), QString());
    QVERIFY(!run_of(*window).frontier.chosen_mean().has_value());

    // The present alpha moves: the other side of the difference follows.
    SessionSettings settings = settings_of(*window).shown();
    settings.alpha = alpha * 20;
    settings_of(*window).preview(settings);
    QTRY_VERIFY(model.difference() && model.difference()->first_alpha == alpha * 20);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(page->explain().text().startsWith("No placement differs"));
    settings.policy = "lru";
    settings_of(*window).preview(settings);
    QTRY_COMPARE(model.state(), ExplainModel::State::no_alpha);
    QVERIFY(page->explain().text().contains("lru"));
    settings_of(*window).cancel_preview();

    page->explain_button().click();
    QTRY_VERIFY(!page->explain().isVisible());
    QCOMPARE(model.state(), ExplainModel::State::off);
    QVERIFY(!run_of(*window).frontier.second_alpha());
  }

  void aTipGivesTheWholeSettingWithPredictedAndMeasured() {
    FrontierModel model;
    SessionSettings settings;
    settings.policy = "evicpress";
    settings.alpha = 0.8;
    settings.tiers = {{"dram", 6 << 20}, {"ssd", 14 << 20, 64e6, 0.002}};
    settings.tiers[1].faults = to_string(InjectedFaults{fault_presets().front().plan(0.05), 7});
    settings.max_batch = 4;
    settings.methods = {"none", "snapkv"};
    settings.removed_fractions = {0.25, 0.5};
    model.set_run("run-7");
    model.set_committed(settings);
    model.set_present(settings);
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{0.1, {0.5, 0.05}}, {0.8, {0.7, 0.1}}, {10, {0.9, 0.2}}}}};
    model.set_prediction(prediction);
    RequestRecord record;
    record.policy = "evicpress";
    record.alpha = 0.8;
    record.context_id = "c1";
    record.quality = {{"token_f1", 0.6}};
    record.predicted_quality = 0.75;
    record.predicted_ttft_seconds = 0.3;
    record.timing.ttft_service_seconds = 0.4;
    model.add_request(record);
    record.predicted_quality = -1;  // of this one nothing was predicted
    model.add_request(record);
    const auto measured = model.measured();
    QCOMPARE(measured.size(), 1u);
    QVERIFY(measured[0].predicted && measured[0].predicted->quality == 0.75 &&
            measured[0].predicted->ttft_seconds == 0.3);
    QCOMPARE(measured[0].run, QString("run-7"));
    const FrontierCanvas canvas = flat(model, measured);
    const QString tip = frontier_tip(canvas, {400, 600});
    const QStringList parts = {"evicpress",
                               "over 1 context, 2 requests",
                               "0.800 s",
                               "quality 0.6",
                               "predicted for the same requests 0.75",
                               "dram 6.0 MiB",
                               "ssd 14.0 MiB throttled to",
                               "+ 2.0 ms, " + faults_text(settings.tiers[1].faults),
                               "max concurrency: 4",
                               "methods: none, snapkv",
                               "removed: 25 %, 50 %",
                               "run run-7"};
    for (const QString& part : parts) QVERIFY2(tip.contains(part), qPrintable(part + " is not in: " + tip));
    const QString present = frontier_tip(canvas, {100, 700});
    for (const char* part : {"current setting: evicpress", "predicted quality 0.7", "measured quality 0.6", "n = 2",
                             "dram 6.0 MiB", "removed: 25 %"})
      QVERIFY2(present.contains(part), qPrintable(QString(part) + " is not in: " + present));
    QVERIFY(frontier_tip(canvas, {50, 500}).contains("α = 0.100 s"));
    QVERIFY(frontier_tip(canvas, {700, 300}).isEmpty());
    QCOMPARE(alpha_at(canvas, {200, 903}).value_or(0), 10.0);
    QVERIFY(!alpha_at(canvas, {700, 300}));
    QVERIFY(measured_at(canvas, {402, 598}) == &measured[0]);
    model.set_chosen("story-2", FrontierMean{0.3, 0.7});
    QVERIFY(frontier_tip(canvas, {700, 300}).startsWith("context story-2"));
    QVERIFY(!chosen_mark(canvas)->outside);
    // Far from the means it is marked at the edge, on the side where it is.
    model.set_chosen("story-2", FrontierMean{0.3, 40});
    const auto mark = chosen_mark(canvas);
    QVERIFY(mark && mark->outside && canvas.plot.contains(mark->at));
    QVERIFY(std::abs(mark->at.x() - canvas.plot.right()) < 12 && std::abs(mark->at.y() - 300) < 1);
    const QString beyond = frontier_tip(canvas, mark->at);
    QVERIFY2(beyond.startsWith("context story-2") && beyond.contains("outside the visible range") &&
                 beyond.contains("TTFT 40"),
             qPrintable(beyond));
  }

  void qualityIsReadBesideReuseWithoutCompressionAndChance() {
    Snapshot snapshot;
    const auto add = [&](const char* family, double frequency, double whole, double chance, int n) {
      ContextState context;
      context.family = family;
      context.frequency = frequency;
      auto profile = std::make_shared<ContextProfile>();
      profile->points = {{"snapkv", 0.5, 0.01}, {"none", 0, whole}};
      profile->chance = {chance, 0, 1, n};
      context.profile = profile;
      snapshot.contexts.push_back(context);
    };
    add("story", 3, 0.9, 0.2, 8);
    add("story", 1, 0.5, 0.9, 0);  // its chance was not measured
    add("meeting", 4, 1.0, 0.1, 8);
    snapshot.contexts.emplace_back();  // not profiled yet
    const QualityLevels all = quality_levels(snapshot, ""), story = quality_levels(snapshot, "story");
    QCOMPARE(all.contexts, 3u);
    QVERIFY(std::abs(all.uncompressed.value() - (2.7 + 0.5 + 4) / 8) < 1e-12);
    QVERIFY(std::abs(all.chance.value() - (0.6 + 0.4) / 7) < 1e-12);
    QVERIFY(std::abs(story.uncompressed.value() - 0.8) < 1e-12);
    QVERIFY(std::abs(story.chance.value() - 0.2) < 1e-12);
    QVERIFY(!quality_levels(snapshot, "nobody").uncompressed);

    FrontierModel model;
    FrontierPrediction prediction;
    prediction.levels = all;
    model.set_prediction(prediction);
    const std::vector<MeasuredPoint> none;
    QVERIFY(frontier_levels(flat(model, none)).empty());  // curves alone say nothing of them
    prediction.simulated_known = true;
    model.set_prediction(prediction);
    const FrontierCanvas canvas = flat(model, none);
    const QString whole = frontier_tip(canvas, {20, 1000 * *all.uncompressed}),
                  chance = frontier_tip(canvas, {700, 1000 * *all.chance + 2});
    QVERIFY2(whole.startsWith("uncompressed: quality 0.9") && whole.contains("3 profiled contexts"), qPrintable(whole));
    QVERIFY2(chance.startsWith("chance: quality 0.14"), qPrintable(chance));
    QVERIFY(frontier_tip(canvas, {700, 500}).isEmpty());
    // Beyond the chart it is named at the edge.
    FrontierCanvas low = canvas;
    low.plot = QRectF(0, 0, 1000, 500);
    QCOMPARE(frontier_levels(low)[0].beyond, -1);
    QCOMPARE(frontier_levels(low)[0].y, 500.0);
    QVERIFY(frontier_tip(low, {700, 498}).contains("Below the visible range"));
  }

  void aClickOnAMeasuredPointNamesItsRun() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    FrontierChart& chart = frontier_of(*window);
    chart.flush();
    test::settle(50);
    QSignalSpy clicked(&chart, &FrontierChart::measuredPointClicked);
    auto* view = chart.findChild<QChartView*>();
    for (int x = 0; x < view->width() && chart.note().isHidden(); x += 9)
      for (int y = 0; y < view->height() && chart.note().isHidden(); y += 9)
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, {x, y});
    // The click pins what is known of the point; its run is opened from there.
    QVERIFY(chart.note().isVisible() && clicked.isEmpty());
    QVERIFY2(chart.note().text().contains("max concurrency: "), qPrintable(chart.note().text()));
    chart.note().open_button().click();
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][1].toString(), QString("run-1"));
  }

  // The present point is predicted, and belongs to the run that is being served.
  void aClickOnThePresentPointNamesTheRunInProgress() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    FrontierChart& chart = frontier_of(*window);
    chart.flush();
    test::settle(50);
    QSignalSpy clicked(&chart, &FrontierChart::measuredPointClicked);
    const auto at = chart.present_position();
    QVERIFY(at.has_value());
    auto* view = chart.findChild<QChartView*>();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->mapFromScene(*at));
    QVERIFY(chart.note().isVisible() && clicked.isEmpty());
    chart.note().open_button().click();
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][1].toString(), QString("run-1"));
  }

  void aPartialAnswerLeavesOtherCurvesAlone() {
    FrontierModel model;
    FrontierPrediction both;
    both.curves = {{"evicpress", {{1, {0.7, 0.05}}}}, {"adaptcache", {{1, {0.6, 0.05}}}}};
    model.set_prediction(both);
    FrontierPrediction part;
    part.curves = {{"evicpress", {{1, {0.8, 0.05}}, {2, {0.9, 0.06}}}}};
    model.set_prediction(part);
    QCOMPARE(model.curves().size(), 2u);
    QCOMPARE(model.curves()[0].samples.size(), 2u);
    QCOMPARE(model.curves()[1].samples[0].mean.quality, 0.6);
    part.policies = std::vector<QString>{"evicpress"};
    model.set_prediction(part);
    QCOMPARE(model.curves().size(), 1u);
    // Curves come from two threads: what answers an older question comes too late.
    part.curves[0].job = 7;
    model.set_prediction(part);
    part.curves = {{"evicpress", {{1, {0.1, 0.05}}}, 6}};
    model.set_prediction(part);
    QCOMPARE(model.curves()[0].samples.size(), 2u);
  }

  void thePresentPointGoesAheadOfItsCurve() {
    FrontierModel model;
    FrontierPrediction whole, ahead;
    whole.curves = {{"evicpress", {{1, {0.6, 0.05}}, {4, {0.8, 0.05}}, {16, {0.9, 0.05}}}}};
    model.set_prediction(whole);
    model.set_present("evicpress", 2);
    model.set_second_alpha(8);
    const double second = model.second()->quality;
    ahead.ahead = {"evicpress", {{1, {0.4, 0.05}}, {4, {0.6, 0.05}}}};
    QSignalSpy curves(&model, &FrontierModel::curvesChanged), present(&model, &FrontierModel::presentChanged);
    model.set_prediction(ahead);
    QCOMPARE(curves.count(), 0);
    QCOMPARE(present.count(), 1);
    QVERIFY(std::abs(model.present()->quality - 0.5) < 1e-12);
    QCOMPARE(model.second()->quality, second);  // the known curve is all there is to say of other alphas
    QCOMPARE(model.curves()[0].samples[0].mean.quality, 0.6);
    // Another policy's curve says nothing of it.
    FrontierPrediction other;
    other.curves = {{"adaptcache", {{1, {0.2, 0.05}}, {4, {0.3, 0.05}}}}};
    model.set_prediction(other);
    QVERIFY(std::abs(model.present()->quality - 0.5) < 1e-12);
    model.set_prediction(whole);
    QVERIFY(std::abs(model.present()->quality - 0.7) < 1e-12);
  }

  // A state of the engine that comes before the curves of the one before are whole would else leave coarse ones for
  // good.
  void newerSnapshotsDoNotGiveCurvesUp() {
    ScriptedSession session(300);
    session.set_state(RunState::ready);
    session.serve(50);
    PlannerRequest request;
    request.settings = request.committed = session.settings();
    request.policies = {"evicpress", "adaptcache"};
    request.snapshot = session.snapshot();
    request.alphas = alpha_scale(*request.snapshot).grid(48);
    FrontierPlanner planner;
    std::vector<FrontierPrediction> answers;
    connect(
        &planner, &FrontierPlanner::finished, &planner,
        [&](const FrontierPrediction& answer) {
          if (!answer.simulated_known) answers.push_back(answer);
        },
        Qt::QueuedConnection);
    std::set<QString> seen;
    const auto whole = [&] {
      std::ptrdiff_t count = 0;
      for (const FrontierPrediction& answer : answers) {
        if (answer.coarse || answer.curves.empty()) continue;
        ++count;
        for (const FrontierCurve& curve : answer.curves) seen.insert(curve.policy);
      }
      return count;
    };
    QTimer snapshots;
    connect(&snapshots, &QTimer::timeout, &planner, [&] {
      session.serve(1);
      request.snapshot = session.snapshot();
      planner.request(request);
    });
    snapshots.start(1);
    QTRY_VERIFY(whole() >= 6 && seen.size() == 2);
    // After its first whole answer no curve is coarse: what is shown is replaced by what is as fine.
    std::set<QString> known;
    for (const FrontierPrediction& answer : answers) {
      QVERIFY(answer.ahead.samples.empty() || !known.contains(answer.ahead.policy));
      for (const FrontierCurve& curve : answer.curves) {
        if (known.contains(curve.policy)) QCOMPARE(curve.samples.size(), request.alphas.size());
        if (!answer.coarse) known.insert(curve.policy);
      }
    }
    QCOMPARE(known.size(), std::size_t{2});
    // A hand still comes first.
    answers.clear();
    request.settings.tiers[0].budget = request.settings.tiers[0].budget.bytes() * 11 / 10;
    const std::uint64_t moved = planner.request(request);
    QTRY_VERIFY_WITH_TIMEOUT(
        std::ranges::any_of(answers,
                            [&](const auto& answer) { return answer.job >= moved && !answer.ahead.samples.empty(); }),
        30000);
  }
};

KV_TEST_MAIN(ExplainTest)

}  // namespace explain_test

#include "explain_test.moc"
