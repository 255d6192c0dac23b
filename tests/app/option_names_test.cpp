// links: kv_reports kv_cli_program
// One option has one spelling in every command, the American one; names of earlier releases are still read, and shown
// nowhere.
#include <QTemporaryDir>
#include <QtTest>

#include <set>

#include "core/base/files.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

namespace option_names_test {

using namespace kvantage;
using namespace kvantage::test;

class OptionNamesTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::set<QString> options_;  // of every command, from the reference

  QString at(const QString& name) const { return folder_.filePath(name); }

 private slots:
  void initTestCase() {
    const Answer reference = call_forked({"reference"});
    QVERIFY2(reference.exit_code == 0, reference.text());
    static const QRegularExpression option("\n- `(--[a-z0-9-]+)");
    for (auto found = option.globalMatch(reference.out); found.hasNext();) options_.insert(found.next().captured(1));
    QVERIFY(options_.size() > 120);
  }

  void noNameIsBritish() {
    static const QRegularExpression british("licen[c]e|neighbour|colour|behaviour|isation|ise$|yse|labell|cancell");
    for (const QString& option : options_) QVERIFY2(!option.contains(british), qPrintable(option));
  }

  // --policy in one command and --policies in another are two things to remember.
  void noNameIsThePluralOfAnother() {
    const std::set<QString> two_things{
        "--method",  // one; --methods: the candidates
        "--model",   // of a command; --models: a figure once for each
        "--seed",    // the first; --seeds: how many
        "--worker",  // to be one; --workers: where they are
    };
    for (const QString& option : options_) {
      if (two_things.contains(option)) continue;
      QVERIFY2(!options_.contains(option + "s"), qPrintable(option + "s"));
      if (option.endsWith('y')) QVERIFY2(!options_.contains(option.chopped(1) + "ies"), qPrintable(option));
    }
    for (const QString& option : options_)
      QVERIFY2(!option.startsWith("--least-") && !option.startsWith("--most-"), qPrintable(option));
  }

  // `run --from RUN` repeats a run; where a replay starts has a name of its own.
  void oneNameIsOneThing() {
    for (const char* command : {"run", "replay"}) {
      const QString help = call_forked({command, "--help-all"}).out;
      QCOMPARE(help.contains("--from "), QString(command) == "run");
      QCOMPARE(help.contains("--start-at "), QString(command) == "replay");
    }
  }

  void formerNamesAreReadAndNotShown() {
    for (const char* former :
         {"--licence", "--neighbours", "--least-tokens", "--most-tokens", "--least-quality", "--scale", "--capacities",
          "--to", "--removed-fraction", "--policies", "--alphas", "--rates", "--evictors", "--repeats"})
      QVERIFY2(!options_.contains(former), former);
    const QStringList common{"workload", "make", "--families", "registry", "--contexts-per-family", "1", "--quiet"};
    const Answer now = call_forked(common + QStringList{"--license", "X", "--neighbors", "0.5", "--min-tokens", "200",
                                                        "--max-tokens", "300", "--out", at("now")});
    const Answer former = call_forked(common + QStringList{"--licence", "X", "--neighbours=0.5", "--least-tokens",
                                                           "200", "--most-tokens=300", "--out", at("former")});
    QVERIFY2(now.exit_code == 0, now.text());
    QVERIFY2(former.exit_code == 0, former.text());
    for (const char* file : {"/contexts.jsonl", "/questions.jsonl", "/workload.json"})
      QVERIFY(read_text_file(at("now" + QString(file)).toStdString()).value() ==
              read_text_file(at("former" + QString(file)).toStdString()).value());
    // The command that the workload records has the present names.
    const std::string head = read_text_file(at("former/workload.json").toStdString()).value();
    QVERIFY(head.find("--license X") != std::string::npos && head.find("--neighbors 0.5") != std::string::npos &&
            head.find("--licence") == std::string::npos);
  }

  void formerNamesOfTraces() {
    const QString trace = at("trace.jsonl");
    QVERIFY(write_text_file(trace.toStdString(), samples().at("mooncake")));
    const Answer now = call_forked({"trace", "info", trace, "--time-scale", "2", "--capacity-blocks", "2,unlimited"});
    const Answer former = call_forked({"trace", "info", trace, "--scale", "2", "--capacities", "2,unlimited"});
    QVERIFY2(now.exit_code == 0 && now.out.contains("6.106 s from the first to the last"), now.text());
    QCOMPARE(former.out, now.out);
    const QStringList simulate{"simulate", trace, "--capacity-blocks", "4", "--json", "--quiet"};
    QCOMPARE(call_forked(simulate + QStringList{"--scale", "2"}).out,
             call_forked(simulate + QStringList{"--time-scale", "2"}).out);
  }

  // Only of the commands that had them: elsewhere they stay unknown.
  void formerNamesBelongToTheirCommand_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("part");
    QTest::newRow("policies") << "reproduce evicpress/fig7 --policies lru,lru2"
                              << "'lru2'";
    QTest::newRow("alphas") << "reproduce evicpress/fig7 --alphas=x"
                            << "--alpha: 'x'";
    QTest::newRow("rates") << "reproduce adaptcache/fig1 --rates 1,2"
                           << "takes one value of --rate, not 2";
    QTest::newRow("quality") << "reproduce evicpress/fig8 --least-quality 7"
                             << "--min-quality";
    QTest::newRow("from") << "replay x --from soon"
                          << "--start-at: 'soon'";
    QTest::newRow("to") << "replay x --to=soon"
                        << "--stop-at: 'soon'";
    QTest::newRow("eviction methods") << "reproduce decode --evictors h20"
                                      << "'h20'";
    QTest::newRow("removed") << "kept --model m --text-file t --removed-fraction x"
                             << "--removed";
    QTest::newRow("blocks") << "run quickstart --blocks 0"
                            << "--repeat: '0'";
    QTest::newRow("repeats") << "method bench x.pt --repeats=0"
                             << "--repeat: '0'";
    QTest::newRow("scale of quality") << "profiles import x.csv --scale -1"
                                      << "--quality-scale: '-1'";
    QTest::newRow("of another command") << "run quickstart --policies lru"
                                        << "'--policies' is not an option of 'kvantage-cli run'";
    QTest::newRow("after --") << "trace info -- --scale"
                              << "--scale: no such file";
  }
  void formerNamesBelongToTheirCommand() {
    QFETCH(QString, line);
    QFETCH(QString, part);
    const Answer answer = call_forked(line.split(' '));
    QVERIFY2(answer.exit_code == 2 || answer.exit_code == 3, answer.text());
    QVERIFY2(answer.error.contains(part), answer.text());
  }
};

KV_TEST_GUILESS_MAIN(OptionNamesTest)

}  // namespace option_names_test

#include "option_names_test.moc"
