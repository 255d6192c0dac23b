// links: kv_base kv_tiers kv_gpu_device test_fake_cuda
// cuda_memory.cpp over a runtime in host memory: the calls it makes, the errors it tells, and that nothing of CUDA's is
// left behind.
#include <cuda_runtime_api.h>

#include <QtTest>

#include "gpu/device/cuda_memory.h"
#include "tests/gpu/device_checks.h"
#include "tests/gpu/fake/fake_cuda.h"

using namespace kvantage;
using namespace kvantage::testing;

class FakeCudaTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { fake_cuda().reset(); }
  void cleanup() {
    const FakeCuda& fake = fake_cuda();
    QCOMPARE(fake.broken_rules.load(), 0);
    QVERIFY(fake.nothing_left());
  }

  void theTierHoldsOverIt_data() {
    QTest::addColumn<bool>("straight");
    QTest::addColumn<bool>("pins");
    QTest::newRow("straight into pinned buffers") << true << true;
    QTest::newRow("through staging") << false << true;
    QTest::newRow("nothing can be pinned") << true << false;
  }
  void theTierHoldsOverIt() {
    QFETCH(bool, straight);
    QFETCH(bool, pins);
    fake_cuda().refuses_pinning = !pins;
    const auto memory = gpu::open_cuda_memory();
    QVERIFY2(memory.has_value(), memory ? "" : memory.error().message.c_str());
    QCOMPARE((*memory)->info().name, std::string("fake CUDA"));
    auto bench = open_bench(*memory, 0, straight);
    QVERIFY(bench);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Complaint wrong = ragged_entries_come_back(*bench, seed, 100);
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
    const Complaint kept = cancelled_reads_leave_nothing(*bench, 40);
    QVERIFY2(kept.empty() || kept == "no read was given up in time", kept.c_str());
    QVERIFY(bench->accelerator->gauges().from_device.peak_bytes_per_second > 0);
  }

  void theReasonIsTold_data() {
    QTest::addColumn<int>("driver");
    QTest::addColumn<int>("error");
    QTest::addColumn<int>("devices");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no driver") << 0 << int(cudaErrorInsufficientDriver) << 0
                               << "no NVIDIA driver was found (libcuda.so.1); install the driver of this machine's GPU";
    QTest::newRow("old driver")
        << 12040 << int(cudaErrorInsufficientDriver) << 0
        << "the NVIDIA driver supports CUDA 12.4 and this was built with CUDA 13.0; update the driver";
    QTest::newRow("no device") << 13000 << int(cudaErrorNoDevice) << 0
                               << "the NVIDIA driver shows no device; check nvidia-smi and CUDA_VISIBLE_DEVICES";
    QTest::newRow("none visible") << 13000 << int(cudaSuccess) << 0 << "the NVIDIA driver shows no device";
    QTest::newRow("broken") << 13000 << int(cudaErrorSystemNotReady) << 0
                            << "the device cannot be used: an error (cudaError); check nvidia-smi";
  }
  void theReasonIsTold() {
    QFETCH(int, driver);
    QFETCH(int, error);
    QFETCH(int, devices);
    QFETCH(QString, reason);
    fake_cuda().driver_version = driver;
    fake_cuda().device_count_error = error;
    fake_cuda().devices = devices;
    const auto memory = gpu::open_cuda_memory();
    QVERIFY(!memory);
    QCOMPARE(memory.error().code, ErrorCode::not_found);
    if (driver == 12040 && CUDART_VERSION / 10 != 1300) return;  // another toolkit says another number
    QVERIFY2(memory.error().message.starts_with(reason.toStdString()) &&
                 memory.error().message.find('\n') == std::string::npos,
             memory.error().message.c_str());
  }

  /// By the kernel, in pieces of 8 MiB, each with one copy of its sums: XXH3 of every leaf.
  void theDeviceTakesChecksums() {
    const auto opened = gpu::open_cuda_memory();
    QVERIFY(opened);
    gpu::DeviceMemory& memory = **opened;
    const std::size_t leaves = 2048 + 3;
    const auto bytes = bytes_of(3, leaves * 4096);
    const auto address = memory.allocate(bytes->size());
    QVERIFY(address);
    const auto written = memory.copy_in(*address, *bytes);
    QVERIFY(written && (*written)->wait());
    std::vector<std::uint64_t> sums(leaves);
    QVERIFY(memory.leaf_checksums(*address, sums));
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
      QCOMPARE(sums[leaf], checksum_of(std::span(*bytes).subspan(leaf * 4096, 4096)));
    fake_cuda().inject(CudaCall::copy, 1);  // the sums of the second piece
    const Status failed = memory.leaf_checksums(*address, sums);
    QVERIFY(!failed && fake_cuda().has_failed());
    QCOMPARE(failed.error().code, ErrorCode::io);
    memory.release(*address);
  }

  /// A thread that asked whether its copy is complete launches next: CUDA keeps "not ready" as the thread's last error.
  void aCopyInFlightFailsNoLaunch() {
    fake_cuda().reset(Lateness::latest);
    const auto opened = gpu::open_cuda_memory();
    QVERIFY(opened);
    gpu::DeviceMemory& memory = **opened;
    const auto bytes = bytes_of(3, 8192);
    const auto address = memory.allocate(bytes->size());
    QVERIFY(address);
    {
      const auto written = memory.copy_in(*address, *bytes);
      QVERIFY(written && !(*written)->over());
      std::vector<std::uint64_t> sums(1);
      const Status summed = memory.leaf_checksums(*address, sums);
      QVERIFY2(summed.has_value(), summed ? "" : summed.error().message.c_str());
    }
    memory.release(*address);
  }

  void aFullDeviceRefuses() {
    fake_cuda().memory_bytes = std::size_t{48} << 20;
    const auto memory = gpu::open_cuda_memory();
    QVERIFY(memory);
    auto bench = open_bench(*memory, 0, true);
    QVERIFY(bench);
    Status stored;
    int entries = 0;
    for (; entries < 20 && stored; ++entries)
      stored = put_entry(*bench->tier, std::to_string(entries), bytes_of(1, 5000000));
    QVERIFY(!stored && entries > 8);
    QCOMPARE(stored.error().code, ErrorCode::no_space);
    QVERIFY2(stored.error().message.find("of device memory are free") != std::string::npos,
             stored.error().message.c_str());
  }

  void aCopyThatCannotBeginIsAMiss() {
    const auto memory = gpu::open_cuda_memory();
    QVERIFY(memory);
    auto bench = open_bench(*memory, 0, false);
    QVERIFY(bench);
    const auto bytes = bytes_of(2, 9000000);
    for (int after = 0; after < 4; ++after) {
      QVERIFY(put_entry(*bench->tier, "entry", bytes));
      fake_cuda().inject(CudaCall::copy, after);
      const Complaint wrong = read_back(*bench, "entry", *bytes, layers_of(*bytes, 1000000));
      QVERIFY2(wrong.starts_with("entry: device: CUDA: a copy: "), wrong.c_str());
    }
    QCOMPARE(bench->tier->statistics().misses.at("device"), std::uint64_t{4});
  }

  void aLostDeviceFailsEverythingAndHangsNothing() {
    const auto memory = gpu::open_cuda_memory();
    QVERIFY(memory);
    auto bench = open_bench(*memory, 0, true);
    QVERIFY(bench);
    const auto bytes = bytes_of(2, 9000000);
    QVERIFY(put_entry(*bench->tier, "entry", bytes));
    fake_cuda().lose();
    const Complaint wrong = read_back(*bench, "entry", *bytes, layers_of(*bytes, 1000000));
    QVERIFY2(wrong.starts_with("entry: device: CUDA: "), wrong.c_str());
    QVERIFY(!put_entry(*bench->tier, "other", bytes));
    QCOMPARE((*memory)->free_bytes(), std::uint64_t{0});
  }
};

QTEST_GUILESS_MAIN(FakeCudaTest)
#include "fake_cuda_test.moc"
