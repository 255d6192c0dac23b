// links: kv_base
// GGUF files: every type of value and the shapes of tensors come back, a file that lies about itself is refused in one
// line.
#include "core/base/gguf_file.h"

#include <QTemporaryDir>
#include <QtTest>
#include <limits>

#include "core/base/files.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_program.h"

namespace gguf_file_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const std::filesystem::path data = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "../shared/data/models";

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Of one tensor, with every part to be changed.
std::string described(const std::string& name, const std::vector<std::uint64_t>& extents, std::uint32_t type,
                      std::uint64_t offset) {
  std::string bytes = gguf_text(name) + gguf_number(static_cast<std::uint32_t>(extents.size()));
  for (const std::uint64_t extent : extents) bytes += gguf_number(extent);
  return bytes + gguf_number(type) + gguf_number(offset);
}

/// Tensors after no keys, then the padding and `size` bytes of data.
std::string with_tensors(const std::vector<std::string>& tensors, std::size_t size) {
  std::string bytes = gguf_header(tensors.size(), 0);
  for (const std::string& tensor : tensors) bytes += tensor;
  bytes.resize((bytes.size() + 31) / 32 * 32 + size);
  return bytes;
}

}  // namespace

class GgufFileTest : public QObject {
  Q_OBJECT

 private slots:
  void everyTypeOfValueComesBack() {
    for (const std::uint32_t version : {2U, 3U}) {
      const std::string bytes = GgufWriter(version)
                                    .raw("a", 0, gguf_number(std::uint8_t{200}))
                                    .raw("b", 1, gguf_number(std::int8_t{-3}))
                                    .raw("c", 2, gguf_number(std::uint16_t{60000}))
                                    .raw("d", 3, gguf_number(std::int16_t{-300}))
                                    .u32("e", 4000000000U)
                                    .raw("f", 5, gguf_number(std::int32_t{77}))
                                    .f32("g", 0.25F)
                                    .flag("h", true)
                                    .text("i", "Füße\n")
                                    .raw("j", 10, gguf_number(std::numeric_limits<std::uint64_t>::max()))
                                    .raw("k", 11, gguf_number(std::int64_t{1} << 40))
                                    .raw("l", 12, gguf_number(1e300))
                                    .texts("m", {"", "x", "yz"})
                                    .floats("n", {1.5F, -2.0F})
                                    .ints("o", {3, -4})
                                    .texts("p", {})
                                    .bytes();
      const auto file = GgufFile::parse(view(bytes), "t");
      QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
      QCOMPARE(file->version(), version);
      QCOMPARE(file->values().size(), std::size_t{16});
      QCOMPARE(file->whole_number("a").value(), std::uint64_t{200});
      QCOMPARE(file->number("b").value(), -3.0);
      QCOMPARE(file->whole_number("c").value(), std::uint64_t{60000});
      QCOMPARE(file->number("d").value(), -300.0);
      QCOMPARE(file->whole_number("e").value(), std::uint64_t{4000000000U});
      QCOMPARE(file->whole_number("f").value(), std::uint64_t{77});
      QCOMPARE(file->number("g").value(), 0.25);
      QCOMPARE(file->flag("h").value(), true);
      QCOMPARE(file->text("i").value(), std::string_view("Füße\n"));
      QCOMPARE(file->whole_number("j").value(), std::numeric_limits<std::uint64_t>::max());
      QCOMPARE(file->whole_number("k").value(), std::uint64_t{1} << 40);
      QCOMPARE(file->number("l").value(), 1e300);
      QCOMPARE(file->texts("m").value(), (std::vector<std::string_view>{"", "x", "yz"}));
      QCOMPARE(file->numbers("n").value(), (std::vector<double>{1.5, -2.0}));
      QCOMPARE(file->numbers("o").value(), (std::vector<double>{3, -4}));
      QVERIFY(file->texts("p").value().empty());
      QVERIFY(file->has("a") && !file->has("z"));
    }
  }

