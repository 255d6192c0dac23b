// links: app_wiring
// Finding and loading the module for Parquet: each reason for which there is none is one line that says how to fix it.
// What it is handed comes out of its files: read here from a module that writes JSON, and by pyarrow from the one that
// writes Parquet.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "app/wiring/parquet_module.h"
#include "app/wiring/program_module.h"
#include "tests/support/parquet_files.h"
#include "tests/support/test_program.h"

namespace parquet_module_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Every type, every sort of cell, `rows` rows.
ColumnTable sample_table(std::int64_t rows) {
  ColumnTable table{"sample",
                    {{"count", ColumnType::whole, "B"},
                     {"value", ColumnType::real, "s"},
                     {"yes", ColumnType::flag},
                     {"name", ColumnType::text},
                     {"nothing", ColumnType::real}},
                    {{"runs", "[\"\xc3\xa4\"]"}}};
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::string name =
        i % 5 == 0 ? "" : "caf\xc3\xa9 \xe4\xb8\xad " + std::to_string(i) + std::string(1, '\0') + "\n";
    const double value = i % 13 == 1   ? std::numeric_limits<double>::quiet_NaN()
                         : i % 13 == 2 ? -std::numeric_limits<double>::infinity()
                                       : static_cast<double>(i) / 7;
    if (i % 7 == 3)
      table.add_row({{}, {}, {}, {}, {}});
    else
      table.add_row({i * 1'000'000'007, value, i % 3 == 0, name, {}});
  }
  return table;
}

}  // namespace

class ParquetModuleTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::filesystem::path file(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

 private slots:
  void init() { unsetenv("KVANTAGE_PARQUET_MODULE"); }

  void aModuleIsHandedTheTable() {
    const auto encode = open_parquet_module({parquet_double()});
    QVERIFY2(encode.has_value(), encode ? "" : encode.error().message.c_str());
    for (const std::int64_t rows : {0, 1, 40}) {
      const ColumnTable table = sample_table(rows);
      const auto bytes = (*encode)(table);
      QVERIFY2(bytes.has_value(), bytes ? "" : bytes.error().message.c_str());
      const Json json = Json::parse(*bytes);
      QVERIFY(json.at("columns") == columns_json(table));
      const Json& facts = json.at("facts");
      QCOMPARE(facts.at("kvantage.table").get<std::string>(), std::string("sample"));
      QCOMPARE(facts.at("kvantage.units").get<std::string>(), std::string(R"({"count":"B","value":"s"})"));
      QCOMPARE(facts.at("kvantage.runs").get<std::string>(), std::string("[\"\xc3\xa4\"]"));
      QVERIFY(!facts.at("kvantage.version").get<std::string>().empty());
    }
  }

  void whatTheModuleCannotWriteIsOneLine() {
    const auto encode = open_parquet_module({parquet_double()});
    QVERIFY(encode.has_value());
    ColumnTable table = sample_table(2);
    table.facts = {{"refuse", "no memory"}};
    const auto bytes = (*encode)(table);
    QVERIFY(!bytes);
    QCOMPARE(bytes.error().code, ErrorCode::io);
    QCOMPARE(bytes.error().message,
             std::string("sample: cannot be written as Parquet: no memory; write it as CSV instead"));
  }

  void whatIsMissingIsOneLine_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* title, const std::filesystem::path& file, ErrorCode code, const char* reason) {
      QTest::newRow(title) << QString::fromStdString(file.string()) << static_cast<int>(code) << reason;
    };
    row("no such file", "/nowhere/module.so", ErrorCode::usage,
        "Parquet: there is no file /nowhere/module.so; name the module in KVANTAGE_PARQUET_MODULE, or unset it");
    row("another build", parquet_double("old"), ErrorCode::usage,
        "the module was built for interface 7 and the program has ");
    row("another library", parquet_double("other"), ErrorCode::rejected_input,
        "is not a module of this program; './run --parquet' builds one");
  }
  void whatIsMissingIsOneLine() {
    QFETCH(QString, file);
    QFETCH(int, code);
    QFETCH(QString, reason);
    const auto encode = open_parquet_module({file.toStdString()});
    QVERIFY(!encode);
    QCOMPARE(static_cast<int>(encode.error().code), code);
    const QString line = QString::fromStdString(encode.error().message);
    QVERIFY2(line.contains(reason) && !line.contains('\n'), qPrintable(line));
  }

  void aDamagedModuleIsRefused() {
    std::ofstream(file("module.so")) << "no library\n";
    const auto encode = open_parquet_module({file("module.so")});
    QVERIFY(!encode);
    QCOMPARE(encode.error().code, ErrorCode::rejected_input);
    QVERIFY2(encode.error().message.find("cannot be loaded: ") != std::string::npos &&
                 encode.error().message.ends_with("; './run --parquet' rebuilds the module"),
             encode.error().message.c_str());
  }

  void rowsOfAFileAreTakenUntilOneIsRefused() {
    const auto read = open_parquet_reader({parquet_double()});
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    std::ofstream(file("rows.parquet")) << "PAR1\n{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n";
    std::vector<std::string> rows;
    const Status all = (*read)(file("rows.parquet"), [&](std::string_view row) -> Status {
      rows.emplace_back(row);
      return {};
    });
    QVERIFY(all.has_value());
    QCOMPARE(rows, (std::vector<std::string>{"{\"a\":1}", "{\"a\":2}", "{\"a\":3}"}));
    int taken = 0;
    const Status stopped = (*read)(file("rows.parquet"), [&](std::string_view) -> Status {
      return ++taken == 2 ? Status(fail(ErrorCode::rejected_input, "enough; stop")) : Status();
    });
    QVERIFY(!stopped && stopped.error().message == "enough; stop");
    QCOMPARE(taken, 2);
    std::ofstream(file("damaged.parquet")) << "PAR1\nrefuse\n";
    const Status damaged = (*read)(file("damaged.parquet"), [](std::string_view) -> Status { return {}; });
    QVERIFY(!damaged);
    QCOMPARE(damaged.error().code, ErrorCode::rejected_input);
    QCOMPARE(damaged.error().message,
             file("damaged.parquet").string() + ": cannot be read as Parquet: the page is damaged; save it again");
  }

  // The file that pyarrow wrote is the one beside it, in JSON lines.
  void filesOfPyarrowAreRead() {
    if (!std::filesystem::exists(parquet_module()))
      QSKIP("built without the module for Parquet; ./run --parquet builds it");
    const auto read = open_parquet_reader({parquet_module()});
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    const std::filesystem::path samples = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/formats";
    std::ifstream lines(samples / "hf_squad.jsonl");
    std::vector<Json> wanted, rows;
    for (std::string line; std::getline(lines, line);) wanted.push_back(Json::parse(line));
    const Status all = (*read)(samples / "hf_squad.parquet", [&](std::string_view row) -> Status {
      rows.push_back(Json::parse(row));
      return {};
    });
    QVERIFY2(all.has_value(), all ? "" : all.error().message.c_str());
    QCOMPARE(rows.size(), std::size_t{3});
    for (std::size_t i = 0; i < rows.size(); ++i) QVERIFY2(rows[i] == wanted[i], rows[i].dump().c_str());
  }

  void theFirstThatExistsIsTaken() {
    QVERIFY(open_parquet_module({"/nowhere/a.so", parquet_double(), parquet_double("other")}).has_value());
    QVERIFY(find_module({"/nowhere/a.so", parquet_double()}) == parquet_double());
    const std::vector<std::filesystem::path> nowhere{"/nowhere/a.so", "/nowhere/b.so"};
    QVERIFY(!find_module(nowhere));
    const auto none = open_parquet_module(nowhere);
    QVERIFY(!none);
    QCOMPARE(none.error().code, ErrorCode::usage);
    QCOMPARE(none.error().message,
             std::string("Parquet: there is no module libkvantage_parquet.so next to the program; './run --parquet' "
                         "builds it, or name it in KVANTAGE_PARQUET_MODULE"));
  }

  void theVariableComesFirst() {
    const auto defaults = parquet_module_places();
    QVERIFY(defaults.size() > 1);
    for (const auto& place : defaults) QCOMPARE(place.filename().string(), std::string("libkvantage_parquet.so"));
    setenv("KVANTAGE_PARQUET_MODULE", "/somewhere/else.so", 1);
    QCOMPARE(parquet_module_places(), std::vector<std::filesystem::path>{"/somewhere/else.so"});
    setenv("KVANTAGE_PARQUET_MODULE", "", 1);
    QCOMPARE(parquet_module_places(), defaults);
  }

  // A window offers Parquet where there is a module, and loads it for the first report.
  void aWindowLoadsItWhenItIsUsed() {
    setenv("KVANTAGE_PARQUET_MODULE", "/nowhere/module.so", 1);
    QVERIFY(parquet_on_demand() == nullptr);
    std::ofstream(file("later.so")) << "no library\n";
    setenv("KVANTAGE_PARQUET_MODULE", file("later.so").c_str(), 1);
    const EncodeTable damaged = parquet_on_demand();
    QVERIFY(damaged != nullptr);
    const auto refused = damaged(sample_table(1));
    QVERIFY(!refused && refused.error().message.find("cannot be loaded: ") != std::string::npos);
    setenv("KVANTAGE_PARQUET_MODULE", parquet_double().c_str(), 1);
    const EncodeTable encode = parquet_on_demand();
    QVERIFY(encode != nullptr && encode(sample_table(1)).has_value());
  }

  // Several row groups, the last of them with a single row.
  void pyarrowReadsWhatTheModuleWrites() {
    if (const QString why = no_pyarrow(); !why.isEmpty()) QSKIP(qPrintable(why));
    const auto encode = open_parquet_module({parquet_module()});
    QVERIFY2(encode.has_value(), encode ? "" : encode.error().message.c_str());
    for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{131'073}}) {
      const ColumnTable table = sample_table(rows);
      const auto bytes = (*encode)(table);
      QVERIFY2(bytes.has_value(), bytes ? "" : bytes.error().message.c_str());
      QVERIFY(write_text_file(file("sample.parquet"), *bytes));
      const auto read = read_by_pyarrow(file("sample.parquet"));
      QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
      const Json wanted = columns_json(table);
      QCOMPARE(read->at("columns").size(), wanted.size());
      for (std::size_t c = 0; c < wanted.size(); ++c)
        QVERIFY2(read->at("columns")[c] == wanted[c], table.columns[c].name().c_str());
      QCOMPARE(read->at("facts").at("kvantage.runs").get<std::string>(), std::string("[\"\xc3\xa4\"]"));
      QCOMPARE(read->at("facts").at("kvantage.units").get<std::string>(), std::string(R"({"count":"B","value":"s"})"));
      if (rows == 0) continue;
      QCOMPARE(read->at("groups").dump(), std::string("[131072,1]"));
      QCOMPARE(read->at("compression").dump(), std::string(R"(["ZSTD"])"));
      QCOMPARE(*(*encode)(table), *bytes);  // the same bytes every time
    }
  }

  void severalThreadsWriteAtOnce() {
    if (!std::filesystem::exists(parquet_module()))
      QSKIP("built without the module for Parquet; ./run --parquet builds it");
    const auto encode = open_parquet_module({parquet_module()});
    QVERIFY2(encode.has_value(), encode ? "" : encode.error().message.c_str());
    const ColumnTable table = sample_table(1000);
    const std::string wanted = (*encode)(table).value();
    std::vector<std::string> written(4);
    std::vector<std::thread> threads;
    threads.reserve(written.size());
    for (std::string& bytes : written) threads.emplace_back([&] { bytes = (*encode)(table).value_or(std::string()); });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& bytes : written) QVERIFY(bytes == wanted);
  }
};

KV_TEST_GUILESS_MAIN(ParquetModuleTest)

}  // namespace parquet_module_test

#include "parquet_module_test.moc"
