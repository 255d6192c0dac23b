// links: kv_ui
// A settings file of LMCache or vLLM that is dropped on the window: what it sets and what has no equivalent is listed,
// and only on the user's word the window asks to be opened with it. What is wrong with it is said.
#include <QApplication>
#include <QDialog>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include "tests/support/test_program.h"
#include "tests/ui/window/file_drop.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/files/path_kind.h"
#include "ui/live/controls/controls_dock.h"

namespace serving_drop_test {

using namespace kvantage;

class ServingDropTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  QString file(const QString& name, const QByteArray& text) {
    QFile made(folder_.filePath(name));
    if (!made.open(QIODevice::WriteOnly) || made.write(text) < 0) QTest::qFail("not written", __FILE__, __LINE__);
    return folder_.filePath(name);
  }
  WindowOptions able() {
    WindowOptions options = scripted_.options();
    options.read_serving = [](const QString& path) -> Expected<ServingFile> {
      if (QThread::currentThread() == qApp->thread()) qFatal("read on the window's thread");
      if (path.contains("bad"))
        return fail(ErrorCode::rejected_input, "bad.yaml: line 1: an alias (*) is not read; write the value out");
      return ServingFile{"LMCache", {"tier dram: 5.00 GiB, of max_local_cpu_size"}, {"enable_p2p: no equivalent"}};
    };
    return options;
  }
  static QDialog* asked(MainWindow& window) {
    QDialog* dialog = nullptr;
    if (!QTest::qWaitFor([&] { return (dialog = window.findChild<QDialog*>("servingDialog")) != nullptr; }, 10000))
      QTest::qFail("no dialog", __FILE__, __LINE__);
    return dialog;
  }
  static QStringList lines(const QDialog& dialog, const char* list) {
    QStringList texts;
    const auto* found = dialog.findChild<QListWidget*>(list);
    for (int row = 0; found != nullptr && row < found->count(); ++row) texts << found->item(row)->text();
    return texts;
  }

 private slots:
  void aSettingsFileIsKnownByItsNameOrItsKeys() {
    QVERIFY(kind_of_path(file("lmcache.yaml", "local_cpu: true\n")) == PathKind::serving);
    QVERIFY(kind_of_path(file("v.YML", "")) == PathKind::serving);
    QVERIFY(kind_of_path(file("t.json", "{\"kv_connector\": \"OffloadingConnector\"}")) == PathKind::serving);
    QVERIFY(kind_of_path(file("d.json", "[{\"question\": \"x\"}]")) == PathKind::data);
    QVERIFY(kind_of_path(file("n.txt", "kv_connector and others")) == PathKind::workload);
  }

  void itsListIsShownAndTheUserDecides() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session, able());
    QSignalSpy wanted(window.get(), &MainWindow::servingRequested);
    const QString path = file("lmcache.yaml", "local_cpu: true\n");
    QVERIFY(test::drop_file(*window, path));
    QDialog* dialog = asked(*window);
    QVERIFY(dialog != nullptr);
    QCOMPARE(lines(*dialog, "servingTaken"), QStringList{"tier dram: 5.00 GiB, of max_local_cpu_size"});
    QCOMPARE(lines(*dialog, "servingUnsaid"), QStringList{"enable_p2p: no equivalent"});
    dialog->reject();
    QTRY_VERIFY(window->findChild<QDialog*>("servingDialog") == nullptr);
    QVERIFY(wanted.isEmpty());

    window->open(path);
    dialog = asked(*window);
    QVERIFY(dialog != nullptr);
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->text().remove('&') == "Import") button->click();
    QTRY_COMPARE(wanted.size(), 1);
    QCOMPARE(wanted.front().front().toString(), path);
  }

  void whatIsWrongIsSaid() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session, able());
    QSignalSpy wanted(window.get(), &MainWindow::servingRequested);
    QVERIFY(test::drop_file(*window, file("bad.yaml", "a: *b\n")));
    QTRY_VERIFY(window->banner().text().contains("an alias (*) is not read"));
    QVERIFY(window->findChild<QDialog*>("servingDialog") == nullptr && wanted.isEmpty());
  }

  void aFieldLeavesItToTheWindow() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session, able());
    auto* field = window->body<ControlsDock>(QStringLiteral("controls"))->findChild<QLineEdit*>();
    QVERIFY(field != nullptr && field->acceptDrops());
    QVERIFY(test::drop_file(*field, file("lmcache.yaml", "local_cpu: true\n")));
    QVERIFY(asked(*window) != nullptr);
  }

  void aWindowThatCannotStartOneSaysSo() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session);
    QVERIFY(test::drop_file(*window, file("lmcache.yaml", "local_cpu: true\n")));
    QTRY_VERIFY(window->banner().text().contains("kvantage-cli session import"));
  }
};

KV_TEST_MAIN(ServingDropTest)

}  // namespace serving_drop_test

#include "serving_drop_test.moc"
