// links: kv_reports profiles
// A session serves request after request, under a plan that moves entries between memory and files: memory, open files
// and threads of the process do not grow with the requests. KVANTAGE_LONG=1: 100,000 requests instead of 1,000, with
// bounds that much closer. KVANTAGE_SOAK_REQUESTS=N: so many, with the bounds of the short form.
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "tests/support/command_line.h"
#include "tests/support/database_rows.h"
#include "tests/support/process_growth.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"

namespace serving_soak_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

/// Bytes per request. The short form also sees arenas of threads and pages of SQLite that fill once.
struct Bounds {
  std::uint64_t requests;
  double resident_bytes;
  int look_milliseconds;
};
constexpr Bounds short_form{1'000, 4 << 10, 50}, long_form{100'000, 256, 2'000};

double requests_of(const path& database) {
  const auto rows = rows_of(database, "SELECT requests FROM runs ORDER BY id DESC LIMIT 1");
  return rows.empty() ? 0 : std::atof(rows[0][0].c_str());
}

}  // namespace

class ServingSoakTest : public QObject {
  Q_OBJECT

 private slots:
  void slopesAreThoseOfTheSamples() {
    std::vector<ProcessSample> samples;
    for (int i = 0; i < 2'000; ++i) {
      ProcessSample sample;
      sample.requests = 10 * i;
      const double noise = i % 7 == 0 ? 8e6 : 1e5 * std::sin(i);  // a request in flight now and then
      sample.resident_bytes = 5e8 + 100.0 * sample.requests + noise;
      sample.live_bytes = 1e8 + noise;
      sample.files = 12 + (i % 9 == 0 ? 1 : 0);
      sample.threads = 8 + std::floor(sample.requests / 5'000);
      samples.push_back(sample);
    }
    samples.insert(samples.begin() + 500, samples[499]);  // looked at twice
    const auto served = served_between(samples, 1'000, 15'000);
    QVERIFY(served.size() <= 400 && served.front().requests == 1'000 && served.back().requests < 15'000);
    const ProcessGrowth growth(served);
    QVERIFY2(std::abs(growth.resident_bytes - 100) < 10, growth.text().c_str());
    QVERIFY2(std::abs(growth.live_bytes) < 10, growth.text().c_str());
    QCOMPARE(growth.files, 0.0);
    QVERIFY2(growth.threads * growth.requests > 1, growth.text().c_str());
  }

  void nothingGrowsWithTheRequests() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const Bounds bounds = soak_bounds(short_form, long_form);
    const auto requests = static_cast<double>(bounds.requests);
    QTemporaryDir folder;
    const path root = folder.path().toStdString(), database = root / "store" / "kvantage.db";
    QVERIFY(write_workload(small_workload(8, 24, 5), root / "workload"));
    const QStringList words{"run",         text_of(root / "workload"),
                            "--model",     text_of(model_directory()),
                            "--store",     text_of(root / "store"),
                            "--tier",      "dram=2MiB,ssd=4MiB",
                            "--methods",   "knorm,keydiff",
                            "--removed",   "0.3,0.6",
                            "--policy",    "evicpress",
                            "--limit",     QString::number(bounds.requests),
                            "--threads",   "1",
                            "--no-warmup", "--no-reprofile",
                            "--quiet"};
    QProcess process;
    process.start(command_line_program(), words);
    QVERIFY(process.waitForStarted());
    std::vector<ProcessSample> samples;
    while (!process.waitForFinished(bounds.look_milliseconds) && process.state() == QProcess::Running) {
      const double served = requests_of(database);
      if (served <= 0) continue;
      if (const auto sample = sample_of(static_cast<pid_t>(process.processId()), served)) samples.push_back(*sample);
    }
    QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0, process.readAllStandardError());
    QVERIFY(requests_of(database) >= requests);

    // Not from the end, where the process reads its own journal for the table.
    const ProcessGrowth growth(served_between(samples, requests / 4, requests));
    qInfo("%s", growth.text().c_str());
    QVERIFY2(growth.samples >= 4 && growth.requests > requests / 4, growth.text().c_str());
    QVERIFY2(growth.resident_bytes <= bounds.resident_bytes, growth.text().c_str());
    QVERIFY2(growth.files * requests < 1, growth.text().c_str());
    QVERIFY2(growth.threads * requests < 1, growth.text().c_str());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs("KVANTAGE_SOAK_REQUESTS");
  return run_test<ServingSoakTest, QCoreApplication>(argc, argv);
}

}  // namespace serving_soak_test

#include "serving_soak_test.moc"
