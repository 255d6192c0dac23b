// links: kv_base kv_tiers
// Links, pipes and devices in place of the files of a store: nothing is written to where they lead, and what the
// segments hold is served.
#include <sys/stat.h>

#include <fstream>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/posix_device.h"
#include "tiers/ssd/store_folder.h"

namespace store_links_test {

using namespace kvantage;
using namespace kvantage::testing;
using std::filesystem::path;

class StoreLinksTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  BufferPool pool_{16 << 20};

  path root() const { return folder_->path().toStdString(); }
  path store() const { return root() / "store"; }
  path victim() const { return root() / "victim"; }

  /// With one entry.
  std::shared_ptr<const Bytes> make_store() const {
    const auto bytes = random_bytes(1, 20000);
    const auto tier = open_or_fail(in_folder(store()));
    if (const Status written = write_entry(*tier, "entry", bytes); !written)
      qFatal("%s", written.error().message.c_str());
    return bytes;
  }
  static std::string link_text(const path& link) {
    return link.string() + ": is a link in place of a file of the store; put the file itself there, or remove the link";
  }
  void put_victim(const std::string& text) const { std::ofstream(victim(), std::ios::binary) << text; }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  // SQLite would make its tables in an empty file.
  void aLinkInPlaceOfTheIndexIsReplaced_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"empty file", "text", "pipe", "loop", "nowhere"}) QTest::newRow(kind) << QString(kind);
  }
  void aLinkInPlaceOfTheIndexIsReplaced() {
    QFETCH(QString, kind);
    const auto bytes = make_store();
    const path index = store() / index_file_name;
    std::filesystem::remove(index);
    put_victim(kind == "text" ? "precious" : "");
    if (kind == "pipe")
      QCOMPARE(::mkfifo(index.c_str(), 0600), 0);
    else
      std::filesystem::create_symlink(kind == "loop"      ? index
                                      : kind == "nowhere" ? root() / "nothing"
                                                          : victim(),
                                      index);
    {
      const auto tier = open_or_fail(in_folder(store()));
      QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
      QVERIFY(write_entry(*tier, "another", random_bytes(2, 5000)));
    }
    QCOMPARE(read_text_file(victim()).value(), std::string(kind == "text" ? "precious" : ""));
    QVERIFY(!std::filesystem::exists(root() / "nothing"));
    QVERIFY(std::filesystem::is_regular_file(std::filesystem::symlink_status(index)));
    QCOMPARE(open_or_fail(in_folder(store()))->entries().size(), std::size_t{2});
  }

  // What no entry uses of a segment is cut off when a store is opened.
  void aLinkInPlaceOfASegmentIsLeftAlone_data() {
    QTest::addColumn<bool>("of_the_entry");
    QTest::newRow("another segment") << false;
    QTest::newRow("that of the entry") << true;
  }
  void aLinkInPlaceOfASegmentIsLeftAlone() {
    QFETCH(bool, of_the_entry);
    const auto bytes = make_store();
    std::string precious(100'000, 'p');
    const path segment = of_the_entry ? segment_files(store()).at(0) : store() / segment_file_name(77);
    if (of_the_entry) {  // with the entry in front, so that the rest would be cut off
      precious.insert(0, read_text_file(segment).value());
      std::filesystem::remove(segment);
    }
    put_victim(precious);
    std::filesystem::create_symlink(victim(), segment);
    const std::string why = link_text(segment);
    const auto listing = list_store_folder(store());
    QVERIFY(listing && listing->unreadable == std::vector<std::string>{why});
    QCOMPARE(listing->entries.size(), std::size_t{of_the_entry ? 0U : 1U});
    {
      const auto tier = open_or_fail(in_folder(store()));
      QCOMPARE(tier->statistics().unreadable_files, std::uint64_t{1});
      QCOMPARE(tier->statistics().unreadable, why);
      QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).ok(), !of_the_entry);
      QVERIFY(write_entry(*tier, "another", random_bytes(2, 5000)));
    }
    QCOMPARE(read_text_file(victim()).value(), precious);
    QVERIFY(std::filesystem::is_symlink(segment));
    const auto check = check_store_folder(store(), std::make_shared<PosixDevice>(), false);
    QVERIFY(check && !check->clean() && check->unreadable == std::vector<std::string>{why});
  }

  // What the user moved to a disk that is away is not lost: with the file itself in its place it is served again.
  void aSegmentLinkThatLeadsNowhereKeepsItsEntries() {
    const auto bytes = make_store();
    const path segment = segment_files(store()).at(0), moved = root() / "moved";
    std::filesystem::rename(segment, moved);
    std::filesystem::create_symlink(root() / "away", segment);
    const auto listing = list_store_folder(store());
    QVERIFY(listing && listing->unreadable == std::vector<std::string>{link_text(segment)});
    {
      const auto tier = open_or_fail(in_folder(store()));
      QCOMPARE(tier->statistics().unreadable, link_text(segment));
      QVERIFY(!read_entry(*tier, pool_, "entry", *bytes).ok());
      QVERIFY(write_entry(*tier, "another", random_bytes(2, 5000)));
    }
    QVERIFY(std::filesystem::is_symlink(segment) && !std::filesystem::exists(root() / "away"));
    std::filesystem::rename(moved, segment);
    const auto tier = open_or_fail(in_folder(store()));
    QVERIFY(tier->statistics().unreadable.empty());
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
    QCOMPARE(tier->entries().size(), std::size_t{2});
  }

  void aLinkOrPipeInPlaceOfTheLockIsRefused() {
    (void)make_store();
    const path lock = store() / "store.lock";
    put_victim("precious");
    for (const bool pipe : {false, true}) {
      QVERIFY(std::filesystem::remove(lock));
      if (pipe)
        QCOMPARE(::mkfifo(lock.c_str(), 0600), 0);
      else
        std::filesystem::create_symlink(victim(), lock);
      const auto tier = open_here(in_folder(store()));
      QVERIFY(!tier);
      QCOMPARE(tier.error().code, ErrorCode::rejected_input);
      QVERIFY2(tier.error().message.ends_with("store.lock: is a link, pipe or device in place of a lock; move it away"),
               tier.error().message.c_str());
    }
    QCOMPARE(read_text_file(victim()).value(), std::string("precious"));
  }
};

KV_TEST_GUILESS_MAIN(StoreLinksTest)

}  // namespace store_links_test

#include "store_links_test.moc"
