// links: kv_ui
// Several figures in a row, and results that come from another program.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/papers/figures_page.h"
#include "ui/papers/model/figure_import.h"
#include "ui/text/words.h"

namespace figure_queue_test {

using namespace kvantage;

namespace {

FigureResult result_of(const std::string& figure) {
  FigureResult result = begin_figure(figure);
  result.tables = {{"Numbers", {"what", "value"}, {{"a", 1.5}}}};
  return result;
}

QByteArray printed(const QString& figure) {
  return QByteArray::fromStdString(to_json(result_of(from_q(figure))).dump(2) + "\n");
}

struct Bench {
  ScriptedSession session;
  SessionSwitch shown{session};
  std::shared_ptr<ScriptedFigures> figures = std::make_shared<ScriptedFigures>();
  QTemporaryDir folder;
  FiguresPage page{figures, folder.filePath("figures"), shown};
  Bench() { session.set_state(RunState::running); }
  QString running() { return page.job().figure() ? to_q(page.job().figure()->name) : QString(); }
};

}  // namespace

class FigureQueueTest : public QObject {
  Q_OBJECT
 private slots:
  void figuresOfAPaperAreMadeInTurn() {
    Bench bench;
    QSignalSpy said(&bench.page, &FiguresPage::said);
    bench.page.start_several("compaction", false);
    QStringList made;
    while (!bench.running().isEmpty()) {
      made << bench.running();
      QCOMPARE(bench.session.state(), RunState::paused);
      // With the figure's own settings, as a user who presses Start.
      QCOMPARE(bench.figures->started.back().front(), made.back());
      QVERIFY(bench.figures->started.back().contains("--blocks") || made.back() == "compaction/overheads");
      const QString place = bench.page.queue().place_text();
      QVERIFY2(place.startsWith(QString::number(made.size()) + " of "), qPrintable(place));
      bench.figures->end(0, printed(made.back()));
      QCoreApplication::processEvents();
    }
    QStringList wanted;
    for (const std::string& name : reproduced_figures())
      if (find_paper_figure(name)->paper == "compaction") wanted << to_q(name);
    QVERIFY(wanted.size() >= 3);
    QCOMPARE(made, wanted);
    for (const QString& name : wanted) QVERIFY2(bench.page.results().newest(name), qPrintable(name));
    QCOMPARE(said.back().at(1).toString(), QString("%1 figures finished.").arg(wanted.size()));
    QCOMPARE(bench.session.state(), RunState::running);

    bench.page.start_several("compaction", true);  // all have one
    QVERIFY(bench.running().isEmpty());
    QCOMPARE(said.back().at(1).toString(), QString("Every figure has a result."));
    QCOMPARE(bench.figures->started.size(), wanted.size());
  }

  void viewsOfTheSameRunsAreMadeOnce() {
    Bench bench;
    bench.page.start_several("evicpress", false);
    QStringList made;
    while (!bench.running().isEmpty()) {
      made << bench.running();
      bench.figures->end(0, printed(made.back()));
      QCoreApplication::processEvents();
    }
    QVERIFY(made.contains("evicpress/runs"));
    for (const char* view : {"evicpress/fig7", "evicpress/fig9", "evicpress/fig11", "evicpress/fig12"})
      QVERIFY2(!made.contains(view), view);
  }

  void aFailureDoesNotHoldUpTheOthers() {
    Bench bench;
    QSignalSpy said(&bench.page, &FiguresPage::said);
    bench.page.start_several("compaction", false);
    const QString first = bench.running();
    bench.figures->say("error: no room");
    bench.figures->end(1);
    QCoreApplication::processEvents();
    QVERIFY(!bench.running().isEmpty() && bench.running() != first);
    while (!bench.running().isEmpty()) {
      bench.figures->end(0, printed(bench.running()));
      QCoreApplication::processEvents();
    }
    QCOMPARE(bench.page.queue().failed(), QStringList(first));
    QCOMPARE(said.back().at(0).toString(), QString("warning"));
    QVERIFY2(said.back().at(1).toString().contains(first), qPrintable(said.back().at(1).toString()));
  }

