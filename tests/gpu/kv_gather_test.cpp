// links: kv_gpu kv_base
#include <QtTest>
#include <vector>

#include "core/base/random.h"
#include "gpu/kv_gather.h"

using namespace kvantage;

class KvGatherTest : public QObject {
  Q_OBJECT
  struct Case {
    gpu::GatherShape shape;
    std::vector<std::byte> source, expected;
    std::vector<std::int32_t> kept;
  };

  // Source bytes are a function of their place, so the expected target is known without gathering.
  static std::byte byte_at(int head, int token, std::size_t i) {
    return static_cast<std::byte>((head * 131 + token * 31 + static_cast<int>(i) * 7) & 0xff);
  }
  static Case make_case(std::uint64_t seed, std::size_t row_bytes) {
    Random random(seed);
    Case c;
    c.shape = {.heads = 4, .tokens = 100, .kept = 0, .row_bytes = row_bytes};
    std::vector<std::int32_t> kept_row;
    for (int t = 0; t < c.shape.tokens; ++t)
      if (random.below(3) != 0) kept_row.push_back(t);
    c.shape.kept = static_cast<int>(kept_row.size());
    for (int h = 0; h < c.shape.heads; ++h)
      for (int t = 0; t < c.shape.tokens; ++t)
        for (std::size_t i = 0; i < row_bytes; ++i) c.source.push_back(byte_at(h, t, i));
    for (int h = 0; h < c.shape.heads; ++h)
      for (const auto t : kept_row) {
        c.kept.push_back(t);
        for (std::size_t i = 0; i < row_bytes; ++i) c.expected.push_back(byte_at(h, t, i));
      }
    return c;
  }

 private slots:
  void cpuGathersExactlyTheKeptRows_data() {
    QTest::addColumn<int>("row_bytes");
    for (const int bytes : {2, 7, 16, 64, 128}) QTest::addRow("%d bytes a row", bytes) << bytes;
  }
  void cpuGathersExactlyTheKeptRows() {
    QFETCH(int, row_bytes);
    const Case c = make_case(7, static_cast<std::size_t>(row_bytes));
    std::vector<std::byte> target(c.expected.size());
    QVERIFY(gpu::gather_rows_cpu(c.shape, c.source, c.kept, target).has_value());
    QVERIFY(target == c.expected);
  }
  void cudaEqualsItsCpuTwin() {
    if (!gpu::cuda_available()) QSKIP("no CUDA device answers on this machine");
    for (const std::size_t bytes : {2, 7, 16, 64, 128}) {
      const Case c = make_case(9, bytes);
      std::vector<std::byte> target(c.expected.size());
      const auto status = gpu::gather_rows_cuda(c.shape, c.source, c.kept, target);
      QVERIFY2(status.has_value(), status ? "" : status.error().message.c_str());
      QVERIFY(target == c.expected);
    }
  }
  void indexOutsideTheTokensIsRefused() {
    Case c = make_case(1, 16);
    c.kept[3] = c.shape.tokens;
    std::vector<std::byte> target(c.expected.size());
    QVERIFY(!gpu::gather_rows_cpu(c.shape, c.source, c.kept, target).has_value());
  }
  void bufferTooSmallIsRefused() {
    const Case c = make_case(1, 16);
    std::vector<std::byte> target(c.expected.size() - 1);
    QVERIFY(!gpu::gather_rows_cpu(c.shape, c.source, c.kept, target).has_value());
  }
};

QTEST_GUILESS_MAIN(KvGatherTest)
#include "kv_gather_test.moc"
