// links: app_wiring
// Questions of the user's own to a whole session: the newest one wins, and a run is the same whether or not somebody
// asks, from its tiers too. Sessions in virtual time.
#include <QtTest>

#include "tests/support/ask_text.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace ask_session_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Waits for the last result of `ticket`; null when it does not come.
std::shared_ptr<const AskResult> complete(EngineHarness& harness, std::uint64_t ticket) {
  std::shared_ptr<const AskResult> result;
  const bool there = pass_until(harness, [&] {
    result = harness.engine().asked();
    return result != nullptr && result->ticket == ticket && result->complete;
  });
  return there ? result : nullptr;
}

}  // namespace

class AskSessionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void theNewestQuestionWins() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(3, 30, 4), {"dram=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    Engine& engine = (*harness)->engine();
    QVERIFY(engine.asked() == nullptr);
    const auto& contexts = engine.snapshot()->contexts;
    AskRequest request{.context = {},
                       .text = {},
                       .question = "What is the badge of Ada Holt ?",
                       .columns = {{}, {"keydiff", 0.5, {}}, {"keydiff", 0.5, "dram"}}};
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      request.context = contexts[i % 3].id;
      last = engine.ask(request);
    }
    QCOMPARE(last, std::uint64_t{20});
    const auto result = complete(**harness, last);
    QVERIFY(result != nullptr);
    QCOMPARE(result->error, std::string());
    QVERIFY(*result->request == request);
    QCOMPARE(result->answers.size(), std::size_t{3});
    QVERIFY(result->answers[2].bytes_read > 0);
    QCOMPARE(text_of(result->answers[2]), text_of(result->answers[1]));
    QVERIFY(engine.ask_work().empty());

    request.context = "nowhere";
    const auto lost = complete(**harness, engine.ask(request));
    QVERIFY(lost != nullptr && lost->error.find("nowhere") != std::string::npos);
    engine.stop_asking();
    const auto again = complete(**harness, engine.ask(*result->request));
    QVERIFY(again != nullptr && again->error.empty());
    for (std::size_t c = 0; c < 3; ++c) QCOMPARE(text_of(again->answers[c]), text_of(result->answers[c]));
    // The keep map is computed beside it.
    const std::uint64_t map = engine.request_keep_map({contexts[0].id, {"keydiff"}, 0.5, std::nullopt});
    QVERIFY(pass_until(**harness, [&] {
      const auto shown = engine.keep_map();
      return shown != nullptr && shown->ticket == map && shown->complete;
    }));
  }

  // A frozen run decides alike every time; with somebody asking all the while, too.
  void aRunIsTheSameWhileSomebodyAsks() {
    const Workload workload = small_workload(4, 40, 3);
    const auto serve = [&](bool asking) {
      QTemporaryDir folder;
      auto harness = open_virtual(folder.path().toStdString(), workload, {"dram=2MiB", "ssd=64MiB"}, "lru", true,
                                  {.frozen = true}, ModelKind::timed);
      if (!harness) qFatal("%s", harness.error().message.c_str());
      Engine& engine = (*harness)->engine();
      bool over = false;
      int completed = 0, read = 0;
      auto asker = time_of(**harness).start("asker", ThreadPriority::transfers, [&] {
        const auto snapshot = engine.snapshot();
        for (std::size_t i = 0; asking && !over; ++i) {
          const std::uint64_t ticket =
              engine.ask({.context = snapshot->contexts[i % 4].id,
                          .text = {},
                          .question = workload.questions[i % workload.questions.size()].question,
                          .columns = {{"knorm", 0.6, i % 2 == 0 ? "ssd" : "dram"}, {"none", 0, "dram"}}});
          for (int waited = 0; waited < 500 && !over; ++waited) {
            const auto result = engine.asked();
            if (result != nullptr && result->ticket == ticket && result->complete) {
              if (!result->error.empty()) qFatal("%s", result->error.c_str());
              ++completed;
              for (const AskAnswer& answer : result->answers) read += answer.bytes_read > 0 ? 1 : 0;
              break;
            }
            pass(**harness, 2e-3);
          }
        }
      });
      auto records = (*harness)->serve("lru", 24);
      over = true;
      asker.reset();
      if (!records) qFatal("%s", records.error().message.c_str());
      if (asking) {
        qInfo("%d questions were answered meanwhile, %d columns from a tier", completed, read);
        if (completed < 2 || read < 1) qFatal("nobody asked");
      }
      return std::pair(*records, (*harness)->sink.all<events::PlacementCommitted>());
    };
    const auto [alone, placed_alone] = serve(false);
    const auto [watched, placed_watched] = serve(true);
    QCOMPARE(watched.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      QCOMPARE(watched[i].question, alone[i].question);
      QCOMPARE(watched[i].answer, alone[i].answer);
      QCOMPARE(watched[i].source, alone[i].source);
      QCOMPARE(watched[i].method, alone[i].method);
      QCOMPARE(watched[i].bytes_loaded, alone[i].bytes_loaded);
    }
    QCOMPARE(placed_watched.size(), placed_alone.size());
    for (std::size_t i = 0; i < placed_alone.size(); ++i) {
      QVERIFY(placed_watched[i].action.context == placed_alone[i].action.context);
      QVERIFY(placed_watched[i].action.to == placed_alone[i].action.to);
      QCOMPARE(placed_watched[i].action.bytes_after, placed_alone[i].action.bytes_after);
    }
  }
};

KV_TEST_GUILESS_MAIN(AskSessionTest)

}  // namespace ask_session_test

#include "ask_session_test.moc"
