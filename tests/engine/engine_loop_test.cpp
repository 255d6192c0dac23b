// links: core_engine tiers
// The engine's loop on the test's own thread, from loading to its end: what it reports, and in which order. Commands
// are posted before it begins and by what listens to it.
#include "core/engine/engine_loop.h"

#include <QtTest>

#include <functional>

#include "core/engine/display_queue.h"
#include "tests/support/engine_parts.h"
#include "tests/support/memory_stores.h"
#include "tests/support/test_program.h"

namespace engine_loop_test {

using namespace kvantage;
using namespace kvantage::test;

struct Loop final : EventSink {
  Loop() {
    config.model = model_directory();
    config.workload = small_workload(2, 8, 3, 2);
    config.max_answer_tokens = 12;
    config.settings.policy = "lru";
    config.settings.tiers = {{.name = "dram", .budget = 64 << 20}};
    config.settings.methods = {"knorm"};
    config.settings.removed_fractions = {0.9};
    config.settings.request_limit = 3;
    config.open_tiers = [](const Digest128&, const SessionSettings&, const auto&) -> Expected<OpenedTiers> {
      OpenedTiers opened;
      KV_ASSIGN(auto tier, QueuedTier::open(std::make_unique<DramStore>("dram"), 0, 0, system_executor()));
      KV_ASSIGN(opened.archive, QueuedTier::open(std::make_unique<DramStore>("archive"), 0, 0, system_executor()));
      opened.tiers.push_back(std::move(tier));
      opened.lender = std::make_unique<BufferPool>(std::size_t{64} << 20);
      return opened;
    };
    board.emplace(config.settings, clock);
  }
  /// Until something has posted `close`.
  void run() {
    EngineLoop({.config = config,
                .clock = clock,
                .board = *board,
                .inspections = inspections,
                .spans = spans,
                .display = display,
                .profiles = &profiles,
                .runs = &runs,
                .sinks = sinks})
        .run();
  }
  void publish(const Event& event) override {
    heard.publish(event);
    if (on_event) on_event(event);
  }
  template <class T>
  static const T* as(const Event& event) {
    return std::get_if<T>(&event.payload);
  }
  /// Another metric, as if it had been checked.
  void ask_for_metric(const std::string& metric) {
    SessionSettings settings = board->settings();
    settings.quality_metric = metric;
    if (!board->post_settings(settings)) qFatal("no metric");
  }
  bool all_profiled() const {
    return std::ranges::all_of(board->view().snapshot->contexts,
                               [](const ContextState& context) { return context.profile != nullptr; });
  }

  EngineConfig config;
  StepClock clock{EngineParts::step_ns};
  std::optional<SessionBoard> board;
  InspectionMailbox inspections;
  SpanKeeper spans;
  DisplayQueue display;
  MemoryProfileStore profiles;
  MemoryRunStore runs;
  EngineParts::Sink heard;
  std::function<void(const Event&)> on_event;
  std::vector<EventSink*> sinks{this};
};

class EngineLoopTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void whatIsClosedWhileItLoadsHasNotFailed() {
    Loop loop;
    loop.board->post({.close = true});
    loop.run();
    QCOMPARE(loop.board->state(), RunState::closed);
    QCOMPARE(loop.board->failure().code, ErrorCode::cancelled);
    QCOMPARE(loop.heard.count<events::Message>(), std::size_t{0});
  }

  void whatCannotBeLoadedIsSaid() {
    Loop loop;
    loop.config.settings.policy = "nosuch";
    loop.run();
    QCOMPARE(loop.board->state(), RunState::failed);
    QCOMPARE(loop.heard.all<events::Message>().at(0).text, loop.board->failure().message);
  }

  // Whoever sees the number of a run finds it in the store, and who hears of its start sees the number.
  void aRunIsSeenOnceTheStoreHasIt() {
    Loop loop;
    std::string before = "not asked", at_start;
    loop.runs.on_begin = [&] { before = loop.board->info().run_id; };
    loop.on_event = [&](const Event& event) {
      if (Loop::as<events::RunStarted>(event)) at_start = loop.board->info().run_id;
      if (Loop::as<events::RunFinished>(event)) loop.board->post({.close = true});
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

  // Curves of the metric before are none of the new one, whatever the store says.
  void curvesOfAnotherMetricAreForgottenThoughTheStoreFails() {
    Loop loop;
    bool were_there = false;
    loop.on_event = [&](const Event& event) {
      if (const auto* progress = Loop::as<events::Progress>(event);
          progress != nullptr && progress->what == "Profiling contexts" && progress->done == progress->total) {
        loop.profiles.broken = {"load_value"};
        loop.ask_for_metric("rouge_l");
      }
      if (Loop::as<events::SettingChanged>(event)) were_there = loop.all_profiled();
      if (const auto* message = Loop::as<events::Message>(event);
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
    Loop loop;
    int failed = 0;
    loop.on_event = [&](const Event& event) {
      if (const auto* progress = Loop::as<events::Progress>(event);
          progress != nullptr && progress->what == "Profiling contexts" && progress->done == 0)
        if (loop.board->settings().quality_metric != "cosine") loop.ask_for_metric("cosine");
      if (const auto* message = Loop::as<events::Message>(event);
          message != nullptr && message->text.starts_with("profiling failed: context") && ++failed == 2)
        loop.board->post({.close = true});
      if (Loop::as<events::ContextProfiled>(event)) loop.board->post({.close = true});
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
