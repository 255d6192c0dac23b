// links: kv_ui
// Another workload from the window: what is dropped is read apart from the window, then offered; the user decides.
#include "ui/files/workload_opener.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QUrl>
#include <atomic>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "tests/ui/window/window_parts.h"

namespace workload_opener_test {

using namespace kvantage;

class WorkloadOpenerTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  int files_ = 0;

  WindowOptions options(CheckWorkload check) {
    return {folder_.filePath(QStringLiteral("window%1.ini").arg(++files_)), false, std::move(check)};
  }
  // Drags urls onto the window and drops them; whether it took them.
  static bool drop(MainWindow& window, const QList<QUrl>& urls) {
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    enter.ignore();
    QApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted()) return false;
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    return drop.isAccepted();
  }
  static QMessageBox* box(MainWindow& window) { return window.findChild<QMessageBox*>("openWorkloadBox"); }
  static void press(MainWindow& window, QMessageBox::ButtonRole role) {
    for (QAbstractButton* button : box(window)->buttons())
      if (box(window)->buttonRole(button) == role) return button->click();
    QFAIL("no such button");
  }
  static bool has_action(const MainWindow& window, const QString& text) {
    for (const QAction* action : window.findChildren<QAction*>())
      if (action->text().remove('&').startsWith(text)) return true;
    return false;
  }

 private slots:
  void aDroppedFileIsReadElsewhereThenOffered() {
    ScriptedSession session;
    std::atomic<bool> on_another_thread = false;
    QThread* const here = QThread::currentThread();
    QString read;
    MainWindow window(session, options([&](const QString& path) {
                        on_another_thread = QThread::currentThread() != here;
                        read = path;
                        return QString();
                      }));
    window.show();
    QSignalSpy requested(&window, &MainWindow::openRequested);
    QVERIFY(drop(window, {QUrl::fromLocalFile("/tmp/some notes.txt")}));
    QTRY_VERIFY(box(window) != nullptr);
    QVERIFY(on_another_thread);
    QCOMPARE(read, QString("/tmp/some notes.txt"));
    QVERIFY(box(window)->text().contains("some notes.txt"));
    QCOMPARE(requested.count(), 0);  // not before the user says so
    press(window, QMessageBox::AcceptRole);
    QCOMPARE(requested.count(), 1);
    QCOMPARE(requested.first().first().toString(), QString("/tmp/some notes.txt"));
  }

  void aRefusalOpensNothing() {
    ScriptedSession session;
    MainWindow window(session, options([](const QString& path) { return path + ": is UTF-16; save it as UTF-8"; }));
    window.show();
    QSignalSpy requested(&window, &MainWindow::openRequested);
    QVERIFY(drop(window, {QUrl::fromLocalFile("/tmp/wide.txt")}));
    QTRY_COMPARE(window.banner().text(), QString("/tmp/wide.txt: is UTF-16; save it as UTF-8"));
    QCOMPARE(window.banner().level(), QString("warning"));
    QVERIFY(box(window) == nullptr);
    QCOMPARE(requested.count(), 0);
  }

  void cancelContinuesTheRun() {
    ScriptedSession session;
    MainWindow window(session, options([](const QString&) { return QString(); }));
    window.show();
    QSignalSpy requested(&window, &MainWindow::openRequested);
    QVERIFY(drop(window, {QUrl::fromLocalFile("/tmp/a.txt")}));
    QTRY_VERIFY(box(window) != nullptr);
    press(window, QMessageBox::RejectRole);
    QTRY_VERIFY(box(window) == nullptr);
    QCOMPARE(requested.count(), 0);
    QCOMPARE(session.stops, 0);
  }

  void onlyTheLatestOfSeveralDropsCounts() {
    ScriptedSession session;
    std::atomic<bool> go = false;
    MainWindow window(session, options([&go](const QString& path) {
                        while (path.endsWith("slow.txt") && !go) QThread::msleep(1);
                        return QString();
                      }));
    window.show();
    QVERIFY(drop(window, {QUrl::fromLocalFile("/tmp/slow.txt")}));
    QVERIFY(drop(window, {QUrl::fromLocalFile("/tmp/quick.txt")}));
    QTRY_VERIFY(box(window) != nullptr);
    go = true;
    test::settle(50);
    QCOMPARE(window.findChildren<QMessageBox*>("openWorkloadBox").size(), 1);
    QVERIFY(box(window)->text().contains("quick.txt"));
  }

  void otherDropsAreRefusedInALine() {
    ScriptedSession session;
    bool called = false;
    MainWindow window(session, options([&called](const QString&) {
                        called = true;
                        return QString();
                      }));
    window.show();
    QVERIFY(!drop(window, {}));
    QVERIFY(drop(window, {QUrl("https://example.org/a.txt")}));
    QVERIFY2(window.banner().text().contains("example.org/a.txt is not on this computer. Save it first"),
             qPrintable(window.banner().text()));
    QVERIFY(drop(window, {QUrl::fromLocalFile("/tmp/a.txt"), QUrl::fromLocalFile("/tmp/b.txt")}));
    QVERIFY2(window.banner().text().contains("2 items dropped"), qPrintable(window.banner().text()));
    test::settle(20);
    QVERIFY(!called);
  }

  void aWindowThatCannotReopenDoesNotOffer() {
    ScriptedSession session;
    MainWindow able(session, options([](const QString&) { return QString(); }));
    MainWindow unable(session, options({}));
    QVERIFY(has_action(able, "Open text file") && has_action(able, "Open folder"));
    QVERIFY(!has_action(unable, "Open text file") && !has_action(unable, "Open folder"));
    unable.show();
    QVERIFY(drop(unable, {QUrl::fromLocalFile("/tmp/a.txt")}));
    QVERIFY(unable.banner().text().contains("cannot be opened in this window. Start kvantage with this workload"));
  }
};

KV_TEST_MAIN(WorkloadOpenerTest)

}  // namespace workload_opener_test

#include "workload_opener_test.moc"
