// links: kv_reports
// Completion as a shell does it: bash in a terminal, where TAB is pressed, and fish by its own `complete -C`. Every
// option of the reference is offered, and each script is one that its shell can read.
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace completion_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

void write(const QString& file, const QString& text) {
  if (!write_text_file(file.toStdString(), text.toStdString())) qFatal("cannot write %s", qPrintable(file));
}

}  // namespace

class CompletionTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString at(const QString& name) const { return folder_.filePath(name); }

  /// What bash makes of these lines, TABs pressed: the arguments that the program would get, one line each.
  QStringList typed_in_bash(const QStringList& lines) const {
    QProcess terminal;
    terminal.setWorkingDirectory(at("folder"));
    terminal.setProcessEnvironment([] {
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert("TERM", "xterm");
      environment.insert("INPUTRC", "/dev/null");
      return environment;
    }());
    terminal.start("script", {"-qec", "bash --noprofile --rcfile '" + at("rc") + "' -i", "/dev/null"});
    QByteArray seen;
    const auto wait_for = [&](const QByteArray& text) {
      while (!seen.contains(text) && terminal.waitForReadyRead(60000)) seen += terminal.readAllStandardOutput();
    };
    wait_for("READY");
    for (qsizetype i = 0; i < lines.size(); ++i) {
      terminal.write(lines[i].toUtf8() + "\n");
      wait_for("done:" + QByteArray::number(i + 1) + ":");  // printed by the function that replaces the program
    }
    terminal.write("exit\n");
    terminal.waitForFinished(60000);
    seen += terminal.readAllStandardOutput();
    QStringList arguments;
    static const QRegularExpression got("got:([^\r\n]*)\r?\ndone:");
    for (auto found = got.globalMatch(QString::fromUtf8(seen)); found.hasNext();) arguments << found.next().captured(1);
    if (arguments.size() != lines.size()) qWarning("%s", seen.constData());
    return arguments;
  }

 private slots:
  void initTestCase() {
    for (const char* shell : {"bash", "zsh", "fish"}) {
      const Answer answer = call({"completion", shell});
      QVERIFY2(answer.exit_code == 0 && answer.error.isEmpty() && answer.out.size() > 10000, answer.text());
      write(at(shell), answer.out);
    }
    for (const char* name : {"folder/first.db", "folder/notes of mine.txt", "folder/stores/x"})
      QVERIFY(QDir().mkpath(QFileInfo(at(name)).path()));
    for (const char* name : {"folder/first.db", "folder/notes of mine.txt"}) write(at(name), "x");
    // The function has the program's name and prints what it was given.
    write(at("rc"),
          QString("PS1=''\nbind 'set bell-style none'\nbind 'set enable-bracketed-paste off'\n"
                  "source '%1'\nn=0\n"
                  "kvantage-cli() { printf 'got:'; printf '<%s>' \"$@\"; printf '\\ndone:%d:\\n' $((++n)); }\n"
                  "echo REA''DY\n")
              .arg(at("bash")));
  }

  void bashCompletesWhatIsTyped() {
    const std::vector<std::pair<const char*, const char*>> rows{
        {"pl\tqui\t", "<plan><quickstart>"},
        {"prof\t qui\t", "<profile><quickstart>"},  // no space of its own: there is profiles, too
        {"profiles\tim\t", "<profiles><import>"},
        {"work\tli\t", "<workload><list>"},
        {"run --poli\tevic\t", "<run><--policy><evicpress>"},
        {"run --policy=evic\t", "<run><--policy=evicpress>"},
        {"run --policy lru,full\t", "<run><--policy><lru,full_prefill>"},
        {"run --policy 'lru,full\t", "<run><--policy><lru,full_prefill>"},
        {"run --methods snapkv,key\t", "<run><--methods><snapkv,keydiff>"},
        {"run --quality-metric tok\t", "<run><--quality-metric><token_f1>"},
        {"run --tier dra\t4MiB", "<run><--tier><dram=4MiB>"},  // no space behind the sign
        {"run --compute-or-load o\t", "<run><--compute-or-load><off>"},
        {"simulate --policy siev\t", "<simulate><--policy><sieve>"},
        {"trace info --format moon\t", "<trace><info><--format><mooncake>"},
        {"report --format latex,pd\t", "<report><--format><latex,pdf>"},
        {"workload make --preset long-t\t", "<workload><make><--preset><long-tail>"},
        {"model train --device cu\t", "<model><train><--device><cuda>"},
        {"reproduce compaction/o\t", "<reproduce><compaction/overheads>"},
        {"export la\t--for lm\t", "<export><last><--for><lmcache>"},
        {"completion z\t", "<completion><zsh>"},
        {"report --db fi\t", "<report><--db><first.db>"},
        {"run no\t", "<run><notes of mine.txt>"},       // a file where a sample could be, quoted by readline
        {"store stat st\t", "<store><stat><stores/>"},  // folders alone
        {"store stat fi\t", "<store><stat><fi>"},
        {"run --alpha f\t", "<run><--alpha><f>"},  // a number: no file is offered
        {"man sim\t", "<man><simulate>"},
        {"man workload ma\t", "<man><workload><make>"},
        {"help tra\tin\t", "<help><trace><info>"},
        {"man --o\tx", "<man><--out><x>"},
        {"run quickstart --js\t", "<run><quickstart><--json>"},
        {"trace --he\t", "<trace><--help>"},
    };
    QStringList lines, wanted;
    for (const auto& [typed, arguments] : rows) {
      lines << QString("kvantage-cli ") + typed;
      wanted << arguments;
    }
    const QStringList got = typed_in_bash(lines);
    QCOMPARE(got.size(), lines.size());
    for (qsizetype i = 0; i < lines.size(); ++i)
      QVERIFY2(got[i] == wanted[i], qPrintable(lines[i].replace('\t', "<TAB>") + ": " + got[i]));
  }

  // Nothing is missing, and nothing is offered that help does not show.
  void everyOptionOfTheReferenceIsOffered() {
    QFile file(QString(KVANTAGE_SOURCE_DIR) + "/docs/cli.md");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QStringList sections = QString::fromUtf8(file.readAll()).split("\n## kvantage-cli ").mid(1);
    QVERIFY(sections.size() > 30);
    QString script = "source '" + at("bash") + "'\n";
    QStringList wanted;
    for (const QString& section : sections) {
      const QString command = section.section('\n', 0, 0);
      QStringList options{"--help", "--help-all"};
      static const QRegularExpression option("\n- `(--[a-z0-9-]+)");
      for (auto found = option.globalMatch(section); found.hasNext();) options << found.next().captured(1);
      options.sort();
      wanted << command + ": " + options.join(' ');
      script += QString(
                    "COMP_WORDS=(kvantage-cli %1 --) COMP_CWORD=%2; _kvantage_cli\n"
                    "echo \"%1: $(printf '%s\\n' \"${COMPREPLY[@]}\" | LC_ALL=C sort | paste -sd' ')\"\n")
                    .arg(command)
                    .arg(command.count(' ') + 2);
    }
    QProcess bash;
    bash.start("bash", {"--norc", "-c", script});
    QVERIFY(bash.waitForFinished(60000));
    QCOMPARE(QString::fromUtf8(bash.readAllStandardError()), QString());
    QCOMPARE(QString::fromUtf8(bash.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts), wanted);
  }

  void eachShellCanReadItsScript_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("bash") << QStringList{"bash", "-n"};
    QTest::newRow("zsh") << QStringList{"zsh", "-n"};
    QTest::newRow("fish") << QStringList{"fish", "--no-execute"};
  }
  void eachShellCanReadItsScript() {
    QFETCH(QStringList, words);
    if (QStandardPaths::findExecutable(words.front()).isEmpty())
      QSKIP("this shell is not installed (./run test installs it)");
    QProcess shell;
    shell.setProcessChannelMode(QProcess::MergedChannels);
    shell.start(words.front(), words.mid(1) + QStringList{at(words.front())});
    QVERIFY(shell.waitForFinished(60000));
    const QByteArray said = shell.readAll();
    QVERIFY2(shell.exitCode() == 0 && said.isEmpty(), said.constData());
  }

  void fishCompletesTheSame() {
    if (QStandardPaths::findExecutable("fish").isEmpty()) QSKIP("fish is not installed (./run test installs it)");
    const auto offered = [&](const QString& line) {
      QProcess fish;
      fish.setWorkingDirectory(at("folder"));
      fish.start("fish", {"--no-config", "-c", "source '" + at("fish") + "'; complete -C '" + line + "'"});
      fish.waitForFinished(60000);
      QStringList names;
      for (const QString& found : QString::fromUtf8(fish.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts))
        names << found.section('\t', 0, 0);
      return names;
    };
    QVERIFY(offered("kvantage-cli w").contains("workload"));
    QCOMPARE(offered("kvantage-cli workload l"), QStringList{"list"});
    QCOMPARE(offered("kvantage-cli run --poli"), QStringList{"--policy"});
    QCOMPARE(offered("kvantage-cli run --policy evic"), QStringList{"evicpress"});
    QCOMPARE(offered("kvantage-cli run --policy lru,evic"), QStringList{"lru,evicpress"});
    QCOMPARE(offered("kvantage-cli trace info --format moon"), QStringList{"mooncake"});
    QCOMPARE(offered("kvantage-cli man sim"), QStringList{"simulate"});
    QCOMPARE(offered("kvantage-cli help workload l"), QStringList{"list"});
    QVERIFY(offered("kvantage-cli run qui").contains("quickstart"));
    QVERIFY(offered("kvantage-cli report --db fi").contains("first.db"));
    QVERIFY(offered("kvantage-cli run --alpha fi").isEmpty());
    QVERIFY(!offered("kvantage-cli report --").contains("--tier"));  // of another command
  }
};

KV_TEST_GUILESS_MAIN(CompletionTest)

}  // namespace completion_test

#include "completion_test.moc"
