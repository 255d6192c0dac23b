// links: kv_runtime
// Codecs against definitions written a second time, against their own promises about bytes and errors, and under
// damage.
#include <QCryptographicHash>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/kv/codecs/codec.h"
#include "tests/kv/codec_rows.h"
#include "tests/support/test_program.h"

namespace codecs_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

const char* const every_codec[] = {"bf16",
                                   "fp8",
                                   "kivi8",
                                   "kivi4",
                                   "kivi2",
                                   "kivi4(residual=0)",
                                   "kivi2(residual=48,group=16)",
                                   "kivi8(residual=0,group=6)",
                                   "cachegen(level=1)",
                                   "cachegen",
                                   "cachegen(level=3)",
                                   "think",
                                   "think(removed=0.75)",
                                   "zstd",
                                   "kivi4+zstd",
                                   "cachegen+zstd",
                                   "fp8+zstd(level=1)",
                                   "think+zstd"};

QByteArray digest(const std::vector<std::byte>& bytes) {
  return QCryptographicHash::hash(
             QByteArrayView(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())),
             QCryptographicHash::Sha256)
      .toHex();
}

}  // namespace

class CodecsTest : public QObject {
  Q_OBJECT

 private slots:
  void bytesAreThoseOfTheDefinitions() {
    const auto goldens = read_json_file(std::string(KVANTAGE_SOURCE_DIR) + "/tests/goldens/codecs.json");
    QVERIFY2(goldens.has_value(), goldens ? "" : goldens.error().message.c_str());
    int cases = 0;
    for (const Json& golden : goldens->at("cases")) {
      const auto kind = golden.at("kind") == "keys" ? ExtentKind::keys : ExtentKind::values;
      const CodecRows rows = rows_of(golden.at("head_dim"), golden.at("count"), kind,
                                     golden.at("bf16") ? KvType::bf16 : KvType::fp32, golden.at("layer"));
      const auto data = channel_rows(rows, golden.at("seed"));
      const auto codec = codec_of(golden.at("codec"));
      const auto bytes = encoded(*codec, rows, data);
      const std::string name = golden.dump();
      if (golden.contains("encoded")) {
        QCOMPARE(bytes.size(), golden.at("bytes").get<std::size_t>());
        QVERIFY2(digest(bytes).toStdString() == golden.at("encoded").get<std::string>(), name.c_str());
      } else {
        // Entropy coding reaches the entropy of its own frequencies, but for what a flush of each piece costs.
        QVERIFY2(bytes.size() >= golden.at("least_bytes").get<std::size_t>(), name.c_str());
        QVERIFY2(bytes.size() <= golden.at("most_bytes").get<std::size_t>(), name.c_str());
      }
      QVERIFY2(digest(decoded(*codec, rows, bytes)).toStdString() == golden.at("decoded").get<std::string>(),
               name.c_str());
      ++cases;
    }
    QCOMPARE(cases, 200);

    std::vector<std::byte> every(65536 * 2);  // all bf16 numbers there are
    for (unsigned i = 0; i < 65536; ++i) {
      every[2 * i] = static_cast<std::byte>(i);
      every[2 * i + 1] = static_cast<std::byte>(i >> 8);
    }
    const CodecRows rows = rows_of(64, 1024, ExtentKind::keys);
    const auto fp8 = codec_of("fp8");
    const auto bytes = encoded(*fp8, rows, every);
    QCOMPARE(digest(bytes).toStdString(), goldens->at("fp8").at("encoded").get<std::string>());
    QCOMPARE(digest(decoded(*fp8, rows, bytes)).toStdString(), goldens->at("fp8").at("decoded").get<std::string>());
  }

