// links: kv_ui
// Ask: what is asked, what comes back as it comes, and what can be done with it.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "tests/support/test_program.h"
#include "tests/ui/ask/scripted_asker.h"
#include "tests/ui/live/frontier/fitted_session.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/ask/ask_page.h"
#include "ui/text/words.h"

namespace ask_test {

using namespace kvantage;

class AskTest : public QObject {
  Q_OBJECT

 private slots:
  // A text, a question and Enter; every column gets its answer, with what it costs and where it parts.
  void answersComeColumnByColumn() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    QTRY_COMPARE(page.columns().size(), max_ask_columns);
    QVERIFY(!page.ask_button().isEnabled());
    QVERIFY2(page.status_text().contains("question"), qPrintable(page.status_text()));
    page.question().setFocus();
    QTest::keyClicks(&page.question(), "What is the badge of Ada?");
    QVERIFY(page.ask_button().isEnabled());
    QTest::keyClick(&page.question(), Qt::Key_Return);
    QCOMPARE(asker.requests.size(), std::size_t{1});
    const AskRequest& request = asker.requests.front();
    QCOMPARE(request.question, std::string("What is the badge of Ada?"));
    QVERIFY(!request.context.empty());
    QVERIFY(request.text.empty());
    QCOMPARE(request.columns.size(), max_ask_columns);
    QCOMPARE(request.columns.front().method, std::string("none"));
    QVERIFY(!request.columns.back().tier.empty());  // the full cache from the slowest tier
    QVERIFY(page.stop_button().isVisible());
    QVERIFY(!page.ask_button().isVisible());

    asker.work = "Reading the context";
    asker.show(asker.answer(false));
    QTRY_COMPARE(page.columns()[0]->answer_text(), QString("12 ."));
    QVERIFY2(page.columns()[0]->costs_text().contains("TTFT 250.0 ms"), qPrintable(page.columns()[0]->costs_text()));
    QVERIFY2(page.columns()[0]->costs_text().contains("inter-token latency 125.0 ms"),
             qPrintable(page.columns()[0]->costs_text()));
    QVERIFY(page.model().busy());
    asker.show(asker.answer(true));
    QTRY_VERIFY(!page.model().busy());
    QVERIFY2(page.columns()[1]->costs_text().contains("same answer"), qPrintable(page.columns()[1]->costs_text()));
    QVERIFY2(page.columns()[2]->costs_text().contains("at token 2"), qPrintable(page.columns()[2]->costs_text()));
    QVERIFY(page.columns()[2]->answer_html().contains("!</span>"));
    QVERIFY2(page.columns()[3]->costs_text().contains("read from"), qPrintable(page.columns()[3]->costs_text()));
    QVERIFY(page.ask_button().isVisible());
    QVERIFY2(page.status_text().contains("500.0 ms"), qPrintable(page.status_text()));
  }

