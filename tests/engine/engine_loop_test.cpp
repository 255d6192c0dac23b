// links: core_engine tiers
// The engine's loop from loading to its end: what it reports, and in which order.
#include "core/engine/engine_loop.h"

#include <QtTest>

#include <string>

#include "tests/support/test_program.h"
#include "tests/support/virtual_loop.h"

namespace engine_loop_test {

using namespace kvantage;
using namespace kvantage::test;

class EngineLoopTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void whatIsClosedWhileItLoadsHasNotFailed() {
    VirtualLoop loop;
    loop.board->post({.close = true});
    loop.run();
    QCOMPARE(loop.board->state(), RunState::closed);
    QCOMPARE(loop.board->failure().code, ErrorCode::cancelled);
    QCOMPARE(loop.heard.count<events::Message>(), std::size_t{0});
  }

  void whatCannotBeLoadedIsSaid() {
    VirtualLoop loop;
    loop.config.settings.policy = "nosuch";
    loop.run();
    QCOMPARE(loop.board->state(), RunState::failed);
    QCOMPARE(loop.heard.all<events::Message>().at(0).text, loop.board->failure().message);
  }

  // Nobody reads the events of a session without a window: kept, they would fill memory.
  void eventsAreKeptForAWindowAlone() {
    for (const bool displayed : {false, true}) {
      VirtualLoop loop;
      loop.config.displayed = displayed;
      loop.config.settings.policy = "nosuch";
      loop.run();
      QVERIFY(loop.heard.count<events::Message>() > 0);
      QCOMPARE(loop.display.drain(1).empty(), !displayed);
    }
  }

  // Whoever sees the number of a run finds it in the store, and who hears of its start sees the number.
  void aRunIsSeenOnceTheStoreHasIt() {
    VirtualLoop loop;
    std::string before = "not asked", at_start;
    loop.runs.on_begin = [&] { before = loop.board->info().run_id; };
    loop.on_event = [&](const Event& event) {
      if (VirtualLoop::as<events::RunStarted>(event)) at_start = loop.board->info().run_id;
      if (VirtualLoop::as<events::RunFinished>(event)) loop.board->post({.close = true});
    };
    loop.board->post({.start = true});
    loop.run();
    QCOMPARE(loop.runs.begun.size(), std::size_t{1});
    QCOMPARE(before, std::string());
    QCOMPARE(at_start, loop.runs.begun[0].id);
    QCOMPARE(loop.runs.begun[0].outcome, std::string("finished"));
    QCOMPARE(loop.heard.all<events::RunFinished>().at(0).requests, std::uint64_t{3});
    QCOMPARE(loop.heard.count<events::RequestFinished>(), std::size_t{3});
  }

  // Timing takes the longest of all that is loaded, and curves need none of it.
  void storedCurvesAreSeenWhileTheModelIsTimed() {
    VirtualLoop first;
    first.on_event = [&](const Event& event) {
      if (const auto* progress = VirtualLoop::as<events::Progress>(event);
          progress != nullptr && progress->what == "Profiling contexts" && progress->done == progress->total)
        first.board->post({.close = true});
    };
    first.board->post({.profile = true});
    first.run();
    QVERIFY(first.profiles.profiles_saved >= 2);

    VirtualLoop again;
    again.profiles = first.profiles;
    std::shared_ptr<const Snapshot> seen;
    RunState state = RunState::ready;
    again.on_event = [&](const Event& event) {
      const auto* progress = VirtualLoop::as<events::Progress>(event);
      if (progress == nullptr || progress->what != "Timing the model and the tiers") return;
      seen = again.board->view().snapshot;
      state = again.board->state();
      again.board->post({.close = true});
    };
    again.run();
    QVERIFY(seen != nullptr);
    QCOMPARE(state, RunState::loading);
    QCOMPARE(seen->contexts.size(), std::size_t{2});
    for (const ContextState& context : seen->contexts) QVERIFY(context.profile && !context.profile->empty());
    QVERIFY(!seen->prefill_at_rest);  // nothing is timed yet
    QCOMPARE(again.heard.count<events::TierFitted>(), std::size_t{0});
    QCOMPARE(again.board->state(), RunState::closed);
    QCOMPARE(again.board->failure().code, ErrorCode::cancelled);
  }

  // Curves of the metric before are none of the new one, whatever the store says.
  void curvesOfAnotherMetricAreForgottenThoughTheStoreFails() {
    VirtualLoop loop;
    bool were_there = false;
    loop.on_event = [&](const Event& event) {
      if (const auto* progress = VirtualLoop::as<events::Progress>(event);
          progress != nullptr && progress->what == "Profiling contexts" && progress->done == progress->total) {
        loop.profiles.broken = {"load_value"};
        loop.ask_for_metric("rouge_l");
      }
      if (VirtualLoop::as<events::SettingChanged>(event)) were_there = loop.all_profiled();
      if (const auto* message = VirtualLoop::as<events::Message>(event);
          message != nullptr && message->text == "quality curves: load_value: the database is locked")
        loop.board->post({.close = true});
    };
    loop.board->post({.profile = true});
    loop.run();
    QVERIFY(were_there);
    for (const ContextState& context : loop.board->view().snapshot->contexts) QVERIFY(context.profile == nullptr);
    QCOMPARE(loop.board->scope().quality_metric, std::string("rouge_l"));
  }

  // What was being measured by the metric before is given up, though the new one cannot be had.
  void aCurveOfAnotherMetricIsNotContinued() {
    qputenv("KVANTAGE_EMBEDDING_MODEL", "/nowhere/at/all");
    VirtualLoop loop;
    int failed = 0;
    loop.on_event = [&](const Event& event) {
      if (const auto* progress = VirtualLoop::as<events::Progress>(event);
          progress != nullptr && progress->what == "Profiling contexts" && progress->done == 0)
        if (loop.board->settings().quality_metric != "cosine") loop.ask_for_metric("cosine");
      if (const auto* message = VirtualLoop::as<events::Message>(event);
          message != nullptr && message->text.starts_with("profiling failed: context") && ++failed == 2)
        loop.board->post({.close = true});
      if (VirtualLoop::as<events::ContextProfiled>(event)) loop.board->post({.close = true});
    };
    loop.board->post({.profile = true});
    loop.run();
    qunsetenv("KVANTAGE_EMBEDDING_MODEL");
    const auto said = loop.heard.all<events::Message>();
    QVERIFY(said.size() >= 3);
    QVERIFY2(said[0].text.starts_with("quality curves: "), said[0].text.c_str());
    QCOMPARE(failed, 2);
    QCOMPARE(loop.profiles.profiles_saved, 0);
    QCOMPARE(loop.heard.count<events::ContextProfiled>(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(EngineLoopTest)

}  // namespace engine_loop_test

#include "engine_loop_test.moc"