  void countsAloneTellTheBytes_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : every_codec) QTest::newRow(text) << QString(text);
  }
  void countsAloneTellTheBytes() {
    QFETCH(QString, text);
    const auto codec = codec_of(text.toStdString());
    std::uint64_t seed = 0;
    for (const int head_dim : {16, 24, 32, 64, 128})
      for (const int count : {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 300, 511})
        for (const auto kind : {ExtentKind::keys, ExtentKind::values})
          for (const auto type : {KvType::bf16, KvType::fp32}) {
            const CodecRows rows = rows_of(head_dim, count, kind, type, count % 30);
            const auto data = channel_rows(rows, ++seed);
            std::vector<std::byte> bytes{std::byte{9}};  // encoding appends
            QVERIFY(codec->encode(rows, data, bytes).has_value());
            QCOMPARE(bytes.front(), std::byte{9});
            bytes.erase(bytes.begin());
            if (const auto exact = codec->encoded_bytes(rows)) QCOMPARE(std::uint64_t{bytes.size()}, *exact);
            QVERIFY(bytes.size() <= codec->max_bytes(rows));
            const auto back = decoded(*codec, rows, bytes);
            if (text == "bf16" || text == "zstd") QVERIFY(back == data);
            // A reader of what a reader wrote down sees the same rows: recoding is done once.
            if (text.startsWith("fp8")) QVERIFY(decoded(*codec, rows, encoded(*codec, rows, back)) == back);
          }
  }

  void cacheGenErrorsAreAtMostHalfAStepOfTheRow() {
    for (const auto kind : {ExtentKind::keys, ExtentKind::values})
      for (const int layer : {0, 5, 15, 30})
        for (const int level : {1, 2, 3}) {
          const CodecRows rows = rows_of(32, 270, kind, KvType::fp32, layer);
          const auto data = channel_rows(rows, 8);
          const auto codec = codec_of("cachegen(level=" + std::to_string(level) + ")");
          const auto before = as_floats(data, KvType::fp32);
          const auto after = as_floats(decoded(*codec, rows, encoded(*codec, rows, data)), KvType::fp32);
          const bool low_layer = kind == ExtentKind::keys ? layer < (level == 2 ? 10 : 20) : layer < 2;
          const int bins = level == 3 ? 32 : level == 2 ? (low_layer ? 32 : 16) : low_layer ? 16 : 12;
          float largest_error = 0;
          for (std::size_t t = 0; t < 270; ++t) {
            float largest = 0;
            for (std::size_t c = 0; c < 32; ++c) largest = std::max(largest, std::abs(before[t * 32 + c]));
            for (std::size_t c = 0; c < 32; ++c)
              largest_error = std::max(largest_error, std::abs(before[t * 32 + c] - after[t * 32 + c]) / largest);
          }
          const float half_step = 0.5F / static_cast<float>(bins / 2 - 1);
          QVERIFY(largest_error <= half_step * 1.0001F);
          QVERIFY(largest_error >= half_step * 0.9F);  // and not finer than said
        }
  }

  void cacheGenPiecesDecodeTogetherAsAlone() {
    // Rows are scaled one by one, and 256 rows have tables and a stream of their own; whole ones decode four at a time.
    for (const auto type : {KvType::bf16, KvType::fp32})
      for (const int level : {1, 2, 3})
        for (const int count : {1023, 1024, 1025, 1280, 2048, 2300}) {
          const CodecRows rows = rows_of(24, count, ExtentKind::keys, type);
          const auto data = channel_rows(rows, static_cast<std::uint64_t>(count));
          const auto codec = codec_of("cachegen(level=" + std::to_string(level) + ")");
          const auto bytes = encoded(*codec, rows, data), back = decoded(*codec, rows, bytes);
          std::vector<std::byte> alone;
          for (int first = 0; first < count; first += 256) {
            const CodecRows piece = rows_of(24, std::min(256, count - first), ExtentKind::keys, type);
            const auto begin = data.begin() + first * static_cast<std::ptrdiff_t>(rows.shape.bytes_per_row());
            const std::vector<std::byte> part(begin, begin + static_cast<std::ptrdiff_t>(piece.bytes()));
            const auto decoded_part = decoded(*codec, piece, encoded(*codec, piece, part));
            alone.insert(alone.end(), decoded_part.begin(), decoded_part.end());
          }
          QVERIFY(back == alone);
          for (const int more : {-1, 1}) {
            auto wrong = bytes;
            wrong.resize(bytes.size() + static_cast<std::size_t>(more), std::byte{0});
            std::vector<std::byte> target(rows.bytes());
            QCOMPARE(codec->decode(rows, wrong, target).error().code, ErrorCode::corrupt);
          }
        }
  }

  void constantGroupsAreExact() {
    for (const char* text : {"kivi8(residual=0)", "kivi4(residual=0)", "kivi2(residual=0)", "cachegen"})
      for (const float constant : {0.0F, -0.0F, 1.5F, -3.25F}) {
        const CodecRows rows = rows_of(64, 70, ExtentKind::keys);
        const auto data = as_held(std::vector<float>(rows.elements(), constant), KvType::bf16);
        const auto back = as_floats(decoded(*codec_of(text), rows, encoded(*codec_of(text), rows, data)), KvType::bf16);
        QVERIFY(std::ranges::all_of(back, [&](float x) { return x == constant; }));
      }
  }

  void numbersThatAreNoneHaveASay() {
    // KIVI and CacheGen: NaN counts as 0, what is too large as the largest; the rest of the rows stays what it was.
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    for (const auto type : {KvType::bf16, KvType::fp32})
      for (const char* text : every_codec) {
        const CodecRows rows = rows_of(64, 70, ExtentKind::keys, type);
        const CodecRows values = rows_of(64, 70, ExtentKind::values, type);
        auto numbers = as_floats(channel_rows(rows, 5), type);
        const auto clean = numbers;
        for (const auto& [at, number] :
             {std::pair(64 * 3 + 1, nan), {64 * 40 + 2, infinity}, {64 * 69 + 40, -infinity}})
          numbers[static_cast<std::size_t>(at)] = number;
        for (const CodecRows& part : {rows, values}) {
          const auto codec = codec_of(text);
          const auto back = as_floats(decoded(*codec, part, encoded(*codec, part, as_held(numbers, type))), type);
          const QByteArray name(text);
          if (name.contains("residual=0") || name.startsWith("cachegen")) {
            QVERIFY(std::ranges::all_of(back, [](float x) { return std::isfinite(x); }));
          } else if (name.startsWith("fp8")) {
            QVERIFY(std::isnan(back[64 * 3 + 1]));
            QCOMPARE(back[64 * 40 + 2], 448.0F);
            QCOMPARE(back[64 * 69 + 40], -448.0F);
          } else if (name.startsWith("think") && part.kind == ExtentKind::keys) {
            QVERIFY(std::isnan(back[64 * 3 + 1]));  // such a channel is never the weakest
            QCOMPARE(back[64 * 40 + 2], infinity);
            QCOMPARE(back[64 * 69 + 40], -infinity);
          } else if (!name.startsWith("kivi")) {  // whose newest rows stay as held
            QVERIFY(as_held(back, type) == as_held(numbers, type));
          }
          // Row 20 shares a group of 32 with the NaN of row 3 in channel 1 alone; channel 5's groups have none.
          if (name == "kivi4(residual=0)" && part.kind == ExtentKind::keys)
            QVERIFY(std::abs(back[64 * 20 + 5] - clean[64 * 20 + 5]) < 0.1F);
        }
      }
  }

  void thinkDropsTheWeakestKeyChannels() {
    for (const auto type : {KvType::bf16, KvType::fp32}) {
      const CodecRows rows = rows_of(24, 50, ExtentKind::keys, type);
      const auto data = channel_rows(rows, 9);
      const auto numbers = as_floats(data, type);
      std::vector<std::pair<double, std::size_t>> squares;
      for (std::size_t c = 0; c < 24; ++c) {
        double sum = 0;
        for (std::size_t t = 0; t < 50; ++t)
          sum += static_cast<double>(numbers[t * 24 + c]) * static_cast<double>(numbers[t * 24 + c]);
        squares.emplace_back(sum, c);
      }
      std::ranges::sort(squares);
      auto expected = numbers;
      for (std::size_t i = 0; i < 9; ++i)  // int(24 * 0.4)
        for (std::size_t t = 0; t < 50; ++t) expected[t * 24 + squares[i].second] = 0;
      const auto codec = codec_of("think");
      const auto bytes = encoded(*codec, rows, data);
      QCOMPARE(bytes.size(), std::size_t{3} + 50 * 15 * bytes_of(type));  // a bit per channel, then 15 of 24
      QVERIFY(as_floats(decoded(*codec, rows, bytes), type) == expected);
      const CodecRows values = rows_of(24, 50, ExtentKind::values, type);
      QVERIFY(encoded(*codec, values, data) == data);
    }
  }

  void damageIsCorruptOrRowsButNothingElse_data() { countsAloneTellTheBytes_data(); }
  void damageIsCorruptOrRowsButNothingElse() {
    QFETCH(QString, text);
    const auto codec = codec_of(text.toStdString());
    Random random(77);
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
      const CodecRows rows = rows_of(round % 2 ? 16 : 24, static_cast<int>(random.below(300)),
                                     round % 3 ? ExtentKind::keys : ExtentKind::values);
      auto bytes = encoded(*codec, rows, channel_rows(rows, static_cast<std::uint64_t>(round % 7)));
      switch (random.below(4)) {
        case 0:
          bytes.resize(random.below(bytes.size() + 1));
          break;
        case 1:
          bytes.resize(bytes.size() + 1 + random.below(9), static_cast<std::byte>(random.next()));
          break;
        case 2:
          for (auto& byte : bytes) byte = static_cast<std::byte>(random.next());
          break;
        default:
          break;
      }
      for (std::uint64_t flips = random.below(4); flips > 0 && !bytes.empty(); --flips)
        bytes[random.below(bytes.size())] ^= static_cast<std::byte>(1U << random.below(8));
      // Exactly as long as it is said to be: a byte read beyond is outside the allocation.
      const std::vector<std::byte> exact(bytes.begin(), bytes.end());
      std::vector<std::byte> data(rows.bytes());
      const auto status = codec->decode(rows, exact, data);
      if (!status) {
        QCOMPARE(status.error().code, ErrorCode::corrupt);
        ++refused;
      }
    }
    QVERIFY(refused > 500);
  }

  void buffersThatDoNotFitAreADefectOfTheCaller() {
    const CodecRows rows = rows_of(16, 4, ExtentKind::keys);
    std::vector<std::byte> out, data(rows.bytes() - 1);
    for (const char* text : every_codec) {
      QCOMPARE(codec_of(text)->encode(rows, data, out).error().code, ErrorCode::internal);
      QCOMPARE(codec_of(text)->decode(rows, out, data).error().code, ErrorCode::internal);
      QVERIFY(out.empty());
    }
  }

  void textFormsReadBack_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("canonical");
    QTest::newRow("plain") << "bf16"
                           << "bf16";
    QTest::newRow("default") << "kivi4"
                             << "kivi4";
    QTest::newRow("said anyway") << "kivi4(residual=128, group=32)"
                                 << "kivi4";
    QTest::newRow("order") << "kivi2(group=64,residual=0)"
                           << "kivi2(residual=0,group=64)";
    QTest::newRow("level") << "cachegen(level=3)"
                           << "cachegen(level=3)";
    QTest::newRow("default level") << "cachegen(level=2)"
                                   << "cachegen";
    QTest::newRow("zstd alone") << "zstd"
                                << "zstd";
    QTest::newRow("zstd of rows as held") << "bf16+zstd(level=9)"
                                          << "zstd(level=9)";
    QTest::newRow("behind") << "kivi4(group=64)+zstd(level=3)"
                            << "kivi4(group=64)+zstd";
  }
  void textFormsReadBack() {
    QFETCH(QString, text);
    QFETCH(QString, canonical);
    QCOMPARE(QString::fromStdString(codec_of(text.toStdString())->text()), canonical);
    QCOMPARE(QString::fromStdString(codec_of(canonical.toStdString())->text()), canonical);
  }

  void wrongTextsGetAHint_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("hint");
    QTest::newRow("near") << "kivi5"
                          << "did you mean 'kivi";
    QTest::newRow("far") << "gzip-ultra"
                         << "form";
    QTest::newRow("unlike all") << "turbo"
                                << "choose one of bf16, fp8";
    QTest::newRow("parameter") << "kivi4(residuals=4)"
                               << "did you mean 'residual'?";
    QTest::newRow("none") << "fp8(level=2)"
                          << "takes no parameters";
    QTest::newRow("range") << "cachegen(level=9)"
                           << "1 to 3";
    QTest::newRow("order") << "zstd+kivi4"
                           << "zstd comes last";
    QTest::newRow("two") << "kivi4+fp8"
                         << "only zstd";
    QTest::newRow("twice") << "kivi4+zstd+zstd"
                           << "form";
    QTest::newRow("nothing") << ""
                             << "form";
    QTest::newRow("nothing behind") << "kivi4+"
                                    << "form";
  }
  void wrongTextsGetAHint() {
    QFETCH(QString, text);
    QFETCH(QString, hint);
    const auto codec = parse_codec(text.toStdString());
    QVERIFY(!codec.has_value());
    QCOMPARE(codec.error().code, ErrorCode::usage);
    QVERIFY2(QString::fromStdString(codec.error().message).contains(hint), codec.error().message.c_str());
  }

  void theListIsWhatCanBeRead() {
    for (const CodecInfo& info : known_codecs()) {
      QCOMPARE(codec_of(std::string(info.name))->text(), std::string(info.name));
      if (!info.parameters.empty())
        QCOMPARE(codec_of(std::string(info.name) + "(" + std::string(info.parameters) + ")")->text(),
                 std::string(info.name));
      QVERIFY(!info.summary.empty() && !info.bits_per_element.empty());
    }
  }
};

KV_TEST_GUILESS_MAIN(CodecsTest)

}  // namespace codecs_test

#include "codecs_test.moc"
