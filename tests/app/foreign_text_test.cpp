// links: kv_reports profiles kv_cli_program
// A database whose texts are no UTF-8, as another program or a damaged disk leaves them: no command aborts, and JSON
// stays JSON.
#include <sqlite3.h>

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace foreign_text_test {

using namespace kvantage;
using namespace kvantage::test;

class ForeignTextTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString database() const { return folder_.filePath("runs.db"); }
  bool execute(const char* sql) const {
    sqlite3* connection = nullptr;
    const bool done = sqlite3_open(database().toLocal8Bit().constData(), &connection) == SQLITE_OK &&
                      sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(connection);
    return done;
  }

 private slots:
  void noCommandAborts_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("list") << QStringList{"runs", "list"};
    QTest::newRow("list as JSON") << QStringList{"runs", "list", "--json"};
    QTest::newRow("report") << QStringList{"report", "last"};
    QTest::newRow("report as JSON") << QStringList{"report", "last", "--json"};
    QTest::newRow("report as files") << QStringList{
        "report", "last", "--out", folder_.filePath("report"), "--format", "html,json,csv,latex"};
    QTest::newRow("compare") << QStringList{"compare", "RUNS", "--json"};
    QTest::newRow("export") << QStringList{"runs", "export", "last", folder_.filePath("run.kvrun")};
    QTest::newRow("replay") << QStringList{"replay", "last", "--json"};
  }
  void noCommandAborts() {
    QFETCH(QStringList, words);
    QFile::remove(database());
    for (const char* run : {"run-version-1.kvrun", "written/2026-11/run.kvrun"}) {
      const Answer imported = call_forked(
          {"runs", "import", QString(KVANTAGE_SOURCE_DIR "/tests/goldens/") + run, "--db", database(), "--quiet"});
      QVERIFY2(imported.exit_code == 0, imported.text());
    }
    if (const qsizetype at = words.indexOf("RUNS"); at >= 0) {
      words.removeAt(at);
      const Answer listed = call_forked({"runs", "list", "--json", "--db", database()});
      for (const auto& run : Json::parse(listed.out.toStdString()))
        words.insert(at, QString::fromStdString(run.at("run_id").get<std::string>()));
      QCOMPARE(words.size(), qsizetype{4});
    }
    for (const char* damage : {"UPDATE runs SET policy = CAST(X'6c7275ff' AS TEXT)",
                               "UPDATE events SET body = CAST(replace(CAST(body AS BLOB), CAST('\"policy\"' AS BLOB), "
                               "X'22ff22') AS TEXT)"}) {
      QVERIFY(execute(damage));
      const Answer answer = call_forked(words + QStringList{"--db", database()});
      QVERIFY2(answer.exit_code >= 0 && answer.exit_code <= 3 && answer.exit_code != 2, answer.text());
      QVERIFY2(!answer.error.contains("terminate") && !answer.error.contains("unexpected failure"), answer.text());
      if (answer.exit_code != 0 || !words.contains("--json")) continue;
      for (const QString& line :
           words[0] == "replay" ? answer.out.split('\n', Qt::SkipEmptyParts) : QStringList{answer.out})
        QVERIFY2(parse_json(line.toStdString(), "output").has_value(), qPrintable(line));
    }
  }
};

KV_TEST_GUILESS_MAIN(ForeignTextTest)

}  // namespace foreign_text_test

#include "foreign_text_test.moc"