  void aValueAskedForAsAnotherTypeIsRefusedByItsKey() {
    const std::string bytes = GgufWriter()
                                  .text("name", "x")
                                  .raw("minus", 11, gguf_number(std::int64_t{-1}))
                                  .texts("list", {"x"})
                                  .f32("nan", std::numeric_limits<float>::quiet_NaN())
                                  .bytes();
    const auto file = GgufFile::parse(view(bytes), "t").value();
    const auto message = [](const auto& value) { return QString::fromStdString(value ? "" : value.error().message); };
    QCOMPARE(message(file.whole_number("name")),
             QString("t: key 'name' is of type text instead of a whole number; convert the model again"));
    QCOMPARE(message(file.whole_number("minus")), QString("t: key 'minus' is negative; convert the model again"));
    QCOMPARE(message(file.number("nan")), QString("t: key 'nan' is not finite; convert the model again"));
    QCOMPARE(message(file.flag("list")),
             QString("t: key 'list' is of type array of text instead of bool; convert the model again"));
    QCOMPARE(message(file.numbers("list")),
             QString("t: key 'list' is of type array of text instead of array of numbers; convert the model again"));
    QCOMPARE(message(file.text("absent")), QString("t: key 'absent' (text) is missing; convert the model again"));
  }

  void tensorsHaveTheirShapesAndBytes() {
    const std::string blocks(2 * 34, 'q');
    const std::string bytes =
        GgufWriter().alignment(64).tensor("a", {3, 2}, {1, 2, 3, 4, 5, 6}).tensor("b", {32, 2}, 8, blocks).bytes();
    const auto file = GgufFile::parse(view(bytes), "t").value();
    const GgufTensor& a = file.tensors().at("a");
    QCOMPARE(a.shape, (std::vector<std::int64_t>{2, 3}));  // two rows of three
    QCOMPARE(a.type->name, "F32");
    QCOMPARE(a.bytes.size(), std::size_t{24});
    float last = 0;
    std::memcpy(&last, a.bytes.data() + 20, 4);
    QCOMPARE(last, 6.0F);
    const GgufTensor& b = file.tensors().at("b");
    QCOMPARE(b.type->name, "Q8_0");
    QCOMPARE(std::string(reinterpret_cast<const char*>(b.bytes.data()), b.bytes.size()), blocks);
    QCOMPARE((b.bytes.data() - a.bytes.data()) % 64, std::ptrdiff_t{0});
  }

