// links: kv_ui
// A TorchScript file that is dropped on the window: its method is a candidate at once, by an undo step; what is wrong
// with it is said. Tensors of a model in the same kind of archive are no method.
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include "tests/support/test_program.h"
#include "tests/ui/window/file_drop.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/ask/own_text_edit.h"
#include "ui/files/path_kind.h"
#include "ui/live/controls/controls_dock.h"

namespace method_drop_test {

using namespace kvantage;

namespace {

QString golden_file(const QString& name) {
  return QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/goldens/method_files/") + name;
}

/// A scorer as somebody writes it.
QString made(const QTemporaryDir& folder, const QString& name) {
  QFile file(folder.filePath(name));
  if (!file.open(QIODevice::WriteOnly) || file.write("import torch\n@torch.jit.script\n") < 0) qFatal("not written");
  return file.fileName();
}

/// Of the menu File; null: there is none.
QAction* menu_entry(const MainWindow& window) {
  for (QAction* action : window.menuBar()->actions())
    if (action->text().remove('&') == "File")
      for (QAction* entry : action->menu()->actions())
        if (entry->text().remove('&') == "Open method file…") return entry;
  return nullptr;
}

}  // namespace

class MethodDropTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  WindowOptions able() {
    WindowOptions options = scripted_.options();
    options.methods.read = [](const QString& text) -> Expected<QString> { return text; };
    options.methods.read_file = [](const QString& path) -> Expected<MethodOffer::Known> {
      if (QThread::currentThread() == qApp->thread()) qFatal("read on the window's thread");
      if (path.endsWith(".py"))
        return fail(ErrorCode::usage, "method file 'five_lines.py': is Python; run it first with python3");
      if (path.contains("loops"))
        return fail(ErrorCode::rejected_input, "method file 'loops.pt': took longer than 30 seconds and was ended");
      return MethodOffer::Known{"dropped_0123456789", "keeps what a test wants"};
    };
    return options;
  }

 private slots:
  void anArchiveWithCodeIsAMethod() {
    QVERIFY(kind_of_path(golden_file("script_knorm.pt")) == PathKind::method);
    QVERIFY(kind_of_path(golden_file("traced_knorm.pt")) == PathKind::method);
    QVERIFY(kind_of_path(golden_file("truncated.pt")) == PathKind::method);  // whose reader says best what is wrong
    QVERIFY(kind_of_path(golden_file("tensors.pt")) == PathKind::model);
    QVERIFY(kind_of_path(golden_file("text.pt")) == PathKind::model);
    QTemporaryDir folder;
    QVERIFY(QFile::copy(golden_file("script_knorm.pt"), folder.filePath("renamed.bin")));
    QVERIFY(kind_of_path(folder.filePath("renamed.bin")) == PathKind::method);
  }

  void pythonIsAMethodByItsName() {
    QTemporaryDir folder;
    for (const char* name : {"five_lines.py", "FIVE.PY"}) QVERIFY(kind_of_path(made(folder, name)) == PathKind::method);
    QVERIFY(kind_of_path(made(folder, "five_lines.py.txt")) == PathKind::workload);
    QVERIFY(kind_of_path(folder.filePath("missing.py")) == PathKind::missing);
    QDir(folder.path()).mkdir("texts.py");
    QVERIFY(kind_of_path(folder.filePath("texts.py")) == PathKind::workload);
  }

  // It is not served as a text: who loads methods says what to do with it.
  void droppedPythonIsToBeRunFirst() {
    QTemporaryDir folder;
    ScriptedSession session;
    WindowOptions options = able();
    int checked = 0;
    options.check_workload = [&checked](const QString&) {
      ++checked;
      return QString();
    };
    const auto window = scripted_.loaded(session, options);
    const std::vector<std::string> before = settings_of(*window).committed().methods;
    QVERIFY(test::drop_file(*window, made(folder, "five_lines.py")));
    QTRY_VERIFY(window->banner().text().contains("is Python; run it first with python3"));
    QCOMPARE(settings_of(*window).committed().methods, before);
    QCOMPARE(checked, 0);
  }

