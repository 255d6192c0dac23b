// links: kv_ui
// A model that cannot read what it serves: one sentence above the Frontier, and the way to another model.
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"

namespace reading_check_test {

using namespace kvantage;

class ReadingCheckTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static constexpr int probes = 12;
  static std::string stretch(int i) { return "Stretch " + std::to_string(i) + " of the text says that"; }
  static std::string next(int i) { return "room " + std::to_string(100 + i) + " is empty"; }
  static WindowOptions with_texts(WindowOptions options) {
    std::string text;
    for (int i = 0; i < probes; ++i) text += stretch(i) + " " + next(i) + ". ";
    options.text_of = [text](const std::string& id) {
      return id == "notes.txt" ? std::string_view(text) : std::string_view();
    };
    return options;
  }
  /// Answers of the uncompressed cache to `count` probes.
  static void serve(ScriptedSession& session, int count, const std::function<std::string(int)>& answer,
                    const std::string& gold = {}) {
    for (int i = 0; i < count; ++i) {
      RequestRecord record;
      record.id = static_cast<std::uint64_t>(1000 + i);
      record.context_id = "notes.txt";
      record.question = stretch(i);
      record.gold = gold;
      record.reference_answer = record.answer = answer(i);
      record.source = "dram";
      session.emit_event(events::RequestStarted{record.id, record.context_id, "text", record.question});
      session.emit_event(events::RequestFinished{record});
    }
  }

 private slots:
  void aModelThatDoesNotContinueTheTextIsNamed() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, with_texts(scripted_.options()));
    auto& page = *window->findChild<FrontierPage*>();
    serve(session, 7, [](int) { return "something else"; });
    QTRY_COMPARE(run_of(*window).served(), std::uint64_t{7});
    QVERIFY(page.reading().isHidden());  // too few to tell
    serve(session, probes, [](int) { return "something else"; });
    QTRY_VERIFY(!page.reading().isHidden());
    QVERIFY2(page.reading().text().contains("continues none of it correctly, so quality") &&
                 page.reading().text().contains("Use my model"),
             qPrintable(page.reading().text()));
    QSignalSpy wanted(&page, &FrontierPage::modelWanted);
    emit page.reading().linkActivated("model");
    QCOMPARE(wanted.count(), 1);
  }

  void aModelThatReadsIsNot() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, with_texts(scripted_.options()));
    serve(session, probes, [](int i) { return next(i); });
    QTRY_COMPARE(run_of(*window).served(), std::uint64_t{probes});
    QVERIFY(window->findChild<FrontierPage*>()->reading().isHidden());
  }

  // Questions with reference answers say by their scores how well the model reads.
  void questionsWithAnswersAreNoProbes() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, with_texts(scripted_.options()));
    serve(
        session, probes, [](int) { return "something else"; }, "a reference");
    QTRY_COMPARE(run_of(*window).served(), std::uint64_t{probes});
    QVERIFY(window->findChild<FrontierPage*>()->reading().isHidden());
  }

  void answersAtChanceAreNamed() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.pause();
    QLabel& said = window->findChild<FrontierPage*>()->reading();
    FrontierPrediction prediction;
    prediction.job = 2'000'000;
    prediction.curves = {{"evicpress", {{0.1, {0.10, 0.010}}, {10, {0.12, 0.020}}}, prediction.job}};
    prediction.simulated_known = true;
    prediction.levels = {.uncompressed = 0.12, .chance = 0.10, .contexts = 4};
    run_of(*window).frontier.set_prediction(prediction);
    QVERIFY(!said.isHidden());
    QVERIFY2(said.text().contains("0.120") && said.text().contains("(chance 0.100), so quality"),
             qPrintable(said.text()));
    ++prediction.job;
    prediction.levels.uncompressed = 0.9;
    run_of(*window).frontier.set_prediction(prediction);
    QVERIFY(said.isHidden());
  }
};

KV_TEST_MAIN(ReadingCheckTest)

}  // namespace reading_check_test

#include "reading_check_test.moc"
