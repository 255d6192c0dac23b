// links: core_engine
// What a session shows and is asked, without an engine: the test is both sides of it. In virtual time.
#include "core/engine/session_board.h"

#include <QtTest>

#include <cmath>
#include <limits>

#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"

namespace session_board_test {

using namespace kvantage;
using namespace kvantage::test;

class SessionBoardTest : public QObject {
  Q_OBJECT

  static constexpr double no_time = 0, no_limit = std::numeric_limits<double>::infinity();
  VirtualExecutor executor_;
  const Clock& clock_ = executor_.clock();
  static SessionSettings two_tiers() {
    SessionSettings settings;
    settings.tiers = {{.name = "dram", .budget = 1000}, {.name = "ssd", .budget = 2000}};
    return settings;
  }

 private slots:
  void whatIsPostedWaitsTogetherUntilItIsTaken() {
    SessionBoard board(two_tiers(), clock_);
    QVERIFY(!board.take(false).commands.any());
    board.post({.step = true});
    board.post({.profile = true});
    board.post({.inspect = true});
    const auto taken = board.take(false);
    QVERIFY(taken.commands.step && taken.commands.profile && taken.commands.inspect);
    QVERIFY(!taken.commands.start && !taken.commands.pause && !taken.commands.stop && !taken.commands.close);
    QVERIFY(!board.take(false).commands.any());
  }

  void aStartTakesAnEarlierPauseBack() {
    SessionBoard board(two_tiers(), clock_);
    board.post({.pause = true});
    board.post({.start = true});
    const auto started = board.take(false).commands;
    QVERIFY(started.start && !started.pause);
    board.post({.start = true});
    board.post({.pause = true});
    const auto paused = board.take(false).commands;
    QVERIFY(paused.start && paused.pause);
    board.post({.pause = true});
    board.post({.profile = true});  // says nothing of the pause
    QVERIFY(board.take(false).commands.pause);
  }

  // The latest of both counts, and a paused run stays paused.
  void profilingIsBegunAndEndedByTheLatestCommand() {
    SessionBoard board(two_tiers(), clock_);
    board.post({.profile = true});
    board.post({.end_profiling = true});
    const auto ended = board.take(false).commands;
    QVERIFY(ended.end_profiling && !ended.profile);
    board.post({.end_profiling = true});
    board.post({.profile = true});
    const auto begun = board.take(false).commands;
    QVERIFY(begun.profile && !begun.end_profiling);
    QCOMPARE(board.state(), RunState::running);
    board.set_state(RunState::paused);
    board.post({.profile = true});
    QVERIFY(board.take(false).commands.profile);
    QCOMPARE(board.state(), RunState::paused);
    board.post({.end_profiling = true});
    QVERIFY(!board.interrupted());
    QVERIFY(board.take(false).commands.any());
  }

  // Stop and Start in quick succession: the run ends, and the next one begins.
  void aStopDoesNotTakeALaterStartWithIt() {
    SessionBoard board(two_tiers(), clock_);
    board.set_state(RunState::running);
    board.post({.start = true});
    board.post({.stop = true});
    board.post({.start = true});
    board.post({.profile = true});
    QCOMPARE(board.wait_while_busy(no_time), RunState::running);
    const auto stopped = board.take(true).commands;
    QVERIFY(stopped.stop && !stopped.profile);
    board.set_state(RunState::ready);
    QCOMPARE(board.wait_while_busy(no_time), RunState::running);  // the start is still to come
    const auto started = board.take(false).commands;
    QVERIFY(started.start && started.profile && !started.stop);
    QCOMPARE(board.state(), RunState::running);
    QVERIFY(!board.take(false).commands.any());
    board.post({.stop = true});
    board.post({.start = true});
    board.post({.stop = true});  // ends that start as well
    const auto both = board.take(false).commands;
    QVERIFY(both.stop);
    QVERIFY(!board.take(false).commands.any());
  }

  void settingsOutliveAStop() {
    SessionBoard board(two_tiers(), clock_);
    SessionSettings wanted = two_tiers();
    wanted.alpha = 7;
    QVERIFY(board.post_settings(wanted));
    board.post({.stop = true});
    const auto stopped = board.take(false);
    QVERIFY(stopped.commands.stop && !stopped.commands.settings);
    const auto next = board.take(false);
    QVERIFY(next.commands.settings);
    QCOMPARE(next.settings.alpha, 7.0);
    QVERIFY(!board.take(false).commands.any());
  }

  // What was asked for counts as running from then on, and whoever takes it shows it in the same moment.
  void nobodySeesACommandTakenAndTheStateFromBefore() {
    SessionBoard board(two_tiers(), clock_);
    QCOMPARE(board.wait_while_busy(no_time), RunState::loading);
    board.set_state(RunState::ready);
    QCOMPARE(board.wait_while_busy(no_limit), RunState::ready);
    board.post({.start = true});
    QCOMPARE(board.state(), RunState::ready);
    QCOMPARE(board.wait_while_busy(no_time), RunState::running);
    const auto taken = board.take(false);
    QCOMPARE(taken.state, RunState::ready);
    QCOMPARE(board.state(), RunState::running);
    board.set_state(RunState::paused);
    board.post({.step = true});
    QCOMPARE(board.take(false).state, RunState::paused);
    QCOMPARE(board.state(), RunState::running);
    board.set_state(RunState::finished);
    board.post({.profile = true});
    QCOMPARE(board.wait_while_busy(no_time), RunState::running);
    board.post({.stop = true});
    QVERIFY(board.take(false).commands.profile);
    QCOMPARE(board.state(), RunState::finished);  // it is stopped before it begins
    board.post({.pause = true});
    (void)board.take(false);
    QCOMPARE(board.state(), RunState::finished);
  }

