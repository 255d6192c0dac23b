// links: kv_base
// Random damage to small GGUF files: each is read, and what was read is inside its bytes, or is refused in one line
// with reason and fix. KVANTAGE_FUZZ_EXECUTIONS sets the number of tries (default 1,000,000) and KVANTAGE_FUZZ_SEED
// where they begin, for long runs, in builds with a sanitizer too; with it Qt's limit of five minutes per function is
// lifted.
#include <QtTest>

#include "core/base/gguf_file.h"
#include "tests/support/gguf_damage.h"
#include "tests/support/test_program.h"

namespace gguf_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// One of everything, small: most bytes are lengths, counts, types and offsets.
const std::vector<std::string>& samples() {
  static const std::vector<std::string> list{
      GgufWriter()
          .text("general.architecture", "llama")
          .u32("llama.block_count", 2)
          .f32("eps", 1e-5F)
          .flag("yes", true)
          .raw("i8", 1, gguf_number(std::int8_t{-1}))
          .raw("u64", 10, gguf_number(std::uint64_t{7}))
          .texts("tokens", {"a", "bc", ""})
          .floats("scores", {0.5F, 1.5F})
          .tensor("a", {2, 3}, {1, 2, 3, 4, 5, 6})
          .tensor("b", {32, 2}, 8, std::string(68, 'b'))
          .tensor("c", {256}, 12, std::string(144, 'c'))
          .bytes(),
      GgufWriter(2)
          .alignment(8)
          .ints("types", {1, 2, 3})
          .tensor("a", {2}, {1, 2})
          .tensor("b", {1, 1, 1, 2}, {3, 4})
          .bytes(),
  };
  return list;
}

bool inside(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

}  // namespace

class GgufFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void damageIsReadOrRefused() {
    const std::uint64_t executions = fuzz_executions(default_tries(6'000'000), 24),
                        seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    std::uint64_t read = 0, refused = 0, touched = 0;
    for (const std::string& sample : samples())
      QVERIFY(GgufFile::parse(std::as_bytes(std::span(sample)), "t").has_value());
    for (std::uint64_t i = 0; i < executions; ++i) {
      Random random(derive_seed(seed, i));
      const std::string text = damaged_gguf(samples()[i % samples().size()], random);
      const auto bytes = std::as_bytes(std::span(text));
      const auto told = [&](const std::string& what) {
        return "seed " + std::to_string(seed) + ", try " + std::to_string(i) + ": " + what;
      };
      const auto file = GgufFile::parse(bytes, "t");
      if (!file) {
        ++refused;
        QVERIFY2(is_whole_refusal(file.error(), "t: "), told(file.error().message).c_str());
        continue;
      }
      ++read;
      // Everything is asked for as everything: a value of that type, or a refusal.
      const auto asked = [&](const auto& value) {
        if (!value) QVERIFY2(is_whole_refusal(value.error(), "t: "), told(value.error().message).c_str());
      };
      for (const auto& [key, value] : file->values()) {
        QVERIFY2(inside(value.bytes, bytes), told(key).c_str());
        asked(file->whole_number(key));
        asked(file->number(key));
        asked(file->flag(key));
        asked(file->text(key));
        asked(file->numbers(key));
        const auto texts = file->texts(key);
        asked(texts);
        if (texts)
          for (const std::string_view one : *texts)
            QVERIFY2(inside(std::as_bytes(std::span(one)), bytes), told(key).c_str());
      }
      for (const auto& [name, tensor] : file->tensors()) {
        QVERIFY2(inside(tensor.bytes, bytes) && !tensor.bytes.empty(), told(name).c_str());
        touched +=
            std::to_integer<std::uint64_t>(tensor.bytes.front()) + std::to_integer<std::uint64_t>(tensor.bytes.back());
      }
    }
    qInfo("%llu read, %llu refused (%llu)", static_cast<unsigned long long>(read),
          static_cast<unsigned long long>(refused), static_cast<unsigned long long>(touched));
    if (executions >= 1000)
      QVERIFY(read > executions / 100 && refused > executions / 100);  // neither all fine nor all broken
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  GgufFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace gguf_fuzz_test

#include "gguf_fuzz_test.moc"
