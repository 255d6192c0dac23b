// links: kv_ui
// Random damage to layouts and to the lessons that ship with their translations: read, or refused with file, reason and
// fix. Settings of a lesson are taken by a session, or refused as well; a window takes the state of a layout or leaves
// it.
// KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QMainWindow>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "tests/support/damage.h"
#include "tests/support/refusals.h"
#include "tests/support/test_program.h"
#include "ui/learn/model/lesson_file.h"
#include "ui/text/translated_texts.h"
#include "ui/window/layout/layout_file.h"

namespace files_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;

class FilesFuzzTest : public QObject {
  Q_OBJECT

  static std::uint64_t executions(std::uint64_t otherwise) { return fuzz_executions(default_tries(otherwise)); }
  static std::uint64_t seed() { return fuzz_number("KVANTAGE_FUZZ_SEED", 1); }
  static void write(const QString& path, const std::string& text) {
    std::ofstream stream(path.toStdString(), std::ios::binary | std::ios::trunc);
    stream << text;
  }
  static void fill(QMainWindow& window) {
    for (const char* id : {"controls", "tiers", "events"}) {
      auto* dock = new QDockWidget(QString::fromLatin1(id), &window);
      dock->setObjectName(QString::fromLatin1(id));
      window.addDockWidget(Qt::LeftDockWidgetArea, dock);
    }
  }

  QTemporaryDir folder_{QDir("/dev/shm").exists() ? QStringLiteral("/dev/shm/kvantage-fuzz-XXXXXX")
                                                  : QDir::tempPath() + QStringLiteral("/kvantage-fuzz-XXXXXX")};

 private slots:
  void layoutsAreReadOrRefused() {
    const QString path = folder_.filePath(QStringLiteral("mine.kvlayout"));
    QMainWindow window;
    fill(window);
    QVERIFY(write_layout(
        {QStringLiteral("For teaching"), {QStringLiteral("controls"), QStringLiteral("tiers")}, window.saveState(1)},
        path));
    const std::string whole = read_text_file(path.toStdString()).value();
    static const std::vector<std::string> own{"\"name\":", "\"docks\":[]", "\"version\": 1", "AAAA",
                                              "=",         "/wAAAA",       "\"format\""};
    Outcomes outcomes;
    for (std::uint64_t i = 0, tries = executions(20'000); i < tries; ++i) {
      Random random(derive_seed(seed(), i));
      write(path, damaged(whole, random, own));
      const auto layout = read_layout(path);
      const auto told = [&] {
        return "try " + std::to_string(i) + ": " +
               (layout ? std::string("taken without name or state") : layout.error().message);
      };
      if (layout) {
        ++outcomes.read;
        QVERIFY2(!layout->name.isEmpty() && !layout->state.isEmpty(), told().c_str());
        if (outcomes.read % 4 == 0) window.restoreState(layout->state, 1);  // comes back
      } else {
        ++outcomes.refused;
        QVERIFY2(is_whole_refusal(layout.error(), path.toStdString() + ": "), told().c_str());
      }
    }
    qInfo("layouts: %llu read, %llu refused", static_cast<unsigned long long>(outcomes.read),
          static_cast<unsigned long long>(outcomes.refused));
    QVERIFY(outcomes.mixed());
  }

  void aLayoutOfBracketsIsRefused() {
    const QString path = folder_.filePath(QStringLiteral("deep.kvlayout"));
    for (const char* field : {"format", "version", "docks"}) {
      write(path, std::string("{\"") + field + "\":" + std::string(2'000'000, '[') + std::string(2'000'000, ']') + "}");
      const auto layout = read_layout(path);
      QVERIFY(!layout && is_whole_refusal(layout.error(), path.toStdString() + ": "));
    }
  }

  void lessonsAreReadOrRefused_data() {
    QTest::addColumn<QString>("file");
    for (const QString& name : QDir(QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons"))
                                   .entryList({QStringLiteral("*.lesson")}, QDir::Files, QDir::Name))
      QTest::newRow(qPrintable(name)) << QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons/") + name;
  }
  void lessonsAreReadOrRefused() {
    QFETCH(QString, file);
    const std::string whole = read_text_file(file.toStdString()).value();
    SessionSettings session;
    session.tiers = {{.name = "dram", .budget = 1 << 20}, {.name = "ssd", .budget = 1 << 22}};
    session.methods = {"none"};
    session.removed_fractions = {0.5};
    static const std::vector<std::string> own{
        "step: a\n  b\nat: c\n", "question: ", "set: alpha = ", "set: dram budget = ", "nan", "at: ", "  ", "{", "}",
        "wait: 99999999999 x",   "%1",         "%2%3"};
    Outcomes outcomes;
    std::uint64_t taken = 0;
    for (std::uint64_t i = 0, tries = executions(5'000); i < tries; ++i) {
      Random random(derive_seed(seed(), i));
      const auto lesson = parse_lesson(damaged(whole, random, own), QStringLiteral("x%1.lesson"));
      const auto told = [&](const std::string& what) { return "try " + std::to_string(i) + ": " + what; };
      if (!lesson) {
        ++outcomes.refused;
        QVERIFY2(is_whole_refusal(lesson.error(), "x%1.lesson:"), told(lesson.error().message).c_str());
        continue;
      }
      ++outcomes.read;
      QVERIFY2(!lesson->title.isEmpty() && !lesson->steps.empty() && lesson->steps.back().answers.size() >= 2,
               told("half a lesson").c_str());
      const auto settings = with_lesson_settings(*lesson, session);
      taken += settings ? 1 : 0;
      QVERIFY2(settings ? validate(*settings).has_value() : is_whole_refusal(settings.error(), "x%1.lesson:"),
               told(settings ? "settings that make no sense" : settings.error().message).c_str());
    }
    qInfo("%s: %llu read, settings of %llu taken, %llu refused", qPrintable(file.section('/', -1)),
          static_cast<unsigned long long>(outcomes.read), static_cast<unsigned long long>(taken),
          static_cast<unsigned long long>(outcomes.refused));
    QVERIFY(outcomes.mixed());
  }

  void translationsAreReadOrRefused() {
    const QString file = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons/zh_CN/alpha.texts");
    const std::string whole = read_text_file(file.toStdString()).value();
    static const std::vector<std::string> own{"en: a\n", "zh_CN: a\n", "  b\n", "\n\n", "{", "}", "{met}", ":", "%1"};
    Outcomes outcomes;
    for (std::uint64_t i = 0, tries = executions(5'000); i < tries; ++i) {
      Random random(derive_seed(seed(), i));
      const auto texts =
          parse_translated_texts(damaged(whole, random, own), QStringLiteral("x%1.texts"), QStringLiteral("zh_CN"));
      const std::string told = "try " + std::to_string(i) + ": " + (texts ? "empty" : texts.error().message);
      ++(texts ? outcomes.read : outcomes.refused);
      if (!texts) QVERIFY2(is_whole_refusal(texts.error(), "x%1.texts:"), told.c_str());
      if (texts)
        for (const auto& [english, translation] : *texts)
          QVERIFY2(!english.isEmpty() && !translation.isEmpty(), told.c_str());
    }
    qInfo("translations: %llu read, %llu refused", static_cast<unsigned long long>(outcomes.read),
          static_cast<unsigned long long>(outcomes.refused));
    QVERIFY(outcomes.mixed());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  QApplication application(argc, argv);
  FilesFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace files_fuzz_test

#include "files_fuzz_test.moc"
