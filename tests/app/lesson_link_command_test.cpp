// links: kv_base kv_cli_program
// Lessons on the command line of the window: what names none of those that ship is refused in one line, with exit code
// 2, before a window opens.
#include <QtTest>

#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace lesson_link_command_test {

using namespace kvantage::test;

class LessonLinkCommandTest : public QObject {
  Q_OBJECT

 private slots:
  void otherThingsThanLessonsAreRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* what, const QStringList& words, const char* said) {
      QTest::newRow(what) << words << QString::fromUtf8(said);
    };
    row("unknown lesson", {"--lesson", "none"}, "unknown lesson \"none\"; use one of ");
    row("path", {"--lesson", "/etc/passwd"}, "unknown lesson \"/etc/passwd\"");
    row("no such step", {"--lesson", "alpha#99"}, "lesson \"alpha\" has no step \"99\"; use a number from 1 to");
    row("link to no lesson", {"kvantage://lesson/none"}, "unknown lesson \"none\"; use one of ");
    row("link with a path", {"kvantage://lesson/..%2Falpha"}, "is no link to a lesson; write kvantage://lesson/NAME");
    row("link to something else", {"kvantage://run/1"}, "is no link to a lesson; write kvantage://lesson/NAME");
    row("link in capitals", {"KVANTAGE://lesson/alpha"}, "is no link to a lesson; write kvantage://lesson/NAME");
    row("both", {"--lesson", "alpha", "quickstart"}, "exclude each other");
  }
  void otherThingsThanLessonsAreRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, said);
    const Answer answer = call_window(words);
    QVERIFY2(answer.exit_code == 2, answer.text());
    QVERIFY2(answer.error.contains(said) && answer.error.count("error: ") == 1 && answer.is_of_short_lines(),
             answer.text());
    QVERIFY2(answer.out.isEmpty(), answer.text());
  }
};

KV_TEST_GUILESS_MAIN(LessonLinkCommandTest)

}  // namespace lesson_link_command_test

#include "lesson_link_command_test.moc"
