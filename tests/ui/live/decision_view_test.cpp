// links: kv_ui
// 'Why here?': what the view says is what core/policy/explain/decision.h computes, off the window's thread.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <semaphore>

#include "core/policy/explain/decision_text.h"
#include "core/policy/explain/utility_split.h"
#include "core/policy/frontier.h"
#include "core/ports/decode_eviction.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/decisions/model/decision_headline.h"
#include "ui/session/latest_job.h"
#include "ui/text/words.h"

namespace decision_view_test {

using namespace kvantage;

class DecisionViewTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  // Of the jobs that wait while one runs, only the latest begins; the running one is asked to stop.
  void anOlderJobIsToldToGiveUp() {
    std::atomic<int> begun{0}, told{0}, replaced{0}, ended{0};
    std::binary_semaphore go(0);
    LatestJob jobs;  // last: what its thread uses outlives it
    const auto until_told_to_go = [&](const LatestJob::GivenUp& gone) {
      const bool before = gone();
      ++begun;
      go.acquire();
      told += !before && gone() ? 1 : 0;
    };
    jobs.start(until_told_to_go);
    QTRY_COMPARE(begun.load(), 1);
    for (int i = 0; i < 4; ++i) jobs.start([&](const LatestJob::GivenUp&) { ++replaced; });
    jobs.start([&](const LatestJob::GivenUp& gone) { ended += gone() ? 0 : 1; });
    go.release();
    QTRY_COMPARE(ended.load(), 1);
    QTRY_VERIFY(!jobs.busy());
    QCOMPARE(told.load(), 1);
    QCOMPARE(replaced.load(), 0);

    jobs.start(until_told_to_go);
    QTRY_COMPARE(begun.load(), 2);
    const bool busy = jobs.busy();
    jobs.cancel();
    go.release();
    QVERIFY(busy);
    QTRY_VERIFY(!jobs.busy());
    QCOMPARE(told.load(), 2);
  }

  void theViewSaysWhatIsComputed() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(60);
    QTRY_COMPARE(run_of(*window).served(), 60u);
    QTRY_COMPARE(run_of(*window).snapshot()->version, session.snapshot()->version);
    const auto snapshot = run_of(*window).snapshot();
    DecisionModel& model = contexts_of(*window).decision();
    QAbstractItemModelTester tester(&model);
    dock_of(*window, "contexts")->show();
    dock_of(*window, "contexts")->raise();
    QTRY_VERIFY(contexts_of(*window).why().isVisible());
    contexts_of(*window).why().flush();
    QVERIFY(contexts_of(*window).why().text().contains("Select a context"));
    QCOMPARE(model.state(), DecisionModel::State::nothing_chosen);

    session.pause();
    const auto busiest = std::ranges::max_element(snapshot->contexts, {}, &ContextState::frequency);
    run_of(*window).selection.choose_context(to_q(busiest->id));
    QTRY_COMPARE(model.state(), DecisionModel::State::complete);
    const Snapshot planned =
        steady_state(snapshot_under(*snapshot, settings_of(*window).shown(), settings_of(*window).committed()));
    const auto index = static_cast<std::size_t>(busiest - snapshot->contexts.begin());
    const auto policy = *make_policy("evicpress");
    const auto expected = decide(planned, *policy, index);
    QVERIFY(expected && model.decision());
    const auto same_choice = model.decision()->choice().configuration == expected->choice().configuration;
    QVERIFY(same_choice);
    QCOMPARE(model.sentences().join('\n').toStdString().find(busiest->id), 0u);
    const std::vector<Turning> turnings = find_turnings(planned, *policy, index);
    QCOMPARE(model.found().size(), turnings.size());
    for (std::size_t i = 0; i < turnings.size(); ++i) {
      QCOMPARE(model.found()[i].at, turnings[i].at);
      QCOMPARE(model.turnings()[static_cast<int>(i)], to_q(turning_text(planned, turnings[i])));
    }
    contexts_of(*window).why().flush();
    for (const QString& sentence : model.sentences())
      QVERIFY2(contexts_of(*window).why().text().contains(sentence), qPrintable(sentence));
    for (const QString& turning : model.turnings())
      QVERIFY2(contexts_of(*window).why().text().contains(turning), qPrintable(turning));

    // One sentence comes first, then a bar for the choice and for the best few of each tier.
    const QString headline = contexts_of(*window).why().headline();
    QCOMPARE(headline, decision_headline(planned, *expected));
    QVERIFY2(contexts_of(*window).why().text().startsWith(headline), qPrintable(headline));
    contexts_of(*window).why().bars().flush();
    QCOMPARE(contexts_of(*window).why().bars().bars().size(), split_utilities(*expected).size());
    QVERIFY(contexts_of(*window).why().bars().isVisible());

    // The table: forms that are worth their room, all of them on demand, the choice always.
    const auto worth = std::ranges::count_if(expected->alternatives, [](const Alternative& a) { return !a.dominated; });
    QCOMPARE(model.rowCount(), static_cast<int>(worth));
    contexts_of(*window).why().all().setChecked(true);
    QCOMPARE(model.rowCount(), static_cast<int>(expected->alternatives.size()));
    int chosen = 0;
    for (int r = 0; r < model.rowCount(); ++r) {
      chosen += model.index(r, 0).data(DecisionModel::chosen_role).toBool();
      const Alternative& a = model.decision()->alternatives[static_cast<std::size_t>(r)];
      QCOMPARE(model.index(r, DecisionModel::drop).data(DecisionModel::sort_role).toDouble(), a.utility_drop);
      QCOMPARE(model.index(r, DecisionModel::ttft).data().toString(), seconds_text(a.ttft_seconds));
    }
    QCOMPARE(chosen, 1);

