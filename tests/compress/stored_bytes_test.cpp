// links: kv_experiments
// Every scorer and budget with every codec: what is stored is what is counted before it is stored, and what is restored
// is what a profile is measured on.
#include <QtTest>

#include "core/compress/rerotate.h"
#include "core/kv/serial.h"
#include "tests/compress/random_context.h"
#include "tests/support/test_program.h"

namespace stored_bytes_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {
constexpr int tokens = 600;  // half of them are more than the residual window that KIVI leaves as it is
}

class StoredBytesTest : public QObject {
  Q_OBJECT

 private slots:
  void storedCountedAndProfiledAreOne_data() {
    QTest::addColumn<QString>("text");
    std::vector<std::string> compressions;
    for (const MethodInfo& info : known_methods()) compressions.push_back(info.text);
    for (const BudgetInfo& info : known_budgets())
      compressions.push_back(info.name + (info.name == "rerotate" ? "(streaming_llm)" : "(keydiff)"));
    for (const std::string& compression : compressions)
      for (const char* codec : {"", "+fp8", "+kivi8", "+kivi4(residual=32)", "+kivi2", "+cachegen", "+think", "+zstd",
                                "+kivi4+zstd", "+think(removed=0.25)+zstd"})
        QTest::newRow((compression + codec).c_str()) << QString::fromStdString(compression + codec);
  }
  void storedCountedAndProfiledAreOne() {
    QFETCH(QString, text);
    RandomContext context({2, 2, 32, KvType::bf16}, tokens);
    const auto method = parse_method(text.toStdString()).value();
    const double removed = method->info().removes_tokens ? 0.5 : 0.0;
    const auto scores = method->scores(context.cache, context.observed).value();
    const KvCache stored = compressed_copy(context.cache, scores, *method, removed).value();

    EntryHeader header;
    header.compression.method = method->text();
    header.compression.removed_fraction = removed;
    header.compression.codec = method->info().codec;
    header.token_ids.assign(tokens, 7);
    const auto entry = serialize(stored, header, nullptr).value();
    QCOMPARE(header.entry_bytes, std::uint64_t{entry.size()});
    const auto plain = parse_codec("bf16").value();
    const Codec& codec = method->codec() != nullptr ? *method->codec() : *plain;
    QCOMPARE(entry_bytes(stored, header.compression.method.size(), codec).value(), std::uint64_t{entry.size()});
    // Coding is not in vain.
    const std::uint64_t as_held = entry_bytes(stored, header.compression.method.size(), *plain).value();
    if (method->codec() != nullptr)
      QVERIFY2(entry.size() < as_held,
               qPrintable(QStringLiteral("%1 encoded, %2 as held").arg(entry.size()).arg(as_held)));

    std::vector<std::uint64_t> encoded;
    KvCache read = as_read(stored.share(), *method, context.observed.frequencies, &encoded).value();
    if (method->codec() != nullptr)
      QCOMPARE(recoded_entry_bytes(stored.shape(), tokens, header.compression.method.size(), codec, encoded),
               std::uint64_t{entry.size()});

    const auto parsed = parse_entry_header(entry).value();
    KvCache restored(context.pool);
    for (int l = 0; l < 2; ++l) {
      const auto [begin, end] = parsed.layer_range(l);
      QVERIFY(restore_layer(parsed, l, std::span(entry).subspan(begin, end - begin), true, restored).has_value());
    }
    restored.set_sequence_length(tokens);
    if (method->info().rerotates) restored = rerotated(restored, context.observed.frequencies).value();
    for (int l = 0; l < 2; ++l)
      for (int h = 0; h < 2; ++h) {
        QCOMPARE(restored.kept(l, h), stored.kept(l, h));
        QCOMPARE(bytes_of_head(restored, l, h), bytes_of_head(read, l, h));
      }
    QCOMPARE(restored.payload_bytes(), stored.payload_bytes());
  }
};

KV_TEST_GUILESS_MAIN(StoredBytesTest)

}  // namespace stored_bytes_test

#include "stored_bytes_test.moc"