  void cancelingEndsAllOfThem() {
    Bench bench;
    bench.page.start_several({}, false);
    QVERIFY(bench.page.queue().left() > 20);
    bench.page.cancel_button().click();
    QCOMPARE(bench.figures->cancels, 1);
    bench.figures->end(130);
    QCoreApplication::processEvents();
    QVERIFY(bench.running().isEmpty());
    QCOMPARE(bench.page.queue().left(), std::size_t{0});
    QCOMPARE(bench.figures->started.size(), 1);
    QCOMPARE(bench.session.state(), RunState::running);
  }

  void resultsOfAFolderAreTakenOver() {
    Bench bench;
    QTemporaryDir from;
    const auto write = [&from](const char* name, const std::string& text) {
      const QString path = from.filePath(name);
      QVERIFY(QDir().mkpath(QFileInfo(path).path()));
      QVERIFY(write_text_file(from_q(path), text));
    };
    write("evicpress/fig3.json", printed("evicpress/fig3").toStdString());
    write("kvpr/fig7.json", printed("kvpr/fig7").toStdString());
    write("evicpress/runs.json",
          dump_json(Json::array({to_json(result_of("evicpress/fig7")), to_json(result_of("evicpress/fig9"))})));
    write("reproduction.json", "{\"program\": \"0.1\"}");
    write("quick-workload/session.json", "{\"tiers\": []}");
    write("notes.txt", "nothing");
    QSignalSpy said(&bench.page, &FiguresPage::said);
    bench.page.import(from.path());
    QCOMPARE(said.back().at(1).toString(), QString("4 results imported."));
    for (const char* name : {"evicpress/fig3", "evicpress/fig7", "evicpress/fig9", "kvpr/fig7"}) {
      const KeptFigure* kept = bench.page.results().newest(name);
      QVERIFY2(kept, name);
      QVERIFY(to_json(kept->result) == to_json(result_of(name)));
    }
    // They are kept like those made here.
    FigureResults later(bench.folder.filePath("figures"));
    later.load();
    QVERIFY(later.newest("kvpr/fig7"));
    bench.page.import(from.filePath("kvpr/fig7.json"));
    QCOMPARE(bench.page.results().of("kvpr/fig7").size(), std::size_t{2});
  }

  void whatIsNoResultIsRefusedInOneLine_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("part");
    QTest::newRow("not JSON") << QByteArray("hello") << "is not JSON";
    QTest::newRow("another object") << QByteArray("{\"a\": 1}") << "figure";
    QTest::newRow("empty") << QByteArray() << "no result";
    QTest::newRow("deep") << QByteArray(100000, '[') << "nested";
    QTest::newRow("an unknown figure") << QByteArray(
                                              "{\"figure\":\"other/fig1\",\"title\":\"t\",\"paper\":\"\","
                                              "\"settings\":{},\"provenance\":\"measured\",\"tables\":[]}")
                                       << "no result";
  }
  void whatIsNoResultIsRefusedInOneLine() {
    QFETCH(QByteArray, text);
    QFETCH(QString, part);
    Bench bench;
    QTemporaryDir from;
    const QString path = from.filePath("a.json");
    QVERIFY(write_text_file(from_q(path), text.toStdString()));
    const auto count = import_figures(bench.page.results(), path);
    QVERIFY(!count);
    QVERIFY2(to_q(count.error().message).contains(part), count.error().message.c_str());
    QCOMPARE(count.error().code, ErrorCode::rejected_input);
    QVERIFY(!to_q(count.error().message).contains('\n'));
    const auto folder = import_figures(bench.page.results(), from.path());
    QVERIFY(!folder && folder.error().message.find("reproduce all") != std::string::npos);
    QVERIFY(!import_figures(bench.page.results(), from.filePath("nowhere.json")));
  }
};

KV_TEST_MAIN(FigureQueueTest)

}  // namespace figure_queue_test

#include "figure_queue_test.moc"
