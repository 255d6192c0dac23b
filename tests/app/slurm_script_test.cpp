// links: kv_reports kv_cli_program
// The script of a job, and the programs that are called: a real shell reads back each word as it was, whatever it
// contains, and takes a text apart as shell_words() does.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/sweep/called_program.h"
#include "app/cli/sweep/shell_words.h"
#include "app/cli/sweep/slurm_job.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "tests/support/test_program.h"

namespace slurm_script_test {

using namespace kvantage;
using namespace kvantage::cli;
using std::filesystem::path;

class SlurmScriptTest : public QObject {
  Q_OBJECT

  QTemporaryDir temporary_;

  static std::vector<std::string> lines_of(const QByteArray& text) {
    std::vector<std::string> lines;
    for (const QByteArray& line : text.split('\n')) lines.push_back(line.toStdString());
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
  }

 private slots:
  void aShellReadsTheWordsBack() {
    const path logs = path(temporary_.path().toStdString()) / "it's $(touch expanded) %A `id` \\b";
    std::filesystem::create_directories(logs);
    const std::vector<std::string> words{"--out", "/a b", "$(touch expanded)", "`id`", "it's", "\"q\"", "\\", "*", "",
                                         "~",     "a;b",  "#SBATCH -n 9",      "ä"};
    SlurmTask task{.program = "/usr/bin/printf", .directory = logs, .logs = logs, .words = {}, .threads = 3};
    task.words = {"%s\\n"};
    task.words.insert(task.words.end(), words.begin(), words.end());
    const path script = path(temporary_.path().toStdString()) / "task.sh";
    QVERIFY(write_text_file(script, slurm_script(task)));
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("SLURM_ARRAY_JOB_ID", "17");
    environment.insert("SLURM_ARRAY_TASK_ID", "2");
    shell.setProcessEnvironment(environment);
    shell.start("/bin/sh", {QString::fromStdString(script.string())});
    QVERIFY(shell.waitForFinished(60'000));
    QCOMPARE(shell.exitCode(), 0);
    const std::string log = read_text_file(logs / "17_2.log").value();
    std::vector<std::string> expected = words;
    expected.insert(expected.end(), {"--threads", "3"});
    QCOMPARE(lines_of(QByteArray::fromStdString(log)), expected);
    QVERIFY(!std::filesystem::exists(logs / "expanded"));
  }

  // As many threads as SLURM gives.
  void threadsAreThoseOfTheTask() {
    SlurmTask task{.program = "/usr/bin/printf", .directory = "/", .logs = "/dev", .words = {"%s "}};
    QVERIFY(slurm_script(task).ends_with(" --threads \"${SLURM_CPUS_PER_TASK:-0}\"\n"));
    // sbatch reads its own options from comments before the first command: there are none.
    QVERIFY(slurm_script(task).find("#SBATCH") == std::string::npos);
  }

  void wordsAreThoseOfAShell_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"--partition=gpu --time=2:00:00", "  a   b\tc ", "'a b' \"c d\" e\\ f", "--comment='it'\\''s'",
          "a'b c'd\"e f\"g", "'' \"\"", "\"a\\\"b\\\\c\" '\\'", "\"\\n\" \\n"})
      QTest::newRow(text) << QString(text);
  }
  void wordsAreThoseOfAShell() {
    QFETCH(QString, text);
    QProcess shell;
    shell.start("/bin/sh", {"-c", "printf '%s\\n' " + text});
    QVERIFY(shell.waitForFinished(60'000));
    const auto words = shell_words(text.toStdString(), "--sbatch");
    QVERIFY(words.has_value());
    QCOMPARE(*words, lines_of(shell.readAllStandardOutput()));
  }
  void nothingIsExpanded() {
    QCOMPARE(shell_words("$(id) `id` $HOME *", "--sbatch").value(),
             (std::vector<std::string>{"$(id)", "`id`", "$HOME", "*"}));
    QVERIFY(shell_words("", "--sbatch").value().empty());
    const auto open = shell_words("a 'b", "--sbatch");
    QVERIFY(!open && open.error().code == ErrorCode::usage);
    QCOMPARE(open.error().message, std::string("--sbatch: a quote (') has no end; close it"));
  }

  void aCalledProgramAnswers() {
    const auto answer = call_program({"sh", "-c", "echo out; echo error >&2; exit 7"}, {}, 60);
    QVERIFY(answer.has_value());
    QCOMPARE(answer->exit_code, 7);
    QCOMPARE(answer->out, std::string("out\n"));
    QCOMPARE(answer->error, std::string("error\n"));
    QCOMPARE(call_program({"printf", "%s", "$(id) *"}, {}, 60).value().out, std::string("$(id) *"));  // no shell
    QCOMPARE(call_program({"sh", "-c", "kill -9 $$"}, {}, 60).value().exit_code, 137);
    const auto large = call_program({"sh", "-c", "head -c 1000000 /dev/zero"}, {}, 60);
    QCOMPARE(large.value().out.size(), std::size_t{64} << 10);
    const auto absent = call_program({"no-such-program-here"}, {}, 60);
    QVERIFY(!absent && absent.error().code == ErrorCode::not_found);
  }

  void aCalledProgramThatHangsIsKilled() {
    const SystemClock clock;
    const double begun = clock.seconds();
    const auto late = call_program({"sleep", "300"}, {}, 0.3);
    QVERIFY(!late && late.error().code == ErrorCode::io);
    const auto silent = call_program({"sh", "-c", "exec >&- 2>&-; sleep 300"}, {}, 0.3);  // its output has ended
    QVERIFY(!silent && silent.error().code == ErrorCode::io);
    const auto stopped = call_program(
        {"sleep", "300"}, [] { return true; }, 300);
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    QVERIFY(clock.seconds() - begun < 120);
  }
};

KV_TEST_GUILESS_MAIN(SlurmScriptTest)

}  // namespace slurm_script_test

#include "slurm_script_test.moc"
