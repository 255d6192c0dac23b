// links: kv_reports profiles
// A shipped profile reads back to the same bits; anything else is refused and nothing is stored.
#include "profiles/profile_file.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "core/base/files.h"
#include "profiles/stores.h"
#include "tests/profiles/sample_data.h"
#include "tests/support/test_program.h"

namespace profile_file_test {

using namespace kvantage;

namespace {
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  return at == std::string::npos ? std::string() : text.replace(at, what.size(), by);
}
}  // namespace

class ProfileFileTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void theTextReadsBackBitForBitInAnyOrder() {
    ProfileFile file{sample_scope(), sample_cells(3, 40)};
    const std::string text = profile_to_text(file);
    Random random(5);
    random.shuffle(std::span(file.cells));
    QCOMPARE(profile_to_text(file), text);
    auto read = profile_from_text(text, "test");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(profile_to_text(*read), text);
    for (const ProfileCell& cell : file.cells)
      QVERIFY(std::ranges::any_of(read->cells, [&](const ProfileCell& other) { return same_cell(cell, other); }));
    // Another JSON reader sees the numbers that were written.
    const Json json = Json::parse(text);
    QCOMPARE(json.at("cells").size(), file.cells.size());
    QCOMPARE(json.at("cells")[0].at("scores")[0].get<double>(), read->cells[0].scores[0]);
  }

  void importAddsWhatIsMissingAndKeepsWhatWasMeasured() {
    const std::string path = folder_.filePath("profile.json").toStdString();
    const auto cells = sample_cells(3, 5);
    QVERIFY(write_text_file(path, profile_to_text({sample_scope(), cells})));
    auto stores = open_stores(folder_.filePath("a.sqlite").toStdString(), StoreAccess::read_write, machine_clock());
    ProfileStore& profiles = (*stores)->profiles();
    auto measured = cells[4];
    measured.point.quality = 0.03125;
    QVERIFY(profiles.save_profile(sample_scope(), {measured}));
    QCOMPARE(*import_profile(profiles, path, sample_scope().workload), cells.size() - 1);
    QCOMPARE(*import_profile(profiles, path, sample_scope().workload), std::size_t{0});
    auto loaded = profiles.load_profiles(sample_scope());
    QCOMPARE(loaded->size(), cells.size());
    QVERIFY(std::ranges::any_of(*loaded, [&](const ProfileCell& cell) { return same_cell(cell, measured); }));
  }

  void aProfileOfAnotherWorkloadIsNotBelieved() {
    const std::string path = folder_.filePath("forged.json").toStdString();
    QVERIFY(write_text_file(path, profile_to_text({sample_scope(), sample_cells(3, 5)})));
    auto stores =
        open_stores(folder_.filePath("forged.sqlite").toStdString(), StoreAccess::read_write, machine_clock());
    ProfileStore& profiles = (*stores)->profiles();
    Digest128 other = sample_scope().workload;
    other.low ^= 1;
    QCOMPARE(*import_profile(profiles, path, other), std::size_t{0});
    QVERIFY(profiles.load_profiles(sample_scope())->empty());
    ProfileScope scope = sample_scope();
    scope.workload = other;
    QVERIFY(profiles.load_profiles(scope)->empty());
  }

  void exportOfAnImportIsTheSameFile() {
    const std::string first = folder_.filePath("first.json").toStdString();
    const std::string second = folder_.filePath("second.json").toStdString();
    QVERIFY(write_text_file(first, profile_to_text({sample_scope(), sample_cells(9, 8)})));
    auto stores = open_stores(folder_.filePath("b.sqlite").toStdString(), StoreAccess::read_write, machine_clock());
    QVERIFY(import_profile((*stores)->profiles(), first, sample_scope().workload));
    QCOMPARE(*export_profile((*stores)->profiles(), sample_scope(), second), std::size_t{24});
    QVERIFY(*read_text_file(first) == *read_text_file(second));
    QCOMPARE(export_profile((*stores)->profiles(), sample_scope("rouge_l"), second).error().code, ErrorCode::not_found);
  }

  void wrongFilesAreRefusedByName_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("by");
    QTest::addColumn<QString>("named");
    QTest::newRow("not json") << "{"
                              << "<"
                              << "JSON";
    QTest::newRow("another format") << "kvantage-profile"
                                    << "kvantage-report"
                                    << "format";
    QTest::newRow("newer version") << "\"version\":1"
                                   << "\"version\":2"
                                   << "version";
    QTest::newRow("unknown field") << "\"family\""
                                   << "\"familiy\""
                                   << "did you mean 'family'";
    QTest::newRow("missing field") << "\"family\":\"news\","
                                   << ""
                                   << "family";
    QTest::newRow("digest too short") << "\"context\":\""
                                      << "\"context\":\"x"
                                      << "context";
    QTest::newRow("n is text") << "\"n\":3"
                               << "\"n\":\"3\""
                               << "n";
    QTest::newRow("n is not whole") << "\"n\":3"
                                    << "\"n\":3.5"
                                    << "n";
    QTest::newRow("n does not fit the scores") << "\"n\":3"
                                               << "\"n\":4"
                                               << "scores";
    QTest::newRow("negative bytes") << "\"bytes\":"
                                    << "\"bytes\":-"
                                    << "bytes";
    QTest::newRow("a score above one") << "\"scores\":[0"
                                       << "\"scores\":[10"
                                       << "score";
    QTest::newRow("quality is null") << "\"quality\":0"
                                     << "\"quality\":null,\"x\":0"
                                     << "x";
    QTest::newRow("removed_fraction above one") << "\"removed_fraction\":0"
                                                << "\"removed_fraction\":7"
                                                << "removed_fraction";
    QTest::newRow("trailing text") << "]}"
                                   << "]} x"
                                   << "JSON";
  }
  void wrongFilesAreRefusedByName() {
    QFETCH(QString, what);
    QFETCH(QString, by);
    QFETCH(QString, named);
    const std::string good = profile_to_text({sample_scope(), sample_cells(3, 3)});
    QVERIFY(profile_from_text(good, "f"));
    const std::string bad = replaced(good, what.toStdString(), by.toStdString());
    QVERIFY(!bad.empty());
    const std::string path = folder_.filePath("bad.json").toStdString();
    QVERIFY(write_text_file(path, bad));
    auto stores = open_stores(folder_.filePath("c.sqlite").toStdString(), StoreAccess::read_write, machine_clock());
    auto imported = import_profile((*stores)->profiles(), path, sample_scope().workload);
    QVERIFY(!imported);
    QCOMPARE(imported.error().code, ErrorCode::rejected_input);
    const std::string& message = imported.error().message;
    QVERIFY2(message.starts_with(path) && message.find('\n') == std::string::npos &&
                 message.find(named.toStdString(), path.size()) != std::string::npos,
             message.c_str());
    QVERIFY((*stores)->profiles().load_profiles(sample_scope())->empty());
  }

  void aCellGivenTwiceIsRefused() {
    auto cells = sample_cells(3, 1);
    cells.push_back(cells[0]);
    cells.back().point.quality = 0.5;
    auto read = profile_from_text(profile_to_text({sample_scope(), cells}), "f");
    QVERIFY(!read && read.error().message.find("twice") != std::string::npos);
  }

  // Whatever the bytes: an answer or one clear line, never a crash; what is accepted reads back to itself.
  void mutatedFilesNeverCrash() {
    const std::string good = profile_to_text({sample_scope(), sample_cells(3, 2)});
    Random random(2026);
    int accepted = 0, refused = 0;
    for (int round = 0; round < 20000; ++round) {
      std::string text = good;
      const std::uint64_t edits = 1 + random.below(4);
      for (std::uint64_t e = 0; e < edits && !text.empty(); ++e) {
        const std::size_t at = random.below(text.size());
        switch (random.below(5)) {
          case 0:
            text[at] = static_cast<char>(random.below(256));
            break;
          case 1:
            text.erase(at, 1 + random.below(20));
            break;
          case 2:
            text.insert(at, text.substr(random.below(text.size()), random.below(40)));
            break;
          case 3:
            text.resize(at);
            break;
          default:
            text.insert(at, 1, "[]{}\",:-0.eE"[random.below(12)]);
            break;
        }
      }
      auto read = profile_from_text(text, "mutated");
      if (read) {
        ++accepted;
        auto again = profile_from_text(profile_to_text(*read), "again");
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QCOMPARE(again->cells.size(), read->cells.size());
      } else {
        ++refused;
        QCOMPARE(read.error().code, ErrorCode::rejected_input);
        QVERIFY2(read.error().message.starts_with("mutated"), read.error().message.c_str());
      }
    }
    qInfo("accepted %d, refused %d", accepted, refused);
    QVERIFY(accepted > 0 && refused > 1000);
  }

  void deepNestingIsRefusedWithoutACrash() {
    for (const std::string& piece : {std::string("["), std::string("{\"a\":")}) {
      std::string text;
      for (int i = 0; i < 200000; ++i) text += piece;
      QVERIFY(!profile_from_text(text, "deep"));
      QVERIFY(!profile_from_text("{\"format\":\"kvantage-profile\",\"version\":1,\"cells\":[],\"scope\":" +
                                     std::string(100000, '[') + std::string(100000, ']') + "}",
                                 "deep"));
    }
  }
};

KV_TEST_GUILESS_MAIN(ProfileFileTest)

}  // namespace profile_file_test

#include "profile_file_test.moc"
