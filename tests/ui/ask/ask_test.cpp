// links: kv_ui
// Ask: what is asked, what comes back as it comes, and what can be done with it.
#include <QCompleter>
#include <QDropEvent>
#include <QFocusEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QUrl>
#include <algorithm>
#include <fstream>

#include "tests/support/test_program.h"
#include "tests/ui/ask/scripted_asker.h"
#include "tests/ui/live/frontier/fitted_session.h"
#include "tests/ui/window/scripted_window.h"
#include "tests/ui/window/window_parts.h"
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

  // However long the answer is, a token brings itself and the one before it, whose text might have grown; the document
  // changes at its end alone, and nothing else of the page is made again.
  void aTokenCostsTheSameInAnyAnswer() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    begin(page, "What is the badge of Ada?");
    if (QTest::currentTestFailed()) return;
    AskResult begun = asker.answer(false);
    for (AskAnswer& answer : begun.answers) {
      answer.tokens.clear();
      answer.parts_at.reset();
    }
    begun.answers[2].parts_at = 1;
    asker.show(begun);
    QTRY_COMPARE(page.columns()[0]->costs_text().startsWith("answering"), true);
    const auto* kept = &*page.model().shown()->answers[1].kept;
    QSignalSpy whole(&page.model(), &AskModel::resultChanged), answers(&page.model(), &AskModel::answerChanged);
    std::vector<QTextDocument*> documents;
    for (AskColumnView* view : page.columns()) documents.push_back(view->findChild<QTextBrowser*>()->document());
    int most_removed = 0, most_added = 0, least_position = 0;
    connect(documents[2], &QTextDocument::contentsChange, this, [&](int position, int removed, int added) {
      most_removed = std::max(most_removed, removed);
      most_added = std::max(most_added, added);
      least_position = position;
    });
    constexpr std::size_t tokens = 48;
    QString expected;
    for (std::size_t token = 0; token < tokens; ++token) {
      const std::string text = " t" + std::to_string(10 + token);  // 4 characters each
      const std::size_t changes = asker.changes, handed = asker.handed_tokens, bytes = asker.handed_bytes;
      asker.say(2, text);
      expected += QString::fromStdString(text);
      QTRY_COMPARE(page.columns()[2]->answer_text(), expected);
      QCOMPARE(asker.changes, changes + 1);
      QCOMPARE(asker.handed_tokens - handed, token == 0 ? std::size_t{1} : std::size_t{2});
      QVERIFY(asker.handed_bytes - bytes <= 2 * (sizeof(AskToken) + text.size()));
    }
    QCOMPARE(answers.size(), static_cast<qsizetype>(tokens));
    for (const QList<QVariant>& answer : answers) QCOMPARE(answer.front().value<std::size_t>(), std::size_t{2});
    QCOMPARE(whole.size(), 0);
    QVERIFY(kept == &*page.model().shown()->answers[1].kept);  // shared, not copied
    QVERIFY2(most_removed <= 5 && most_added <= 9, qPrintable(QString("%1 %2").arg(most_removed).arg(most_added)));
    QVERIFY(least_position >= static_cast<int>(4 * (tokens - 2)));
    QVERIFY(documents[0]->isEmpty());
    // It parts at its second token: the first is plain.
    const QString html = page.columns()[2]->answer_html();
    QVERIFY2(html.contains(" t10<span"), qPrintable(html));
    // A whole result replaces it, and is not written twice.
    asker.begin_again(asker.answer(true));
    QTRY_VERIFY(!page.model().busy());
    QCOMPARE(page.columns()[2]->answer_text(), QString("12 !"));
    QCOMPARE(page.model().shown()->answers[2].tokens.size(), std::size_t{2});
  }

  // The last token's text may grow when the answer ends; a second question replaces the answers.
  void theLastTokenGrows() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    begin(page, "Who?");
    if (QTest::currentTestFailed()) return;
    AskResult result = asker.answer(false);
    asker.show(result);
    QTRY_COMPARE(page.columns()[0]->answer_text(), QString("12 ."));
    result.answers[0].tokens.back().text = " .\nEnd";
    result.answers[0].stage = AskStage::done;
    asker.show(result);
    QTRY_COMPARE(page.columns()[0]->answer_text(), QString("12 .\nEnd … cut at the maximum answer length"));
    page.question().setText("Which?");
    page.stop_button().click();
    page.ask_button().click();
    asker.show(asker.answer(true));
    QTRY_COMPARE(page.columns()[0]->answer_text(), QString("12 ."));
  }

  // What an earlier question had computed is said where the time would be.
  void whatIsReusedIsSaid() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    begin(page, "Who?");
    if (QTest::currentTestFailed()) return;
    AskResult result = asker.answer(true);
    result.answers[0].reused = AskReuse::form;
    result.answers[0].text_seconds = 0;
    result.answers[1].reused = AskReuse::text;
    asker.show(result);
    QTRY_VERIFY(!page.model().busy());
    const auto costs = [&](std::size_t column) { return page.columns()[column]->costs_text(); };
    QVERIFY2(costs(0).contains("no prefill of the text: cache reused"), qPrintable(costs(0)));
    QVERIFY2(costs(1).contains("of it compressing the text 125.0 ms; its prefill reused"), qPrintable(costs(1)));
    QVERIFY2(costs(2).contains("of it prefill of the text 125.0 ms"), qPrintable(costs(2)));
    QVERIFY2(costs(3).contains("of it loading 125.0 ms"), qPrintable(costs(3)));
    const ChartTable table = page.table();
    const qsizetype reused = table.header.indexOf("reused");
    QCOMPARE(table.rows[0].at(reused), QString("form"));
    QCOMPARE(table.rows[1].at(reused), QString("text"));
    QCOMPARE(table.rows[3].at(reused), QString("nothing"));
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

  // A file that is dropped on the text takes its place; what is not on this computer leaves it as it is.
  void aDroppedFileBecomesTheText() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    QSignalSpy said(&page, &AskPage::said);
    page.text_pages().setCurrentIndex(1);
    OwnTextEdit& own = page.own_text();
    QTRY_VERIFY(own.isVisible());
    own.setPlainText("what was there before");
    QTemporaryDir folder;
    const QString path = folder.filePath("dropped.txt");
    std::ofstream(path.toStdString()) << "The spare key is below the third pot.\n";
    const auto drop = [&own](const QUrl& url) {
      QMimeData data;
      data.setUrls({url});
      QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QCoreApplication::sendEvent(own.viewport(), &enter);
      QDropEvent dropped(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QCoreApplication::sendEvent(own.viewport(), &dropped);
    };
    drop(QUrl::fromLocalFile(path));
    QCOMPARE(own.toPlainText(), QString("The spare key is below the third pot.\n"));
    QVERIFY(page.model().is_own());
    QCOMPARE(page.text_choice().currentIndex(), 0);
    QVERIFY(said.isEmpty());
    page.question().setText("Where is the spare key?");
    page.ask_button().click();
    QCOMPARE(asker.requests.size(), std::size_t{1});
    QCOMPARE(asker.requests.back().text, std::string("The spare key is below the third pot.\n"));

    drop(QUrl("https://example.org/there.txt"));
    QCOMPARE(said.size(), 1);
    QVERIFY2(said.front().at(1).toString().contains("https://example.org/there.txt is not on this computer"),
             qPrintable(said.front().at(1).toString()));
    QCOMPARE(own.toPlainText(), QString("The spare key is below the third pot.\n"));
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

  // Questions of requests are offered to a hand that asks about the same context; nothing looks for them before, and no
  // snapshot of the session makes a hidden page work.
  void questionsAskedBeforeAreOffered() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    QTRY_COMPARE(page.columns().size(), max_ask_columns);
    const auto* offered = page.question().completer()->model();
    window->show_view("tiers");
    QTRY_VERIFY(!page.isVisible());
    auto* choices = page.findChild<LazyRefresh*>();
    QVERIFY(choices != nullptr);
    const int refreshes = choices->refresh_count();
    session.serve(60);
    RunModel& run = run_of(*window);
    QTRY_COMPARE(run.requests.rowCount(), 60);
    QTRY_VERIFY(choices->waiting());  // a snapshot came
    QCOMPARE(choices->refresh_count(), refreshes);
    QCOMPARE(offered->rowCount(), 0);

    const RequestRecord record = run.requests.row(7)->record;
    page.model().set_context(QString::fromStdString(record.context_id));
    window->show_view("ask");
    page.question().clearFocus();
    page.question().setFocus();
    QTRY_VERIFY(page.question().hasFocus());
    QTRY_COMPARE(offered->rowCount(), 1);  // asked often, offered once
    QCOMPARE(offered->index(0, 0).data().toString().toStdString(), record.question);
    QTRY_VERIFY(choices->refresh_count() > refreshes);

    // When the list of proposals closes, the field has the focus again: rows stay until the choice is taken.
    QSignalSpy renewed(offered, &QAbstractItemModel::modelReset);
    QFocusEvent closed(QEvent::FocusIn, Qt::PopupFocusReason);
    QCoreApplication::sendEvent(&page.question(), &closed);
    QCOMPARE(renewed.size(), 0);
    // Another context while the field has the focus: its questions are offered at once.
    int newest = run.requests.rowCount() - 1;
    while (newest >= 0 && run.requests.row(newest)->record.context_id == record.context_id) --newest;
    QVERIFY(newest >= 0);
    const RequestRecord other = run.requests.row(newest)->record;
    page.model().set_context(QString::fromStdString(other.context_id));
    QVERIFY(page.question().hasFocus());
    QCOMPARE(renewed.size(), 1);
    QCOMPARE(offered->index(0, 0).data().toString().toStdString(), other.question);
    page.model().set_own_text("Ada has badge 12.");  // nobody asked about it before
    QCOMPARE(offered->rowCount(), 0);
  }

  // Snapshots come many times a second while requests are served.
  void aHalfTypedMethodStays() {
    FittedSession session;
    ScriptedAsker asker;
    auto window = opened(session, asker);
    AskPage& page = *window->body<AskPage>("ask");
    QTRY_COMPARE(page.columns().size(), max_ask_columns);
    QComboBox& method = page.columns().front()->method();
    method.setFocus();
    QTRY_VERIFY(method.hasFocus());
    method.lineEdit()->selectAll();
    QTest::keyClicks(&method, "adakv(sn");
    const QString typed = method.currentText();
    QVERIFY2(typed.startsWith("adakv(sn"), qPrintable(typed));
    auto* choices = page.findChild<LazyRefresh*>();
    const int refreshes = choices->refresh_count();
    session.serve(5);
    QTRY_VERIFY(choices->refresh_count() > refreshes);
    QCOMPARE(method.currentText(), typed);
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
  static void begin(AskPage& page, const QString& question) {
    QTRY_COMPARE(page.columns().size(), max_ask_columns);
    page.question().setText(question);
    page.ask_button().click();
  }
  static void ask(AskPage& page, ScriptedAsker& asker) {
    begin(page, "What is the badge of Ada?");
    if (QTest::currentTestFailed()) return;
    asker.show(asker.answer(true));
    QTRY_VERIFY(!page.model().busy());
  }

  ScriptedWindow scripted_;
};

KV_TEST_MAIN(AskTest)

}  // namespace ask_test

#include "ask_test.moc"
