// links: kv_ui_models
// Lessons as files: those that ship are read, and an error in one is reported with its file and line.
#include "ui/learn/model/lesson_file.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "core/base/random.h"
#include "tests/support/damage.h"
#include "tests/support/test_program.h"
#include "ui/learn/model/lesson_facts.h"
#include "ui/learn/model/lesson_metrics.h"
#include "ui/learn/model/lesson_slide.h"

namespace lesson_file_test {

using namespace kvantage;

class LessonFileTest : public QObject {
  Q_OBJECT

  /// Of asking(): what makes its prediction one of a number.
  static constexpr const char* asked_number = "guess: number 0 to 1\nvalue: measured_quality\nwithin: 0.1\n";

  static QString folder() { return QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons"); }
  static std::string sound() {
    return "# about this file\n"
           "lesson: A title\n"
           "order: 3\n"
           "about: What it\n"
           "  teaches.\n"
           "workload: quickstart\n"
           "layout: Overview\n"
           "dock: tiers\n"
           "set: alpha = 0.5\n"
           "\n"
           "step: First\n"
           "  Words and {measured}.\n"
           "\n"
           "  A second paragraph.\n"
           "at: controls / Alpha\n"
           "do: lowest\n"
           "wait: 5 request.finished\n"
           "question: Why?\n"
           "  Look.\n"
           "at: frontier\n"
           "answer: This\n"
           "  No.\n"
           "right: That\n"
           "  Yes.\n";
  }
  static std::string asking() {
    return "lesson: A title\n"
           "order: 3\n"
           "about: What it teaches.\n"
           "workload: quickstart\n"
           "layout: Overview\n"
           "predict: How good?\n"
           "  Think.\n"
           "at: controls / Alpha\n" +
           std::string(asked_number) +
           "hide: frontier\n"
           "then: Now look at {measured}.\n"
           "  And on.\n"
           "do: lowest\n"
           "wait: 5 request.finished\n"
           "slide: chart=hitRates control=policy\n"
           "question: Why?\n"
           "  Look.\n"
           "at: frontier\n"
           "answer: This\n"
           "  No.\n"
           "right: That\n"
           "  Yes.\n";
  }
  static SessionSettings one_tier() {
    SessionSettings settings;
    settings.tiers = {{.name = "dram", .budget = 1}};
    settings.methods = {"none"};
    settings.removed_fractions = {0.5};
    return settings;
  }
  static QString error_of(const std::string& text) {
    const auto lesson = parse_lesson(text, "x.lesson");
    return lesson ? QString() : QString::fromStdString(lesson.error().message);
  }
  static void add_error_columns() {
    QTest::addColumn<QString>("from");  // replaced in a file without an error
    QTest::addColumn<QString>("to");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("word");
  }
  /// The error of a file with the replacement of this row; checks that it has the row's line and word.
  static void planted_error(const std::string& file, QString& error) {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(int, line);
    QFETCH(QString, word);
    QString text = QString::fromStdString(file);
    QVERIFY(text.contains(from));
    text.replace(text.indexOf(from), from.size(), to);
    error = error_of(text.toStdString());
    QVERIFY2(error.startsWith(QStringLiteral("x.lesson:%1: ").arg(line)), qPrintable(error));
    QVERIFY2(error.contains(word) && !error.contains('\n'), qPrintable(error));
  }

 private slots:
  void whatIsWrittenIsRead() {
    const auto lesson = parse_lesson(sound(), "x.lesson");
    QVERIFY2(lesson, qPrintable(error_of(sound())));
    QCOMPARE(lesson->title, QString("A title"));
    QCOMPARE(lesson->about, QString("What it teaches."));
    QCOMPARE(lesson->order, 3);
    QCOMPARE(lesson->settings.front().value, QString("0.5"));
    QCOMPARE(lesson->steps.size(), std::size_t{2});
    const LessonStep& first = lesson->steps[0];
    QCOMPARE(first.text, QString("Words and {measured}.\n\nA second paragraph."));
    QCOMPARE(first.target.dock, QString("controls"));
    QCOMPARE(first.target.control, QString("Alpha"));
    QVERIFY(first.act.kind == LessonAct::Kind::lowest);
    QCOMPARE(first.events, 5);
    QCOMPARE(lesson->steps[1].answers.size(), std::size_t{2});
    QVERIFY(lesson->steps[1].answers[1].right && lesson->steps[1].answers[1].reply == "Yes.");
    QCOMPARE(with_lesson_settings(*lesson, one_tier())->alpha, 0.5);
  }

  void aPredictionAndASlideAreRead() {
    const auto lesson = parse_lesson(asking(), "x.lesson");
    QVERIFY2(lesson, qPrintable(error_of(asking())));
    const LessonStep& step = lesson->steps[0];
    const LessonGuess& guess = step.guess;
    QVERIFY(guess.asked && guess.kind == LessonGuess::Kind::number && !lesson->steps[1].guess.asked);
    QVERIFY(guess.range.low == 0 && guess.range.high == 1 && guess.unit.isEmpty());
    QVERIFY(guess.value == "measured_quality" && guess.within == 0.1 && !guess.relative);
    QCOMPARE(guess.hidden, QStringList{"frontier"});
    QCOMPARE(guess.then, QString("Now look at {measured}. And on."));
    QVERIFY(step.act.kind == LessonAct::Kind::lowest && step.events == 5);
    QVERIFY(step.slide.chart == "hitRates" && step.slide.control == "policy");
    QVERIFY(slide_of(step).chart == "hitRates" && slide_of(lesson->steps[1]).chart == "frontier");
    QVERIFY(slide_of(lesson->steps[1]).control.isEmpty());
    Lesson shown = *lesson;
    QCOMPARE(shown_texts(shown).size(), std::size_t{11});  // title, about, 2 x (title, text), then, 2 x (answer, reply)
  }

  void choicesAndCurvePointsAreRead() {
    QString text = QString::fromStdString(asking());
    text.replace(asked_number,
                 "guess: choice\nvalue: prefill_share\nchoice: Few | below 10\nchoice: Some | 10 to 50\n"
                 "choice: Most | above 50\n");
    const auto lesson = parse_lesson(text.toStdString(), "x.lesson");
    QVERIFY2(lesson, qPrintable(error_of(text.toStdString())));
    const LessonGuess& guess = lesson->steps[0].guess;
    QCOMPARE(guess.choices.size(), std::size_t{3});
    QCOMPARE(guess.choices[1].text, QString("Some"));
    QVERIFY(guess_is_right(guess, 0, 0, 9.99) && !guess_is_right(guess, 0, 0, 10) && guess_is_right(guess, 0, 1, 10));
    QVERIFY(guess_is_right(guess, 0, 2, 50) && !guess_is_right(guess, 0, 3, 50) && !guess_is_right(guess, 0, -1, 50));

    text = QString::fromStdString(asking());
    text.replace(asked_number, "guess: curve_point\nvalue: knee_alpha\nwithin: 100 %\n");
    const auto curve = parse_lesson(text.toStdString(), "x.lesson");
    QVERIFY2(curve, qPrintable(error_of(text.toStdString())));
    const LessonGuess& point = curve->steps[0].guess;
    QVERIFY(guess_is_right(point, 0.2, -1, 0.4) && guess_is_right(point, 0.4, -1, 0.2));
    QVERIFY(!guess_is_right(point, 0.19, -1, 0.4) && !guess_is_right(point, 0, -1, 0.4));
  }

  void errorsOfPredictionsNameFileAndLine_data() {
    add_error_columns();
    const auto row = [](const char* what, const char* from, const char* to, int line, const char* word) {
      QTest::newRow(what) << QString(from) << QString(to) << line << QString(word);
    };
    const char* number = "guess: number 0 to 1\n";
    row("no guess", number, "", 6, "needs \"guess\"");
    row("guess twice", number, "guess: choice\nguess: choice\n", 10, "twice");
    row("unknown guess", number, "guess: a word\n", 9, "a word");
    row("range of letters", number, "guess: number few to many\n", 9, "few to many");
    row("empty range", number, "guess: number 1 to 1\n", 9, "1 to 1");
    row("infinite range", number, "guess: number 0 to inf\n", 9, "inf");
    row("unknown unit", number, "guess: number 0 to 1 miles\n", 9, "miles");
    row("other unit than the metric", number, "guess: number 0 to 1 s\n", 6, "unit");
    row("no metric", "value: measured_quality\n", "", 6, "needs \"value\"");
    row("unknown metric", "value: measured_quality", "value: taste", 10, "taste");
    row("metric twice", "within: 0.1", "value: measured_ttft", 11, "twice");
    row("no within", "within: 0.1\n", "", 6, "needs \"within\"");
    row("within of nothing", "within: 0.1", "within: 0", 11, "above 0");
    row("within of letters", "within: 0.1", "within: close", 11, "close");
    row("within twice", "hide: frontier", "within: 1", 12, "twice");
    row("controls are not hidden", "hide: frontier", "hide: controls", 12, "controls");
    row("hidden twice", "hide: frontier\n", "hide: frontier\nhide: frontier\n", 13, "twice");
    row("then twice", "  And on.\n", "then: More\n", 14, "twice");
    row("unknown fact in then", "{measured}", "{guessed}", 13, "guessed");
    row("choices of a number", "hide: frontier", "choice: Few | below 1", 6, "guess: choice");
    row("choice without a range", number, "guess: choice\nchoice: Few\n", 10, "has no range");
    row("range of a choice", number, "guess: choice\nchoice: Few | under 1\n", 10, "under 1");
    row("within of choices", number, "guess: choice\nchoice: Few | below 1\nchoice: Many | above 1\n", 6, "within");
    row("alpha is no number", asked_number, "guess: curve_point\nvalue: measured_quality\nwithin: 10 %\n", 6,
        "knee_alpha");
    row("curve point by a distance", asked_number, "guess: curve_point\nvalue: knee_alpha\nwithin: 0.1\n", 6,
        "within: 100 %");
    row("a gap between choices", asked_number,
        "guess: choice\nvalue: prefill_share\nchoice: Few | below 10\nchoice: Many | above 20\n", 6,
        "cover every value");
    row("one choice", asked_number, "guess: choice\nvalue: prefill_share\nchoice: Few | below 10\n", 6,
        "cover every value");
    row("guess in a step", "predict: How good?", "step: How good?", 9, "belongs to a prediction");
    row("then in a question", "at: frontier\nanswer", "at: frontier\nthen: More\nanswer", 21,
        "belongs to a prediction");
    row("slide of nothing", "slide: chart=hitRates control=policy", "slide: hitRates", 17, "form");
    row("unknown chart", "chart=hitRates", "chart=weather", 17, "weather");
    row("unknown control", "control=policy", "control=wheel", 17, "wheel");
    row("slide twice", "slide: chart=hitRates control=policy\n", "slide: chart=fit\nslide: chart=fit\n", 18, "twice");
  }
  void errorsOfPredictionsNameFileAndLine() {
    QString error;
    planted_error(asking(), error);
    if (!QTest::currentTestFailed()) QVERIFY2(error.contains("; "), qPrintable(error));
  }

  // Right and wrong follow from the run: the files have ranges and metrics, and no result.
  void lessonsThatShipAskForPredictions() {
    QStringList errors;
    int lessons = 0, numbers = 0, choices = 0, points = 0;
    for (const Lesson& lesson : read_lessons(folder(), errors)) {
      int asked = 0;
      for (const LessonStep& step : lesson.steps) {
        if (!step.guess.asked) continue;
        ++asked;
        numbers += step.guess.kind == LessonGuess::Kind::number;
        choices += step.guess.kind == LessonGuess::Kind::choice;
        points += step.guess.kind == LessonGuess::Kind::curve_point;
        QVERIFY2(find_lesson_metric(step.guess.value), qPrintable(step.title));
      }
      lessons += asked > 0;
    }
    QVERIFY2(lessons >= 2, qPrintable(QString::number(lessons)));
    QVERIFY(numbers >= 1 && choices >= 1 && points >= 1);
  }

  void errorsNameFileAndLine_data() {
    add_error_columns();
    QTest::newRow("no title first") << "lesson: A title\n"
                                    << "" << 2 << "lesson: TITLE";
    QTest::newRow("unknown name") << "dock: tiers"
                                  << "docks: tiers" << 8 << "docks";
    QTest::newRow("unknown in a step") << "do: lowest"
                                       << "act: lowest" << 16 << "act";
    QTest::newRow("order of letters") << "order: 3"
                                      << "order: third" << 3 << "third";
    QTest::newRow("order too large") << "order: 3"
                                     << "order: 300" << 3 << "1 to 99";
    QTest::newRow("twice") << "dock: tiers"
                           << "order: 4" << 8 << "twice";
    QTest::newRow("no value") << "layout: Overview"
                              << "layout:" << 7 << "no value";
    QTest::newRow("no colon") << "dock: tiers"
                              << "dock tiers" << 8 << "no colon";
    QTest::newRow("no equals") << "set: alpha = 0.5"
                               << "set: alpha 0.5" << 9 << "NAME = VALUE";
    QTest::newRow("unknown fact") << "{measured}"
                                  << "{guessed}" << 12 << "guessed";
    QTest::newRow("unclosed fact") << "{measured}"
                                   << "{measured and so on" << 12 << "measured and so on";
    QTest::newRow("unknown act") << "do: lowest"
                                 << "do: jump" << 16 << "jump";
    QTest::newRow("two acts") << "do: lowest\n"
                              << "do: lowest\ndo: highest\n"
                              << 17 << "twice";
    QTest::newRow("act on a dock") << "at: controls / Alpha"
                                   << "at: controls" << 11 << "needs a control";
    QTest::newRow("unknown event") << "5 request.finished"
                                   << "5 request.done" << 17 << "request.done";
    QTest::newRow("no number of events") << "wait: 5 "
                                         << "wait: some " << 17 << "integer";
    QTest::newRow("says nothing") << "  Words and {measured}.\n\n  A second paragraph.\n"
                                  << "" << 11 << "has no text";
    QTest::newRow("points at nothing") << "at: controls / Alpha\ndo: lowest\n"
                                       << "" << 11 << "has no target";
    QTest::newRow("no question") << "question: Why?\n  Look.\nat: frontier\nanswer: This\n  No.\nright: That\n  Yes.\n"
                                 << "" << 18 << "question";
    QTest::newRow("two right") << "answer: This"
                               << "right: This" << 18 << "one of them";
    QTest::newRow("no reply") << "  Yes.\n"
                              << "" << 18 << "no reply";
    QTest::newRow("answer in a step") << "do: lowest"
                                      << "answer: lowest" << 16 << "belongs to a question";
    QTest::newRow("step after the question") << "  Yes.\n"
                                             << "  Yes.\nstep: More\n  Words.\nat: tiers\n"
                                             << 25 << "last step";
    QTest::newRow("words of nothing") << "dock: tiers\n"
                                      << "dock: tiers\n  words\n"
                                      << 9 << "indented";
    QTest::newRow("not UTF-8") << "A title" << QString(QChar(0)) << 1 << "UTF-8";
  }
  void errorsNameFileAndLine() {
    QString error;
    planted_error(sound(), error);
  }

  void settingsThatTheSessionRefusesAreFoundAtTheirLine_data() {
    QTest::addColumn<QString>("setting");
    for (const char* setting :
         {"alpha = -1", "alpha = much", "policy = nobody", "tape budget = 1MiB", "dram budget = 1 furlong",
          "dram colour = 3", "removed_fractions = 0.5, 1.5", "reprofile = maybe", "reprofile_when = soon",
          "reprofile_when = below(3)", "reprofile_threshold = 1.5", "methods = (", "speed = 3"})
      QTest::newRow(setting) << setting;
  }
  void settingsThatTheSessionRefusesAreFoundAtTheirLine() {
    QFETCH(QString, setting);
    QString text = QString::fromStdString(sound());
    text.replace("alpha = 0.5", setting);
    const auto lesson = parse_lesson(text.toStdString(), "x.lesson");
    QVERIFY(lesson);
    const auto taken = with_lesson_settings(*lesson, one_tier());
    QVERIFY(!taken);
    QVERIFY2(taken.error().message.starts_with("x.lesson:9: "), taken.error().message.c_str());
  }

  void aLessonMayChooseWhenToReprofile() {
    for (const auto& [setting, rule] :
         {std::pair("reprofile_when = absolute(0.25)", ReprofileRule::absolute(0.25)),
          std::pair("reprofile_threshold = 0.15", ReprofileRule::relative(0.15))}) {  // as older lessons have it
      QString text = QString::fromStdString(sound());
      text.replace("alpha = 0.5", setting);
      const auto lesson = parse_lesson(text.toStdString(), "x.lesson");
      QVERIFY(lesson);
      const auto taken = with_lesson_settings(*lesson, one_tier());
      QVERIFY2(taken, taken ? "" : taken.error().message.c_str());
      QVERIFY(taken->reprofile_when == rule);
    }
  }

  void aLessonMayChooseSpeculation() {
    const auto with = [](const char* setting) {
      QString text = QString::fromStdString(sound());
      text.replace("alpha = 0.5", setting);
      return with_lesson_settings(*parse_lesson(text.toStdString(), "x.lesson"), one_tier());
    };
    const auto taken = with("speculation = lookup(n=2)");
    QVERIFY2(taken, taken ? "" : taken.error().message.c_str());
    QCOMPARE(taken->speculation, std::string("lookup(n=2)"));
    const auto refused = with("speculation = guess");
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.starts_with("x.lesson:9: set: speculation = guess: "),
             refused.error().message.c_str());
  }

