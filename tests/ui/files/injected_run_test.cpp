// links: kv_ui
// A recorded run of somebody else's in the window, with injected text in what is shown of it: no label takes it for
// rich text, and no page has its pictures or links.
#include <QApplication>
#include <QLabel>
#include <QMessageBox>
#include <QTest>
#include <QTextBrowser>

#include <set>

#include "tests/support/injected_texts.h"
#include "tests/support/own_time.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/runs/runs_dock.h"

namespace injected_run_test {

using namespace kvantage;
using test::injected;
using test::injected_text;

class InjectedRunTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static WholeRun hostile_run(const std::string& name) {
    static const std::set<std::string> shown{"context_id", "id",   "family",  "question",        "answer",
                                             "gold",       "text", "outcome", "reference_answer"};
    WholeRun run = scripted_run(injected_text + name, 8, 20, 2);
    run.events = injected(run.events,
                          [](const std::string& place) { return shown.contains(place.substr(place.rfind('/') + 1)); });
    run.summary.outcome = injected_text;
    for (const char* field : {"workload", "model"}) run.summary.settings["environment"][field] = injected_text;
    return run;
  }
  static void check_texts() {
    int labels = 0, pages = 0;
    for (QWidget* widget : QApplication::allWidgets()) {
      if (const auto* label = qobject_cast<QLabel*>(widget); label && label->text().contains("FORGED")) {
        const bool letters = label->textFormat() == Qt::PlainText ||
                             (label->textFormat() == Qt::RichText && !label->text().contains("<img"));
        QVERIFY2(letters, qPrintable(label->objectName() + ": " + label->text().left(100)));
        ++labels;
      }
      if (const auto* page = qobject_cast<QTextBrowser*>(widget); page && page->toPlainText().contains("FORGED")) {
        QVERIFY2(!page->toHtml().contains("<img") && !page->toHtml().contains("<a "), qPrintable(page->toHtml()));
        ++pages;
      }
    }
    qInfo("%d labels and %d pages show it", labels, pages);
  }

 private slots:
  void nothingOfItIsRichText() {
    ScriptedSession session;
    auto library = std::make_shared<MemoryLibrary>();
    QStringList ids;
    for (const char* name : {"a", "b"}) {
      const WholeRun run = hostile_run(name);
      library->runs[run.summary.run_id] = run;
      ids << QString::fromStdString(run.summary.run_id);
    }
    WindowOptions options = scripted_.options();
    options.runs = library;
    auto window = scripted_.loaded(session, options);
    for (const char* id : {"contexts", "requests", "runs"}) window->show_view(id);
    auto* runs = window->body<RunsDock>("runs");
    QTRY_COMPARE(runs->model().rowCount(), 2);
    runs->choose(ids);
    runs->compare_chosen();
    test::settle(300);
    check_texts();
    if (QTest::currentTestFailed()) return;

    replay_of(*window).open(ids[0]);
    QTRY_VERIFY(replay_of(*window).active());
    replay_of(*window).seek(replay_of(*window).size());
    QTRY_COMPARE(run_of(*window).requests.rowCount(), 20);
    dock_of(*window, "requests")->show();
    dock_of(*window, "requests")->raise();
    test::settle(100);
    requests_of(*window).select_request(run_of(*window).requests.row(19)->record.id);
    QTRY_VERIFY(requests_of(*window).detail_text().contains("FORGED"));
    test::settle(300);
    check_texts();
  }
};

KV_TEST_MAIN(InjectedRunTest)

}  // namespace injected_run_test

#include "injected_run_test.moc"
