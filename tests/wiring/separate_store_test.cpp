// links: app_wiring
// A session whose store another one has open: it takes a folder beside it and says so.
#include <QtTest>

#include <fstream>

#include "app/wiring/session_tiers.h"
#include "core/base/executor.h"
#include "tests/support/test_program.h"

namespace separate_store_test {

using namespace kvantage;
using namespace kvantage::test;

class SeparateStoreTest : public QObject {
  Q_OBJECT

  static ChosenTiers chosen(const std::string& tier) { return choose_tiers({tier}, SessionSettings{}).value(); }
  Expected<OpenedTiers> open(const ChosenTiers& tiers) const {
    return open_free_tiers(
        tiers, nullptr, folder_, [] { return false; }, system_executor());
  }
  bool is_folder(const char* suffix) const { return std::filesystem::is_directory(folder_.string() + suffix); }

  std::unique_ptr<QTemporaryDir> root_;
  std::filesystem::path folder_;

 private slots:
  void init() {
    root_ = std::make_unique<QTemporaryDir>();
    folder_ = std::filesystem::path(root_->path().toStdString()) / "model-workload";
  }

  void theFirstSessionHasTheFolderItself() {
    const auto first = open(chosen("ssd=1MiB"));
    QVERIFY2(first.has_value(), first ? "" : first.error().message.c_str());
    QVERIFY(first->notes.empty());
    QVERIFY(is_folder("") && !is_folder("-2"));
  }

  void eachFurtherOneHasItsOwnAndSaysSo() {
    const auto first = open(chosen("ssd=1MiB"));
    const auto second = open(chosen("ssd=1MiB"));
    const auto third = open(chosen("ssd=1MiB"));
    QVERIFY(first && second && third);
    QVERIFY(is_folder("-2") && is_folder("-3"));
    QCOMPARE(third->notes.size(), std::size_t{1});
    const QString note = QString::fromStdString(third->notes[0]);
    QVERIFY2(note.contains("store in use by") && note.endsWith(QString::fromStdString(folder_.string()) + "-3"),
             qPrintable(note));
    QCOMPARE(note.count(';'), 1);  // without the advice to close the other one
  }

  void aFolderThatIsFreeAgainIsUsedAgain() {
    auto first = open(chosen("ssd=1MiB"));
    QVERIFY(first && open(chosen("ssd=1MiB"))->notes.size() == 1);
    first = fail(ErrorCode::cancelled, "closed");
    QVERIFY(open(chosen("ssd=1MiB"))->notes.empty());
  }

  // In that folder, tiers of different stores are apart as well.
  void aTierInAFolderOfItsOwnIsSeparatedThere() {
    const std::filesystem::path own = folder_.parent_path() / "own";
    const std::string tier = "ssd=1MiB,path=" + own.string();
    const auto first = open(chosen(tier));
    const auto second = open(chosen(tier));
    QVERIFY(first && second);
    QCOMPARE(second->notes.size(), std::size_t{1});
    const auto entries = std::filesystem::directory_iterator(own);
    QCOMPARE(std::distance(begin(entries), end(entries)), std::ptrdiff_t{2});
  }

  void whatFailsOtherwiseIsNotTriedElsewhere() {
    std::filesystem::create_directories(folder_.parent_path());
    std::ofstream(folder_) << "a file in the way";
    const auto opened = open(chosen("ssd=1MiB"));
    QVERIFY(!opened.has_value());
    QVERIFY(!is_folder("-2"));
  }
};

KV_TEST_GUILESS_MAIN(SeparateStoreTest)

}  // namespace separate_store_test

#include "separate_store_test.moc"
