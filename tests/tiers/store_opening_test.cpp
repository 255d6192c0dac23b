// links: kv_base kv_tiers SQLite::SQLite3
// Opening a folder: what is kept, what is swept away, what is left alone, and what a folder that cannot be used says.
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/faulty_device.h"
#include "tiers/posix_device.h"

namespace store_opening_test {

using namespace kvantage;
using namespace kvantage::testing;

class StoreOpeningTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  BufferPool pool_{16 << 20};

  std::filesystem::path path() const { return folder_->path().toStdString(); }
  TierConfig config() const { return in_folder(path()); }

  void put_file(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream file(path() / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  std::filesystem::path only_segment() const { return segment_files(path()).at(0); }
  std::filesystem::path index() const { return path() / index_file_name; }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void entriesAreFoundAgain() {
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    {
      const auto tier = open_or_fail(config());
      for (std::uint64_t i = 0; i < 20; ++i) {
        // Short and very long labels: a header is as long as its label needs.
        std::string name(i * i * 100, 'x');
        name += std::to_string(i);
        contents[name] = random_bytes(i, 1 + i * 3333);
        QVERIFY(write_entry(*tier, name, contents[name]));
      }
    }
    const auto tier = open_or_fail(config());
    QCOMPARE(tier->statistics().recovered, std::uint64_t{20});
    QCOMPARE(tier->statistics().swept_files, std::uint64_t{0});
    std::uint64_t used = 0;
    for (const EntryInfo& info : tier->entries()) {
      const auto& bytes = contents.at(info.label);
      used += bytes->size();
      QCOMPARE(info.bytes, bytes->size());
      QCOMPARE(info.header_bytes, std::min<std::uint64_t>(4096, bytes->size()));
      QVERIFY(read_entry(*tier, pool_, info.label, *bytes).extents[0] == *bytes);
    }
    QCOMPARE(tier->used_bytes(), used);
    QCOMPARE(segment_bytes(path()), accounted_bytes(*tier));
    QCOMPARE(tier->statistics().reusable_bytes, std::uint64_t{0});
  }

  void damagedSegmentsGiveMissesAndNothingElse_data() {
    QTest::addColumn<QString>("damage");
    for (const char* damage : {"gone", "empty", "header cut", "data cut", "too long", "zeros"})
      QTest::newRow(damage) << QString(damage);
  }
  void damagedSegmentsGiveMissesAndNothingElse() {
    QFETCH(QString, damage);
    const auto good = random_bytes(1, 30000), bytes = random_bytes(2, 50000);
    {
      const auto tier = open_or_fail(config());
      QVERIFY(write_entry(*tier, "bad", bytes));
    }
    const auto bad = only_segment();
    if (damage == "gone") std::filesystem::remove(bad);
    if (damage == "empty") std::filesystem::resize_file(bad, 0);
    if (damage == "header cut") std::filesystem::resize_file(bad, 2000);
    if (damage == "data cut") std::filesystem::resize_file(bad, 20480);
    if (damage == "too long") std::filesystem::resize_file(bad, 1 << 20);
    if (damage == "zeros") put_file(bad.filename().string(), Bytes(57344));
    {
      const auto tier = open_or_fail(config());
      const ReadOutcome outcome = read_entry(*tier, pool_, "bad", *bytes);
      QCOMPARE(outcome.ok(), damage == "too long");  // what follows the entry is cut off again
      if (damage != "zeros") QVERIFY(tier->statistics().swept_files > 0);
      QTRY_COMPARE(segment_bytes(path()), accounted_bytes(*tier));
      QVERIFY(write_entry(*tier, "good", good));
    }
    const auto tier = open_or_fail(config());
    QVERIFY(read_entry(*tier, pool_, "good", *good).ok());
    QCOMPARE(segment_bytes(path()), accounted_bytes(*tier));
  }

  void aLostIndexIsRebuiltFromTheSegments_data() {
    QTest::addColumn<QString>("damage");
    for (const char* damage : {"gone", "empty", "zeros", "cut", "text", "other database", "flipped page"})
      QTest::newRow(damage) << QString(damage);
  }
  void aLostIndexIsRebuiltFromTheSegments() {
    QFETCH(QString, damage);
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    {
      const auto tier = open_or_fail(config());
      for (std::uint64_t i = 0; i < 12; ++i) {
        const std::string name = std::string(i % 3 == 0 ? 5000 : 10, 'n') + std::to_string(i);
        contents[name] = random_bytes(i, 1 + i * 7777);
        QVERIFY(write_entry(*tier, name, contents[name]));
      }
      // Holes, and old versions of what was replaced.
      for (int i : {2, 3, 7}) {
        const auto victim = std::next(contents.begin(), i);
        QVERIFY(tier->erase(key_of(victim->first)));
        contents.erase(victim);
      }
      contents.begin()->second = random_bytes(99, 200000);
      QVERIFY(write_entry(*tier, contents.begin()->first, contents.begin()->second));
    }
    const auto size = std::filesystem::file_size(index());
    if (damage == "gone") std::filesystem::remove(index());
    if (damage == "empty") std::filesystem::resize_file(index(), 0);
    if (damage == "zeros") put_file(index_file_name, Bytes(size));
    if (damage == "cut") std::filesystem::resize_file(index(), size / 2);
    if (damage == "text") put_file(index_file_name, std::as_bytes(std::span("no database, whatever its name says")));
    if (damage == "other database") {
      std::filesystem::remove(index());
      sqlite3* other = nullptr;
      QCOMPARE(sqlite3_open(index().c_str(), &other), SQLITE_OK);
      QCOMPARE(sqlite3_exec(other, "CREATE TABLE entries (a, b)", nullptr, nullptr, nullptr), SQLITE_OK);
      sqlite3_close(other);
    }
    if (damage == "flipped page") {
      std::string text = read_text_file(index()).value();
      for (std::size_t at = 0; (at = text.find("nnnnnn8", at)) != std::string::npos; ++at) text[at] = 'm';
      put_file(index_file_name, std::as_bytes(std::span(text)));
    }
    for (int again = 0; again < 2; ++again) {  // the second time from the new index
      const auto tier = open_or_fail(config());
      QCOMPARE(QString::fromStdString(tier->describe().note).contains("index rebuilt"), again == 0);
      QCOMPARE(tier->entries().size(), contents.size());
      for (const auto& [name, bytes] : contents) QVERIFY(read_entry(*tier, pool_, name, *bytes).extents[0] == *bytes);
      QCOMPARE(segment_bytes(path()), accounted_bytes(*tier));
    }
  }

  void flippedBitsOfAnIndexNeverGiveWrongBytes() {
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    {
      const auto tier = open_or_fail(config());
      for (std::uint64_t i = 0; i < 20; ++i) {
        contents[std::to_string(i)] = random_bytes(i, 1 + i * 1000);
        QVERIFY(write_entry(*tier, std::to_string(i), contents[std::to_string(i)]));
      }
    }
    const std::string good = read_text_file(index()).value();
    Random random(5);
    int found = 0, missed = 0, refused = 0;
    for (int i = 0; i < 150; ++i) {
      std::string bad = good;
      for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips)
        bad[random.below(bad.size())] ^= static_cast<char>(1 << random.below(8));
      put_file(index_file_name, std::as_bytes(std::span(bad)));
      const auto tier = open_here(config());
      if (!tier) {  // a flipped version number is another version
        QCOMPARE(tier.error().code, ErrorCode::rejected_input);
        ++refused;
        continue;
      }
      for (const auto& [name, bytes] : contents) {
        const ReadOutcome outcome = read_entry(**tier, pool_, name, *bytes);
        if (outcome.ok()) QVERIFY(outcome.extents[0] == *bytes);
        ++(outcome.ok() ? found : missed);
      }
      QVERIFY(write_entry(**tier, "0", contents["0"]));
    }
    qInfo("150 damaged indexes: %d entries found, %d missed, %d indexes refused", found, missed, refused);
    QVERIFY(found > 0 && refused < 15);
  }

  void theIndexIsPlainSqlite() {
    std::uint64_t bytes = 0;
    {
      const auto tier = open_or_fail(config());
      for (std::uint64_t i = 0; i < 5; ++i) QVERIFY(write_entry(*tier, std::to_string(i), random_bytes(i, 1000 + i)));
      QVERIFY(tier->erase(key_of("3")));
      bytes = tier->used_bytes();
    }
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open_v2(index().c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    QCOMPARE(sqlite3_prepare_v2(database, "SELECT count(*), sum(bytes) FROM entries", -1, &statement, nullptr),
             SQLITE_OK);
    QCOMPARE(sqlite3_step(statement), SQLITE_ROW);
    QCOMPARE(sqlite3_column_int(statement, 0), 4);
    QCOMPARE(static_cast<std::uint64_t>(sqlite3_column_int64(statement, 1)), bytes);
    sqlite3_finalize(statement);
    sqlite3_close(database);
  }

  void unfinishedFilesAreSweptAndOthersLeftAlone() {
    const Bytes bytes(8192);
    put_file(segment_file_name(5), bytes);                                  // a write that never ended
    put_file(key_of("a").hex() + "-0000000000000005.kventry.part", bytes);  // of an earlier layout
    const std::vector<std::string> others{"notes.txt", "something.part", "segment-12.kvsegment",
                                          "segment-000000xy.kvsegment"};
    for (const std::string& name : others) put_file(name, bytes);
    const auto tier = open_or_fail(config());
    QCOMPARE(tier->statistics().swept_files, std::uint64_t{2});
    for (const std::string& name : others) QVERIFY(std::filesystem::exists(path() / name));
    QCOMPARE(segment_files(path()).size(), std::size_t{0});
  }

  void theNewestVersionWins() {
    // A replacement that was killed before the old version went: both are in the segments when the index is lost.
    const auto old_bytes = random_bytes(1, 20000), new_bytes = random_bytes(2, 30000);
    Bytes old_segment;
    {
      const auto tier = open_or_fail(config());
      QVERIFY(write_entry(*tier, "entry", old_bytes));
      const std::string text = read_text_file(only_segment()).value();
      const auto all = std::as_bytes(std::span(text));
      old_segment.assign(all.begin(), all.end());
      QVERIFY(write_entry(*tier, "entry", new_bytes));
    }
    std::filesystem::remove(index());
    put_file(segment_file_name(2), old_segment);
    const auto tier = open_or_fail(config());
    QCOMPARE(tier->statistics().swept_files, std::uint64_t{1});
    QCOMPARE(tier->used_bytes(), std::uint64_t{30000});
    QVERIFY(read_entry(*tier, pool_, "entry", *new_bytes).extents[0] == *new_bytes);
    QCOMPARE(segment_bytes(path()), accounted_bytes(*tier));
  }

  void anotherFormatIsRefusedAndKept() {
    StoreHeader header;
    header.info = {key_of("entry"), 4096, 4096, "from the future"};
    header.sequence = 1;
    Bytes file = encode_store_header(header);
    file[8] = std::byte{99};
    const std::size_t checked = 4096 - 8;
    const std::uint64_t checksum = checksum_of(std::span(file).first(checked));
    std::memcpy(file.data() + checked, &checksum, 8);
    file.resize(8192);
    put_file(segment_file_name(1), file);
    const auto tier = open_here(config());
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    QVERIFY(QString::fromStdString(tier.error().message).contains("99"));
    QCOMPARE(segment_files(path()).size(), std::size_t{1});
  }

  void anIndexOfALaterVersionIsRefusedAndKept() {
    {
      const auto tier = open_or_fail(config());
      QVERIFY(write_entry(*tier, "entry", random_bytes(1, 20000)));
    }
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(index().c_str(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, "PRAGMA user_version = 9", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    const auto tier = open_here(config());
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    QVERIFY2(tier.error().message.find("format 9") != std::string::npos, tier.error().message.c_str());
    QCOMPARE(segment_bytes(path()), std::uint64_t{24576});
  }

  void aFolderInThePlaceOfTheIndexIsRefusedAndKept() {
    const auto bytes = random_bytes(1, 20000);
    {
      const auto tier = open_or_fail(config());
      QVERIFY(write_entry(*tier, "entry", bytes));
    }
    std::filesystem::remove(index());
    std::filesystem::create_directory(index());
    put_file(std::string(index_file_name) + "/somebody's", *bytes);
    {
      const auto tier = open_here(config());
      QVERIFY(!tier);
      QCOMPARE(tier.error().code, ErrorCode::rejected_input);
      for (const std::string& part : {index().string(), std::string("; move it away")})
        QVERIFY2(tier.error().message.find(part) != std::string::npos, tier.error().message.c_str());
    }
    QVERIFY(std::filesystem::exists(index() / "somebody's"));
    // Done what it says: all is there again.
    std::filesystem::rename(index(), path() / "elsewhere");
    const auto tier = open_or_fail(config());
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).extents[0] == *bytes);
  }

  void aDeviceThatCannotBeReadIsRefusedAndKept() {
    {
      const auto tier = open_or_fail(config());
      QVERIFY(write_entry(*tier, "entry", random_bytes(1, 20000)));
    }
    OpenTierOptions options{.executor = system_executor()};
    options.device = std::make_shared<FaultyDevice>(system_executor().clock(), std::make_shared<PosixDevice>(), 1,
                                                    FaultPlan{.read_error = 1});
    const auto refused = open_tier(config(), options);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::io);
    QCOMPARE(open_or_fail(config())->entries().size(), std::size_t{1});
  }

  void aReadOnlyFolderSaysSoInOneLine() {
    QVERIFY(::chmod(path().c_str(), 0555) == 0);
    const bool root = ::geteuid() == 0;
    if (root) QVERIFY(::seteuid(65534) == 0);  // root may write anywhere
    const auto tier = open_here(config());
    const auto inside = open_here(in_folder(path() / "new"));
    if (root) QVERIFY(::seteuid(0) == 0);
    ::chmod(path().c_str(), 0755);
    for (const auto* result : {&tier, &inside}) {
      QVERIFY(!*result);
      QCOMPARE(result->error().code, ErrorCode::io);
      const QString message = QString::fromStdString(result->error().message);
      QVERIFY2(message.contains(folder_->path()) && message.contains("ssd") && message.contains("writable") &&
                   !message.contains('\n'),
               qPrintable(message));
    }
    qInfo("%s", tier.error().message.c_str());
  }

  void aFileInPlaceOfTheFolderSaysSo() {
    put_file("file", Bytes(10));
    const auto tier = open_here(in_folder(path() / "file"));
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::io);
    qInfo("%s", tier.error().message.c_str());
  }

  void randomHeadersNeverPass() {
    StoreHeader header;
    header.info = {key_of("entry"), 123456, 4096, std::string(5000, 'l')};
    header.sequence = 77;
    const Bytes good = encode_store_header(header);
    QCOMPARE(good.size() % 4096, std::size_t{0});
    const auto decoded = decode_store_header(good);
    QVERIFY(decoded);
    QVERIFY(decoded->info.key == header.info.key);
    QCOMPARE(decoded->info.label, header.info.label);
    QCOMPARE(decoded->sequence, header.sequence);
    Random random(1);
    for (int i = 0; i < 20000; ++i) {
      Bytes bad = good;
      for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips)
        bad[i < 10000 ? random.below(88) : random.below(bad.size())] ^=
            std::byte{static_cast<unsigned char>(1 + random.below(255))};
      if (bad == good) continue;
      if (random.below(4) == 0) bad.resize(random.below(bad.size()));
      if (peek_store_header(bad)) QVERIFY(!decode_store_header(bad));
    }
  }
};

KV_TEST_GUILESS_MAIN(StoreOpeningTest)

}  // namespace store_opening_test

#include "store_opening_test.moc"
