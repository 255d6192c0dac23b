// links: kv_ui
// Curves of others in Sensitivity: the preview with its mapping, what it refuses, that what is drawn and exported says
// where it is from, and that imports are there again at the next start.
#include <QFile>
#include <QTemporaryDir>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/contexts/imported/imported_page.h"

namespace imported_curves_test {

using namespace kvantage;

class ImportedCurvesTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString write(const QString& name, const std::string& text) const {
    const QString path = folder_.filePath(name);
    if (!write_text_file(path.toStdString(), text)) qFatal("cannot write");
    return path;
  }

  /// Imports a table whose columns have other names than those that are known.
  static void import_mapped(ImportedPage& page, const QString& path) {
    ImportPreview* preview = page.preview(path);
    for (const auto& [key, column] :
         {std::pair("method", "algo"), std::pair("removed", "ratio"), std::pair("quality", "EM")}) {
      QComboBox* box = preview->column(key);
      box->setCurrentText(column);
      emit box->activated(box->currentIndex());
    }
    QTRY_VERIFY2(preview->import_button().isEnabled(), qPrintable(preview->status()));
    preview->import_button().click();
  }

 private slots:
  void aTableIsMappedAndImported() {
    const QString path =
        write("scores.csv", "set,algo,ratio,EM\nqa,none,0,90\nqa,snapkv,0.25,80\nqa,snapkv,0.5,70\nsum,none,0,50\n");
    ImportedPage page;
    page.resize(420, 400);
    page.show();
    QVERIFY(page.source().isEmpty() && page.chart().empty_text().contains("No curves are imported yet"));
    ImportPreview* preview = page.preview(path);
    QTRY_VERIFY2(preview->status().contains("lacks method, removed or kept, quality"), qPrintable(preview->status()));
    QVERIFY(!preview->import_button().isEnabled());
    const auto choose = [&](const char* key, const char* column) {
      QComboBox* box = preview->column(key);
      QVERIFY(box != nullptr);
      box->setCurrentText(column);
      emit box->activated(box->currentIndex());
    };
    choose("method", "algo");
    choose("removed", "ratio");
    QTRY_VERIFY2(preview->status().contains("lacks quality;"), qPrintable(preview->status()));
    choose("quality", "EM");
    choose("dataset", "set");
    QTRY_COMPARE(preview->status(), QString("Points: 4, data sets: 2, methods: 2"));
    QVERIFY(preview->import_button().isEnabled());
    preview->import_button().click();
    QCOMPARE(page.curves().datasets(), (QStringList{"qa", "sum"}));
    QCOMPARE(*page.curves().uncompressed(), 0.9);
    QVERIFY(page.source().startsWith("imported from ") && page.source().contains("scores.csv (digest "));
    page.chart().flush();
    QCOMPARE(page.chart().series().at("snapkv")->points(), (QList<QPointF>{{25, 0.8}, {50, 0.7}}));
    const ChartTable table = page.chart().table();
    QCOMPARE(table.rows.size(), qsizetype{3});
    const auto& legend = page.chart().legend().items();
    QVERIFY(std::ranges::any_of(legend, [](const LegendItem& item) {
      return item.text == "imported" && item.look == MarkerLook::imported && item.tip.contains("measured by others");
    }));
    for (const QStringList& row : table.rows) {
      QCOMPARE(row[0], QString("imported"));
      QCOMPARE(row[1], page.source());
    }
    page.curves().show_dataset("sum");
    QVERIFY(page.curves().curves().empty());
    QVERIFY(page.chart().table().rows.size() == 1);
    page.curves().remove_shown();
    QVERIFY(page.curves().profile() == nullptr && page.source().isEmpty());
  }

  // tova has the hue of snapkv.
  void methodsOfOneHueHaveOtherDashes() {
    ImportedPage page;
    ImportPreview* preview = page.preview(
        write("two.csv", "method,removed,quality\nsnapkv,0.25,0.8\nsnapkv,0.5,0.7\ntova,0.25,0.7\ntova,0.5,0.6\n"));
    QTRY_VERIFY2(preview->import_button().isEnabled(), qPrintable(preview->status()));
    preview->import_button().click();
    page.chart().flush();
    const QPen one = page.chart().series().at("snapkv")->pen(), other = page.chart().series().at("tova")->pen();
    QCOMPARE(one.color(), other.color());
    QVERIFY(one.dashPattern() != other.dashPattern());
  }

  // A column that is found by its name can be taken away.
  void aColumnCanBeLeftOut() {
    const QString path = write("named.csv", "method,removed,quality\nsnapkv,0.5,0.7\n");
    ImportedPage page;
    ImportPreview* preview = page.preview(path);
    QTRY_COMPARE(preview->status(), QString("Points: 1, data sets: 1, methods: 1"));
    QComboBox* box = preview->column("method");
    QCOMPARE(box->currentText(), QString("method"));
    box->setCurrentIndex(0);
    emit box->activated(0);
    QTRY_VERIFY(preview->status().contains("lacks method;"));
    preview->method().setText("knorm");
    emit preview->method().textEdited("knorm");
    QTRY_VERIFY(preview->profile().has_value());
    QCOMPARE(preview->profile()->points[0].method, std::string("knorm"));
    preview->reject();
  }

