// links: kv_ui
// 'Why here?': the sentence, the bars and what would have to change are those of one decision, and of the planner.
#include <QGraphicsView>
#include <QTest>
#include <cmath>

#include "core/policy/explain/win_search.h"
#include "core/policy/frontier.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/decisions/model/decision_headline.h"
#include "ui/live/decisions/utility_bars.h"
#include "ui/text/words.h"

namespace why_page_test {

using namespace kvantage;

namespace {

Snapshot two_tiers() {
  Snapshot s;
  for (const char* name : {"dram", "ssd"}) {
    TierState& tier = s.tiers.emplace_back();
    tier.name = name;
    tier.budget_bytes = 1000;
  }
  for (const char* id : {"research-3", "news-1", "news-2", "news-3"}) s.contexts.emplace_back().id = id;
  return s;
}

/// research-3 is in ssd as keydiff 50 %; whole in dram it would have 0.02 s more utility.
Decision in_ssd() {
  Decision decision;
  decision.frequency = 3;
  decision.alternatives.resize(2);
  decision.alternatives[0].configuration = {0, "none", 0};
  decision.alternatives[0].utility = 0.52;
  decision.alternatives[1].configuration = {1, "keydiff", 0.5};
  decision.alternatives[1].utility = 0.5;
  decision.alternatives[1].chosen = true;
  decision.chosen = 1;
  decision.placed = decision.alternatives[1].configuration;
  decision.instead.emplace();
  decision.instead->alternative = 0;
  decision.instead->own_change = 0.02;
  decision.instead->planned = true;
  return decision;
}

Instead::Moved displaced(std::size_t context, double change) { return {context, {0, "none", 0}, {}, change}; }

}  // namespace

class WhyPageTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  /// Selects a context that is stored, shows the page, and waits for the whole answer.
  static void show_answer(MainWindow& window) {
    QTRY_VERIFY(contexts_of(window).why().isVisible());
    const auto snapshot = run_of(window).snapshot();
    const auto busiest = std::ranges::max_element(snapshot->contexts, {}, &ContextState::frequency);
    run_of(window).selection.choose_context(to_q(busiest->id));
    QTRY_COMPARE(contexts_of(window).decision().state(), DecisionModel::State::complete);
    contexts_of(window).why().flush();
    contexts_of(window).why().bars().flush();
  }
  std::unique_ptr<MainWindow> served(ScriptedSession& session) {
    auto window = scripted_.loaded(session);
    session.serve(60);
    (void)QTest::qWaitFor([&] { return run_of(*window).served() == 60u; }, 60000);
    session.pause();
    dock_of(*window, "contexts")->show();
    dock_of(*window, "contexts")->raise();
    return window;
  }
  static std::size_t bar_that_is(const UtilityBars& bars, bool chosen) {
    const auto found = std::ranges::find_if(
        bars.bars(), [&](const UtilityBars::Bar& bar) { return bar.split.alternative.chosen == chosen; });
    return static_cast<std::size_t>(found - bars.bars().begin());
  }

 private slots:
  void theSentenceSaysWhatDisplacementCosts() {
    const Snapshot s = two_tiers();
    Decision decision = in_ssd();
    decision.instead->moved = {displaced(1, -0.05)};
    decision.instead->others_change = -0.05;
    const QString begin = "research-3 is in ssd as keydiff 50 %: ";
    QCOMPARE(decision_headline(s, decision),
             begin + "uncompressed in dram it would gain 0.02 s of utility, but displace news-1, which costs 0.05 s.");
    decision.instead->moved = {displaced(1, -0.05), displaced(2, -0.02), displaced(3, 0.01)};
    decision.instead->others_change = -0.06;
    const QString several = decision_headline(s, decision);
    QVERIFY2(several.contains("displace news-1 and 1 other context") && several.endsWith("costs 0.06 s."),
             qPrintable(several));
    decision.instead->others_change = -0.01;  // less than it gains itself
    QCOMPARE(decision_headline(s, decision),
             begin +
                 "uncompressed in dram it would gain 0.02 s of utility, 0.01 s with its effect on others; the "
                 "policy decides step by step and misses it.");
    decision.instead->too_large = true;
    QCOMPARE(decision_headline(s, decision),
             begin +
                 "uncompressed in dram it would gain 0.02 s of utility, but its entry is larger than the budget "
                 "of dram.");
  }

