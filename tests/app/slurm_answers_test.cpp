// links: kv_reports kv_cli_program
// What sbatch and squeue print, and what else may be printed in their place: a job is a number, and its cluster a name.
#include <QtTest>

#include "app/cli/sweep/slurm_answers.h"
#include "tests/support/test_program.h"

namespace slurm_answers_test {

using namespace kvantage;
using namespace kvantage::cli;

class SlurmAnswersTest : public QObject {
  Q_OBJECT

 private slots:
  void jobsOfSbatch_data() {
    QTest::addColumn<QByteArray>("out");
    QTest::addColumn<QByteArray>("id");
    QTest::addColumn<QByteArray>("cluster");
    const auto row = [](const char* name, const QByteArray& out, const char* id, const char* cluster) {
      QTest::newRow(name) << out << QByteArray(id) << QByteArray(cluster);
    };
    row("a number", "17\n", "17", "");
    row("of a cluster", "17;big-1.a_b\n", "17", "big-1.a_b");
    row("behind a greeting", "Welcome!\n\n17 \n\n", "17", "");
    row("a semicolon alone", "17;\n", "17", "");
    row("nothing", "", "", "");
    row("a text", "Submitted batch job 17\n", "", "");
    row("a negative number", "-17\n", "", "");
    row("21 digits", "123456789012345678901\n", "", "");
    row("an option as a cluster", "17;a --help\n", "", "");
    row("a path as a cluster", "17;../x\n", "", "");
    row("a long cluster", "17;" + QByteArray(65, 'c') + "\n", "", "");
    row("a NUL", QByteArray("17\0", 3), "", "");
    row("a command of the terminal", "17;\x1b[31m\n", "", "");
  }
  void jobsOfSbatch() {
    QFETCH(QByteArray, out);
    QFETCH(QByteArray, id);
    QFETCH(QByteArray, cluster);
    const auto job = job_of_sbatch({0, out.toStdString(), ""});
    QCOMPARE(job.has_value(), !id.isEmpty());
    if (!job) {
      QVERIFY(job.error().code == ErrorCode::rejected_input);
      QVERIFY2(job.error().message.starts_with("sbatch named no job ('") &&
                   job.error().message.find_first_of("\n\x1b") == std::string::npos,
               job.error().message.c_str());
      return;
    }
    QCOMPARE(job->id, id.toStdString());
    QCOMPARE(job->cluster, cluster.toStdString());
  }

  void aRefusalOfSbatchIsSaid() {
    const auto refused = job_of_sbatch({1, "17\n", "sbatch: error: first\nsbatch: error: Invalid partition\n"});
    QVERIFY(!refused);
    QCOMPARE(
        refused.error().message,
        std::string("sbatch refused the job: sbatch: error: Invalid partition; correct --sbatch or --slurm-tasks"));
  }

  void statesOfSqueue_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("out");
    QTest::addColumn<QByteArray>("error");
    QTest::addColumn<int>("state");
    const auto row = [](const char* name, int code, const char* out, const char* error, SlurmState state) {
      QTest::newRow(name) << code << QByteArray(out) << QByteArray(error) << static_cast<int>(state);
    };
    row("waits", 0, "PENDING\n", "", SlurmState::active);
    row("one of many runs", 0, "COMPLETED\nRUNNING\n", "", SlurmState::active);
    row("over", 0, "COMPLETED\nFAILED\n", "", SlurmState::over);
    row("none", 0, "", "", SlurmState::over);
    row("of a cluster", 0, "CLUSTER: big\nRUNNING\n", "", SlurmState::active);
    row("a cluster of the name of a state", 0, "CLUSTER: RUNNING\nCOMPLETED\n", "", SlurmState::over);
    row("forgotten", 1, "", "slurm_load_jobs error: Invalid job id specified\n", SlurmState::over);
    row("no answer", 1, "RUNNING\n", "Unable to contact slurm controller\n", SlurmState::unknown);
  }
  void statesOfSqueue() {
    QFETCH(int, code);
    QFETCH(QByteArray, out);
    QFETCH(QByteArray, error);
    QFETCH(int, state);
    QCOMPARE(static_cast<int>(state_of_squeue({code, out.toStdString(), error.toStdString()})), state);
  }
};

KV_TEST_GUILESS_MAIN(SlurmAnswersTest)

}  // namespace slurm_answers_test

#include "slurm_answers_test.moc"
