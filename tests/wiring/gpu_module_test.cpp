// links: app_wiring
// Finding and loading the accelerator's module: each reason for which the device tier is off is one line that says how
// to fix it.
#include <QTemporaryDir>
#include <QtTest>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/wiring/gpu_module.h"
#include "tests/support/test_program.h"

namespace gpu_module_test {

using namespace kvantage;

class GpuModuleTest : public QObject {
  Q_OBJECT

  static std::filesystem::path module(const std::string& name) {
    return std::filesystem::path(KVANTAGE_BINARY_DIR) / "tests" / ("libtest_gpu_" + name + ".so");
  }

 private slots:
  void init() { unsetenv("KVANTAGE_GPU_MODULE"); }

  void aModuleThatIsThereIsOpened() {
    auto accelerator = open_accelerator({module("double")});
    QVERIFY2(accelerator.has_value(), accelerator ? "" : accelerator.error().message.c_str());
    QCOMPARE((*accelerator)->info().name, std::string("host double"));
    const std::string line = device_line(accelerator);
    QVERIFY2(line.starts_with("device tier: host double, ") && line.ends_with(" free"), line.c_str());
    const DeviceGauges gauges = (*accelerator)->gauges();
    QVERIFY(gauges.to_device.peak_bytes_per_second > 1e8 && gauges.from_device.peak_bytes_per_second > 1e8);
    // A store outlives the accelerator, and the module both.
    auto store = (*accelerator)->open_store("device", 1 << 20);
    QVERIFY(store);
    accelerator->reset();
    const std::vector<std::byte> bytes(100000, std::byte{3});
    const std::atomic<bool> cancelled{false};
    const auto entry = (*store)->put({digest_of("entry"), bytes.size(), 4096, "label"}, bytes, cancelled);
    QVERIFY(entry);
    QVERIFY((*store)->verify(**entry));
  }

  void itIsOpenedAsOftenAsAsked() {
    for (int i = 0; i < 3; ++i) QVERIFY(open_accelerator({module("double")}));
  }

  void whatIsMissingIsOneLine_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* title, const std::filesystem::path& file, ErrorCode code, const char* reason) {
      QTest::newRow(title) << QString::fromStdString(file.string()) << static_cast<int>(code) << reason;
    };
    row("no such file", "/nowhere/module.so", ErrorCode::not_found,
        "there is no file /nowhere/module.so; name the module in KVANTAGE_GPU_MODULE, or unset it");
    row("no device", module("bare"), ErrorCode::not_found, "shows no device; check nvidia-smi");
    row("another build", module("old"), ErrorCode::not_found,
        "the module was built for interface 7 and the program has ");
    row("another library", module("other"), ErrorCode::rejected_input,
        "is not a module of this program; './run --gpu' builds one");
  }
  void whatIsMissingIsOneLine() {
    QFETCH(QString, file);
    QFETCH(int, code);
    QFETCH(QString, reason);
    const auto accelerator = open_accelerator({file.toStdString()});
    QVERIFY(!accelerator);
    QCOMPARE(static_cast<int>(accelerator.error().code), code);
    const QString line = QString::fromStdString(device_line(accelerator));
    QVERIFY2(line.startsWith("device tier: off: ") && line.contains(reason) && !line.contains('\n'), qPrintable(line));
  }

  void aDamagedModuleIsRefused() {
    QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "module.so";
    std::ofstream(file) << "no library\n";
    const auto accelerator = open_accelerator({file});
    QVERIFY(!accelerator);
    QCOMPARE(accelerator.error().code, ErrorCode::rejected_input);
    QVERIFY2(accelerator.error().message.find("cannot be loaded: ") != std::string::npos,
             accelerator.error().message.c_str());
  }

  void theFirstThatExistsIsTaken() {
    QVERIFY(open_accelerator({"/nowhere/a.so", module("double"), module("bare")}));
    const auto none = open_accelerator({"/nowhere/a.so", "/nowhere/b.so"});
    QVERIFY(!none);
    QCOMPARE(none.error().message, std::string("there is no module libkvantage_gpu.so next to the program; './run "
                                               "--gpu' builds it, or name it in KVANTAGE_GPU_MODULE"));
  }

  void theVariableComesFirst() {
    const auto defaults = gpu_module_places();
    QVERIFY(defaults.size() > 1);
    for (const auto& place : defaults) QCOMPARE(place.filename().string(), std::string("libkvantage_gpu.so"));
    setenv("KVANTAGE_GPU_MODULE", "/somewhere/else.so", 1);
    QCOMPARE(gpu_module_places(), std::vector<std::filesystem::path>{"/somewhere/else.so"});
    setenv("KVANTAGE_GPU_MODULE", "", 1);
    QCOMPARE(gpu_module_places(), defaults);
  }

  void theModuleOfThisBuildLoadsOnAnyMachine() {
    const std::filesystem::path file = std::filesystem::path(KVANTAGE_BINARY_DIR) / "app" / "libkvantage_gpu.so";
    if (!std::filesystem::exists(file)) QSKIP("built without nvcc");
    const auto accelerator = open_accelerator({file});
    if (accelerator) return;  // a machine with a GPU
    QCOMPARE(accelerator.error().code, ErrorCode::not_found);
    const std::string& why = accelerator.error().message;
    QVERIFY2(
        why.find("NVIDIA driver") != std::string::npos || why.find("the device cannot be used") != std::string::npos,
        why.c_str());
  }
};

KV_TEST_GUILESS_MAIN(GpuModuleTest)

}  // namespace gpu_module_test

#include "gpu_module_test.moc"
