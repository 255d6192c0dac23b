// links: kv_base kv_cli_program
// docs/make_reproduce.sh: pages of the documentation from a folder of `reproduce all`. They show pictures that are in
// the tree, and name no file that is not.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace make_reproduce_test {

using namespace kvantage;
using namespace kvantage::test;

class MakeReproduceTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  static QString text_of(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  void write(const QString& name, const QByteArray& text) const {
    const QString path = folder_.filePath("made/" + name);
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("%s", qPrintable(path));
  }
  static QString docs() { return QString::fromStdString((source_directory() / "docs").string()); }

 private slots:
  void smallPicturesAreCopiedAndOthersNotNamed() {
    if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("no python3 here");
    write("evicpress/fig8-1.svg", "<svg/>");
    write("evicpress/fig8-2.svg", QByteArray(60'001, 'x'));
    for (int i = 3; i < 60; ++i) write("evicpress/fig8-" + QString::number(i) + ".svg", QByteArray(59'000, 'x'));
    QByteArray page =
        "# EvicPress\n\n## evicpress/fig8\n\nMean TTFT of [fig8].\n\n"
        "![A title \\[s\\] that\ncontinues](evicpress/fig8-1.svg)\n\n"
        "A title \\[s\\] that continues: 94 rows:\n[fig8.csv](evicpress/fig8.csv)\n\n"
        "![Too large](evicpress/fig8-2.svg)\n\nToo large:\n\n| a |\n|---|\n| 1 |\n\n"
        "One: 1 row: [fig8.csv](evicpress/fig8.csv)\n";
    for (int i = 3; i < 60; ++i) page += "\n![More](evicpress/fig8-" + QByteArray::number(i) + ".svg)\n";
    write("reproduce-evicpress.md", page);
    const QString out = folder_.filePath("docs");
    QVERIFY(QDir().mkpath(out));
    QProcess script;
    script.start("bash", {docs() + "/make_reproduce.sh", folder_.filePath("made"), out});
    QVERIFY(script.waitForFinished(60'000));
    QVERIFY2(script.exitCode() == 0, script.readAllStandardError().constData());

    const QString shown = text_of(out + "/reproduce-evicpress.md");
    QVERIFY2(!shown.contains(".csv") && !shown.contains("Too large]"), qPrintable(shown.left(900)));
    QVERIFY(shown.startsWith("# EvicPress\n\n## evicpress/fig8\n\nMean TTFT of [fig8].\n\n"));
    QVERIFY2(
        shown.contains("![A title \\[s\\] that continues](reproduce/evicpress/fig8-1.svg)\n\n"
                       "A title \\[s\\] that continues: 94 rows.\n\nToo large:\n\n| a |\n|---|\n| 1 |\n\nOne: 1 row."),
        qPrintable(shown.left(900)));
    QCOMPARE(text_of(out + "/reproduce/evicpress/fig8-1.svg"), QString("<svg/>"));
    qint64 bytes = 0;
    int files = 0;
    for (QDirIterator at(out + "/reproduce", QDir::Files, QDirIterator::Subdirectories); at.hasNext(); ++files) {
      at.next();
      bytes += at.fileInfo().size();
      QVERIFY2(shown.contains("](reproduce/evicpress/" + at.fileName() + ")"), qPrintable(at.fileName()));
    }
    QVERIFY2(bytes <= 3'000'000 && bytes > 2'900'000, qPrintable(QString::number(bytes)));
    QCOMPARE(shown.count("](reproduce/"), files);
  }

  void thePagesInTheTreeNameFilesThatAreThere() {
    const QStringList pages = QDir(docs()).entryList({"reproduce*.md"});
    QVERIFY(pages.size() >= 6);
    static const QRegularExpression picture("!\\[[^\\]]*\\]\\(([^)]*)\\)");
    for (const QString& page : pages) {
      const QString text = text_of(docs() + "/" + page);
      QVERIFY2(!text.contains(".csv"), qPrintable(page));
      for (auto at = picture.globalMatch(text); at.hasNext();) {
        const QString file = at.next().captured(1);
        QVERIFY2(QFile::exists(docs() + "/" + file), qPrintable(page + ": " + file));
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(MakeReproduceTest)

}  // namespace make_reproduce_test

#include "make_reproduce_test.moc"
