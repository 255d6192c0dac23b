// links: kv_experiments
// Numbers as ggml packs them, widened: bit for bit what the package of its authors gives for the same bytes.
#include "core/model/gguf_blocks.h"

#include <QtTest>
#include <cstring>

#include "core/base/gguf_file.h"
#include "core/base/json.h"
#include "core/model/kernels/packed.h"
#include "tests/support/test_program.h"

namespace gguf_blocks_test {

using namespace kvantage;

namespace {

Json goldens() {
  return read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/gguf_blocks.json").value();
}

std::vector<std::byte> bytes_of(const Json& hex) {
  const QByteArray raw = QByteArray::fromHex(QByteArray::fromStdString(hex.get<std::string>()));
  std::vector<std::byte> bytes(static_cast<std::size_t>(raw.size()));
  std::memcpy(bytes.data(), raw.constData(), bytes.size());
  return bytes;
}

}  // namespace

class GgufBlocksTest : public QObject {
  Q_OBJECT

 private slots:
  void numbersAreTheReferences_data() {
    QTest::addColumn<int>("which");
    int which = 0;
    const Json json = goldens();
    for (const Json& entry : json.at("cases")) QTest::newRow(entry.at("type").get<std::string>().c_str()) << which++;
    QCOMPARE(which, 17);
  }
  void numbersAreTheReferences() {
    QFETCH(int, which);
    const Json entry = goldens().at("cases").at(static_cast<std::size_t>(which));
    const WidenBlocks widen = widen_blocks(entry.at("type").get<std::string>());
    QVERIFY(widen != nullptr);
    const auto stored = bytes_of(entry.at("bytes")), wanted = bytes_of(entry.at("numbers"));
    std::vector<float> numbers(wanted.size() / sizeof(float));
    QVERIFY(numbers.size() >= 28);
    std::vector<std::byte> shifted(stored.size() + 1);  // blocks may be anywhere in a file
    std::memcpy(shifted.data() + 1, stored.data(), stored.size());
    widen(std::span(shifted).subspan(1), numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      float want = 0;
      std::memcpy(&want, wanted.data() + i * sizeof(float), sizeof(float));
      QVERIFY2(std::memcmp(&numbers[i], &want, sizeof(float)) == 0, qPrintable(QString("number %1 is %2 instead of %3")
                                                                                   .arg(i)
                                                                                   .arg(double(numbers[i]), 0, 'g', 9)
                                                                                   .arg(double(want), 0, 'g', 9)));
    }
  }

  // Matrices that stay packed: their tiles hold the same numbers.
  void tilesHoldTheReferences() {
    int types = 0;
    const Json json = goldens();
    for (const Json& entry : json.at("cases")) {
      const auto stored = bytes_of(entry.at("bytes")), wanted = bytes_of(entry.at("numbers"));
      const auto columns = static_cast<int>(wanted.size() / sizeof(float));
      const auto type = packed_type(entry.at("type").get<std::string>(), columns);
      if (!type) continue;
      ++types;
      constexpr int rows = 18;  // all the same, in two tiles
      std::vector<std::byte> tiles(packed_bytes(*type, rows, columns));
      for (int row = 0; row < rows; ++row) pack_row(*type, columns, stored, row, tiles.data());
      std::vector<float> numbers(static_cast<std::size_t>(columns));
      for (int row = 0; row < rows; ++row) {
        unpack_row({*type, rows, columns, tiles.data()}, row, numbers.data());
        QVERIFY2(std::memcmp(numbers.data(), wanted.data(), wanted.size()) == 0, packed_form(*type).name);
      }
    }
    QCOMPARE(types, 4);
  }

  void sizesOfAllTypesAreTheReferences() {
    const Json sizes = goldens().at("sizes");
    QCOMPARE(sizes.size(), gguf_tensor_types().size());
    for (const GgufTensorType& type : gguf_tensor_types()) {
      const auto wanted = sizes.at(type.name).get<std::vector<std::uint32_t>>();
      const std::vector<std::uint32_t> own{type.number, type.elements, type.bytes};
      QVERIFY2(own == wanted, type.name);
    }
  }

  void otherTypesAreNotComputedWith() {
    QVERIFY(widen_blocks("IQ2_XS") == nullptr);
    QVERIFY(widen_blocks("") == nullptr);
    QCOMPARE(widened_types(), std::string("F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K, Q2_K, Q3_K, "
                                          "IQ4_NL, IQ4_XS, IQ3_S, MXFP4"));
  }
};

KV_TEST_GUILESS_MAIN(GgufBlocksTest)

}  // namespace gguf_blocks_test

#include "gguf_blocks_test.moc"
