// links: app_method_worker core_base
// What archives say that they unpack to: what torch writes passes, bombs and contradictions are one line each, and
// damaged directories are read within the file. KVANTAGE_LONG=1: 100 times as many damaged ones.
#include "app/method_worker/torch_archive.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "core/base/files.h"
#include "core/base/random.h"
#include "tests/support/damage.h"
#include "tests/support/method_files.h"
#include "tests/support/test_program.h"
#include "tests/support/zip_writer.h"

namespace torch_archive_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint64_t most = max_method_file_bytes;

ZipRecord stored_record(const std::string& name, const std::string& data) { return {name, data, data.size(), 0}; }

/// An archive of one record, with both ends; `claimed` records and `moved` bytes are what the wide one says besides.
std::string with_wide_end(std::uint64_t claimed, std::uint64_t moved, std::uint64_t wide_at_moved = 0) {
  const std::string text = "1234", directory = zip_directory_row(stored_record("m/a", "1234"), 0);
  return text + directory +
         zip_wide_end(claimed, directory, text.size() + moved, text.size() + directory.size() + wide_at_moved) +
         zip_end(1, directory, text.size());
}

std::string many_records(std::size_t records) {
  std::string directory;
  for (std::size_t i = 0; i < records; ++i) directory += zip_directory_row(stored_record("m/a", ""), 0);
  return directory + zip_end(records, directory, 0);
}

/// What the rows of the last end's directory say together, with every access checked.
std::uint64_t unpacked_bytes(const std::string& file) {
  const auto number = [&](std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value += static_cast<std::uint64_t>(static_cast<unsigned char>(file.at(at + i))) << (8 * i);
    return value;
  };
  std::size_t end = file.size() - 22;
  while (file.compare(end, 4, "PK\5\6") != 0) --end;
  std::uint64_t sum = 0, rows = number(end + 10, 2);
  std::size_t at = number(end + 16, 4);
  if (end >= 20 && file.compare(end - 20, 4, "PK\6\7") == 0) {
    rows = number(number(end - 12, 8) + 32, 8);
    at = number(number(end - 12, 8) + 48, 8);
  }
  for (; rows > 0; --rows) {
    sum += number(at + 24, 4);
    at += 46 + number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);
  }
  return sum;
}

}  // namespace

class TorchArchiveTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { lift_time_limit_of_long_runs(); }

  void whatTorchWritesPasses() {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(golden_method_file("text").parent_path())) {
      if (entry.path().extension() != ".pt") continue;
      const Status checked = check_torch_archive(read_text_file(entry.path()).value(), most);
      QVERIFY2(checked.has_value(), checked ? "" : (entry.path().string() + checked.error().message).c_str());
      ++files;
    }
    QVERIFY(files > 30);
    QVERIFY(check_torch_archive("", most).has_value());
    QVERIFY(check_torch_archive(with_wide_end(1, 0), most).has_value());
  }

  // Code of more than 200 bytes is deflated, and there are two ends.
  void aFileAsTorchWritesItIsLoaded() {
    const auto worker = MethodWorker::open(golden_method_file("as_torch_writes"), small_worker());
    QVERIFY2(worker.has_value(), worker ? "" : worker.error().message.c_str());
    QCOMPARE((*worker)->facts().summary, std::string("keeps tokens that the last queries attend to"));
  }

  void anArchiveThatTakesMoreIsRefused_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const std::string& file, const char* says) {
      QTest::newRow(name) << QByteArray::fromStdString(file) << says;
    };
    row("zeros, deflated", zip_of({deflated_zeros("m/version", 100'000)}), "its archive unpacks to 24.6 MiB");
    row("one record that many names have", many_records(10'001), "its archive has 10001 records, and at most 10000");
    std::vector<ZipRecord> parts(5, deflated_zeros("m/code/__torch__.py", 20'000));
    row("many records of less", zip_of(parts), "its archive unpacks to 24.6 MiB");
    row("a size of ones", zip_of({{"m/a", "1", 0xffffffff, 8}}), "its archive unpacks to 4.00 GiB");
    row("another method", zip_of({{"m/\n<b>", "1", 1, 12}}), "its record 'm/ <b>' is compressed by method 12");
    row(
        "a name beyond the directory",
        [] {
          std::string file = zip_of({stored_record("m/a", "1")});
          file[file.size() - 22 - 3 - 46 + 29] = '\x7f';
          return file;
        }(),
        "is cut or overwritten");
    row(
        "more records than rows",
        [] {
          std::string file = zip_of({stored_record("m/a", "1")});
          file[file.size() - 22 + 10] = 2;
          return file;
        }(),
        "is cut or overwritten");
    row(
        "a directory beyond its end",
        [] {
          std::string file = zip_of({stored_record("m/a", "1")});
          file[file.size() - 22 + 14] = 1;
          return file;
        }(),
        "is larger than the file");
    row("two ends that differ", with_wide_end(2, 0), "is described twice, and not alike");
    row("another directory", with_wide_end(1, 1), "is described twice, and not alike");
    row("10^6 records at the wide end", with_wide_end(1'000'000, 0), "its archive has 1000000 records");
    row("a wide end that is elsewhere", with_wide_end(1, 0, 1), "is not where it says");
    row("a wide end beyond 2^63", with_wide_end(1, 0, ~std::uint64_t{0} - 200), "is not where it says");
  }
  void anArchiveThatTakesMoreIsRefused() {
    QFETCH(const QByteArray, file);
    QFETCH(const QString, says);
    const Status checked = check_torch_archive(file.toStdString(), most);
    QVERIFY(!checked && checked.error().code == ErrorCode::rejected_input);
    const QString message = QString::fromStdString(checked.error().message);
    QVERIFY2(message.contains(says) && !message.contains('\n') && message.size() < 240, qPrintable(message));
  }

  // The worker's program is not even started.
  void theWorkerGetsNoBomb() {
    QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "bomb.pt";
    QVERIFY(write_text_file(file, zip_of({deflated_zeros("m/version", 100'000)})));
    MethodWorkerSettings settings = small_worker();
    settings.program = "/nowhere";
    const auto opened = MethodWorker::open(file, settings);
    QVERIFY(!opened && opened.error().code == ErrorCode::rejected_input);
    QVERIFY2(opened.error().message.starts_with("method file 'bomb.pt': its archive unpacks to 24.6 MiB"),
             opened.error().message.c_str());
  }

  void damagedDirectoriesAreReadWithinTheFile() {
    const std::vector<std::string> seeds{read_text_file(golden_method_file("as_torch_writes")).value(),
                                         read_text_file(golden_method_file("script_knorm")).value(),
                                         zip_of({deflated_zeros("m/version", 1000), stored_record("m/b", "text")}),
                                         with_wide_end(1, 0), many_records(3)};
    const std::vector<std::string> own{"PK\5\6",
                                       "PK\6\7",
                                       "PK\6\6",
                                       "PK\1\2",
                                       std::string(2, '\xff'),
                                       std::string(22, '\0'),
                                       "PK\5\6" + std::string(18, '\0')};
    Random random(fuzz_number("KVANTAGE_SEED", 1130));
    std::uint64_t passed = 0, refused = 0;
    const std::uint64_t tries = fuzz_executions(20'000);
    for (std::uint64_t i = 0; i < tries; ++i) {
      const std::string file = damaged(seeds[random.below(seeds.size())], random, own);
      // In a place of its own, so that a byte beyond it is found by sanitizers.
      const std::vector<char> place(file.begin(), file.end());
      const Status checked = check_torch_archive({place.data(), place.size()}, 2000);
      if (!checked) {
        ++refused;
        QVERIFY(checked.error().message.find('\n') == std::string::npos && checked.error().message.size() < 300);
        continue;
      }
      ++passed;
      if (file.size() >= 22 && file.rfind("PK\5\6", file.size() - 22) != std::string::npos)
        QVERIFY2(unpacked_bytes(file) <= 2000, QByteArray::fromStdString(file).toHex().constData());
    }
    QVERIFY(passed > tries / 20 && refused > tries / 20);  // the damage is of both sorts
  }
};

KV_TEST_GUILESS_MAIN(TorchArchiveTest)

}  // namespace torch_archive_test

#include "torch_archive_test.moc"
