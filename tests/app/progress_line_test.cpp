// links: app_cli
// Progress is one line of a terminal's stderr, with a bar and the time that is left; there is none of it in a pipe,
// with
// --quiet or in a terminal without escapes, and no color with NO_COLOR.
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QtTest>

#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "app/cli/base/progress_line.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace progress_line_test {

using namespace kvantage;
using namespace kvantage::test;
using cli::progress_text;

class ProgressLineTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  static QString text(const std::string& what, double done, double total, double left, std::size_t columns) {
    return QString::fromStdString(progress_text({what, done, total, left}, columns, false));
  }
  QString at(const QString& name) const { return folder_.filePath(name); }

  /// The JSON lines that `work` writes to stderr.
  static std::vector<Json> json_lines_of(const std::function<void()>& work) {
    QTemporaryFile file;
    if (!file.open()) qFatal("no temporary file");
    std::fflush(stderr);
    const int kept = ::dup(STDERR_FILENO);
    ::dup2(file.handle(), STDERR_FILENO);
    work();
    std::fflush(stderr);
    ::dup2(kept, STDERR_FILENO);
    ::close(kept);
    std::vector<Json> lines;
    QFile written(file.fileName());
    if (!written.open(QIODevice::ReadOnly)) qFatal("the temporary file is gone");
    for (const QByteArray& line : written.readAll().split('\n'))
      if (!line.isEmpty()) lines.push_back(Json::parse(line.toStdString()));
    return lines;
  }

  /// A run of a few requests in a pseudo-terminal; what the terminal was sent. `options` and `redirection` are shell.
  QString in_a_terminal(const QString& environment, const QString& options, const QString& redirection = {}) const {
    const QString command =
        QString("%1 '%2' run '%3' --model '%4' --store '%5' --tier dram=64MiB --policy lru --limit 6 %6 %7")
            .arg(environment, command_line_program(), at("workload"), text_of(model_directory()), at("store"), options,
                 redirection);
    QProcess process;
    process.start("script", {"-qec", command, "/dev/null"});
    if (!process.waitForFinished(300000) || process.exitCode() != 0) return "did not end well";
    return QString::fromUtf8(process.readAllStandardOutput());
  }

 private slots:
  void initTestCase() { QVERIFY(write_workload(small_workload(2, 16, 5), at("workload").toStdString())); }

  void theBarIsAsFarAsTheWork() {
    QCOMPARE(text("lru", 0, 200, -1, 80), QString("lru  [>                             ]  0/200"));
    QCOMPARE(text("lru", 100, 200, 42, 80), QString("lru  [===============>              ]  100/200  ETA 0:42"));
    QCOMPARE(text("lru", 200, 200, 0, 80), QString("lru  [==============================]  200/200  ETA 0:00"));
    QCOMPARE(text("lru", 300, 200, 0, 80), QString("lru  [==============================]  300/200  ETA 0:00"));
    QVERIFY(text("figure evicpress/fig7", 1.5, 4, 3725, 80).endsWith("  1/4  ETA 1:02:05"));
    QCOMPARE(text("Loading the model", 3, 0, -1, 80), QString("Loading the model"));  // of unknown length
  }

  void itFitsEveryTerminal() {
    const std::string what = "Profiling \xc3\xa4\xc3\xb6\xc3\xbc contexts of a workload";
    for (std::size_t columns = 0; columns <= 120; ++columns) {
      const std::string line = progress_text(
          {
              what,
              7,
              20,
              12,
          },
          columns, false);
      QVERIFY2(line.size() <= columns, line.c_str());
      QVERIFY2(QString::fromStdString(line).toStdString() == line, line.c_str());  // no letter is cut in two
    }
    QCOMPARE(text("evicpress", 5, 9, 61, 24), QString("evicpress  5/9  ETA 1:01"));  // the bar goes first
  }

  // The runs of one command have one pace: what is left is that of all of them.
  void thePaceOfSeveralRunsIsThatOfAll() {
    ManualClock clock;
    clock.advance_seconds(100);
    cli::ProgressLine line(clock, false);
    line.use_json();
    const auto lines = json_lines_of([&] {
      line.show("lru", 0, 30, "requests");
      clock.advance_seconds(10);
      line.show("lru", 10, 30, "requests");
      clock.advance_seconds(5);
      line.show("gdsf", 10, 30, "requests");
      clock.advance_seconds(5);
      line.show("gdsf", 20, 30, "requests");
      clock.advance_seconds(5);
      line.show("another", 25, 30);  // has its own
      clock.advance_seconds(5);
      line.show("another", 27, 30);
    });
    QCOMPARE(lines.size(), std::size_t{6});
    QVERIFY(!lines[0].contains("seconds_left") && !lines[4].contains("seconds_left"));
    for (const auto& [at, left] : std::map<std::size_t, double>{{1, 20}, {2, 30}, {3, 10}, {5, 7.5}})
      QCOMPARE(lines[at].at("seconds_left").get<double>(), left);
    QCOMPARE(lines[2].at("stage"), Json("gdsf"));
  }

  void colorsTakeNoColumns() {
    const std::string plain = progress_text({"lru", 5, 10, 1}, 60, false);
    std::string colored = progress_text({"lru", 5, 10, 1}, 60, true);
    QVERIFY(colored != plain);
    for (const std::string escape : {"\033[36m", "\033[0m"}) colored.erase(colored.find(escape), escape.size());
    QCOMPARE(colored, plain);
  }

  void aTerminalSeesABarWhileRequestsAreServed() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const QString seen = in_a_terminal("env -u NO_COLOR TERM=xterm", "");
    static const QRegularExpression bar("\r\033\\[Klru  \\[\033\\[36m=*>\033\\[0m *\\]  \\d+/8");
    QVERIFY2(bar.match(seen).hasMatch(), qPrintable(seen));
    QVERIFY2(seen.contains("\r\033[K  policy "), qPrintable(seen));  // erased before the table
    QVERIFY2(seen.contains("Details: kvantage-cli report --details --db "), qPrintable(seen));
    // Without color the bar stays.
    const QString plain = in_a_terminal("NO_COLOR=1 TERM=xterm", "");
    QVERIFY2(plain.contains(QRegularExpression("\r\033\\[Klru  \\[=*> *\\]  \\d+/8")), qPrintable(plain));
    QVERIFY2(!plain.contains("\033[3") && !plain.contains("\033[0m"), qPrintable(plain));
  }

  // For programs: stages with numbers that only grow, each to its end, and no bar.
  void jsonLinesWhereTheyAreAskedFor() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const Answer answer =
        call({"run", at("workload"), "--model", text_of(model_directory()), "--store", at("store"), "--tier",
              "dram=64MiB", "--policy", "lru", "--limit", "6", "--progress", "json", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    std::map<std::string, double> done, total;
    for (const QString& line : answer.error_lines()) {
      const auto json = parse_json(line.toStdString(), "stderr");  // nothing else is said
      QVERIFY2(json, qPrintable(line));
      const std::string stage = json->at("stage");
      QVERIFY(json->at("done") >= done[stage]);
      QVERIFY(json->size() == 3 || json->at("seconds_left") >= 0);
      done[stage] = json->at("done");
      total[stage] = json->at("total");
    }
    QCOMPARE(total["lru"], 8.0);  // two of them warm the contexts up
    QCOMPARE(done["lru"], 8.0);
    QVERIFY(parse_json(answer.out.toStdString(), "stdout"));
    QVERIFY2(call({"run", "x", "--progress", "json", "--quiet"}).exit_code == 2, "excluded");
  }

  // Two policies, each twice: what is done and left is that of all four runs, as is the time that is left.
  void severalRunsAreOneProgress() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const Answer answer =
        call({"run", at("workload"), "--model", text_of(model_directory()), "--store", at("store"), "--tier",
              "dram=64MiB", "--policy", "lru,lfu", "--repeat", "2", "--limit", "3", "--progress", "json", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    constexpr int each = 3 + 2;  // two of them warm the contexts up
    std::set<std::string> stages;
    int done = 0;
    for (const QString& line : answer.error_lines()) {
      const auto json = parse_json(line.toStdString(), "stderr");
      QVERIFY2(json, qPrintable(line));
      const std::string stage = json->at("stage");
      if (!stage.ends_with(" in block 1") && !stage.ends_with(" in block 2")) continue;
      if (stages.insert(stage).second)
        QCOMPARE(json->at("done").get<int>(), each * static_cast<int>(stages.size() - 1) + 1);
      QCOMPARE(json->at("total").get<int>(), 4 * each);
      QVERIFY2(json->at("done").get<int>() >= done, qPrintable(line));
      done = json->at("done").get<int>();
    }
    QCOMPARE(stages.size(), std::size_t{4});
    QCOMPARE(done, 4 * each);
  }

  void nothingElseSeesOne() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(!in_a_terminal("TERM=xterm", "--quiet").contains('\033'));
    QVERIFY(!in_a_terminal("TERM=dumb", "").contains('\033'));
    // stdout on a terminal, stderr in a file.
    QVERIFY(!in_a_terminal("TERM=xterm", "", "2>'" + at("stderr") + "'").contains('\033'));
    const std::string error = read_text_file(at("stderr").toStdString()).value();
    QVERIFY2(error.find('\033') == std::string::npos && error.find('\r') == std::string::npos, error.c_str());
  }
};

KV_TEST_GUILESS_MAIN(ProgressLineTest)

}  // namespace progress_line_test

#include "progress_line_test.moc"
