// links: kv_ui
// The dialog that a dropped data set opens: known names are chosen, what is missing is said, and the map that the boxes
// show is what is imported.
#include "ui/files/import_dialog.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "ui/files/path_kind.h"

namespace import_dialog_test {

using namespace kvantage;

class ImportDialogTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString file(const char* name, const std::string& text) const {
    const QString path = folder_.filePath(name);
    if (!write_text_file(path.toStdString(), text)) qFatal("cannot write %s", name);
    return path;
  }
  static DataPreview preview() {
    DataPreview preview;
    preview.format = "generic";
    preview.entries = 3;
    preview.first = {{"body", "A long text."}, {"ask", "Who?"}, {"say", "Ada"}};
    return preview;
  }
  static QComboBox* box(ImportDialog& dialog, const char* key) {
    return dialog.findChild<QComboBox*>(QStringLiteral("import_") + QLatin1String(key));
  }
  static void choose(ImportDialog& dialog, const char* key, const char* field) {
    QComboBox* chosen = box(dialog, key);
    chosen->setCurrentIndex(chosen->findData(QString::fromLatin1(field)));
  }
  static QPushButton* import_button(ImportDialog& dialog) {
    for (QPushButton* button : dialog.findChildren<QPushButton*>())
      if (button->text().remove('&') == "Import") return button;
    return nullptr;
  }

 private slots:
  void dataFilesAreKnownByNameAndContent() {
    for (const char* name : {"a.json", "a.jsonl", "a.csv", "a.TSV", "a.parquet"})
      QVERIFY2(kind_of_path(file(name, "{}")) == PathKind::data, name);
    QVERIFY(kind_of_path(file("rows.bin2", "PAR1")) == PathKind::data);
    QVERIFY(kind_of_path(file("a.md", "# Text")) == PathKind::workload);
    QVERIFY(kind_of_path(file("run.json", "{\"format\":\"kvantage-run\",\"version\":1}")) == PathKind::run);
    QVERIFY(QDir(folder_.path()).mkdir("workload"));
    file("workload/workload.json", "{}");
    QVERIFY(kind_of_path(file("workload/contexts.jsonl", "{}")) == PathKind::workload);
  }

  void theFirstEntryAndWhatIsMissingAreShown() {
    ImportDialog dialog("/tmp/own.jsonl", preview(), {}, nullptr);
    const auto* table = dialog.findChild<QTableWidget*>("importPreview");
    QCOMPARE(table->rowCount(), 3);
    QCOMPARE(table->item(0, 0)->text(), QString("body"));
    QCOMPARE(table->item(0, 1)->text(), QString("A long text."));
    QVERIFY(!import_button(dialog)->isEnabled());
    QCOMPARE(dialog.missing(), QString("No field is chosen for the context."));
    choose(dialog, "context", "body");
    QVERIFY(import_button(dialog)->isEnabled());
    auto* missing = dialog.findChild<QLabel*>("importMissing");
    QCOMPARE(missing->text(), QString("No field is chosen for the question: questions are generated."));
    choose(dialog, "question", "ask");
    QVERIFY(missing->text().isEmpty());
    QCOMPARE(dialog.map().text(), std::string("context=body,question=ask"));
  }

  void knownNamesAreChosenAndAFormatNeedsNone() {
    DataPreview known = preview();
    known.map.set("context", "body");
    known.map.set("choices", "a+b+c");  // several fields
    ImportDialog dialog("/tmp/own.jsonl", known, {}, nullptr);
    QCOMPARE(box(dialog, "context")->currentData().toString(), QString("body"));
    QCOMPARE(box(dialog, "choices")->currentData().toString(), QString("a+b+c"));
    known.format = "leval";
    ImportDialog recognized("/tmp/exam.jsonl", known, {}, nullptr);
    QVERIFY(box(recognized, "context") == nullptr && import_button(recognized)->isEnabled());
    QVERIFY(recognized.map().empty());
  }

  void theMapIsImportedOrTheReasonIsShown() {
    FieldMap taken;
    LongContextAction action = LongContextAction::keep;
    int calls = 0;
    const DataImport host{[](const QString&) -> Expected<DataPreview> { return preview(); },
                          [&](const QString& path, const FieldMap& map, LongContextAction what) -> Expected<QString> {
                            taken = map;
                            action = what;
                            if (++calls == 1)
                              return fail(ErrorCode::rejected_input, path.toStdString() + ": has no use; x");
                            return QString("/cache/own");
                          }};
    ImportDialog dialog("/tmp/own.jsonl", preview(), host, nullptr);
    QSignalSpy imported(&dialog, &ImportDialog::imported);
    choose(dialog, "context", "body");
    choose(dialog, "question", "ask");
    choose(dialog, "answers", "say");
    import_button(dialog)->click();
    auto* reason = dialog.findChild<QLabel*>("importReason");
    QTRY_VERIFY(reason->text().contains("has no use"));
    QVERIFY(import_button(dialog)->isEnabled() && imported.isEmpty());
    import_button(dialog)->click();
    QTRY_COMPARE(imported.size(), 1);
    QCOMPARE(imported.front().front().toString(), QString("/cache/own"));
    QCOMPARE(taken.text(), std::string("answers=say,context=body,question=ask"));
    QVERIFY(action == LongContextAction::split);
  }
};

KV_TEST_MAIN(ImportDialogTest)

}  // namespace import_dialog_test

#include "import_dialog_test.moc"
