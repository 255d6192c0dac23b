// links: kv_ui
// A TorchScript file that is dropped on the window: its method is a candidate at once, by an undo step; what is wrong
// with it is said. Tensors of a model in the same kind of archive are no method.
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QTest>
#include <QThread>

#include "tests/support/test_program.h"
#include "tests/ui/window/file_drop.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/files/path_kind.h"
#include "ui/live/controls/controls_dock.h"

namespace method_drop_test {

using namespace kvantage;

namespace {

QString golden_file(const QString& name) {
  return QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/goldens/method_files/") + name;
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