  void aSessionThatIsOverIsNotRunningWhateverIsAskedOfIt() {
    SessionBoard board(two_tiers(), clock_);
    board.post({.start = true});
    board.set_state(RunState::failed);
    QCOMPARE(board.wait_while_busy(no_limit), RunState::failed);
    board.set_state(RunState::closed);
    QCOMPARE(board.wait_while_busy(no_time), RunState::closed);
  }

  void onlyStopAndCloseInterrupt() {
    SessionBoard board(two_tiers(), clock_);
    board.post({.start = true, .pause = true, .step = true, .profile = true, .inspect = true});
    QVERIFY(!board.interrupted());
    board.post({.stop = true});
    QVERIFY(board.interrupted());
    QVERIFY(board.take(false).commands.stop);
    QVERIFY(!board.interrupted());
    board.post({.close = true});
    QVERIFY(board.interrupted());
  }

  void settingsWaitForRequestsToEnd() {
    SessionBoard board(two_tiers(), clock_);
    SessionSettings wanted = two_tiers();
    wanted.alpha = 7;
    QVERIFY(board.post_settings(wanted));
    board.post({.pause = true});
    QCOMPARE(board.settings().alpha, 7.0);
    const auto busy = board.take(true);
    QVERIFY(busy.settings_wait && !busy.commands.settings && busy.commands.pause);
    const auto still_busy = board.take(true);
    QVERIFY(still_busy.settings_wait && !still_busy.commands.pause);
    const auto idle = board.take(false);
    QVERIFY(!idle.settings_wait && idle.commands.settings);
    QCOMPARE(idle.settings.alpha, 7.0);
    QVERIFY(!board.take(false).commands.any());
  }

  void otherTiersThanThoseOfTheStartAreRefused() {
    SessionBoard board(two_tiers(), clock_);
    SessionSettings fewer = two_tiers(), renamed = two_tiers(), moved = two_tiers();
    fewer.tiers.pop_back();
    renamed.tiers[1].name = "disk";
    moved.archive.options["url"] = "redis://elsewhere";
    for (const auto& [settings, part] : {std::pair(fewer, "1 tiers given, but this session runs with 2"),
                                         std::pair(renamed, "tier 'disk' is not in this session"),
                                         std::pair(moved, "archive: is chosen at the start")}) {
      const Status posted = board.post_settings(settings);
      QVERIFY(!posted && posted.error().code == ErrorCode::usage);
      QVERIFY2(posted.error().message.find(part) != std::string::npos, posted.error().message.c_str());
    }
    QVERIFY(board.settings() == two_tiers());
    QVERIFY(!board.take(false).commands.any());
  }

  void whoWaitsIsWokenByWhatIsPostedAndShown() {
    SessionBoard board(two_tiers(), clock_);
    RunState seen = RunState::loading;
    auto waits = executor_.start("waits", ThreadPriority::transfers, [&] { seen = board.wait_while_busy(no_limit); });
    executor_.pass(1);
    QCOMPARE(seen, RunState::loading);
    board.set_state(RunState::ready);
    waits.reset();
    QCOMPARE(seen, RunState::ready);
    const double before = clock_.seconds();
    auto posts = executor_.start("posts", ThreadPriority::transfers, [&] {
      executor_.pass(2);
      board.post({.stop = true});
    });
    while (!board.take(false).commands.stop) board.wait_for_command(no_limit);
    QVERIFY(std::abs(clock_.seconds() - before - 2) < 1e-3);
    posts.reset();
    board.post({.pause = true});
    board.wait_for_command(no_limit);  // one waits already
    QVERIFY(board.take(false).commands.pause);
  }

  void whatIsShownIsWhatOthersSee() {
    SessionBoard board(two_tiers(), clock_);
    QVERIFY(board.view().snapshot != nullptr && board.view().tier_reports == nullptr);
    Snapshot snapshot;
    snapshot.version = 5;
    board.show({.snapshot = std::make_shared<const Snapshot>(snapshot),
                .tier_reports = std::make_shared<const std::vector<TierReport>>(2),
                .gauges = {}});
    QCOMPARE(board.view().snapshot->version, std::uint64_t{5});
    QCOMPARE(board.view().tier_reports->size(), std::size_t{2});
    board.set_info({.model_name = "m", .workload_name = "w", .run_id = {}, .layers = 6, .device = {}});
    board.set_run_id("r");
    QCOMPARE(board.info().model_name, std::string("m"));
    QCOMPARE(board.info().run_id, std::string("r"));
    QCOMPARE(board.info().layers, 6);
    board.set_scope({.model = {1, 2}, .workload = {3, 4}, .quality_metric = "token_f1"});
    QCOMPARE(board.scope().quality_metric, std::string("token_f1"));
    board.set_failure({ErrorCode::io, "no model"});
    QCOMPARE(board.failure().message, std::string("no model"));
  }
};

KV_TEST_GUILESS_MAIN(SessionBoardTest)

}  // namespace session_board_test

#include "session_board_test.moc"
