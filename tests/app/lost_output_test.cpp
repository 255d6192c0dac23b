// links: kv_reports
// Output that gets lost is a failure: a full disk or a closed stream is exit code 1 and one line on stderr.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace lost_output_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class LostOutputTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString at(const char* name) const { return folder_.filePath(name); }
  static Answer call_with(const QStringList& words, const QString& redirection) {
    return call(words, {"sh", "-c", "exec \"$@\" " + redirection, "sh"});
  }

 private slots:
  void initTestCase() {
    const Answer imported = call({"runs", "import", KVANTAGE_SOURCE_DIR "/tests/goldens/written/2026-11/run.kvrun",
                                  "--db", at("runs.db"), "--quiet"});
    QVERIFY2(imported.exit_code == 0, imported.text());
  }

  void lostOutputIsAFailure_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("list") << QStringList{"methods"};
    QTest::newRow("JSON") << QStringList{"policies", "--json"};
    QTest::newRow("runs") << QStringList{"runs", "list", "--db", at("runs.db")};
    QTest::newRow("workloads") << QStringList{"workload", "list"};
    QTest::newRow("figures") << QStringList{"reproduce", "list"};
    QTest::newRow("completion") << QStringList{"completion", "bash"};
    QTest::newRow("manual") << QStringList{"man"};
    QTest::newRow("help") << QStringList{"run", "--help"};
    QTest::newRow("help command") << QStringList{"help", "run"};
    QTest::newRow("version") << QStringList{"--version"};
  }
  void lostOutputIsAFailure() {
    QFETCH(QStringList, words);
    const Answer whole = call(words);
    QVERIFY2(whole.exit_code == 0 && !whole.out.isEmpty(), whole.text());
    for (const char* redirection : {"> /dev/full", ">&-", ">&- <&-"}) {
      const Answer lost = call_with(words, redirection);
      QVERIFY2(lost.exit_code == 1 && lost.error_lines().size() == whole.error_lines().size() + 1 &&
                   lost.error_lines().constLast().startsWith("error: standard output: not all of it"),
               lost.text());
    }
  }

  // The shell's limit is of 512 bytes or 1 KiB; pipes have none.
  void aFileThatMayNotGrowIsAnError() {
    const QStringList limited{"sh", "-c", "ulimit -f 1; exec \"$@\"", "sh"};
    const Answer made = call({"workload", "make", "--out", at("made")}, limited);
    QVERIFY2(made.exit_code == 1 && made.error_lines().size() == 1, made.text());
    QVERIFY2(made.error.startsWith("error: ") && made.error.contains("(File too large); "), made.text());
    const Answer printed = call({"man"}, {"sh", "-c", "ulimit -f 1; exec \"$@\" > " + at("manual"), "sh"});
    QVERIFY2(printed.exit_code == 1 && printed.error_lines().size() == 1, printed.text());
    QVERIFY2(printed.error.startsWith("error: standard output: not all of it"), printed.text());
  }

  void windowsHelpIsNotLostSilently() {
    const Answer lost = call_words({"sh", "-c", "exec \"$@\" > /dev/full", "sh", window_program(), "--help"});
    QVERIFY2(lost.exit_code == 1 && lost.error_lines().size() == 1, lost.text());
  }

  void failuresStayWhatTheyAre() {
    QCOMPARE(call_with({"rum"}, "> /dev/full").exit_code, 2);
    QCOMPARE(call_with({"store", "stat", at("none")}, "> /dev/full").exit_code, 3);
  }

  // A stream that is closed leaves its number to the next file.
  void closedStreamsAreNoFile() {
    const Answer closed =
        call_with({"runs", "export", "last", at("closed.kvrun"), "--db", at("runs.db")}, "<&- >&- 2>&-");
    QVERIFY2(closed.exit_code == 0, closed.text());
    const Answer whole = call({"runs", "export", "last", at("whole.kvrun"), "--db", at("runs.db")});
    QVERIFY2(whole.exit_code == 0, whole.text());
    QCOMPARE(read_text_file(at("closed.kvrun").toStdString()).value(),
             read_text_file(at("whole.kvrun").toStdString()).value());
  }

  void fullDevicesAreAnErrorOfTheFile() {
    const path link = at("full").toStdString();
    std::filesystem::create_symlink("/dev/full", link);  // as root a renamed file would replace the device itself
    const Status written = write_text_file(link, "text");
    QVERIFY(!written);
    QVERIFY2(written.error().code == ErrorCode::no_space && written.error().message.starts_with(link.string()),
             written.error().message.c_str());
    QVERIFY(std::filesystem::is_symlink(link));
    const Answer folder = call({"workload", "make", "--out", text_of(link)});
    QVERIFY2(folder.exit_code != 0 && folder.error_lines().size() == 1, folder.text());
    QVERIFY(std::filesystem::is_symlink(link));
  }

  void devicesAndPipesAreWrittenInPlace() {
    const path link = at("null").toStdString();
    std::filesystem::create_symlink("/dev/null", link);
    QVERIFY(write_text_file(link, "text").has_value());
    QVERIFY(std::filesystem::is_symlink(link));
    const path file = at("plain").toStdString();
    QVERIFY(write_text_file(file, "a").has_value() && write_text_file(file, "b").has_value());
    QCOMPARE(read_text_file(file).value(), std::string("b"));
  }
};

KV_TEST_GUILESS_MAIN(LostOutputTest)

}  // namespace lost_output_test

#include "lost_output_test.moc"
