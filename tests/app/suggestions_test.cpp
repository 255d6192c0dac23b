// links: kv_reports profiles kv_cli_program
// Wherever a name is unknown, the one that is meant is offered: commands, options, policies, methods, tiers, metrics,
// formats, workloads, runs. All through did_you_mean(), so one mistake of each kind is enough.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "profiles/stores.h"
#include "tests/report/sample_runs.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace suggestions_test {

using namespace kvantage;
using namespace kvantage::test;

class SuggestionsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void initTestCase() {
    auto stores = open_stores(folder_.filePath("runs.db").toStdString(), StoreAccess::read_write, machine_clock());
    QVERIFY(stores);
    RunStore& runs = (*stores)->runs();
    QVERIFY(runs.begin_run("monday", {{"policy", "lru"}}));
    Event event;
    event.payload = events::RequestFinished{sample_run(3, "lru", 1).records.front()};
    runs.append(event);
    QVERIFY(runs.finish_run("monday", "finished"));
    QVERIFY(write_text_file(folder_.filePath("trace.jsonl").toStdString(), "{}\n"));
    QVERIFY(write_text_file(folder_.filePath("text.txt").toStdString(), "Mara Holt paid 372 to Ada Quill.\n"));
  }

  void theNameThatIsMeant_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("exit_code");
    QTest::addColumn<QString>("meant");
    const auto row = [](const char* what, const char* line, const char* meant, int exit_code = 2) {
      QTest::newRow(what) << QString(line) << exit_code << QString(meant);
    };
    row("command", "porfile quickstart", "profile");
    row("command of a command", "workload mkae", "make");
    row("command to help with", "help workload mkae", "workload make");
    row("command with a manual page", "man sweeep", "sweep");
    row("option of the program", "--hlep", "--help");
    row("option of a group", "workload --hlep", "--help");
    row("option", "run quickstart --polcy lru", "--policy");
    row("option of other programs", "run quickstart --requests 30", "--limit");
    row("a method to list", "methods snapvk", "snapkv");
    row("a policy to list", "policies evicpres", "evicpress");
    row("a preset without its option", "workload make quikstart", "--preset quickstart");
    row("option without its dashes", "policies details", "--details");
    row("option with a value", "run quickstart --polcy=lru", "--policy");
    row("option of a nested command", "model train --out x --step 5", "--steps");
    row("policy", "run quickstart --policy evcipress", "evicpress");
    row("policy of a sweep", "sweep quickstart --out {OUT} --policy lruu", "lru");
    row("policy of a simulation", "simulate {TRACE} --capacity-blocks 9 --policy seive", "sieve");
    row("parameter of a policy", "run quickstart --policy evicpress(dorp=best)", "drop");
    row("method", "run quickstart --methods snapvk", "snapkv");
    row("method of a policy", "run quickstart --policy fixed(keydif,0.5)", "keydiff");
    row("budget around a method", "run quickstart --methods adakb(snapkv)", "adakv");
    row("codec", "run quickstart --methods snapkv+kiwi4", "kivi4");
    row("parameter of a method", "run quickstart --methods snapkv(widnow=8)", "window");
    row("eviction method", "reproduce decode --eviction-methods h2", "h2o");
    row("option of a tier", "run quickstart --tier ssd=9MiB,latnecy=1ms", "latency");
    row("kind of a tier", "run quickstart --tier ssd=9MiB,kind=remot", "remote");
    row("fault of a tier", "run quickstart --tier ssd=9MiB,faults=read_eror:0.1", "read_error");
    row("metric", "run quickstart --quality-metric token_f2", "token_f1");
    row("choice", "run quickstart --compute-or-load of", "off");
    row("workload", "run quikstart", "quickstart", 3);
    row("workload to check", "workload check long-tial", "long-tail", 3);
    row("workload of a sweep", "sweep bursst --out {OUT}", "bursts", 3);
    row("preset of a workload", "workload make --out {OUT} --preset burst", "bursts");
    row("family", "workload make --out {OUT} --families regsitry", "registry");
    row("format of a data set", "workload import --format qmsun --out {OUT} {TEXT}", "qmsum");
    row("format of a trace", "trace info --format moncake {TRACE}", "mooncake");
    row("preset of the simulator", "simulate {TRACE} --capacity-blocks 9 --preset llama-3.1-8", "llama-3.1-8b");
    row("preset without a trace", "simulate --preset llama-3.1-8", "llama-3.1-8b");
    row("mode of the simulator", "simulate {TRACE} --capacity-blocks 9 --mode blcoks", "blocks");
    row("format of a report", "report --db {DB} --format htm", "html");
    row("run", "report --db {DB} --run mondya", "monday", 3);
    row("newest run", "report --db {DB} --run lats", "last", 3);
    row("type of an event", "replay --db {DB} monday --type request.finihsed", "request.finished");
    row("serving system", "export --db {DB} monday --for lmcahe", "lmcache");
    row("figure", "reproduce pagedeviction/fig9", "pagedeviction/fig2");
    row("figure with a name", "reproduce compaction/decod", "compaction/decode");
    row("device", "model train --out {OUT} --steps 1 --device cud", "cuda");
  }
  void theNameThatIsMeant() {
    QFETCH(QString, line);
    QFETCH(int, exit_code);
    QFETCH(QString, meant);
    line.replace("{TRACE}", folder_.filePath("trace.jsonl"))
        .replace("{TEXT}", folder_.filePath("text.txt"))
        .replace("{OUT}", folder_.filePath("out"))
        .replace("{DB}", folder_.filePath("runs.db"));
    const Answer answer = call_forked(line.split(' '));
    QVERIFY2(answer.exit_code == exit_code, answer.text());
    QVERIFY2(answer.error.contains("did you mean '" + meant + "'?"), answer.text());
    QCOMPARE(answer.error_lines().size(), 1);
    QVERIFY2(answer.out.isEmpty() && !QFileInfo::exists(folder_.filePath("out")), answer.text());
  }

  // A guess that is no better than the others is not made.
  void nothingNearNamesThemAll() {
    const Answer policy = call_forked({"run", "quickstart", "--policy", "foo"});
    QVERIFY2(policy.exit_code == 2 && policy.error.contains("choose one of full_prefill, lru") &&
                 policy.error.contains("adaptcache") && !policy.error.contains("did you mean"),
             policy.text());
    const Answer option = call_forked({"run", "quickstart", "--zzzzzzzz"});
    QVERIFY2(
        option.error == "error: '--zzzzzzzz' is not an option of 'kvantage-cli run'; try 'kvantage-cli run --help'\n",
        option.text());
  }

  // Of four letters two are too many; of few choices all are named.
  void nothingCloseNamesTheChoices_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* what, const char* line, const char* error) {
      QTest::newRow(what) << QString(line) << QString(error);
    };
    row("option", "methods --foo",
        "'--foo' is not an option of 'kvantage-cli methods'; it has --details, --method-file, --json; try "
        "'kvantage-cli methods --help'");
    row("choice", "completion tcsh",
        "SHELL: unknown value 'tcsh'; choose one of bash, zsh, fish; try 'kvantage-cli completion --help'");
    row("beginning of two", "simulate --preset llama",
        "--preset: unknown preset 'llama'; choose one of llama-3.1-70b, llama-3.1-8b, llama-3.1-8b-adaptcache");
    row("beginning of one", "simulate --preset gpt", "--preset: unknown preset 'gpt'; did you mean 'gpt-oss-120b'?");
    row("command", "model mk",
        "unknown command 'mk'; choose one of info, check, train, generate, logits, scale; try 'kvantage-cli model "
        "--help'");
  }
  void nothingCloseNamesTheChoices() {
    QFETCH(QString, line);
    QFETCH(QString, error);
    const Answer answer = call_forked(line.split(' '));
    QVERIFY2(answer.exit_code == 2, answer.text());
    QCOMPARE(answer.error, "error: " + error + "\n");
  }

  // "unknown policy 'x'; did you mean 'y'?", wherever it comes from.
  void whatIsUnknownComesFirst_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* what, const char* line, const char* error) {
      QTest::newRow(what) << QString(line) << QString(error);
    };
    row("command", "porfile", "unknown command 'porfile'; did you mean 'profile'? try 'kvantage-cli --help'");
    row("policy", "simulate {TRACE} --capacity-blocks 9 --policy seive",
        "unknown policy 'seive'; did you mean 'sieve'?");
    row("figure", "reproduce evicpress/fgi8", "unknown figure 'evicpress/fgi8'; did you mean 'evicpress/fig8'?");
    row("figure like none", "reproduce zzzzzzzzz",
        "unknown figure 'zzzzzzzzz'; kvantage-cli reproduce list shows them");
    row("argument", "policies lru",
        "'lru' is not expected: 'kvantage-cli policies' takes options only; leave it out; try 'kvantage-cli policies "
        "--help'");
    row("second argument", "replay one two",
        "'two' is not expected: 'kvantage-cli replay' takes RUN and options; leave it out; try 'kvantage-cli replay "
        "--help'");
    row("value", "run quickstart --compute-or-load of",
        "--compute-or-load: unknown value 'of'; did you mean 'off'? try 'kvantage-cli run --help'");
  }
  void whatIsUnknownComesFirst() {
    QFETCH(QString, line);
    QFETCH(QString, error);
    const Answer answer = call_forked(line.replace("{TRACE}", folder_.filePath("trace.jsonl")).split(' '));
    QVERIFY2(answer.exit_code == 2, answer.text());
    QCOMPARE(answer.error, "error: " + error + "\n");
  }

  // The window's command line has the same errors.
  void theWindow_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("meant");
    QTest::newRow("last word of an option") << "--thme dark"
                                            << "--screenshot-theme";
    QTest::newRow("language") << "--language zh"
                              << "zh_CN";
    QTest::newRow("theme") << "--screenshots {OUT} --screenshot-theme drak"
                           << "dark";
    QTest::newRow("option with a value") << "--modle=x"
                                         << "--model";
  }
  void theWindow() {
    QFETCH(QString, line);
    QFETCH(QString, meant);
    const Answer answer = call_window(line.replace("{OUT}", folder_.filePath("out")).split(' '));
    QVERIFY2(answer.exit_code == 2, answer.text());
    QVERIFY2(answer.error.contains("did you mean '" + meant + "'? try 'kvantage --help'\n"), answer.text());
    QVERIFY2(answer.error.count("error: ") == 1 && !answer.error.contains("Run with --help"), answer.text());
    QVERIFY(!QFileInfo::exists(folder_.filePath("out")));
  }

  // Names of tiers are free: it is served, with a note on what the name might have meant.
  void aTierNamedNearlyLikeAKind() {
    const auto notes = [](const QString& tiers) {
      return call_forked({"run", "/nowhere", "--tier", tiers}).error_lines().filter(QRegularExpression("^tier "));
    };
    QCOMPARE(notes("drma=12MiB,scratch=1GiB"),
             QStringList{"tier 'drma': kind ssd; did you mean 'dram'? kind=ssd hides this note"});
    QCOMPARE(notes("dram=12MiB,ssd=1GiB"), QStringList());
    QCOMPARE(notes("drma=12MiB,kind=ssd"), QStringList());
    QCOMPARE(notes("dram=64000").size(), qsizetype{1});
    QVERIFY(notes("dram=64000").front().startsWith("tier 'dram': 64000 without a unit is bytes ("));
    QCOMPARE(notes("dram=64000B"), QStringList());
    QCOMPARE(notes("dram=64"), QStringList());  // refused
    QCOMPARE(notes("remot=12MiB,url=redis://localhost:1"), QStringList());
    const Answer quiet = call_forked({"run", "/nowhere", "--tier", "drma=12MiB", "--quiet"});
    QVERIFY2(quiet.error_lines().size() == 1 && !quiet.error.contains("dram'"), quiet.text());
  }

  void anOptionBeforeItsCommandIsSentBehindIt() {
    const Answer answer = call_forked({"--json", "policies"});
    QVERIFY2(answer.exit_code == 2 &&
                 answer.error.contains("'--json' is an option of 'kvantage-cli policies'; write it after that"),
             answer.text());
  }
};

KV_TEST_GUILESS_MAIN(SuggestionsTest)

}  // namespace suggestions_test

#include "suggestions_test.moc"