    // Another setting is another decision, before it is committed.
    SessionSettings settings = settings_of(*window).shown();
    settings.alpha /= 50;
    settings_of(*window).preview(settings);
    QTRY_VERIFY(model.decision() && model.decision()->alpha == settings.alpha);
    QTRY_COMPARE(model.state(), DecisionModel::State::complete);
    settings_of(*window).cancel_preview();

    run_of(*window).selection.clear();
    QCOMPARE(model.state(), DecisionModel::State::nothing_chosen);
    QCOMPARE(model.rowCount(), 0);
  }

  void aHiddenViewComputesNothingAndTheLastChoiceCounts() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    DecisionModel& model = contexts_of(*window).decision();
    dock_of(*window, "contexts")->hide();
    QTRY_VERIFY(!contexts_of(*window).why().isVisible());
    const auto snapshot = run_of(*window).snapshot();
    const auto& contexts = snapshot->contexts;
    run_of(*window).selection.choose_context(to_q(contexts[0].id));
    test::settle(300);
    QVERIFY(!model.decision());
    QCOMPARE(model.answers(), 0);
    dock_of(*window, "contexts")->show();
    dock_of(*window, "contexts")->raise();
    for (std::size_t i = 0; i < 12; ++i) run_of(*window).selection.choose_context(to_q(contexts[i].id));
    QTRY_COMPARE(model.state(), DecisionModel::State::complete);
    QCOMPARE(model.decision()->context, 11u);
    QVERIFY2(model.answers() < 6, qPrintable(QString::number(model.answers())));  // those left behind were given up
  }

  // Beside where it is kept: how its answers may be decoded, and which way is best at the alpha that is shown.
  void waysToDecodeAreListed() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.pause();
    DecodeOptionsModel& model = contexts_of(*window).decode_options();
    DecisionPage& page = contexts_of(*window).why();
    QAbstractItemModelTester tester(&model);
    dock_of(*window, "contexts")->show();
    dock_of(*window, "contexts")->raise();
    page.setCurrentIndex(2);
    QVERIFY2(model.note().contains("Select a context"), qPrintable(model.note()));
    const std::string context = run_of(*window).snapshot()->contexts[3].id;
    run_of(*window).selection.choose_context(to_q(context));
    QCOMPARE(model.rowCount(), 0);
    QVERIFY2(model.note().contains("--decode-options"), qPrintable(model.note()));

    SessionSettings settings = settings_of(*window).committed();
    settings.decode_options = {"paged_eviction(budget=25%)", "knorm(budget=50%)"};
    settings.alpha = 1;
    QVERIFY(settings_of(*window).commit(settings, "decode options", {}));
    QTRY_COMPARE(settings_of(*window).shown().decode_options.size(), std::size_t{2});
    QVERIFY2(model.note().contains("not profiled yet"), qPrintable(model.note()));
    QVERIFY(page.options_note().isEmpty());

    // alpha * quality - seconds of decoding at alpha = 1: 0.9 - 0.4, 0.8 - 0.2; the third cannot decode that way.
    session.profile_decode_options(3, {{"none", 0.9, 0.8, 1.0, 12, 0.010, 40},
                                       {"paged_eviction(budget=25%)", 0.8, 0.7, 0.9, 11, 0.005, 40},
                                       {"knorm(budget=50%)", 0, 0, 0, 0, 0, 0}});
    QTRY_COMPARE(model.rowCount(), 3);
    const auto shown = [&model](int row, int column) { return model.index(row, column).data().toString(); };
    const std::vector<QStringList> wanted{{"none", "0.900", "10.0", "12"},
                                          {"paged_eviction(budget=25%)", "0.800", "5.0", "11"},
                                          {"knorm(budget=50%)", "–", "–", "0"}};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < DecodeOptionsModel::column_count; ++c)
        QCOMPARE(shown(r, c), wanted[static_cast<std::size_t>(r)][c]);
    QCOMPARE(model.chosen(), 1);
    for (int r = 0; r < 3; ++r) {
      QCOMPARE(model.index(r, 0).data(DecodeOptionsModel::chosen_role).toBool(), r == 1);
      QCOMPARE(model.index(r, 0).data(Qt::FontRole).value<QFont>().bold(), r == 1);
    }
    QCOMPARE(model.index(0, DecodeOptionsModel::latency).data(DecodeOptionsModel::sort_role).toDouble(), 0.010);
    QVERIFY2(page.options_note().contains("would choose"), qPrintable(page.options_note()));

    // A higher alpha values quality more: 10 * 0.9 - 0.4 against 10 * 0.8 - 0.2; planned takes it.
    settings = settings_of(*window).committed();
    settings.alpha = 10;
    settings.decode_eviction = std::string(planned_decode_eviction);
    QVERIFY(settings_of(*window).commit(settings, "alpha", {}));
    QTRY_COMPARE(model.chosen(), 0);
    QVERIFY2(page.options_note().contains("chosen for this context"), qPrintable(page.options_note()));

    run_of(*window).selection.clear();
    QCOMPARE(model.rowCount(), 0);
    QCOMPARE(model.chosen(), -1);
  }

  void aContextThatNobodyKnowsIsSaidSo() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    dock_of(*window, "contexts")->show();
    dock_of(*window, "contexts")->raise();
    QTRY_VERIFY(contexts_of(*window).why().isVisible());
    run_of(*window).selection.choose_context("of another workload");
    QCOMPARE(contexts_of(*window).decision().state(), DecisionModel::State::not_known);
    contexts_of(*window).why().flush();
    QVERIFY(contexts_of(*window).why().text().contains("does not know of another workload"));
  }
};

KV_TEST_MAIN(DecisionViewTest)

}  // namespace decision_view_test

#include "decision_view_test.moc"