  void aBalancedBandwidthIsThatOfTheMachine() {
    QString text = QString::fromStdString(sound());
    text.replace("alpha = 0.5", "dram bandwidth = balanced");
    const auto lesson = parse_lesson(text.toStdString(), "x.lesson");
    QVERIFY(lesson);
    QCOMPARE(with_lesson_settings(*lesson, one_tier(), 24e6)->tiers[0].throttle.bytes_per_second, 24e6);
    QCOMPARE(with_lesson_settings(*lesson, one_tier())->tiers[0].throttle.bytes_per_second, 0.0);  // full speed
  }

  void everyLessonThatShipsIsRead() {
    QStringList errors;
    const std::vector<Lesson> lessons = read_lessons(folder(), errors);
    QVERIFY2(errors.isEmpty(), qPrintable(errors.join('\n')));
    QVERIFY2(lessons.size() >= 5, qPrintable(QString::number(lessons.size())));
    for (std::size_t i = 1; i < lessons.size(); ++i) QVERIFY(lessons[i - 1].order < lessons[i].order);
    for (const Lesson& lesson : lessons) QVERIFY2(!lesson.source.isEmpty(), qPrintable(lesson.path));
  }

  void aBrokenFileIsToldAndTheOthersStay() {
    QTemporaryDir folder;
    std::ofstream(folder.filePath("a.lesson").toStdString()) << sound();
    std::ofstream(folder.filePath("b.lesson").toStdString()) << "lesson: B\nnonsense\n";
    std::ofstream(folder.filePath("c.txt").toStdString()) << "no lesson at all";
    QStringList errors;
    QCOMPARE(read_lessons(folder.path(), errors).size(), std::size_t{1});
    QCOMPARE(errors.size(), 1);
    QVERIFY2(errors[0].contains("b.lesson:2: "), qPrintable(errors[0]));
  }