  void theSentenceOfADecisionWithoutABetterWay() {
    const Snapshot s = two_tiers();
    Decision decision = in_ssd();
    decision.instead->own_change = -0.03;
    QCOMPARE(decision_headline(s, decision),
             QString("research-3 is in ssd as keydiff 50 %: no configuration is better for it; the runner-up, dram, "
                     "uncompressed, has 0.03 s less utility."));
    decision.instead->own_change = 0;
    QVERIFY(decision_headline(s, decision).endsWith("the runner-up, dram, uncompressed, has the same utility."));
    decision.instead.reset();
    decision.frequency = 0;
    decision.placed = {};
    QCOMPARE(decision_headline(s, decision),
             QString("research-3 is planned to be in ssd as keydiff 50 %: it has not been requested yet."));
    decision.weighs_utility = false;
    decision.alternatives[1].configuration = {};
    QCOMPARE(decision_headline(s, decision),
             QString("research-3 is not stored: its policy reacts to events and does not weigh utility."));
  }

  void configurationsHaveNamesAndIdsOfTheirOwn() {
    const Snapshot s = two_tiers();
    QCOMPARE(configuration_name(s, {1, "keydiff", 0.5}), QString("ssd, keydiff 50 %"));
    QCOMPARE(configuration_name(s, {0, "none", 0}), QString("dram, uncompressed"));
    QCOMPARE(configuration_name(s, {}), QString("not stored"));
    QStringList ids;
    for (const Configuration& c : {Configuration{0, "none", 0},
                                   {1, "none", 0},
                                   {1, "keydiff", 0.5},
                                   {1, "keydiff", 0.25},
                                   {1, "knorm", 0.5},
                                   {}})
      ids << configuration_id(c);
    QCOMPARE(ids.removeDuplicates(), 0);
    QCOMPARE(signed_text(0.02), QString("+0.02"));
    QCOMPARE(signed_text(-0.05), QString::fromUtf8("−0.05"));
    QCOMPARE(signed_text(0), QString("0"));
  }

  // What is lost is to the left of zero, what is earned to the right, each part where the one before ends.
  void partsOfABarFollowOneAnother() {
    UtilitySplit split;
    split.quality_term = 0.4;
    split.ttft_term = -0.1;
    const auto check = [&split](int part, double from, double to) {
      const auto segment = UtilityBars::segments(split)[static_cast<std::size_t>(part)];
      return std::fabs(segment.from - from) < 1e-12 && std::fabs(segment.to - to) < 1e-12;
    };
    QVERIFY(check(UtilityBars::quality, 0, 0.4) && check(UtilityBars::ttft, 0, -0.1));
    QVERIFY(check(UtilityBars::displacement, 0.4, 0.4));
    split.displacement_term = -0.2;
    QVERIFY(check(UtilityBars::displacement, -0.1, -0.3));
    split.displacement_term = 0.2;
    QVERIFY(check(UtilityBars::displacement, 0.4, 0.6));
  }

