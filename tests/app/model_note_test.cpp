// links: kv_reports profiles
// What a ranking of methods on a model in resources must say is in everything that `profile`, `run`, `report`,
// `compare` and `sweep` print about it, and in none of what they print about the other one.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace model_note_test {

using namespace kvantage;
using namespace kvantage::test;

const QString sentence = QStringLiteral("on reference-mha, knorm and paged_eviction work by construction");

class ModelNoteTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString at(const QString& name) const { return folder_.filePath(name); }
  static void add_models() {
    QTest::addColumn<QStringList>("model");
    QTest::addColumn<bool>("says");
    QTest::newRow("reference-mha") << QStringList{"--model", "reference-mha"} << true;
    QTest::newRow("default model") << QStringList{} << false;
  }
  /// Lines are wrapped anywhere.
  static int count_in(const QString& text) { return static_cast<int>(text.simplified().count(sentence)); }
  QString file(const QString& name) const {
    QFile read(at(name));
    return read.open(QIODevice::ReadOnly) ? QString::fromUtf8(read.readAll()) : QString();
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("the models in resources are not there");
    QVERIFY(write_workload(small_workload(2, 8, 5), at("workload").toStdString()));
  }

  void profilesSaySo_data() { add_models(); }
  void profilesSaySo() {
    QFETCH(const QStringList, model);
    QFETCH(const bool, says);
    const QStringList words =
        QStringList{"profile",    at("workload"),        "--methods", "knorm",   "--removed",    "0.5",    "--tier",
                    "dram=64MiB", "--profile-questions", "1",         "--store", at("profiled"), "--quiet"} +
        model;
    for (const QStringList& more : {QStringList{}, QStringList{"--by-family"}}) {
      const Answer text = call(words + more);
      QVERIFY2(text.exit_code == 0, text.text());
      QCOMPARE(count_in(text.out), says ? 1 : 0);
    }
    // Of what the database has, the table shows what is asked for; the note names knorm beside any table.
    QStringList other = words;
    other[other.indexOf("knorm")] = "keydiff";
    const Answer families = call(other + QStringList{"--by-family"});
    QVERIFY2(families.exit_code == 0, families.text());
    QCOMPARE(count_in(families.out), says ? 1 : 0);
    const QString table = families.out.simplified().remove(sentence);
    QVERIFY2(table.contains("keydiff") && !table.contains("knorm"), families.text());
    const Answer json = call(words + QStringList{"--json"});
    QVERIFY2(json.exit_code == 0, json.text());
    const Json printed = Json::parse(json.out.toStdString());
    QCOMPARE(printed.contains("model_note"), says);
    if (says) QVERIFY(printed.at("model_note").get<std::string>().starts_with(sentence.toStdString()));
  }

  void runsSaySo_data() { add_models(); }
  void runsSaySo() {
    QFETCH(const QStringList, model);
    QFETCH(const bool, says);
    const QString tag = says ? "mha" : "gqa", database = at(tag + ".db");
    const Answer run = call(QStringList{"run", at("workload"), "--policy", "lru,full_prefill", "--limit", "3", "--tier",
                                        "dram=64MiB", "--store", at(tag), "--db", database, "--quiet"} +
                            model);
    QVERIFY2(run.exit_code == 0, run.text());
    QCOMPARE(count_in(run.out), says ? 1 : 0);
    const Answer json = call({"report", "--json", "--db", database});
    const Json environment = Json::parse(json.out.toStdString()).at("environment");
    QCOMPARE(environment.contains("model_note"), says);
    for (const QStringList& words : {QStringList{"report"}, QStringList{"report", "--details"},
                                     QStringList{"compare", "last"}, QStringList{"compare", "last", "--details"}}) {
      const Answer shown = call(words + QStringList{"--db", database});
      QVERIFY2(shown.exit_code == 0, shown.text());
      QCOMPARE(count_in(shown.out), says ? 1 : 0);
    }
    const Answer compared = call({"compare", "last", "--json", "--db", database});
    QVERIFY2(compared.exit_code == 0, compared.text());
    const Json json_of_runs = Json::parse(compared.out.toStdString());
    int notes = 0;  // another may say that the machine was disturbed
    if (json_of_runs.contains("notes"))
      for (const Json& note : json_of_runs.at("notes"))
        notes += QString::fromStdString(note.get<std::string>()).contains(sentence) ? 1 : 0;
    QCOMPARE(notes, says ? 1 : 0);
    const Answer files =
        call({"report", "--db", database, "--out", at(tag + "-report"), "--format", "html,pdf,latex,csv", "--quiet"});
    QVERIFY2(files.exit_code == 0, files.text());
    QCOMPARE(file(tag + "-report/report.html").contains(sentence), says);
  }

  // A sweep takes the model by the same name.
  void sweepsSaySo_data() { add_models(); }
  void sweepsSaySo() {
    QFETCH(const QStringList, model);
    QFETCH(const bool, says);
    const QString out = at(says ? "mha-sweep" : "gqa-sweep");
    const QStringList words =
        QStringList{"sweep", at("workload"), "--policy",   "lru",   "--limit", "3",       "--seeds",
                    "1",     "--tier",       "dram=64MiB", "--out", out,       "--quiet", "--no-warmup"} +
        model;
    const Answer text = call(words);
    QVERIFY2(text.exit_code == 0, text.text());
    QCOMPARE(count_in(text.out), says ? 1 : 0);
    const Answer details = call(words + QStringList{"--resume", "--details"});
    QVERIFY2(details.exit_code == 0, details.text());
    QCOMPARE(count_in(details.out), says ? 1 : 0);
    const Json written = Json::parse(file(QFileInfo(out).fileName() + "/sweep.json").toStdString());
    QCOMPARE(written.contains("notes"), says);
    if (says) QVERIFY(written.at("notes").at(0).get<std::string>().starts_with(sentence.toStdString()));
  }
};

KV_TEST_GUILESS_MAIN(ModelNoteTest)

}  // namespace model_note_test

#include "model_note_test.moc"