  // Whatever a file holds: a lesson, or an error with its place. KVANTAGE_FUZZ_ROUNDS asks for more of them.
  void anyBytesAreReadOrRefused() {
    const auto rounds =
        static_cast<int>(test::fuzz_number("KVANTAGE_FUZZ_ROUNDS", test::is_long_run() ? 300'000 : 3'000));
    Random random(5);
    int read = 0, refused = 0;
    const std::string pieces[] = {"step: ",
                                  "question: ",
                                  "at: ",
                                  "\n",
                                  "  ",
                                  "{",
                                  "}",
                                  ":",
                                  "right: x\n  y\n",
                                  "wait: 99999999999 x",
                                  "set: a = b",
                                  "predict: x\n  y\n",
                                  "guess: number 0 to 1\n",
                                  "choice: a | below 1\n",
                                  "slide: chart=fit\n",
                                  "\r\n",
                                  "\xff",
                                  std::string(1, '\0'),
                                  "é"};
    for (int round = 0; round < rounds; ++round) {
      std::string text = sound();
      for (std::uint64_t change = 0, changes = 1 + random.below(6); change < changes; ++change) {
        const std::size_t at = static_cast<std::size_t>(random.below(text.size() + 1));
        switch (random.below(4)) {
          case 0:
            text.insert(at, pieces[random.below(std::size(pieces))]);
            break;
          case 1:
            text.erase(at, static_cast<std::size_t>(random.below(40)));
            break;
          case 2:
            if (at < text.size()) text[at] = static_cast<char>(random.below(256));
            break;
          default:
            text.insert(at, text.substr(static_cast<std::size_t>(random.below(text.size() + 1)), 60));
            break;
        }
      }
      const auto lesson = parse_lesson(text, "x.lesson");
      if (lesson) {
        ++read;
        QVERIFY(!lesson->title.isEmpty() && !lesson->steps.empty() && lesson->steps.back().answers.size() >= 2);
      } else {
        ++refused;
        QVERIFY(
            QString::fromStdString(lesson.error().message).contains(QRegularExpression("^x\\.lesson:[1-9][0-9]*: ")));
      }
    }
    QVERIFY2(read > rounds / 50 && refused > rounds / 4, qPrintable(QStringLiteral("%1 %2").arg(read).arg(refused)));
  }
};

KV_TEST_GUILESS_MAIN(LessonFileTest)

}  // namespace lesson_file_test

#include "lesson_file_test.moc"