  // Who asks about a program drops it on the field for texts. A field that takes no files leaves it to the window.
  void pythonOverAFieldIsTheFields() {
    QTemporaryDir folder;
    ScriptedSession session;
    const auto window = scripted_.loaded(session, able());
    OwnTextEdit field(window.get());
    field.show();
    QVERIFY(field.viewport()->acceptDrops());
    QVERIFY(test::drop_file(*field.viewport(), made(folder, "five_lines.py")));
    QCOMPARE(field.toPlainText(), QString("import torch\n@torch.jit.script\n"));
    QTest::qWait(50);
    QVERIFY(!window->banner().text().contains("is Python"));
    auto* line = window->body<ControlsDock>(QStringLiteral("controls"))->findChild<QLineEdit*>();
    QVERIFY(line != nullptr && line->acceptDrops());
    QVERIFY(test::drop_file(*line, made(folder, "five_lines.py")));
    QTRY_VERIFY(window->banner().text().contains("is Python"));
  }

  void aDroppedMethodIsACandidateAtOnce() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session, able());
    const std::vector<std::string> before = settings_of(*window).committed().methods;
    QVERIFY(test::drop_file(*window, golden_file("script_knorm.pt")));
    std::vector<std::string> wanted = before;
    wanted.emplace_back("dropped_0123456789");
    QTRY_COMPARE(settings_of(*window).committed().methods, wanted);
    QTRY_VERIFY(!session.applied.empty() && session.applied.back().methods == wanted);
    QVERIFY(window->banner().text().contains("dropped_0123456789 is a candidate now"));
    auto* controls = window->body<ControlsDock>(QStringLiteral("controls"));
    QVERIFY(controls != nullptr);
    bool offered = false;
    for (const QComboBox* combo : controls->findChildren<QComboBox*>())
      if (const int at = combo->findText("dropped_0123456789"); at >= 0)
        offered = combo->itemData(at, Qt::ToolTipRole).toString() == "keeps what a test wants";
    QVERIFY(offered);
    // Again: nothing twice. Undo takes it away.
    QVERIFY(test::drop_file(*window, golden_file("script_knorm.pt")));
    QTest::qWait(50);
    QCOMPARE(settings_of(*window).committed().methods, wanted);
    settings_of(*window).undo_stack().undo();
    QCOMPARE(settings_of(*window).committed().methods, before);
  }

  // Also over a field that takes texts, like a model.
  void aFieldLeavesItToTheWindow() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session, able());
    auto* controls = window->body<ControlsDock>(QStringLiteral("controls"));
    auto* field = controls->findChild<QLineEdit*>();
    QVERIFY(field != nullptr && field->acceptDrops());
    const QString text = field->text();
    QVERIFY(test::drop_file(*field, golden_file("script_knorm.pt")));
    QTRY_VERIFY(window->banner().text().contains("dropped_0123456789"));
    QCOMPARE(field->text(), text);
  }

  void aRefusedFileIsSaid() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session, able());
    const std::vector<std::string> before = settings_of(*window).committed().methods;
    QVERIFY(test::drop_file(*window, golden_file("loops.pt")));
    QTRY_VERIFY(window->banner().text().contains("took longer than 30 seconds and was ended"));
    QCOMPARE(settings_of(*window).committed().methods, before);
  }

  // By the menu, and with it by keys and the command palette.
  void theMenuOpensAMethod() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session, able());
    QAction* const entry = menu_entry(*window);
    QVERIFY(entry != nullptr && entry->isEnabled() && entry->text().contains('&'));
    entry->trigger();
    auto* dialog = window->findChild<QFileDialog*>("methodFileDialog");
    QVERIFY(dialog != nullptr && dialog->nameFilters().front().contains("*.pt"));
    emit dialog->fileSelected(golden_file("script_knorm.pt"));
    dialog->close();
    QTRY_VERIFY(window->banner().text().contains("dropped_0123456789 is a candidate now"));
    QCOMPARE(settings_of(*window).committed().methods.back(), std::string("dropped_0123456789"));
    // Where no method can be added, the entry is not there.
    ScriptedSession other;
    QVERIFY(menu_entry(*scripted_.loaded(other)) == nullptr);
  }

  void aWindowWithoutAnEngineAddsNone() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session);
    QVERIFY(test::drop_file(*window, golden_file("script_knorm.pt")));
    QTRY_VERIFY(window->banner().text().contains("Start kvantage with --method-file"));
  }
};

KV_TEST_MAIN(MethodDropTest)

}  // namespace method_drop_test

#include "method_drop_test.moc"