  void barsAreOfThePlannersUtility() {
    ScriptedSession session;
    auto window = served(session);
    show_answer(*window);
    DecisionPage& page = contexts_of(*window).why();
    const DecisionModel& model = contexts_of(*window).decision();
    QVERIFY(model.decision() && model.planned());
    QCOMPARE(page.headline(), decision_headline(*model.planned(), *model.decision()));
    QVERIFY2(page.text().contains("Utility in s"), qPrintable(page.text()));

    const auto policy = *make_policy(model.policy());
    const Plan plan = policy->plan(*model.planned());
    auto expected = split_utilities(*model.decision());
    QVERIFY(add_displacements(*model.planned(), *policy, *model.decision(), expected));
    const auto& bars = page.bars().bars();
    QCOMPARE(bars.size(), expected.size());
    QVERIFY(bars.size() >= 4);
    int chosen = 0;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const UtilitySplit& split = bars[i].split;
      QCOMPARE(bars[i].id, configuration_id(expected[i].alternative.configuration));
      QVERIFY(std::fabs(split.net() - expected[i].net()) < 1e-9);
      double sum = 0;
      for (const UtilityBars::Segment& segment : UtilityBars::segments(split)) sum += segment.to - segment.from;
      QVERIFY(std::fabs(sum - split.net()) < 1e-9);
      QVERIFY2(page.bars().tip_of(i).count('\n') <= 2, qPrintable(page.bars().tip_of(i)));
      QVERIFY(page.bars().tip_of(i).startsWith(bars[i].name));
      if (!split.alternative.chosen) continue;
      ++chosen;
      QVERIFY(std::fabs(split.own() - plan.contexts[model.decision()->context].utility) < 1e-9);
    }
    QCOMPARE(chosen, 1);
    const ChartTable table = page.bars().table();
    QCOMPARE(table.rows.size(), static_cast<qsizetype>(bars.size()));
    const auto net = table.header.indexOf("net_utility_s");
    for (std::size_t i = 0; i < bars.size(); ++i)
      QVERIFY(std::fabs(table.rows[static_cast<qsizetype>(i)][net].toDouble() - bars[i].split.net()) <
              1e-8 * (1 + std::fabs(bars[i].split.net())));
    QVERIFY(page.bars().height() >= page.bars().wanted_height());
  }

  // By keyboard and by mouse; what was found is what planning finds.
  void aBarSaysWhatWouldHaveToChange() {
    ScriptedSession session;
    auto window = served(session);
    show_answer(*window);
    DecisionPage& page = contexts_of(*window).why();
    UtilityBars& bars = page.bars();
    CounterfactualModel& counterfactual = page.counterfactual();
    const DecisionModel& model = contexts_of(*window).decision();
    QVERIFY(counterfactual.id().isEmpty() && counterfactual.sentences().isEmpty());

    const std::size_t other = bar_that_is(bars, false), choice = bar_that_is(bars, true);
    QVERIFY(other < bars.bars().size() && choice < bars.bars().size());
    bars.setFocus();
    QTest::keyClick(&bars, Qt::Key_Down);  // the first key only shows where one is
    for (std::size_t i = 0; i < other; ++i) QTest::keyClick(&bars, Qt::Key_Down);
    QVERIFY(bars.keys().stop());
    QCOMPARE(bars.keys().stop()->id, bars.bars()[other].id);
    QCOMPARE(bars.keys().stop()->text(), bars.tip_of(other));
    QTest::keyClick(&bars, Qt::Key_Return);
    QCOMPARE(counterfactual.id(), bars.bars()[other].id);
    QCOMPARE(bars.marked(), bars.bars()[other].id);
    QTRY_COMPARE(counterfactual.state(), CounterfactualModel::State::complete);
    const auto policy = *make_policy(model.policy());
    const auto wins = find_wins(*model.planned(), *policy, model.decision()->context,
                                bars.bars()[other].split.alternative.configuration);
    QCOMPARE(counterfactual.wins().size(), wins.size());
    for (std::size_t i = 0; i < wins.size(); ++i) {
      QVERIFY(counterfactual.wins()[i].lever == wins[i].lever);
      QCOMPARE(counterfactual.wins()[i].at, wins[i].at);
    }
    const QStringList sentences = counterfactual.sentences();
    QVERIFY2(sentences.front().startsWith("Ignoring other contexts, it is "), qPrintable(sentences.front()));
    QCOMPARE(static_cast<std::size_t>(sentences.filter("It is chosen ").size()), wins.size());
    page.flush();
    for (const QString& sentence : sentences) QVERIFY2(page.text().contains(sentence), qPrintable(sentence));
    QVERIFY(page.text().contains(counterfactual.title()));

    auto* view = bars.findChild<QGraphicsView*>();
    QVERIFY(view);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->mapFromScene(bars.box(choice).center()));
    QCOMPARE(counterfactual.id(), bars.bars()[choice].id);
    QCOMPARE(counterfactual.state(), CounterfactualModel::State::complete);
    QVERIFY(counterfactual.wins().empty());
    QVERIFY2(counterfactual.sentences().join(' ').contains("the plan's choice"),
             qPrintable(counterfactual.sentences().join(' ')));

    const QString before = model.context();
    const auto snapshot = run_of(*window).snapshot();
    const auto next = std::ranges::find_if(snapshot->contexts,
                                           [&](const ContextState& context) { return to_q(context.id) != before; });
    run_of(*window).selection.choose_context(to_q(next->id));
    QVERIFY(counterfactual.id().isEmpty() && bars.marked().isEmpty());
  }

  // What is asked under other settings is another question, and a hidden page searches nothing.
  void otherSettingsAreSearchedAgain() {
    ScriptedSession session;
    auto window = served(session);
    show_answer(*window);
    DecisionPage& page = contexts_of(*window).why();
    CounterfactualModel& counterfactual = page.counterfactual();
    const std::size_t other = bar_that_is(page.bars(), false);
    counterfactual.ask(page.bars().bars()[other].id);
    QTRY_COMPARE(counterfactual.state(), CounterfactualModel::State::complete);
    SessionSettings settings = settings_of(*window).shown();
    settings.alpha *= 1.5;
    settings_of(*window).preview(settings);
    const DecisionModel& model = contexts_of(*window).decision();
    QTRY_VERIFY(model.decision()->alpha == settings.alpha && model.state() == DecisionModel::State::complete);
    QTRY_COMPARE(counterfactual.state(), CounterfactualModel::State::complete);
    for (const Turning& win : counterfactual.wins())
      if (win.lever == Lever::alpha) QCOMPARE(win.now, settings.alpha);
    QVERIFY(!counterfactual.id().isEmpty());

    counterfactual.set_active(false);
    counterfactual.clear();
    page.bars().flush();
    counterfactual.ask(page.bars().bars()[bar_that_is(page.bars(), false)].id);
    test::settle(200);
    QCOMPARE(counterfactual.state(), CounterfactualModel::State::searching);
    QVERIFY(counterfactual.wins().empty());
    counterfactual.set_active(true);
    QTRY_COMPARE(counterfactual.state(), CounterfactualModel::State::complete);
    counterfactual.ask("no such configuration");
    QVERIFY(counterfactual.id().isEmpty());
  }

  void whatIsSaidCanBeSelectedAndRead() {
    ScriptedSession session;
    auto window = served(session);
    show_answer(*window);
    DecisionPage& page = contexts_of(*window).why();
    int texts = 0;
    for (const QLabel* label : page.widget(0)->findChildren<QLabel*>()) {
      ++texts;
      QVERIFY(label->textInteractionFlags().testFlag(Qt::TextSelectableByMouse));
      QVERIFY(label->textInteractionFlags().testFlag(Qt::TextSelectableByKeyboard));
      QVERIFY(!label->accessibleName().isEmpty() && !label->toolTip().isEmpty());
      QVERIFY(label->focusPolicy() & Qt::TabFocus);
    }
    QCOMPARE(texts, 2);
    QVERIFY(!page.bars().accessibleName().isEmpty());
    QVERIFY(page.widget(0)->isAncestorOf(&page.bars()));
  }
};

KV_TEST_MAIN(WhyPageTest)

}  // namespace why_page_test

#include "why_page_test.moc"
