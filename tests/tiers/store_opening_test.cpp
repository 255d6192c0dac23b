// links: kv_base kv_tiers
// Opening a folder: what is kept, what is swept away, what is left alone, and what a folder that cannot be used says.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/tiers/tier_testing.h"
#include "tiers/faulty_device.h"
#include "tiers/file_entry.h"
#include "tiers/posix_device.h"

using namespace kvantage;
using namespace kvantage::testing;

class StoreOpeningTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  BufferPool pool_{16 << 20};

  std::filesystem::path path() const { return folder_->path().toStdString(); }
  TierSpec spec() const { return {"ssd", 0, path(), 0, 0}; }

  void put_file(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream file(path() / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  std::vector<std::filesystem::path> entry_files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& item : std::filesystem::directory_iterator(path()))
      if (parse_entry_file_name(item.path().filename().string())) files.push_back(item.path());
    return files;
  }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void entriesAreFoundAgain() {
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    {
      const auto tier = open_or_fail(spec());
      for (std::uint64_t i = 0; i < 20; ++i) {
        // Short and very long labels: a header is as long as its label needs.
        std::string name(i * i * 100, 'x');
        name += std::to_string(i);
        contents[name] = random_bytes(i, 1 + i * 3333);
        QVERIFY(write_entry(*tier, name, contents[name]));
      }
    }
    const auto tier = open_or_fail(spec());
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
    QCOMPARE(folder_bytes(path()), used + tier->statistics().overhead_bytes);
  }

  void tornFilesAreSwept_data() {
    QTest::addColumn<QString>("damage");
    for (const char* damage : {"empty", "header cut", "data cut", "too long", "zeros", "flipped header bit", "renamed"})
      QTest::newRow(damage) << QString(damage);
  }
  void tornFilesAreSwept() {
    QFETCH(QString, damage);
    const auto good = random_bytes(1, 30000);
    {
      const auto tier = open_or_fail(spec());
      QVERIFY(write_entry(*tier, "bad", random_bytes(2, 50000)));
    }
    const auto bad = entry_files().front();
    if (damage == "empty") std::filesystem::resize_file(bad, 0);
    if (damage == "header cut") std::filesystem::resize_file(bad, 2000);
    if (damage == "data cut") std::filesystem::resize_file(bad, 20480);
    if (damage == "too long") std::filesystem::resize_file(bad, 1 << 20);
    if (damage == "zeros") put_file(bad.filename().string(), Bytes(57344));
    if (damage == "flipped header bit") {
      std::fstream file(bad, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(9);  // the format version: a flipped bit is not a newer program
      file.put('\x01');
    }
    if (damage == "renamed") std::filesystem::rename(bad, path() / entry_file_name(key_of("other"), 1));
    {
      const auto tier = open_or_fail(spec());
      QCOMPARE(tier->statistics().swept_files, std::uint64_t{1});
      QCOMPARE(tier->entries().size(), std::size_t{0});
      QCOMPARE(folder_bytes(path()), std::uint64_t{0});
      QVERIFY(write_entry(*tier, "good", good));
    }
    const auto tier = open_or_fail(spec());
    QVERIFY(read_entry(*tier, pool_, "good", *good).ok());
  }

  void unfinishedFilesAreSweptAndOthersLeftAlone() {
    const Bytes bytes(8192);
    put_file(entry_file_name(key_of("a"), 5) + ".part", bytes);
    put_file("notes.txt", bytes);
    put_file("something.part", bytes);
    put_file("almost-0000000000000001.kventry", bytes);
    const auto tier = open_or_fail(spec());
    QCOMPARE(tier->statistics().swept_files, std::uint64_t{1});
    QVERIFY(std::filesystem::exists(path() / "notes.txt"));
    QVERIFY(std::filesystem::exists(path() / "something.part"));
    QVERIFY(std::filesystem::exists(path() / "almost-0000000000000001.kventry"));
    QCOMPARE(folder_bytes(path()), std::uint64_t{3 * 8192});
  }

  void theNewestVersionWins() {
    // A replacement that was killed before the old file went.
    const auto old_bytes = random_bytes(1, 20000), new_bytes = random_bytes(2, 30000);
    Bytes old_file;
    std::string old_name;
    {
      const auto tier = open_or_fail(spec());
      QVERIFY(write_entry(*tier, "entry", old_bytes));
      const auto file = entry_files().front();
      old_name = file.filename().string();
      std::ifstream stream(file, std::ios::binary);
      old_file.resize(std::filesystem::file_size(file));
      stream.read(reinterpret_cast<char*>(old_file.data()), static_cast<std::streamsize>(old_file.size()));
      QVERIFY(write_entry(*tier, "entry", new_bytes));
    }
    put_file(old_name, old_file);
    QCOMPARE(entry_files().size(), std::size_t{2});
    const auto tier = open_or_fail(spec());
    QCOMPARE(tier->statistics().swept_files, std::uint64_t{1});
    QCOMPARE(tier->used_bytes(), std::uint64_t{30000});
    QVERIFY(read_entry(*tier, pool_, "entry", *new_bytes).extents[0] == *new_bytes);
    QCOMPARE(entry_files().size(), std::size_t{1});
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
    put_file(entry_file_name(header.info.key, 1), file);
    const auto tier = open_tier(spec());
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    QVERIFY(QString::fromStdString(tier.error().message).contains("99"));
    QCOMPARE(entry_files().size(), std::size_t{1});
  }

  void unreadableFilesAreKept() {
    {
      const auto tier = open_or_fail(spec());
      QVERIFY(write_entry(*tier, "entry", random_bytes(1, 20000)));
    }
    OpenTierOptions options;
    const auto device = std::make_shared<FaultyDevice>(std::make_shared<PosixDevice>(), 1, FaultPlan{.read_error = 1});
    options.device = device;
    {
      const auto tier = open_or_fail(spec(), options);
      QCOMPARE(tier->statistics().unreadable_files, std::uint64_t{1});
      QCOMPARE(tier->entries().size(), std::size_t{0});
    }
    QCOMPARE(open_or_fail(spec())->entries().size(), std::size_t{1});
  }

  void aReadOnlyFolderSaysSoInOneLine() {
    QVERIFY(::chmod(path().c_str(), 0555) == 0);
    const bool root = ::geteuid() == 0;
    if (root) QVERIFY(::seteuid(65534) == 0);  // root may write anywhere
    const auto tier = open_tier(spec());
    const auto inside = open_tier({"ssd", 0, path() / "new", 0, 0});
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
    const auto tier = open_tier({"ssd", 0, path() / "file", 0, 0});
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

QTEST_GUILESS_MAIN(StoreOpeningTest)
#include "store_opening_test.moc"
