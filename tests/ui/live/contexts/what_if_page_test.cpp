// links: kv_ui
// What-if planning on imported curves in Sensitivity: what is missing is said, points follow each choice, and what is
// shown and exported names its source.
#include <QTemporaryDir>
#include <cmath>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/contexts/imported/what_if_page.h"

namespace what_if_page_test {

using namespace kvantage;

class WhatIfPageTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString write(const QString& name, const std::string& text) const {
    const QString path = folder_.filePath(name);
    if (!write_text_file(path.toStdString(), text)) qFatal("cannot write");
    return path;
  }
  /// Two contexts of 1,000 tokens, each asked for five times in turn.
  QString trace() const {
    std::string text;
    for (int i = 0; i < 10; ++i)
      text += R"({"timestamp": )" + std::to_string(i * 1000) +
              R"(, "input_length": 1000, "output_length": 1, "hash_ids": [)" + std::to_string(2 * (i % 2)) + ", " +
              std::to_string(2 * (i % 2) + 1) + "]}\n";
    return write("trace.jsonl", text);
  }
  static ImportedProfile profile() {
    ImportedProfile made;
    made.source = {.file = "scores.csv", .digest = std::string(32, 'a'), .date = "2026-11-29", .kind = "table"};
    made.points = {{.dataset = "qa", .quality = 0.9},
                   {.dataset = "qa", .method = "snapkv", .removed_fraction = 0.5, .quality = 0.5}};
    return made;
  }
  static QString presets() { return QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/presets"); }

 private slots:
  void whatIsMissingIsSaid() {
    ImportedCurves curves;
    WhatIfPage page(curves, presets());
    WhatIfModel& model = page.model();
    QVERIFY(model.presets().isEmpty() && model.note().isEmpty());  // nothing is read before it is shown
    page.resize(420, 400);
    page.show();
    QCOMPARE(model.preset(), QString("llama-3.1-8b-adaptcache"));  // the first with times of its own
    QCOMPARE(page.preset_box().currentText(), model.preset());
    QVERIFY(model.note().startsWith("Import quality curves first"));
    curves.add(profile());
    QVERIFY(model.note().startsWith("Choose a trace"));
    QCOMPARE(page.chart().empty_text(), model.note());
    model.set_trace(folder_.filePath("none.jsonl"));
    QTRY_VERIFY(!model.busy());
    QVERIFY2(model.note().contains("none.jsonl"), qPrintable(model.note()));
    WhatIfPage without(curves, {});
    without.show();
    QCOMPARE(without.model().note(), QString("No published models are there."));
    WhatIfPage unread(curves, folder_.path());
    unread.show();
    QVERIFY2(unread.model().note().contains("holds no presets"), qPrintable(unread.model().note()));
  }

  void pointsFollowEachChoice() {
    ImportedCurves curves;
    WhatIfPage page(curves, presets());
    WhatIfModel& model = page.model();
    page.resize(420, 400);
    page.show();
    curves.add(profile());
    model.set_share(0, 1);
    model.set_trace(trace());
    QTRY_VERIFY(!model.busy());
    QVERIFY2(model.points().size() == 8, qPrintable(model.note()));
    QVERIFY2(model.note().startsWith("Simulated on imported curves: ") && model.note().contains("scores.csv"),
             qPrintable(model.note()));
    page.chart().flush();
    QCOMPARE(page.chart().series().at("evicpress")->points().size(), qsizetype{6});
    QCOMPARE(page.chart().series().at("lru")->points().front().y(), 0.9);
    QVERIFY(page.chart().empty_text().isEmpty());
    const ChartTable table = page.chart().table();
    QCOMPARE(table.rows.size(), qsizetype{8});
    for (const QStringList& row : table.rows) {
      QCOMPARE(row[0], QString("imported"));
      QCOMPARE(row[1], model.note());
    }

    model.choose_preset("llama-3.1-70b");  // publishes no times
    QTRY_VERIFY(!model.busy());
    QVERIFY(model.points().empty());
    QVERIFY2(model.note().contains("has no times; add a table of times"), qPrintable(model.note()));
    model.set_times(write("times.csv", "tokens,seconds,tier\n1000,1,\n2000,2,\n1000,0.1,dram\n2000,0.2,dram\n"));
    QTRY_VERIFY(!model.busy());
    QVERIFY2(model.points().size() == 8, qPrintable(model.note()));
    QVERIFY2(model.note().contains("times.csv"), qPrintable(model.note()));
    QVERIFY(std::abs(model.points()[0].ttft_seconds - 1) < 1e-6);                       // all computed
    QVERIFY(std::abs(model.points()[1].ttft_seconds - (2 * 1 + 8 * 0.1) / 10) < 1e-6);  // all loaded once there
    model.set_share(0, 0);
    model.set_share(1, 0);
    QTRY_VERIFY(!model.busy());
    QVERIFY2(model.points().size() == 8, qPrintable(model.note()));
    for (const WhatIfPoint& point : model.points()) QCOMPARE(point.hit_share, 0.0);
    curves.remove_shown();
    QVERIFY(model.points().empty() && model.note().startsWith("Import quality curves first"));
  }
};

KV_TEST_MAIN(WhatIfPageTest)

}  // namespace what_if_page_test

#include "what_if_page_test.moc"
