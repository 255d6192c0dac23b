// links: kv_reports profiles
// The device tier from the command line: why it is off, what there is, and a session whose first tier is in a device
// (its double in host memory, by the same loader and the same module entry).
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <fstream>

#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/database_rows.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace device_command_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class DeviceCommandTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;

  path at(const std::string& name) const { return path(folder_->path().toStdString()) / name; }
  static void use_module(const char* name) {
    qputenv("KVANTAGE_GPU_MODULE", QByteArray(KVANTAGE_BINARY_DIR "/tests/libtest_gpu_") + name + ".so");
  }

  struct Served {
    std::vector<std::string> answers;
    std::map<std::string, int> sources;
  };
  Served run(const std::string& store, const QStringList& tiers) const {
    QStringList arguments{"run",         text_of(at("workload")),
                          "--model",     text_of(model_directory()),
                          "--store",     text_of(at(store)),
                          "--policy",    "lru",
                          "--limit",     "32",
                          "--seed",      "7",
                          "--no-warmup", "--compute-or-load",
                          "off"};
    for (const QString& tier : tiers) arguments << "--tier" << tier;
    const Answer answer = call(arguments);
    if (answer.exit_code != 0) qWarning("%s", answer.text().constData());
    Served served;
    for (const auto& row :
         rows_of(at(store) / "kvantage.db", "SELECT body FROM events WHERE type = 'request.finished' ORDER BY id")) {
      const Json record = Json::parse(row[0]).at("data").at("record");
      served.answers.push_back(record.at("question").get<std::string>() + " " + record.at("answer").get<std::string>());
      ++served.sources[record.at("source").get<std::string>()];
    }
    return served;
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    qunsetenv("KVANTAGE_GPU_MODULE");
  }

  void withoutOneALineSaysWhyAndHowToMendIt_data() {
    QTest::addColumn<QString>("module");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no device") << "bare"
                               << "the NVIDIA driver shows no device; check nvidia-smi and CUDA_VISIBLE_DEVICES";
    QTest::newRow("another build") << "old"
                                   << "the module was built for interface 7 and the program has ";
    QTest::newRow("another library") << "other"
                                     << "is not a module of this program; './run --gpu' builds one";
    QTest::newRow("no module") << "missing"
                               << "there is no file ";
  }
  void withoutOneALineSaysWhyAndHowToMendIt() {
    QFETCH(QString, module);
    QFETCH(QString, reason);
    use_module(module.toLatin1().constData());
    const Answer answer = call({"device"});
    QCOMPARE(answer.exit_code, 0);
    QVERIFY2(answer.out.startsWith("device tier: off: ") && answer.out.simplified().contains(reason) &&
                 answer.error.isEmpty(),
             answer.text());
    const QRegularExpression long_word("\\S{98}");  // a file's name stays whole
    for (const QString& line : answer.out.split('\n'))
      QVERIFY2(line.size() <= 100 || line.contains(long_word), qPrintable(line));
    const Answer json = call({"device", "--json"});
    const Json told = Json::parse(json.out.toStdString());
    QVERIFY(!told.at("present").get<bool>() &&
            told.at("reason").get<std::string>().find(reason.toStdString()) != std::string::npos);
  }

  void whatThereIsIsShown() {
    use_module("double");
    const Answer answer = call({"device"});
    QCOMPARE(answer.exit_code, 0);
    QVERIFY2(answer.out.startsWith("device tier: host double, 1.00 GiB, 1.00 GiB free\nno driver\ncopies of pinned "
                                   "memory, measured: to the device "),
             answer.text());
    const Json told = Json::parse(call({"device", "--json"}).out.toStdString());
    QVERIFY(told.at("present").get<bool>());
    const double peak = told.at("peak_bytes_per_second").at("from_device").get<double>();
    QVERIFY2(peak > 1e8 && peak < 2.1e9, qPrintable(QString::number(peak)));  // the double's pace is 2 GB/s
  }

  void aSessionWithADeviceTierIsRefusedWhereThereIsNone() {
    QVERIFY(write_workload(small_workload(2, 16, 5), at("workload")));
    use_module("bare");
    const Answer answer = call({"run", text_of(at("workload")), "--store", text_of(at("store")), "--tier",
                                "device=1MiB", "--tier", "dram=8MiB"});
    QCOMPARE(answer.exit_code, 3);
    QCOMPARE(answer.error_lines().size(), 1);
    QVERIFY2(answer.error.startsWith("error: tier 'device': the NVIDIA driver shows no device; ") &&
                 answer.error.trimmed().endsWith("; without a GPU leave the tier out"),
             answer.text());
    QVERIFY(!std::filesystem::exists(at("store")));
    // As a file asks for it.
    std::ofstream(at("workload") / "session.json") << R"({"tiers": [{"name": "device", "budget_bytes": 1048576}]})";
    const Answer by_file = call({"run", text_of(at("workload")), "--store", text_of(at("store"))});
    QVERIFY2(by_file.exit_code == 3 && by_file.error.contains("tier 'device': the NVIDIA driver shows no device"),
             by_file.text());
    use_module("double");
    const Answer too_large =
        call({"run", text_of(at("workload")), "--store", text_of(at("store")), "--tier", "device=2GiB"});
    QVERIFY2(
        too_large.exit_code == 3 &&
            too_large.error.contains("tier 'device': 2.00 GiB are more than the 1.00 GiB that host double has free"),
        too_large.text());
  }

  void aSessionServesFromTheDeviceAndDemotesToMemory() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(6, 40, 5), at("workload")));
    const Served memory = run("memory", {"dram=64MiB"});
    QCOMPARE(memory.answers.size(), std::size_t{32});
    use_module("double");
    // Not room enough for all four contexts: what is used least goes down to host memory.
    const Served device = run("device", {"device=4MiB", "dram=64MiB"});
    qInfo("served from: device %d, dram %d, prefill %d",
          device.sources.count("device") ? device.sources.at("device") : 0,
          device.sources.count("dram") ? device.sources.at("dram") : 0,
          device.sources.count("prefill") ? device.sources.at("prefill") : 0);
    QCOMPARE(device.answers, memory.answers);
    QVERIFY(device.sources.contains("device") && device.sources.contains("dram"));
    const Served all = run("all", {"device=512MiB"});
    QCOMPARE(all.answers, memory.answers);
    QVERIFY(all.sources.contains("device") && !all.sources.contains("dram"));
  }
};

KV_TEST_GUILESS_MAIN(DeviceCommandTest)

}  // namespace device_command_test

#include "device_command_test.moc"
