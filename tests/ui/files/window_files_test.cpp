// links: kv_ui
// What a window opens besides workloads, and what it remembers of it.
#include "ui/window/window_files.h"

#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/files/path_kind.h"

namespace window_files_test {

using namespace kvantage;

class WindowFilesTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  QString file(const QString& name, const QByteArray& text) {
    QDir(folder_.path()).mkpath(QFileInfo(folder_.filePath(name)).path());
    QFile made(folder_.filePath(name));
    if (!made.open(QIODevice::WriteOnly) || made.write(text) < 0) QTest::qFail("not written", __FILE__, __LINE__);
    return folder_.filePath(name);
  }
  WindowOptions able() {
    WindowOptions options = scripted_.options();
    options.check_workload = [](const QString& path) {
      return path.contains("bad") ? path + ": is no text; give another" : QString();
    };
    options.check_model = [](const QString& path) {
      return path.contains("bad") ? path + ": has no tokenizer; fetch it whole" : QString();
    };
    return options;
  }
  static void drop(MainWindow& window, const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &drop);
  }
  static void accept(MainWindow& window) {
    QMessageBox* box = nullptr;
    QTRY_VERIFY((box = window.findChild<QMessageBox*>("openWorkloadBox")));
    for (QAbstractButton* button : box->buttons())
      if (box->buttonRole(button) == QMessageBox::AcceptRole) button->click();
  }
  static QMenu* recent_menu(MainWindow& window) {
    for (QMenu* menu : window.findChildren<QMenu*>())
      if (menu->title().remove('&') == "Open recent") return menu;
    return nullptr;
  }

 private slots:
  void aPathIsWhatLiesThere() {
    QVERIFY(kind_of_path(folder_.filePath("nothing")) == PathKind::missing);
    QVERIFY(kind_of_path(file("a.txt", "Some text")) == PathKind::workload);
    QVERIFY(kind_of_path(folder_.path()) == PathKind::workload);
    file("model/config.json", "{}");
    QVERIFY(kind_of_path(folder_.filePath("model")) == PathKind::workload);
    file("model/model.safetensors", "x");
    QVERIFY(kind_of_path(folder_.filePath("model")) == PathKind::model);
    QVERIFY(kind_of_path(file("m.gguf", "GGUF\3")) == PathKind::model);
    QVERIFY(kind_of_path(file("of GGUF.txt", "On GGUF")) == PathKind::workload);
    QVERIFY(kind_of_path(file("r.json", "{\"format\":\"kvantage-run\",\"run\":{},\"version\":1}\n")) == PathKind::run);
    QVERIFY(kind_of_path(file("tells.txt", "He wrote {\"format\":\"kvantage-run\"} on it")) == PathKind::workload);
    QVERIFY(kind_of_path(file("l.kvlayout", "{\"format\": \"kvantage-layout\"}")) == PathKind::layout);
  }

  void aModelFolderReopensTheWindowWithIt() {
    ScriptedSession session;
    MainWindow window(session, able());
    window.show();
    QSignalSpy model(&window, &MainWindow::modelRequested), workload(&window, &MainWindow::openRequested);
    file("good/config.json", "{}");
    file("good/model.safetensors", "x");
    drop(window, folder_.filePath("good"));
    accept(window);
    QTRY_COMPARE(model.count(), 1);
    QCOMPARE(model.first().first().toString(), folder_.filePath("good"));
    QCOMPARE(workload.count(), 0);

    file("bad/config.json", "{}");
    file("bad/model.safetensors", "x");
    drop(window, folder_.filePath("bad"));
    QTRY_VERIFY(window.banner().text().contains("has no tokenizer; fetch it whole"));
    QCOMPARE(files_of(window).recent().paths(), QStringList(folder_.filePath("good")));
  }

  // A GGUF file: dropped, or by the menu and with it the palette; whoever reads models reports what is no model.
  void aModelFileReopensTheWindowWithIt() {
    ScriptedSession session;
    MainWindow window(session, able());
    window.show();
    QSignalSpy model(&window, &MainWindow::modelRequested), workload(&window, &MainWindow::openRequested);
    const QString whole = file("small.gguf", "GGUF\3"), cut = file("bad.GGUF", "");
    drop(window, whole);
    accept(window);
    QTRY_COMPARE(model.count(), 1);
    QCOMPARE(model.first().first().toString(), whole);
    drop(window, cut);
    QTRY_VERIFY(window.banner().text().contains("has no tokenizer; fetch it whole"));

    QAction* entry = nullptr;
    for (QAction* action : window.actions())
      if (action->text().contains("GGUF")) entry = action;
    QVERIFY(entry != nullptr && entry->toolTip().contains("drop the file"));
    entry->trigger();
    auto* dialog = window.findChild<QFileDialog*>("modelFileDialog");
    QVERIFY(dialog != nullptr && dialog->nameFilters().front().contains("*.gguf"));
    emit dialog->fileSelected(whole);
    dialog->close();
    accept(window);
    QTRY_COMPARE(model.count(), 2);
    QCOMPARE(model.last().first().toString(), whole);
    QCOMPARE(workload.count(), 0);
    QVERIFY(files_of(window).recent().paths().contains(whole));
    // Where no other model can be had, the entry is not there.
    ScriptedSession other;
    WindowOptions options = able();
    options.check_model = {};
    MainWindow without(other, options);
    for (QAction* action : without.actions()) QVERIFY(!action->text().contains("GGUF"));
  }

  void recentFilesComeBackLatestFirst() {
    const QString a = file("first.txt", "one"), b = file("second.txt", "two");
    WindowOptions options = able();
    options.workload_path = folder_.filePath("first.txt");
    {
      ScriptedSession session;
      MainWindow window(session, options);
      window.show();
      drop(window, b);
      accept(window);
      QTRY_COMPARE(files_of(window).recent().paths(), (QStringList{b, a}));
      drop(window, file("bad.txt", "three"));
      QTRY_VERIFY(window.banner().isVisible());
    }
    options.workload_path.clear();
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    QMenu* menu = recent_menu(window);
    QVERIFY(menu != nullptr);
    emit menu->aboutToShow();
    QVERIFY(menu->actions().size() >= 3);
    QCOMPARE(menu->actions()[0]->toolTip(), b);
    QSignalSpy requested(&window, &MainWindow::openRequested);
    menu->actions()[1]->trigger();
    accept(window);
    QTRY_COMPARE(requested.count(), 1);
    QCOMPARE(requested.first().first().toString(), a);
    QCOMPARE(files_of(window).recent().paths(), (QStringList{a, b}));

    QVERIFY(QFile::remove(b));
    files_of(window).open(b);
    QVERIFY2(window.banner().text().contains("no longer exists"), qPrintable(window.banner().text()));
    QCOMPARE(files_of(window).recent().paths(), QStringList{a});
    files_of(window).recent().clear();
    emit menu->aboutToShow();
    QCOMPARE(menu->actions().size(), 1);
    QVERIFY(!menu->actions()[0]->isEnabled());
  }

  void theListHasAnEnd() {
    QSettings settings(folder_.filePath("list.ini"), QSettings::IniFormat);
    RecentFiles recent(settings);
    for (int i = 0; i < 25; ++i) recent.add(QStringLiteral("/tmp/%1.txt").arg(i));
    QCOMPARE(recent.paths().size(), RecentFiles::limit);
    QCOMPARE(recent.paths().first(), QString("/tmp/24.txt"));
    recent.add("/tmp/20.txt");
    QCOMPARE(recent.paths().size(), RecentFiles::limit);
    QCOMPARE(recent.paths().count("/tmp/20.txt"), 1);
  }

  void aRunFileGoesToTheRuns() {
    ScriptedSession session;
    MainWindow window(session, able());
    window.show();
    QSignalSpy run(&files_of(window), &WindowFiles::runChosen);
    drop(window, file("saved.json", "{\"format\":\"kvantage-run\",\"run\":{},\"version\":1}\n"));
    QCOMPARE(run.count(), 1);
    // This window has no database: it says so, and does not take the file for a text.
    QVERIFY2(window.banner().text().contains("has no run database"), qPrintable(window.banner().text()));
    QVERIFY(window.findChild<QMessageBox*>("openWorkloadBox") == nullptr);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  WindowFilesTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace window_files_test

#include "window_files_test.moc"
