// links: kv_reports kv_tiers
// `store stat` and `store check` on folders that a tier wrote: counts are the tier's, a changed byte is found and
// named, and a folder in use is looked at but never taken.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/test_program.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/kinds/tier_text.h"
#include "tiers/ssd/segment_entry.h"
#include "tiers/ssd/store_folder.h"

namespace store_command_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::size_t entry_count = 5;

/// Entries of 8 KiB and more, the last one encoded; as a session labels them.
void store_entries(StorageTier& tier) {
  CompletionQueue completions(system_executor().clock());
  for (std::size_t i = 0; i < entry_count; ++i) {
    const Json label{{"context", Digest128{1, i}.hex()},
                     {"method", i + 1 == entry_count ? "snapkv+kivi4" : "none"},
                     {"removed_fraction", i + 1 == entry_count ? 0.5 : 0.0}};
    const std::size_t bytes = (i + 2) * 4096;
    auto entry = std::make_shared<const std::vector<std::byte>>(bytes, static_cast<std::byte>(i + 1));
    tier.submit_write({{7, i}, bytes, 4096, label.dump()}, entry, completions);
  }
  for (std::size_t done = 0; done < entry_count;)
    for (const Completion& completion : completions.wait(1)) {
      if (!completion.status) qFatal("%s", completion.status.error().message.c_str());
      ++done;
    }
}

}  // namespace