  void filesThatLie_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const std::string& bytes, const char* part) {
      QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString(part);
    };
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    row("no bytes", "", "does not begin with GGUF");
    row("another file", "{\"hidden_size\": 64}", "does not begin with GGUF");
    row("ends after the magic", "GGUF", "ends inside the version");
    row("version 1", gguf_header(0, 0, 1), "has version 1, but 2 and 3 are read");
    row("big-endian", gguf_header(0, 0, 3U << 24), "is big-endian");
    row("2^64-1 keys", gguf_header(0, most), "the file claims 18446744073709551615 keys");
    row("2^64-1 tensors", gguf_header(most, 0), "the file claims 18446744073709551615 tensors");
    row("keys that are not there", gguf_header(0, 1), "the file claims 1 keys");
    const std::string filler(64, '\0');
    row("key of 2^63 bytes", gguf_header(0, 1) + gguf_number(std::uint64_t{1} << 63) + filler, "ends inside a key");
    row("empty key", gguf_header(0, 1) + gguf_key("", 4) + filler, "a key of 0 bytes");
    row("unknown type of value", gguf_header(0, 1) + gguf_key("a", 13) + filler, "key 'a' has the unknown type 13");
    row("text of 2^64-1 bytes", gguf_header(0, 1) + gguf_key("a", 8) + gguf_number(most), "ends inside key 'a'");
    row("number cut short", gguf_header(0, 1) + gguf_key("a", 10) + "1234", "ends inside key 'a'");
    const auto array = [](std::uint32_t type, std::uint64_t count) {
      return gguf_header(0, 1) + gguf_key("a", 9) + gguf_number(type) + gguf_number(count);
    };
    row("array of 2^61 numbers", array(10, std::uint64_t{1} << 61) + filler, "claims 2305843009213693952 elements");
    row("array of 2^64-1 bytes", array(0, most) + filler, "claims 18446744073709551615 elements");
    row("array of 2^60 texts", array(8, std::uint64_t{1} << 60) + filler, "claims 1152921504606846976 elements");
    row("array of arrays", array(9, 1) + filler, "array of arrays");
    row("array whose last text is long", array(8, 2) + gguf_text("x") + gguf_number(std::uint64_t{9}) + "12345678",
        "ends inside key 'a'");
    row("neither true nor false", gguf_header(0, 1) + gguf_key("a", 7) + "\2", "neither 0 nor 1");
    row("key twice", GgufWriter().u32("a", 1).u32("a", 2).bytes(), "key 'a' appears twice");
    row("alignment 0", GgufWriter().u32("general.alignment", 0).bytes(), "must be a power of two");
    row("alignment 48", GgufWriter().u32("general.alignment", 48).bytes(), "must be a power of two");
    row("alignment as text", GgufWriter().text("general.alignment", "32").bytes(),
        "'general.alignment' is of type text");
    row("tensor without name", with_tensors({described("", {8}, 0, 0)}, 32), "a tensor whose name has 0 bytes");
    row("no dimensions", with_tensors({described("a", {}, 0, 0)}, 32), "tensor 'a' has 0 dimensions");
    row("five dimensions", with_tensors({described("a", {1, 1, 1, 1, 8}, 0, 0)}, 32), "has 5 dimensions");
    row("extent of zero", with_tensors({described("a", {8, 0}, 0, 0)}, 32), "invalid shape");
    row("extents that overflow", with_tensors({described("a", {1ULL << 32, 1ULL << 32, 1ULL << 32}, 0, 0)}, 32),
        "invalid shape");
    row("unknown type of tensor", with_tensors({described("a", {8}, 4, 0)}, 32), "tensor 'a' has the unknown type 4");
    row("rows of half a block", with_tensors({described("a", {48}, 8, 0)}, 64),
        "rows of 48 numbers, but Q8_0 stores 32 together");
    row("beyond the file", with_tensors({described("a", {16}, 0, 0)}, 32),
        "takes 64 bytes from byte 0 of the data, but the file holds 32");
    row("offset of 2^64-32", with_tensors({described("a", {8}, 0, most - 31)}, 32), "overlap or leave gaps");
    row("overlap", with_tensors({described("a", {16}, 0, 0), described("b", {8}, 0, 32)}, 64),
        "tensor 'b' begins at byte 32 of the data instead of 64");
    row("gap", with_tensors({described("a", {8}, 0, 0), described("b", {8}, 0, 64)}, 96),
        "tensor 'b' begins at byte 64 of the data instead of 32");
    row("not aligned", with_tensors({described("a", {4}, 0, 0), described("b", {4}, 0, 16)}, 32),
        "begins at byte 16 of the data instead of 32");
    row("tensor twice", with_tensors({described("a", {8}, 0, 0), described("a", {8}, 0, 32)}, 64),
        "tensor 'a' appears twice");
    row("bytes left over", with_tensors({described("a", {8}, 0, 0)}, 64), "bytes after the last tensor");
  }
  void filesThatLie() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    const std::string text = bytes.toStdString();
    const auto file = GgufFile::parse(view(text), "folder/t.gguf");
    QVERIFY(!file.has_value());
    const QString message = QString::fromStdString(file.error().message);
    QVERIFY2(file.error().code == ErrorCode::rejected_input && message.startsWith("folder/t.gguf: ") &&
                 message.contains("; ") && message.contains(part) && !message.contains('\n'),
             qPrintable(message));
  }

  void anyTruncationIsNoticed() {
    const std::string whole = GgufWriter()
                                  .text("general.architecture", "llama")
                                  .texts("list", {"a", "b"})
                                  .tensor("a", {8}, {1, 2, 3, 4, 5, 6, 7, 8})
                                  .bytes();
    QVERIFY(GgufFile::parse(view(whole), "t").has_value());
    for (std::size_t size = 0; size < whole.size(); ++size)
      QVERIFY(!GgufFile::parse(view(whole.substr(0, size)), "t").has_value());
  }

  void aFileThatOthersWroteIsRead() {
    const std::filesystem::path path = data / "stories260K/stories260K.gguf";
    if (!std::filesystem::exists(path)) QSKIP("../shared/data/models/stories260K is not here");
    const auto file = GgufFile::open(path);
    QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
    QCOMPARE((*file)->values().size(), std::size_t{19});
    QCOMPARE((*file)->tensors().size(), std::size_t{48});
    QCOMPARE((*file)->tensors().at("blk.4.ffn_down.weight").shape, (std::vector<std::int64_t>{64, 172}));
    QCOMPARE((*file)->texts("tokenizer.ggml.tokens").value().size(), std::size_t{512});
  }

  void aPathThatCannotBeReadIsNamed() {
    QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "m.gguf";
    const auto absent = GgufFile::open(path);
    QVERIFY(!absent && absent.error().message.starts_with(path.string() + ": ") &&
            absent.error().message.find("; check the path") != std::string::npos);
    QVERIFY(write_text_file(path, "").has_value());
    const auto empty = GgufFile::open(path);
    QVERIFY(!empty && empty.error().message.find("not a file with contents; ") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(GgufFileTest)

}  // namespace gguf_file_test

#include "gguf_file_test.moc"