  void whatCannotBeReadSaysWhy() {
    ImportedPage page;
    ImportPreview* binary = page.preview(write("picture.png", std::string("\x89PNG\r\n\x1a\n\0\0\0", 11)));
    QTRY_VERIFY2(binary->status().contains("is no text"), qPrintable(binary->status()));
    QVERIFY(binary->column("method") == nullptr && !binary->import_button().isEnabled());
    binary->reject();
    ImportPreview* scores = page.preview(write("result.json", "{\"hotpotqa\": 40.5}"));
    QTRY_VERIFY2(scores->status().contains("--method"), qPrintable(scores->status()));
    scores->method().setText("none");
    scores->removed().setText("0");
    emit scores->removed().textEdited("0");
    QTRY_COMPARE(scores->status(), QString("Points: 1, data sets: 1, methods: 1"));
    QCOMPARE(scores->profile()->points[0].quality, 0.405);
    scores->reject();
  }

  void importsAreThereAgainAtTheNextStart() {
    const QString path = write("again.csv", "algo,ratio,EM\nsnapkv,0.5,70\n"),
                  other = write("other.csv", "method,removed,quality\nknorm,0.5,0.25\n");
    QSettings settings(folder_.filePath("window.ini"), QSettings::IniFormat);
    QStringList said;
    const auto say = [&said](const QString& level, const QString& text) { said << level + ": " + text; };
    QString source;
    {
      ImportedPage page;
      page.keep_in(settings, say);
      import_mapped(page, path);
      ImportPreview* preview = page.preview(other);
      QTRY_VERIFY(preview->import_button().isEnabled());
      preview->import_button().click();
      QCOMPARE(page.curves().names(), (QStringList{"again.csv", "other.csv"}));
      page.curves().show_profile(0);
      source = page.source();
    }
    {
      ImportedPage page;
      page.keep_in(settings, say);
      QTRY_COMPARE(page.curves().names(), (QStringList{"again.csv", "other.csv"}));
      page.curves().show_profile(0);
      QCOMPARE(page.source(), source);
      QCOMPARE(page.curves().profile()->points[0].method, std::string("snapkv"));
      QCOMPARE(page.curves().profile()->points[0].quality, 0.7);
      QVERIFY2(said.isEmpty(), qPrintable(said.join('|')));
    }
    write("again.csv", "algo,ratio,EM\nsnapkv,0.5,60\n");
    QVERIFY(QFile::remove(other));
    for (int start = 0; start < 2; ++start) {
      ImportedPage page;
      page.keep_in(settings, say);
      QTRY_COMPARE(page.curves().names(), QStringList{"again.csv"});
      QCOMPARE(page.curves().profile()->points[0].quality, 0.6);
    }
    QCOMPARE(said.size(), qsizetype{1});  // said once, at the first start
    QVERIFY(said[0].startsWith("warning: ") && said[0].contains(path + " has changed since"));
    QVERIFY(said[0].contains(other) && said[0].contains("is gone"));
    {
      ImportedPage page;
      page.keep_in(settings, say);
      QTRY_COMPARE(page.curves().names().size(), qsizetype{1});
      page.curves().remove_shown();
    }
    QVERIFY(!settings.contains("imported/curves"));
    QCOMPARE(said.size(), qsizetype{1});
  }

  // A window that closes before its imports are read again forgets none of them.
  void aWindowKeepsThemInItsSettingsFile() {
    const QString path = write("window.csv", "method,removed,quality\nknorm,0.5,0.25\n");
    ScriptedWindow scripted;
    const WindowOptions options = scripted.options();
    {
      ScriptedSession session;
      MainWindow window(session, options);
      ImportPreview* preview = sensitivity_of(window).imported().preview(path);
      QTRY_VERIFY(preview->import_button().isEnabled());
      preview->import_button().click();
    }
    {
      ScriptedSession session;
      MainWindow window(session, options);
    }
    ScriptedSession session;
    MainWindow window(session, options);
    QTRY_COMPARE(sensitivity_of(window).imported().curves().names(), QStringList{"window.csv"});
  }

  void whatIsNoImportInASettingsFileIsLeftOut() {
    const auto read = [](const char* text) { return kept_imports_from(Json::parse(text, nullptr, false)); };
    for (const char* text :
         {"", "[", "7", "{}", "[7, {}, null, \"x\"]", R"([{"path": 7, "digest": "d"}])", R"([{"path": "/a.csv"}])"})
      QVERIFY2(read(text).empty(), text);
    const auto kept = read(R"([{"path": "/a.csv", "digest": "d", "removed": "half", "columns": {"method": "algo",
        "nonsense": "x", "quality": 7}, "model": ["m"]}])");
    QCOMPARE(kept.size(), std::size_t{1});
    QCOMPARE(kept[0].path, QString("/a.csv"));
    QCOMPARE(kept[0].how.columns, (ColumnMap{{"method", "algo"}}));
    QVERIFY(!kept[0].how.removed_fraction && kept[0].how.model.empty());
    QCOMPARE(kept_imports_from(to_json(kept)), kept);
    QCOMPARE(kept_imports_from(to_json(std::vector<KeptImport>(100, kept[0]))).size(), max_kept_imports);
  }

  void theSameImportTwiceIsOne() {
    ImportedCurves curves;
    ImportedProfile profile{.source = {"a.csv", "d1", "2026-11-29", "table"}, .model = "m", .points = {}};
    profile.points.push_back({.dataset = "qa", .method = "knorm", .removed_fraction = 0.5, .quality = 0.5});
    curves.add(profile);
    curves.add(profile);
    QCOMPARE(curves.names(), QStringList{"a.csv"});
    profile.source.digest = "d2";
    curves.add(profile);
    QCOMPARE(curves.names().size(), qsizetype{2});
    QCOMPARE(curves.shown(), 1);
    curves.show_profile(0);
    QCOMPARE(curves.source(), QString("imported from a.csv (digest d1, 2026-11-29), m"));
  }
};

KV_TEST_MAIN(ImportedCurvesTest)

}  // namespace imported_curves_test

#include "imported_curves_test.moc"
