// links: kv_base kv_tiers
// The device that loses what was not flushed, which the power-cut tests of the store stand on: what comes back after a
// cut is a state the file may have been in, and what was flushed is never lost.
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/faulty_device.h"
#include "tiers/mapped_memory.h"
#include "tiers/posix_device.h"

namespace power_cut_test {

using namespace kvantage;
using namespace kvantage::testing;

class PowerCutTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<FaultyDevice> device_;
  std::unique_ptr<DeviceFile> file_;

  std::filesystem::path path() const { return std::filesystem::path(folder_->path().toStdString()) / "file"; }

  // A file of `pages` pages, each full of its number, flushed.
  void begin(std::uint64_t seed, std::uint64_t pages) {
    file_.reset();
    folder_ = std::make_unique<QTemporaryDir>();
    device_ = std::make_unique<FaultyDevice>(system_executor().clock(), std::make_shared<PosixDevice>(), seed);
    auto file = device_->open_cached(path(), true);
    QVERIFY(file);
    file_ = std::move(*file);
    for (std::uint64_t page = 0; page < pages; ++page) write(page, static_cast<char>(page));
    QVERIFY(file_->sync());
    QVERIFY(device_->sync_directory(path().parent_path()));
  }
  void write(std::uint64_t page, char letter) {
    const auto memory = MappedMemory::map(page_bytes, true);
    std::ranges::fill(memory->bytes(), static_cast<std::byte>(letter));
    QVERIFY(file_->write(page * page_bytes, memory->bytes()));
  }
  // What a page of the file is full of, page by page; '!' where it is not one letter.
  std::string after_the_cut() {
    device_->cut_power();
    file_.reset();
    if (!device_->restore_power()) return "lost";
    std::ifstream stream(path(), std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(stream), {}};
    std::string pages;
    for (std::size_t at = 0; at < all.size(); at += page_bytes) {
      const std::string_view page = std::string_view(all).substr(at, page_bytes);
      const bool whole = page.size() == page_bytes && page.find_first_not_of(page[0]) == std::string_view::npos;
      pages += whole ? page[0] : '!';
    }
    return pages;
  }
  static std::string pages(std::initializer_list<int> letters) {
    std::string text;
    for (const int letter : letters) text += static_cast<char>(letter);
    return text;
  }

 private slots:
  void aTruncationMayBeUndone() {
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      begin(seed, 4);
      QVERIFY(file_->resize(page_bytes));
      seen.insert(after_the_cut());
    }
    QVERIFY((seen == std::set{pages({0}), pages({0, 1, 2, 3})}));
  }

  void aFlushedTruncationStays() {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      begin(seed, 4);
      QVERIFY(file_->resize(page_bytes));
      QVERIFY(file_->sync());
      QCOMPARE(after_the_cut(), pages({0}));
    }
  }

  void whatWasWrittenBehindATruncationGoesWithIt() {
    // Cut to one page, and two new pages put where others were: old pages or new ones, never old ones behind the cut.
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      begin(seed, 4);
      QVERIFY(file_->resize(page_bytes));
      write(1, 'a');
      write(2, 'b');
      seen.insert(after_the_cut());
    }
    const std::set possible{pages({0, 1, 2, 3}),  pages({0}),         pages({0, 'a'}),    pages({0, 0}),
                            pages({0, 'a', 'b'}), pages({0, 'a', 0}), pages({0, 0, 'b'}), pages({0, 0, 0})};
    QVERIFY(seen == possible);
  }

  void anOverwrittenPageIsOldOrNew() {
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      begin(seed, 2);
      write(1, 'x');
      QVERIFY(file_->resize(page_bytes));
      seen.insert(after_the_cut());
    }
    QVERIFY((seen == std::set{pages({0}), pages({0, 1}), pages({0, 'x'})}));
  }
};

KV_TEST_GUILESS_MAIN(PowerCutTest)

}  // namespace power_cut_test

#include "power_cut_test.moc"
