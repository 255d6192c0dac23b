// links: kv_reports profiles
// Several workloads with tiers in the same folder of the user's own (path=DIR): each has a folder below it, so that a
// run of one, which begins by emptying its tiers, takes nothing from another.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/database_rows.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace tier_folders_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

/// What one run served: question and answer, in order, and how many contexts came from the tier.
struct Served {
  std::vector<std::string> requests;
  std::ptrdiff_t hits = 0;
};

/// Segments and their contents, by the path below `root`.
std::map<std::string, std::string> segments_below(const path& root) {
  std::map<std::string, std::string> segments;
  for (const auto& item : std::filesystem::recursive_directory_iterator(root))
    if (item.path().extension() == ".kvsegment")
      segments[std::filesystem::relative(item.path(), root).string()] =
          digest_of(read_text_file(item.path()).value()).hex();
  return segments;
}

std::vector<path> folders_in(const path& root) {
  std::vector<path> folders;
  for (const auto& item : std::filesystem::directory_iterator(root))
    if (item.is_directory()) folders.push_back(item.path());
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

class TierFoldersTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;

  path at(const std::string& name) const { return path(folder_->path().toStdString()) / name; }

  /// `workload` over tiers below `tiers`; nothing but what the tiers hold speeds it up.
  Served run(const std::string& workload, const std::string& tiers, const QStringList& rest = {}) const {
    const Answer answer =
        call(QStringList{"run", text_of(at(workload)), "--model", text_of(model_directory()), "--store",
                         text_of(at("store")), "--tier", "ssd=64MiB,path=" + text_of(at(tiers) / "ssd"), "--tier",
                         "archive=unlimited,path=" + text_of(at(tiers) / "originals"), "--policy", "lru", "--limit",
                         "6", "--seed", "7", "--no-warmup", "--compute-or-load", "off"} +
             rest);
    if (answer.exit_code != 0) {
      qWarning("%s", answer.text().constData());
      return {};
    }
    Served served;
    for (const auto& row : rows_of(at("store") / "kvantage.db",
                                   "SELECT body FROM events WHERE type = 'request.finished' AND run = (SELECT max(id) "
                                   "FROM runs) ORDER BY id")) {
      const Json record = Json::parse(row[0]).at("data").at("record");
      served.requests.push_back(record.at("question").get<std::string>() + " " +
                                record.at("answer").get<std::string>());
      served.hits += record.at("source") == "ssd" ? 1 : 0;
    }
    return served;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(write_workload(small_workload(2, 16, 5), at("first")));
    QVERIFY(write_workload(small_workload(2, 16, 6), at("second")));
  }

  void aRunOfAnotherWorkloadTakesNothingFromTheFolder() {
    // Undisturbed: in a folder of its own.
    const Served cold = run("first", "own");
    QCOMPARE(cold.requests.size(), std::size_t{6});
    const Served warm = run("first", "own", {"--keep-store"});
    QCOMPARE(warm.hits, std::ptrdiff_t{6});

    QCOMPARE(run("first", "common").requests, cold.requests);
    const auto stored = segments_below(at("common"));
    QVERIFY(stored.size() >= 2);  // of the tier and of the archive
    const std::vector<path> tier = folders_in(at("common/ssd")), archive = folders_in(at("common/originals"));
    QCOMPARE(tier.size(), std::size_t{1});
    QCOMPARE(archive.size(), std::size_t{1});

    const Served other = run("second", "common");
    QCOMPARE(other.requests.size(), std::size_t{6});
    QVERIFY(other.requests != cold.requests);
    for (const auto& [segment, content] : stored) {
      const auto now = segments_below(at("common"));
      QVERIFY2(now.contains(segment) && now.at(segment) == content, segment.c_str());
    }
    QCOMPARE(folders_in(at("common/ssd")).size(), std::size_t{2});
    QCOMPARE(folders_in(at("common/originals")).size(), std::size_t{2});

    // Both again, each from what it left there.
    const Served again = run("first", "common", {"--keep-store"});
    QCOMPARE(again.hits, warm.hits);
    QCOMPARE(again.requests, warm.requests);
    QCOMPARE(run("second", "common", {"--keep-store"}).hits, std::ptrdiff_t{6});
  }

  // Another folder is another store: nothing is found there by chance, through the archive or a name in the database.
  void anotherFolderHoldsNothingYet() {
    QCOMPARE(run("first", "one").requests.size(), std::size_t{6});
    QCOMPARE(run("first", "one", {"--keep-store"}).hits, std::ptrdiff_t{6});
    QVERIFY(run("first", "two", {"--keep-store"}).hits < 6);
  }
};

KV_TEST_GUILESS_MAIN(TierFoldersTest)

}  // namespace tier_folders_test

#include "tier_folders_test.moc"