class StoreCommandTest : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> root_;
  std::filesystem::path folder_;

  std::unique_ptr<StorageTier> open() const {
    return open_tier(parse_tier_option("ssd=64MiB,path=" + folder_.string()).value(), {.executor = system_executor()})
        .value();
  }

 private slots:
  void init() {
    root_ = std::make_unique<QTemporaryDir>();
    folder_ = std::filesystem::path(root_->path().toStdString()) / "model-workload" / "ssd";
    store_entries(*open());
  }

  void statCountsWhatTheTierHolds() {
    const auto tier = open();  // in use: stat takes no lock
    const Answer answer = call({"store", "stat", root_->path(), "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json folder = Json::parse(answer.out.toStdString()).at(0);
    QCOMPARE(folder.at("folder").get<std::string>(), folder_.string());
    QCOMPARE(folder.at("entries").get<std::size_t>(), entry_count);
    std::uint64_t bytes = 0;
    for (const EntryInfo& info : tier->entries()) bytes += info.bytes;
    QCOMPARE(folder.at("entry_bytes").get<std::uint64_t>(), bytes);
    QVERIFY(folder.at("file_bytes").get<std::uint64_t>() > bytes);
    QCOMPARE(folder.at("by_method").at("snapkv+kivi4, 0.5 removed").at("entries").get<int>(), 1);
    QCOMPARE(folder.at("by_method").at("none").at("entries").get<std::size_t>(), entry_count - 1);
    const Answer words = call({"store", "stat", text_of(folder_)});
    QVERIFY2(words.out.contains("5 entries of"), words.text());
  }

  void checkFindsAChangedByteAndErasesOnlyWhenAsked() {
    const Answer good = call({"store", "check", root_->path()});
    QVERIFY2(good.exit_code == 0 && good.out.contains("5 entries of"), good.text());
    {
      const auto listing = list_store_folder(folder_);
      QVERIFY(listing);
      const auto victim = std::ranges::find_if(listing->entries, [](const FolderListing::Entry& entry) {
        return entry.header.info.key == Digest128{7, 2};
      });
      QVERIFY(victim != listing->entries.end());
      std::fstream file(folder_ / segment_file_name(victim->segment), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(victim->offset + 4096 + 5000));
      file.put('\x55');
    }
    const Answer bad = call({"store", "check", root_->path(), "--json"});
    QCOMPARE(bad.exit_code, 1);
    const Json folder = Json::parse(bad.out.toStdString()).at(0);
    QCOMPARE(folder.at("good_entries").get<std::size_t>(), entry_count - 1);
    QCOMPARE(folder.at("bad").size(), std::size_t{1});
    const std::string bad_key = Digest128{7, 2}.hex();
    QCOMPARE(folder.at("bad").at(0).at("key").get<std::string>(), bad_key);
    QCOMPARE(folder.at("bad").at(0).at("reason").get<std::string>(), std::string("checksum"));
    QCOMPARE(list_store_folder(folder_)->entries.size(), entry_count);
    QCOMPARE(call({"store", "check", root_->path(), "--erase-bad"}).exit_code, 0);
    QCOMPARE(list_store_folder(folder_)->entries.size(), entry_count - 1);
    QCOMPARE(call({"store", "check", root_->path()}).exit_code, 0);
    QVERIFY(!open()->contains({7, 2}));
    QVERIFY(open()->contains({7, 3}));
  }

  void checkSweepsWhatAKilledWriterLeft() {
    const std::filesystem::path left = folder_ / segment_file_name(77);
    std::ofstream(left) << "half";
    const Json before = Json::parse(call({"store", "stat", root_->path(), "--json"}).out.toStdString()).at(0);
    QCOMPARE(before.at("segments").get<int>(), 2);
    const Json check = Json::parse(call({"store", "check", root_->path(), "--json"}).out.toStdString()).at(0);
    QCOMPARE(check.at("swept").get<int>(), 1);
    QVERIFY(!std::filesystem::exists(left));
  }

  void aSparseFileIsNoWork() {
    const std::filesystem::path sparse = folder_ / segment_file_name(78);
    for (const char* command : {"stat", "check", "compact"}) {
      std::ofstream(sparse).close();
      std::error_code refused;
      std::filesystem::resize_file(sparse, std::uint64_t{1} << 40, refused);
      if (refused) QSKIP("this file system takes no file of a terabyte");
      const Answer answer = call({"store", command, root_->path(), "--json"}, {"timeout", "60"});
      QVERIFY2(answer.exit_code == 0, answer.text());
    }
    QVERIFY(!std::filesystem::exists(sparse));  // nothing of it is an entry
    QCOMPARE(list_store_folder(folder_)->entries.size(), entry_count);
  }

  // As find counts the blocks of the same files.
  void statSaysWhatTheDiskTakes() {
    const Json stat = Json::parse(call({"store", "stat", root_->path(), "--json"}).out.toStdString()).at(0);
    QProcess find;
    find.start("find", {QString::fromStdString(folder_.string()), "-type", "f", "-printf", "%b\n"});
    QVERIFY(find.waitForFinished());
    std::uint64_t blocks = 0;
    for (const QByteArray& line : find.readAllStandardOutput().split('\n')) blocks += line.toULongLong();
    QVERIFY(blocks > 0);
    QCOMPARE(stat.at("disk_bytes").get<std::uint64_t>(), blocks * 512);
    const auto tier = open();
    QCOMPARE(tier->statistics().storage->entry_bytes, tier->used_bytes());
    QVERIFY(tier->statistics().storage->occupied_bytes >= tier->used_bytes());
  }

  void compactGivesRoomBack() {
    QVERIFY(open()->erase({7, 1}));
    const Json before = Json::parse(call({"store", "stat", root_->path(), "--json"}).out.toStdString()).at(0);
    QVERIFY(before.at("reusable_bytes").get<std::uint64_t>() > 0);
    const Answer answer = call({"store", "compact", root_->path(), "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json done = Json::parse(answer.out.toStdString()).at(0);
    QCOMPARE(done.at("file_bytes_before").get<std::uint64_t>(), before.at("file_bytes").get<std::uint64_t>());
    QCOMPARE(done.at("file_bytes_after").get<std::uint64_t>(),
             before.at("file_bytes").get<std::uint64_t>() - before.at("reusable_bytes").get<std::uint64_t>());
    QCOMPARE(done.at("moved_entries").get<std::size_t>(), entry_count - 1);
    QCOMPARE(call({"store", "check", root_->path()}).exit_code, 0);
    const Answer words = call({"store", "compact", root_->path()});
    QVERIFY2(words.exit_code == 0 && words.out.contains("0 entries"), words.text());
  }

  void aFolderInUseIsNotTaken() {
    const auto tier = open();
    const Answer answer = call({"store", "check", root_->path()});
    QVERIFY2(answer.exit_code != 0 && answer.exit_code != -1, answer.text());
    QCOMPARE(answer.error_lines().size(), 1);
    QVERIFY(tier->contains({7, 1}));
  }

  // A session or a tier that stored nothing leaves its database or its lock; a folder of something else has neither.
  void aFolderOfSomethingElseIsNoStore() {
    const QString other = root_->path() + "/other";
    QVERIFY(QDir().mkpath(other + "/tier"));
    std::ofstream((other + "/text.txt").toStdString()) << "text";
    for (const char* command : {"stat", "check", "compact"}) {
      const Answer answer = call({"store", command, other});
      QVERIFY2(answer.exit_code == 3 && answer.out.isEmpty() && answer.error_lines().size() == 1, answer.text());
      QVERIFY2(answer.error.contains(other + ": holds no store; "), answer.text());
    }
    for (const char* left : {"/tier/store.lock", "/kvantage.db"}) {
      std::ofstream((other + left).toStdString()).close();
      const Answer answer = call({"store", "check", other});
      QVERIFY2(answer.exit_code == 0 && answer.out == "the store is empty\n", answer.text());
      QVERIFY(QFile::remove(other + left));
    }
  }

  void noFolderIsOneLine() {
    const Answer answer = call({"store", "stat", root_->path() + "/nowhere"});
    QCOMPARE(answer.exit_code, 3);
    QCOMPARE(answer.error_lines().size(), 1);
    QVERIFY2(answer.error.contains("nowhere"), answer.text());
  }
};

KV_TEST_GUILESS_MAIN(StoreCommandTest)

}  // namespace store_command_test

#include "store_command_test.moc"
