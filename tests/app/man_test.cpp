// links: kv_reports
// Manual pages: one per command, with every option of the reference, and one of the window's program, that roff and
// mandoc read without a complaint.
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace man_test {

using namespace kvantage::test;

class ManTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QStringList sections_;  // of the reference

  static QString page_of(const QString& command) { return "kvantage-cli-" + QString(command).replace(' ', '-'); }

  static bool has_commit() {
    QProcess git;
    git.start("git", {"-C", KVANTAGE_SOURCE_DIR, "log", "-1", "--format=%cs"});
    return git.waitForFinished(60000) && git.exitCode() == 0;
  }

 private slots:
  void initTestCase() {
    QFile file(QString(KVANTAGE_SOURCE_DIR) + "/docs/cli.md");
    QVERIFY(file.open(QIODevice::ReadOnly));
    sections_ = QString::fromUtf8(file.readAll()).split("\n## kvantage-cli ").mid(1);
    QVERIFY(sections_.size() > 30);
    const Answer answer = call({"man", "--out", folder_.filePath("man1")});
    QVERIFY2(answer.exit_code == 0 && answer.out.isEmpty() && answer.error.isEmpty(), answer.text());
  }

  void everyCommandHasAPage() {
    QStringList wanted{"kvantage.1", "kvantage-cli.1"};
    for (const QString& section : sections_) wanted << page_of(section.section('\n', 0, 0)) + ".1";
    wanted.sort();
    QCOMPARE(QDir(folder_.filePath("man1")).entryList(QDir::Files, QDir::Name), wanted);
  }

  // The page is written by hand: its options are those that the program has.
  void theWindowHasAPage() {
    QFile file(folder_.filePath("man1/kvantage.1"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString page = QString::fromUtf8(file.readAll()).replace("\\-", "-");
    QVERIFY2(page.contains(".TH KVANTAGE 1 ") && page.contains("WORKLOAD") && page.contains("EXIT STATUS"),
             qPrintable(page));
    const auto options = [](const QString& text, const QRegularExpression& form) {
      QStringList names;
      for (auto found = form.globalMatch(text); found.hasNext();) names << found.next().captured(1);
      names.sort();
      return names;
    };
    const QStringList has = options(call_window({"--help-all"}).out, QRegularExpression("\n  (?:-h,)?(--[a-z-]+)"));
    QVERIFY(has.size() > 15);
    QCOMPARE(options(page, QRegularExpression(R"(\\fB(--[a-z-]+)\\fR)")), has);
  }

  // As it is read: with the options of the reference, hyphens and all.
  void aPageSaysWhatTheReferenceSays_data() {
    QTest::addColumn<QString>("section");
    for (const QString& section : sections_) QTest::newRow(qPrintable(section.section('\n', 0, 0))) << section;
  }
  void aPageSaysWhatTheReferenceSays() {
    QFETCH(QString, section);
    if (QStandardPaths::findExecutable("man").isEmpty()) QSKIP("man-db is not installed (./run test installs it)");
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("MANWIDTH", "100");
    environment.insert("LC_ALL", "C.UTF-8");
    QProcess man;
    man.setProcessEnvironment(environment);
    const QString command = section.section('\n', 0, 0);
    man.start("man", {"--warnings", "-l", folder_.filePath("man1/" + page_of(command) + ".1")});
    QVERIFY(man.waitForFinished(60000));
    QCOMPARE(QString::fromUtf8(man.readAllStandardError()), QString());
    QCOMPARE(man.exitCode(), 0);
    const QString page = QString::fromUtf8(man.readAllStandardOutput());
    QVERIFY2(page.contains("kvantage-cli " + command) && page.contains("EXIT STATUS"), qPrintable(page));
    static const QRegularExpression option("\n- `(--[a-z0-9-]+|[A-Z]+)");
    for (auto found = option.globalMatch(section); found.hasNext();) {
      const QString name = found.next().captured(1);
      QVERIFY2(page.contains(QRegularExpression("\n +" + name + "[ \n]")), qPrintable(name + "\n" + page));
    }
    QVERIFY2(page.contains("JSON OUTPUT") == section.contains("\nWith `--json` it prints"), qPrintable(page));
    QVERIFY2(!page.contains('`') && !page.contains("]("), qPrintable(page));  // nothing of Markdown is left
  }

  void mandocHasNothingAgainstThem() {
    if (QStandardPaths::findExecutable("mandoc").isEmpty()) QSKIP("mandoc is not installed (./run test installs it)");
    for (const QString& name : QDir(folder_.filePath("man1")).entryList(QDir::Files)) {
      QProcess mandoc;
      mandoc.setProcessChannelMode(QProcess::MergedChannels);
      mandoc.start("mandoc", {"-T", "lint", "-W", "warning", folder_.filePath("man1/" + name)});
      QVERIFY(mandoc.waitForFinished(60000));
      const QString said = QString::fromUtf8(mandoc.readAll());
      // The date is that of the commit; sources without one have no date.
      QVERIFY2(said.isEmpty() || (!has_commit() && said.count('\n') == 1 && said.contains("missing date")),
               qPrintable(said));
    }
  }

  void onePageIsPrinted() {
    QFile file(folder_.filePath("man1/kvantage-cli-workload-make.1"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(call({"man", "workload", "make"}).out, QString::fromUtf8(file.readAll()));
    const Answer unknown = call({"man", "workload", "mkae"});
    QVERIFY2(unknown.exit_code == 2 && unknown.error.contains("did you mean 'workload make'?"), unknown.text());
  }
};

KV_TEST_GUILESS_MAIN(ManTest)

}  // namespace man_test

#include "man_test.moc"
