// links: app_wiring
// Methods of files on the command line: `method new`, `check` and `bench`, and --method-file of the commands that take
// methods.
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace method_file_command_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

QString golden_file(const QString& name) {
  return QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/goldens/method_files/") + name + ".pt";
}

Json parsed(const Answer& answer) {
  if (answer.exit_code != 0) qFatal("%s", answer.text().constData());
  return Json::parse(answer.out.toStdString());
}

/// What `method check` says of a file that passes; asked once.
const Json& check_of(const QString& file) {
  static std::map<QString, Json> checks;
  if (!checks.contains(file)) checks[file] = parsed(call({"method", "check", golden_file(file), "--json"}));
  return checks[file];
}
std::string name_of_file(const QString& file) { return check_of(file).at("name").get<std::string>(); }

}  // namespace

class MethodFileCommandTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void newWritesATemplate() {
    const QString file = folder_.filePath("my_idea.py");
    const Json written = parsed(call({"method", "new", file, "--json"}));
    QCOMPARE(written.at("saves").get<std::string>(), std::string("my_idea.pt"));
    const std::string text = read_text_file(file.toStdString()).value();
    QVERIFY(text.ends_with("torch.jit.script(Score()).save(\"my_idea.pt\")\n"));
    QCOMPARE(text.find("@NAME@"), std::string::npos);
    const Answer again = call({"method", "new", file});
    QCOMPARE(again.exit_code, 2);
    QVERIFY2(again.error.contains("is there already"), again.text());
    QCOMPARE(call({"method", "new", folder_.filePath("snapkv.py")}).exit_code, 2);
    QCOMPARE(call({"method", "new", folder_.filePath("my_idea.pt")}).exit_code, 2);
  }

  // Served as a text, it would be asked about; what it says of itself tells the two apart.
  void aTemplateIsNoWorkload() {
    const QString file = folder_.filePath("not_yet.py"), other = folder_.filePath("other.py");
    QCOMPARE(call({"method", "new", file}).exit_code, 0);
    const Answer refused = call({"workload", "check", file});
    QCOMPARE(refused.exit_code, 3);
    QVERIFY2(refused.error.contains("not_yet.py: is Python that saves a method; run it first with python3"),
             refused.text());
    QVERIFY2(refused.error.contains("rename it to .txt") && refused.is_of_short_lines(), refused.text());
    QVERIFY(write_text_file(other.toStdString(), "print('The badge of Ada Holt is 5742 .')\n").has_value());
    QVERIFY(!call({"workload", "check", other}).error.contains("is Python"));
  }

  void checkPrintsWhatAFileDeclares() {
    const Json& checked = check_of("script_snapkv");
    QCOMPARE(checked.at("alias").get<std::string>(), std::string("script_snapkv"));
    QCOMPARE(checked.at("needs").get<std::string>(), std::string("keys, queries of the last 64 tokens"));
    QVERIFY(checked.at("passed").get<bool>() && checked.at("confined").get<bool>());
    QVERIFY(!checked.at("decode_eviction").get<bool>());
    for (const Json& check : checked.at("checks")) QVERIFY(check.at("outcome") != "failed");
    QVERIFY(check_of("recent").at("decode_eviction").get<bool>());
    const auto outcome = [](const QString& file, const std::string& begins) {
      for (const Json& check : check_of(file).at("checks"))
        if (check.at("check").get<std::string>().starts_with(begins)) return check.at("outcome").get<std::string>();
      return std::string("missing");
    };
    // The norm of a key is its own affair; a mean key is of all tokens.
    QCOMPARE(outcome("script_knorm", "later tokens"), std::string("yes"));
    QCOMPARE(outcome("script_keydiff", "later tokens"), std::string("no"));
    QCOMPARE(outcome("script_keydiff", "heads"), std::string("yes"));
    QCOMPARE(outcome("script_knorm", "scores depend"), std::string("yes"));
    QCOMPARE(outcome("recent", "scores depend"), std::string("no"));  // by position
    QCOMPARE(outcome("drawn", "scores depend"), std::string("no"));   // at random
    // Its maximum is over all heads, but only the window has it.
    QCOMPARE(outcome("script_snapkv", "larger budgets"), std::string("passed"));
  }

  void checkFindsWhatIsWrong_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("says");
    QTest::newRow("shape") << "wrong_shape"
                           << "returned a tensor of shape";
    QTest::newRow("one token") << "returns_nan"
                               << "1 token: ";  // it has no token 3
    QTest::newRow("throws") << "throws"
                            << "not today";
  }
  void checkFindsWhatIsWrong() {
    QFETCH(const QString, file);
    QFETCH(const QString, says);
    const Answer answer = call({"method", "check", golden_file(file), "--json"});
    QCOMPARE(answer.exit_code, 3);
    const Json checked = Json::parse(answer.out.toStdString());
    QVERIFY(!checked.at("passed").get<bool>());
    const bool found = std::ranges::any_of(checked.at("checks"), [&](const Json& check) {
      return check.at("outcome") == "failed" &&
             check.at("detail").get<std::string>().find(says.toStdString()) != std::string::npos;
    });
    QVERIFY2(found, answer.text());
    // Once: what fails is not tried again with other numbers.
    QCOMPARE(
        std::ranges::count_if(checked.at("checks"), [](const Json& check) { return check.at("outcome") == "failed"; }),
        std::ptrdiff_t{1});
    QVERIFY(call({"method", "check", golden_file(file)}).out.contains("failed"));
  }

  void anEndlessLoopIsEndedOnce() {
    QElapsedTimer timer;
    timer.start();
    const Answer answer = call({"method", "check", golden_file("loops")});
    const QString said = answer.out.simplified();  // a column of a table: it is wrapped
    QVERIFY2(answer.exit_code == 3 && said.count("took longer than 10 seconds and was ended") == 1, answer.text());
    QVERIFY2(timer.elapsed() < 25'000, qPrintable(QString::number(timer.elapsed())));
  }

  void pythonIsRunFirst() {
    const QString file = folder_.filePath("scorer.py");
    QVERIFY(call({"method", "new", file}).exit_code == 0);
    for (const QStringList& command :
         {QStringList{"method", "check", file}, QStringList{"methods", "--method-file", file}}) {
      const Answer answer = call(command);
      QVERIFY2(answer.exit_code == 2 && answer.error.contains("'scorer.py': is Python; run it first with python3"),
               answer.text());
    }
    const Answer unknown =
        call({"kept", "--model", folder_.filePath("none"), "--text-file", file, "--method", "my_alias_of_a_file"});
    QVERIFY2(unknown.exit_code == 2 && unknown.error.contains("one of your own needs --method-file FILE"),
             unknown.text());
  }

  void aFileThatIsNoMethodIsOneLine() {
    for (const char* file : {"text", "tensors", "truncated", "no_method", "built_in_name"}) {
      const Answer answer = call({"method", "check", golden_file(file)});
      QVERIFY2(answer.exit_code == 2 || answer.exit_code == 3, answer.text());
      QCOMPARE(answer.error_lines().size(), 1);
      QVERIFY2(answer.is_of_short_lines() && answer.error.contains(QString(file) + ".pt"), answer.text());
    }
    const Answer missing = call({"methods", "--method-file", folder_.filePath("nothing.pt")});
    QCOMPARE(missing.exit_code, 2);
    QCOMPARE(missing.error_lines().size(), 1);
    QVERIFY2(missing.error.contains("nothing.pt"), missing.text());
  }

  void benchComparesWithABuiltInMethod() {
    const Json timed = parsed(call({"method", "bench", golden_file("script_knorm"), "--tokens", "256", "--kv-heads",
                                    "2", "--head-dim", "32", "--repeat", "3", "--json"}));
    QVERIFY(timed.at("seconds_per_layer").get<double>() > 0);
    QCOMPARE(timed.at("beside").get<std::string>(), std::string("knorm"));
    QVERIFY(std::abs(timed.at("times").get<double>() - timed.at("seconds_per_layer").get<double>() /
                                                           timed.at("beside_seconds_per_layer").get<double>()) < 1e-9);
  }

  void methodsListsIt() {
    const std::string name = name_of_file("recent");
    int scorers = 0, others = 0;
    for (const Json& line : parsed(call({"methods", "--method-file", golden_file("recent"), "--json"}))) {
      if (line.at("name") != name) continue;
      scorers += line.at("kind") == "scorer";
      others += line.at("kind") != "scorer";
      QCOMPARE(line.at("summary").get<std::string>(), std::string("keeps the most recent tokens"));
    }
    QCOMPARE(scorers, 1);
    QCOMPARE(others, 1);  // while decoding
  }

  void keptKeepsWhatTheBuiltInMethodKeeps() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there");
    std::string text;
    for (int i = 0; i < 40; ++i) text += "Box " + std::to_string(i) + " holds " + std::to_string(7 * i + 3) + ". ";
    const QString file = folder_.filePath("text");
    QVERIFY(write_text_file(file.toStdString(), text).has_value());
    const auto kept = [&](const QStringList& method) {
      return parsed(call(QStringList{"kept", "--model", text_of(model_directory()), "--text-file", file, "--removed",
                                     "0.5", "--json", "--no-scores"} +
                         method));
    };
    const Json own = kept({"--method", "adakv(keydiff)+kivi4"});
    const Json by_file =
        kept({"--method-file", golden_file("script_keydiff"), "--method", "adakv(script_keydiff)+kivi4"});
    QCOMPARE(by_file.at("method").get<std::string>(), "adakv(" + name_of_file("script_keydiff") + ")+kivi4");
    QCOMPARE(by_file.at("bytes"), own.at("bytes"));
    std::size_t same = 0, all = 0;
    for (std::size_t l = 0; l < own.at("layers").size(); ++l)
      for (std::size_t h = 0; h < own.at("layers").at(l).size(); ++h, ++all)
        same += own.at("layers").at(l).at(h).at("kept") == by_file.at("layers").at(l).at(h).at("kept");
    QVERIFY2(same * 10 >= all * 9, qPrintable(QString("%1 of %2 heads").arg(same).arg(all)));  // ties apart
    const Answer unloaded = call({"kept", "--model", text_of(model_directory()), "--text-file", file, "--method",
                                  QString::fromStdString(name_of_file("script_keydiff"))});
    QCOMPARE(unloaded.exit_code, 2);
    QVERIFY2(unloaded.error.contains("its file is not loaded; give it with --method-file"), unloaded.text());
  }
};

KV_TEST_GUILESS_MAIN(MethodFileCommandTest)

}  // namespace method_file_command_test

#include "method_file_command_test.moc"