  // The text is colored by the attention of the answer, or by what a column keeps.
  void theTextShowsAttentionAndWhatIsKept() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    ask(page, asker);
    QCOMPARE(page.map().token_count(), std::size_t{7});
    QCOMPARE(page.shown_weights().count(), 1 + static_cast<int>(max_ask_columns));
    // Of the span, tokens 4 and 5, half the heads' shares: 1 and 1.
    QVERIFY2(page.columns()[1]->costs_text().contains("keeps 100 %"), qPrintable(page.columns()[1]->costs_text()));
    page.shown_weights().setCurrentIndex(2);
    QCOMPARE(page.shown_weights().currentData().toInt(), 1);
    page.shown_weights().setCurrentIndex(0);
    QCOMPARE(page.shown_weights().currentData().toInt(), -1);
  }

  void aTextOfOnesOwn() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    QSignalSpy said(&page, &AskPage::said);
    QTemporaryDir folder;
    const QString path = folder.filePath("mine.txt");
    std::ofstream(path.toStdString()) << "The key is under the mat.\n";
    page.own_text().read_file(path);
    QVERIFY(page.model().is_own());
    QCOMPARE(page.text_choice().currentIndex(), 0);
    page.question().setText("Where is the key?");
    page.ask_button().click();
    QCOMPARE(asker.requests.back().text, std::string("The key is under the mat.\n"));
    QVERIFY(asker.requests.back().context.empty());
    page.own_text().read_file(folder.filePath("missing.txt"));
    QCOMPARE(said.size(), 1);
    QVERIFY(said.front().at(1).toString().contains("missing.txt"));
    std::ofstream(path.toStdString()) << std::string("a\0b", 3);
    page.own_text().read_file(path);
    QCOMPARE(said.size(), 2);
    page.model().set_context(page.model().contexts().front());
    QVERIFY(!page.model().is_own());
  }

  void columnsComeAndGo() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    QTRY_COMPARE(page.columns().size(), max_ask_columns);
    QVERIFY(!page.add_button().isEnabled());
    while (page.columns().size() > 1) page.columns().back()->remove_button().click();
    QVERIFY(!page.columns().front()->remove_button().isEnabled());
    page.add_button().click();
    QCOMPARE(page.columns().size(), std::size_t{2});
    QVERIFY(page.model().columns()[0] != page.model().columns()[1]);
    page.columns()[1]->method().setEditText("adakv(snapkv)+kivi4");
    emit page.columns()[1]->method().activated(0);
    page.columns()[1]->removed().setValue(70);
    QCOMPARE(page.model().columns()[1].method, std::string("adakv(snapkv)+kivi4"));
    QCOMPARE(page.model().columns()[1].removed_fraction, 0.7);
  }

  // What stops is said to the asker; an error of the engine is one line.
  void stoppingAndErrors() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    page.question().setText("Who?");
    page.ask_button().click();
    page.stop_button().click();
    QCOMPARE(asker.stops, 1);
    QVERIFY(!page.model().busy());
    page.ask_button().click();
    AskResult refused;
    refused.ticket = asker.requests.size();
    refused.complete = true;
    refused.error = "ask: unknown method 'x'; choose one of kvantage-cli methods";
    asker.show(refused);
    QTRY_VERIFY(!page.model().busy());
    QVERIFY2(page.status_text().contains("unknown method"), qPrintable(page.status_text()));
  }

  // The question becomes a part of the workload: what was asked, with the first column's answer, and where it is.
  void sentToTheWorkload() {
    FittedSession session;
    ScriptedAsker asker;
    std::vector<KeptQuestion> kept;
    auto window = opened(session, asker, [&kept](const KeptQuestion& asked, const QString& below) {
      kept.push_back(asked);
      return Expected<QString>(below + "/mine-asked");
    });
    AskPage& page = *window->body<AskPage>("ask");
    QVERIFY(!page.send_button().isEnabled());
    ask(page, asker);
    QVERIFY(page.send_button().isEnabled());
    QSignalSpy written(&page, &AskPage::workloadWritten);
    page.send_to("/somewhere");
    QCOMPARE(kept.size(), std::size_t{1});
    QCOMPARE(kept.front().answer, std::string("12 ."));
    QCOMPARE(kept.front().context, asker.requests.back().context);
    QCOMPARE(written.size(), 1);
    QVERIFY(window->banner().text().contains("mine-asked"));
    QVERIFY(window->banner().button().isVisible());
  }

  void theTableHasEveryColumn() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    ask(page, asker);
    const ChartTable table = page.table();
    QCOMPARE(table.rows.size(), static_cast<qsizetype>(max_ask_columns));
    for (const QStringList& row : table.rows) QCOMPARE(row.size(), table.header.size());
    QCOMPARE(table.rows[2].last(), QString("12 !"));
    QCOMPARE(table.rows[0].at(table.header.indexOf("ttft_seconds")), QString("0.25"));
  }

 private:
  std::unique_ptr<MainWindow> opened(FittedSession& session, ScriptedAsker& asker, KeepQuestion keep = {}) {
    WindowOptions options = scripted_.options();
    options.asker = &asker;
    options.keep_question = std::move(keep);
    auto window = scripted_.loaded(session, options);
    window->show_view("ask");
    return window;
  }
  static void ask(AskPage& page, ScriptedAsker& asker) {
    QTRY_COMPARE(page.columns().size(), max_ask_columns);
    page.question().setText("What is the badge of Ada?");
    page.ask_button().click();
    asker.show(asker.answer(true));
    QTRY_VERIFY(!page.model().busy());
  }

  ScriptedWindow scripted_;
};

KV_TEST_MAIN(AskTest)

}  // namespace ask_test

#include "ask_test.moc"
