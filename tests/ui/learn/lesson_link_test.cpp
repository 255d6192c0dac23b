// links: kv_ui_models
// Links to lessons come from anywhere: each names a lesson that is here, or is refused in one line.
#include "ui/learn/model/lesson_link.h"

#include <QTest>
#include <algorithm>

#include "core/base/random.h"
#include "tests/support/damage.h"
#include "tests/support/test_program.h"

namespace lesson_link_test {

using namespace kvantage;

class LessonLinkTest : public QObject {
  Q_OBJECT

  static std::vector<KnownLesson> known() {
    return {{"alpha", "/lessons/alpha.lesson", 9}, {"two-walls", "/lessons/two-walls.lesson", 3}};
  }

 private slots:
  void linksNameALessonAndAStep_data() {
    QTest::addColumn<QString>("link");
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("step");
    QTest::newRow("lesson") << "kvantage://lesson/alpha"
                            << "alpha" << 0;
    QTest::newRow("step") << "kvantage://lesson/two-walls#3"
                          << "two-walls" << 3;
    QTest::newRow("encoded") << "kvantage://lesson/%61lph%61#9"
                             << "alpha" << 9;
    QTest::newRow("encoded dash") << "kvantage://lesson/two%2Dwalls"
                                  << "two-walls" << 0;
  }
  void linksNameALessonAndAStep() {
    QFETCH(QString, link);
    QFETCH(QString, name);
    QFETCH(int, step);
    QVERIFY(is_lesson_url(link));
    const auto found = parse_lesson_url(link, known());
    QVERIFY2(found, found ? "" : found.error().message.c_str());
    QCOMPARE(found->name, name);
    QCOMPARE(found->step, step);
  }

  void everythingElseIsRefused_data() {
    QTest::addColumn<QString>("link");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* what, const QString& link, const char* word) {
      QTest::newRow(what) << link << QString(word);
    };
    row("nothing", "", "no link");
    row("scheme alone", "kvantage:", "no link");
    row("no name", "kvantage://lesson/", "no link");
    row("other host", "kvantage://lessons/alpha", "no link");
    row("other letters", "KVANTAGE://lesson/alpha", "no link");
    row("other scheme", "https://lesson/alpha", "no link");
    row("unknown", "kvantage://lesson/beta", "alpha, two-walls");
    row("unknown letters", "kvantage://lesson/Alpha", "alpha, two-walls");
    row("path", "kvantage://lesson/../../etc/passwd", "no link");
    row("encoded path", "kvantage://lesson/..%2F..%2Fetc%2Fpasswd", "no link");
    row("folder", "kvantage://lesson/alpha/", "no link");
    row("ending", "kvantage://lesson/alpha.lesson", "no link");
    row("encoded twice", "kvantage://lesson/%2561lpha", "no link");
    row("half a code", "kvantage://lesson/alph%6", "no link");
    row("no code", "kvantage://lesson/alph%g1", "no link");
    row("encoded step", "kvantage://lesson/alpha%231", "no link");
    row("query", "kvantage://lesson/alpha?step=2", "no link");
    row("port", "kvantage://lesson:80/alpha", "no link");
    row("user", "kvantage://me@lesson/alpha", "no link");
    row("space", "kvantage://lesson/alpha ", "no link");
    row("line feed", "kvantage://lesson/alpha\nrm", "no link");
    row("no step", "kvantage://lesson/alpha#", "from 1 to 9");
    row("step 0", "kvantage://lesson/alpha#0", "from 1 to 9");
    row("step with zeros", "kvantage://lesson/alpha#01", "from 1 to 9");
    row("step with a sign", "kvantage://lesson/alpha#+1", "from 1 to 9");
    row("step too large", "kvantage://lesson/alpha#10", "from 1 to 9");
    row("step beyond all numbers", "kvantage://lesson/alpha#99999999999999999999", "from 1 to 9");
    row("two steps", "kvantage://lesson/alpha#1#2", "from 1 to 9");
    row("step and a line feed", "kvantage://lesson/alpha#1\n", "from 1 to 9");
    row("too long", "kvantage://lesson/" + QString(300, 'a'), "characters");
  }
  void everythingElseIsRefused() {
    QFETCH(QString, link);
    QFETCH(QString, word);
    const auto found = parse_lesson_url(link, known());
    QVERIFY(!found);
    QVERIFY(found.error().code == ErrorCode::usage);  // exit code 2
    QVERIFY2(found.error().message.find(word.toStdString()) != std::string::npos, found.error().message.c_str());
    QVERIFY(found.error().message.find('\n') == std::string::npos && found.error().message.size() < 300);
  }

  void namesOnTheCommandLineAreTheSame() {
    QCOMPARE(parse_lesson_name("alpha", known())->step, 0);
    QCOMPARE(parse_lesson_name("two-walls#2", known())->step, 2);
    for (const char* wrong : {"", "beta", "alpha#", "alpha#10", "alpha/1", "/lessons/alpha.lesson", "al%70ha", "#1"})
      QVERIFY2(!parse_lesson_name(wrong, known()), wrong);
  }

  void whatIsWrittenIsRead() {
    for (const KnownLesson& lesson : known())
      for (int step = 0; step <= lesson.steps; ++step) {
        const auto found = parse_lesson_url(lesson_url(lesson.name, step), known());
        QVERIFY(found && found->name == lesson.name && found->step == step);
        const LessonPlace place = split_lesson_place(lesson_place({lesson.path, step}));
        QVERIFY(place.path == lesson.path && place.step == step);
      }
    QCOMPARE(lesson_name("/lessons/two-walls.lesson"), QString("two-walls"));
    // A name of a file may have such a sign; it is no step.
    QCOMPARE(split_lesson_place("/less#4/alpha.lesson").path, QString("/less#4/alpha.lesson"));
    QCOMPARE(split_lesson_place("/lessons/alpha.lesson#0").step, 0);
  }

  // 10,000 damaged links: an error of one line, or a lesson that is here and a step that it has.
  void anyTextIsALessonOrRefused() {
    const auto rounds =
        static_cast<int>(test::fuzz_number("KVANTAGE_FUZZ_ROUNDS", test::is_long_run() ? 300'000 : 10'000));
    const std::vector<std::string> own{"kvantage://lesson/", "#",  "%61", "%2F", "%", "alpha",
                                       "two-walls",          "#3", "/",   ".."};
    const std::vector<KnownLesson> lessons = known();
    Random random(11);
    int read = 0, refused = 0;
    for (int round = 0; round < rounds; ++round) {
      const QString link = QString::fromStdString(
          test::damaged(round % 2 ? "kvantage://lesson/alpha#7" : "kvantage://lesson/two-walls", random, own));
      const auto found = parse_lesson_url(link, lessons);
      if (!found) {
        ++refused;
        QVERIFY2(found.error().message.find('\n') == std::string::npos && !found.error().message.empty() &&
                     found.error().message.size() < 600,
                 qPrintable(link));
        continue;
      }
      ++read;
      const auto lesson = std::ranges::find(lessons, found->name, &KnownLesson::name);
      QVERIFY2(lesson != lessons.end() && found->step >= 0 && found->step <= lesson->steps, qPrintable(link));
    }
    QVERIFY2(read > 0 && refused > rounds / 2, qPrintable(QStringLiteral("%1 read").arg(read)));
  }
};

KV_TEST_APPLESS_MAIN(LessonLinkTest)

}  // namespace lesson_link_test

#include "lesson_link_test.moc"
