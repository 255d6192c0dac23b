// links: kv_ui profiles
// A run file that the program was started with: shown also where no engine can be had, and a broken one is said in the
// window.
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "profiles/run_library.h"
#include "profiles/stores.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/files/path_kind.h"
#include "ui/runs/runs_dock.h"

namespace clicked_run_test {

using namespace kvantage;

class ClickedRunTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  ScriptedWindow scripted_;
  QString file_ = folder_.filePath("clicked.kvrun");

  std::shared_ptr<RunLibrary> library(const QString& name) {
    const std::filesystem::path path = folder_.filePath(name).toStdString();
    (void)*open_stores(path, StoreAccess::read_write, machine_clock());
    return std::move(*open_run_library(path, machine_clock()));
  }

 private slots:
  void initTestCase() {
    const std::filesystem::path path = folder_.filePath("first.db").toStdString();
    auto stores = std::move(*open_stores(path, StoreAccess::read_write, machine_clock()));
    const WholeRun run = scripted_run("clicked", 8, 20, 3);
    QVERIFY(stores->runs().begin_run("clicked", run.summary.settings));
    for (const Event& event : run.events) stores->runs().append(event);
    QVERIFY(stores->runs().finish_run("clicked", "finished"));
    const auto exported = (*open_run_library(path, machine_clock()))->export_file("clicked", file_.toStdString());
    QVERIFY2(exported.has_value(), exported ? "" : exported.error().message.c_str());
  }

  void itIsShownWithoutAnEngine() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.start_at_once = false;
    options.runs = library("second.db");
    options.run_without_engine = file_;
    MainWindow window(session, options);
    window.show();
    QVERIFY(shows_start_page(window));
    session.emit_event(events::Message{"error", "the store is in use by another KVantage; close it"});
    session.set_state(RunState::failed);
    QTRY_VERIFY(replay_of(window).active());
    QTRY_VERIFY(!shows_start_page(window));
    QVERIFY2(status_text_of(window).contains("replay of clicked"), qPrintable(status_text_of(window)));
    replay_of(window).seek(replay_of(window).size());
    QTRY_COMPARE(run_of(window).served(), std::uint64_t{20});
    QCOMPARE(run_of(window).requests.rowCount(), 20);
    QVERIFY(window.banner().text().contains("in use"));  // why nothing can be served stays said
  }

  void withAnEngineNothingIsReplayedByItself() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.runs = library("third.db");
    options.run_without_engine = file_;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    test::settle(100);
    QVERIFY(!replay_of(window).active());
  }

  void aBrokenOneIsSaidInTheBanner() {
    const QString broken = folder_.filePath("broken.kvrun");
    QVERIFY(write_text_file(broken.toStdString(), "PK\x03\x04 no run at all"));
    QVERIFY(kind_of_path(broken) == PathKind::run);
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.runs = library("fourth.db");
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    files_of(window).open(broken);
    QTRY_VERIFY(!window.banner().isHidden());
    QVERIFY2(window.banner().text().contains("broken.kvrun") && window.banner().text().contains(';'),
             qPrintable(window.banner().text()));
  }
};

KV_TEST_MAIN(ClickedRunTest)

}  // namespace clicked_run_test

#include "clicked_run_test.moc"
