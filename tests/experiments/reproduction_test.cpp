// links: kv_experiments
// A folder of figures: what is there is not made again, another program's is refused, and its pages have the verdict on
// every claim of the papers.
#include <QTemporaryDir>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "core/base/files.h"
#include "core/experiments/figures/reproduction.h"
#include "core/experiments/figures/result_markdown.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace reproduction_test {

using namespace kvantage;

class ReproductionTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path at(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  static Status draw(const FigureResult& result, std::size_t table, const std::filesystem::path& file) {
    return write_text_file(file, "picture of " + result.tables.at(table).title);
  }
  static Json about(const char* program = "0.2 (abc)") { return {{"program", program}, {"hardware", "2 cores"}}; }

  static FigureResult result_of(const std::string& figure) {
    FigureResult result = begin_figure(figure);
    result.settings = {{"seed", 1}};
    FigureTable table{"Data", {"x", "y", "low", "high"}, {{1, 2, 1.5, 2.5}, {2, 3, 2.5, 3.5}}};
    table.plot = FigurePlot{.kind = FigurePlot::Kind::lines, .x = "x", .y = {"y"}};
    result.tables = {table,
                     {claims_title,
                      {"claim", "paper", "unit", "here", "interval", "verdict"},
                      {{"kvpr/latency-up-to", "up to 0.358", "share", "0.3", "0.2 - 0.34", "cannot tell at this n"}}}};
    result.findings = {"the split takes 30 % less time"};
    return result;
  }
  /// Of `rows` rows; the last cell of each is `last`.
  static FigureTable table_of(const std::string& title, std::size_t rows, std::size_t columns,
                              const std::string& last) {
    FigureTable table{title, {}, {}};
    for (std::size_t c = 0; c < columns; ++c) table.columns.push_back("c" + std::to_string(c));
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<Json>& row = table.rows.emplace_back(columns, 0.123456);
      row.back() = last;
    }
    return table;
  }
  static std::string page_of(const std::filesystem::path& folder, FigureResult result) {
    auto written = Reproduction::open(folder, about(), draw);
    MadeFigure one = made(result.figure);
    one.results = {std::move(result)};
    if (!written || !written->keep(one) || !written->write_pages({})) return {};
    return read_text_file(folder / "reproduce-kvpr.md").value_or("");
  }
  static MadeFigure made(const std::string& name) {
    return {.name = name,
            .command = "kvantage-cli reproduce " + name,
            .begun = "2026-11-28 17:25",
            .seconds = 2.5,
            .trouble = {},
            .results = {result_of(name)}};
  }

 private slots:
  void eachFigureIsMadeOnce() {
    const auto names = reproduced_figures();
    std::set<std::string> papers_of;
    for (const std::string& name : names) papers_of.insert(find_paper_figure(name)->paper);
    QCOMPARE(papers_of.size(), papers().size());
    // Four figures come with their runs.
    QCOMPARE(names.size(), paper_figures().size() - 4);
    QVERIFY(std::ranges::find(names, "evicpress/runs") != names.end());
    QVERIFY(std::ranges::find(names, "evicpress/fig9") == names.end());
  }

  void whatIsThereIsNotMadeAgain() {
    auto first = Reproduction::open(at("whole"), about(), draw);
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    QCOMPARE(first->left(), reproduced_figures());
    QVERIFY(first->keep(made("kvpr/fig7")));
    MadeFigure without = made("kvpr/fig6");
    without.results.clear();
    without.trouble = "no memory";
    QVERIFY(first->keep(without));
    auto again = Reproduction::open(at("whole"), about());
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    const auto left = again->left();
    QVERIFY(std::ranges::find(left, "kvpr/fig7") == left.end());
    QVERIFY(std::ranges::find(left, "kvpr/fig6") != left.end());  // has no result
    QCOMPARE(again->made().size(), std::size_t{2});
    QCOMPARE(again->made().front().name, std::string("kvpr/fig6"));  // in the order of the papers
    QCOMPARE(again->made().back().results.front().tables.front().rows.size(), std::size_t{2});
    QCOMPARE(again->made().back().command, std::string("kvantage-cli reproduce kvpr/fig7"));
    for (const char* file : {"kvpr/fig7.json", "kvpr/fig7.txt", "kvpr/fig7.csv", "kvpr/fig7-1.svg"})
      QVERIFY2(std::filesystem::exists(at("whole") / file), file);
    const auto picture = read_text_file(at("whole") / "kvpr/fig7-1.svg");
    QVERIFY(picture && *picture == "picture of Data");
  }

  void foldersOfOthersAreLeftAlone() {
    QVERIFY(Reproduction::open(at("mine"), about()));
    const auto other = Reproduction::open(at("mine"), about("0.3 (def)"));
    QVERIFY(!other && other.error().code == ErrorCode::rejected_input);
    QVERIFY2(other.error().message.find("another program") != std::string::npos, other.error().message.c_str());
    std::filesystem::create_directory(at("photos"));
    std::ofstream(at("photos") / "cat.jpg") << "x";
    const auto photos = Reproduction::open(at("photos"), about());
    QVERIFY(!photos && photos.error().message.find("not empty") != std::string::npos);
    std::ofstream(at("file")) << "x";
    QVERIFY(!Reproduction::open(at("file"), about()));
  }

  // Each figure names the program that made it, where that is not the folder's.
  void anotherProgramContinuesWhereItIsAsked() {
    auto first = Reproduction::open(at("mixed"), about());
    QVERIFY(first && first->keep(made("kvpr/fig7")));
    const auto refused = Reproduction::open(at("mixed"), about("0.3 (def)"));
    QVERIFY(!refused && refused.error().message.find("--any-program") != std::string::npos);
    auto later = Reproduction::open(at("mixed"), about("0.3 (def)"), {}, true);
    QVERIFY2(later, later ? "" : later.error().message.c_str());
    MadeFigure second = made("kvpr/fig6");
    second.program = "0.3 (def)";
    QVERIFY(later->keep(second) && later->write_pages({}));
    const auto index = read_text_file(at("mixed") / "reproduce.md"),
               page = read_text_file(at("mixed") / "reproduce-kvpr.md");
    QVERIFY(index && page);
    for (const auto* text : {&*index, &*page}) {
      QVERIFY2(text->find("UTC by 0.3 (def)") != std::string::npos, text->c_str());
      QVERIFY2(text->find("by 0.2 (abc)") == std::string::npos, text->c_str());
    }
    const auto read = Reproduction::open(at("mixed"), about());
    QVERIFY(read && read->made().size() == 2 && read->made().front().program == "0.3 (def)");
    // Another machine or kind is refused all the same.
    Json other = about();
    other["hardware"] = "64 cores";
    const auto machine = Reproduction::open(at("mixed"), other, {}, true);
    QVERIFY(!machine && machine.error().message.find("--any-program") == std::string::npos);
  }

  // Nothing of a whole one is made again, so any program may write its pages.
  void aWholeReproductionIsOpenedByEveryProgram() {
    auto whole = Reproduction::open(at("everything"), about());
    for (const std::string& name : reproduced_figures()) QVERIFY(whole && whole->keep(made(name)));
    const auto later = Reproduction::open(at("everything"), about("0.3 (def)"));
    QVERIFY2(later, later ? "" : later.error().message.c_str());
    QVERIFY(later->left().empty() && later->write_pages({}));
    const auto index = read_text_file(at("everything") / "reproduce.md");
    QVERIFY(index && index->find("0.2 (abc)") != std::string::npos);  // what made the figures
    QVERIFY(index->find("- kvpr/fig7, 2026-11-28 17:25 UTC, 2.5 s: `kvantage-cli reproduce kvpr/fig7`") !=
            std::string::npos);
  }

  void damagedFiguresAreNamed() {
    auto damaged = Reproduction::open(at("damaged"), about());
    QVERIFY(damaged && damaged->keep(made("kvpr/fig7")));
    std::ofstream(at("damaged") / "kvpr" / "fig7.json") << R"({"figure": "kvpr/fig7"})";
    const auto opened = Reproduction::open(at("damaged"), about());
    QVERIFY(!opened && opened.error().code == ErrorCode::rejected_input);
    QVERIFY2(opened.error().message.find("fig7.json") != std::string::npos, opened.error().message.c_str());
  }

  void everyClaimHasAVerdictOnThePages() {
    const auto claims = read_claims(test::source_directory() / "resources" / "claims.json");
    QVERIFY(claims);
    auto written = Reproduction::open(at("pages"), about("KVantage 0.2, commit 0123456789ab"));
    QVERIFY(written && written->keep(made("kvpr/fig7")) && written->write_pages(*claims));
    const auto index = read_text_file(at("pages") / "reproduce.md");
    QVERIFY(index);
    for (const PaperClaim& claim : *claims)
      QVERIFY2(index->find(claim.id.substr(claim.id.find('/') + 1)) != std::string::npos, claim.id.c_str());
    const auto has = [&index](const std::string& line) { return index->find('\n' + line + '\n') != std::string::npos; };
    QVERIFY(has("| figure | claim | paper | here (interval) | unit | verdict | date | commit | command |"));
    QVERIFY2(has("| fig7 | Decode latency is up to 35.8 % lower than that of other approaches (latency-up-to) | "
                 "up to 0.358 | 0.3 (0.2 - 0.34) | share | cannot tell at this n | 2026-11-28 | 0123456 | "
                 "[fig7](reproduce-kvpr.md#command-of-kvprfig7) |"),
             index->c_str());
    // Nothing measured it; the rest of its sentence is left out.
    QVERIFY2(has("| table1 | PCIe latency exceeds the latency of recomputing the KV cache by over … "
                 "(transfer-over-compute) | at least 10 | - | ratio | not measured | - | - | - |"),
             index->c_str());
    std::string flat = *index;  // lines of a paragraph end anywhere
    std::ranges::replace(flat, '\n', ' ');
    QVERIFY(flat.find("2 cores") != std::string::npos && flat.find("commit 0123456789ab") != std::string::npos);
    const auto page = read_text_file(at("pages") / "reproduce-kvpr.md");
    QVERIFY(page && page->find("- the split takes 30 % less time") != std::string::npos);
    // What the row links to.
    const std::size_t command = page->find("\n### Command of kvpr/fig7\n\nMade 2026-11-28 17:25 UTC in 2.5 s:\n");
    QVERIFY2(command != std::string::npos && page->find("```sh\nkvantage-cli reproduce kvpr/fig7\n```\n") > command,
             page->c_str());
    QVERIFY2(index->starts_with("# Reproduction of the papers\n\nHow: `kvantage-cli reproduce all --out FOLDER`\n"),
             index->substr(0, 100).c_str());
    for (const auto* text : {&*index, &*page})
      for (std::size_t begin = 0; begin < text->size(); begin = text->find('\n', begin) + 1)
        QVERIFY2(text->find('\n', begin) - begin <= 120 || (*text)[begin] == '|',
                 text->substr(begin, 130).c_str());  // a row of a table is one line
  }

  // By the figure's own program, which is the folder's where the figure names none.
  void aRowNamesTheCommitOfItsFigure_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("shown");
    QTest::newRow("the folder's") << ""
                                  << "0123456";
    QTest::newRow("another") << "KVantage 0.3, commit fedcba9876543210"
                             << "fedcba9";
    QTest::newRow("with changes") << "KVantage 0.3, commit fedcba987654 with changes"
                                  << "fedcba9+";
    QTest::newRow("a short one") << "KVantage 0.3, commit abc"
                                 << "abc";
    QTest::newRow("not known") << "KVantage 0.3"
                               << "-";
  }
  void aRowNamesTheCommitOfItsFigure() {
    QFETCH(const QString, program);
    QFETCH(const QString, shown);
    const auto claims = read_claims(test::source_directory() / "resources" / "claims.json");
    const std::filesystem::path folder = at(QTest::currentDataTag());
    auto written = Reproduction::open(folder, about("KVantage 0.2, commit 0123456789ab"));
    MadeFigure one = made("kvpr/fig7");
    one.program = program.toStdString();
    QVERIFY(claims && written && written->keep(one) && written->write_pages(*claims));
    const std::string index = read_text_file(folder / "reproduce.md").value_or("");
    QVERIFY2(index.find(" | 2026-11-28 | " + shown.toStdString() + " | [fig7](") != std::string::npos, index.c_str());
  }

  // The interval is of the number, and a letter that would end a cell does not.
  void whatWasMeasuredWhereFollowsTheInterval() {
    const auto claims = read_claims(test::source_directory() / "resources" / "claims.json");
    auto written = Reproduction::open(at("where"), about());
    MadeFigure one = made("kvpr/fig7");
    one.results.front().tables.back().rows.front() = {"kvpr/latency-up-to",        "up to 0.358", "share",
                                                      "0.3; at 646 MB/s; batch 1", "0.2 - 0.34",  "agrees: 1 | 2"};
    QVERIFY(claims && written && written->keep(one) && written->write_pages(*claims));
    const std::string index = read_text_file(at("where") / "reproduce.md").value_or("");
    QVERIFY2(index.find(" | 0.3 (0.2 - 0.34); at 646 MB/s; batch 1 | share | agrees: 1 \\| 2 | 2026-11-28 | ") !=
                 std::string::npos,
             index.c_str());
  }

  void sentencesAreCut_data() {
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<QString>("shown");
    QTest::newRow("fits") << "It is 2.5 times as fast."
                          << "It is 2.5 times as fast";
    QTest::newRow("just fits") << "It is faster than every other one here."
                               << "It is faster than every other one here";
    QTest::newRow("a clause") << "It is faster than before, by three times or more of it."
                              << "It is faster than before …";
    QTest::newRow("brackets") << "It is faster than before (by three times or more of it)."
                              << "It is faster than before …";
    QTest::newRow("a short clause") << "Here, it is three times as fast as all of the others."
                                    << "Here, it is three times as fast as …";
    QTest::newRow("numbers have commas") << "It is faster at 1,024 tokens of a text than all of the others."
                                         << "It is faster at 1,024 tokens of a …";
    QTest::newRow("letters, not bytes") << QString(38, QChar(0xe9)) << QString(38, QChar(0xe9));
    QTest::newRow("one word") << QString(60, 'w') << QString(60, 'w');
  }
  void sentencesAreCut() {
    QFETCH(const QString, sentence);
    QFETCH(const QString, shown);
    QCOMPARE(QString::fromStdString(first_words(sentence.toStdString(), 38)), shown);
  }

  void anchorsAreThoseOfHeadings() {
    QCOMPARE(page_anchor("Command of evicpress/paper-scale"), std::string("command-of-evicpresspaper-scale"));
    QCOMPARE(page_anchor("Under a rate: `a_b`, 2.5"), std::string("under-a-rate-a_b-25"));
  }

  // What the pages name makes the figures again: with the model and on the GPU, where they were made so.
  void thePagesNameTheCommandOfAll_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("model");
    QTest::newRow("a path") << QString() << "/models/own";
    QTest::newRow("a name") << "reference-mha"
                            << "reference-mha";
  }
  void thePagesNameTheCommandOfAll() {
    QFETCH(const QString, name);
    QFETCH(const QString, model);
    Json kind = about();
    kind["quick"] = true;
    kind["gpu"] = true;
    kind["model"] = "/models/own";
    if (!name.isEmpty()) kind["model name"] = name.toStdString();
    const std::filesystem::path folder = at(QTest::currentDataTag());
    const auto written = Reproduction::open(folder, kind);
    QVERIFY(written && written->write_pages({}));
    const std::string index = read_text_file(folder / "reproduce.md").value_or("");
    const std::string command =
        "\nHow: `kvantage-cli reproduce all --out FOLDER --quick --model '" + model.toStdString() + "' --gpu`\n";
    QVERIFY2(index.find(command) != std::string::npos, index.substr(0, 200).c_str());
  }

  // A whole one is opened by every program, but not as one of another kind.
  void figuresOfTheGpuAreAnotherKind() {
    auto whole = Reproduction::open(at("processor"), about());  // from before the GPU was recorded
    for (const std::string& name : reproduced_figures()) QVERIFY(whole && whole->keep(made(name)));
    Json later = about("0.3 (def)");
    later["gpu"] = false;
    QVERIFY(Reproduction::open(at("processor"), later));
    later["gpu"] = true;
    const auto other = Reproduction::open(at("processor"), later);
    QVERIFY(!other && other.error().code == ErrorCode::rejected_input);
  }

  // The page shows the pictures beside it, and tables with the digits of the text output.
  void aPageShowsPicturesAndTables() {
    const std::string page = page_of(at("shown"), result_of("kvpr/fig7"));
    const std::size_t picture = page.find("\n![Data](kvpr/fig7-1.svg)\n");
    QVERIFY2(picture != std::string::npos, page.c_str());
    QVERIFY(std::filesystem::exists(at("shown") / "kvpr/fig7-1.svg"));
    QVERIFY(page.find("fig7-2.svg") == std::string::npos);  // the claims have no plot
    // Made again without a plot, it does not show the picture of before.
    FigureResult plain = result_of("kvpr/fig7");
    plain.tables.front().plot.reset();
    QVERIFY(page_of(at("shown"), plain).find(".svg") == std::string::npos);
    QVERIFY(!std::filesystem::exists(at("shown") / "kvpr/fig7-1.svg"));
    const std::size_t table = page.find(
        "\nData:\n\n| x | y | low | high |\n|--:|--:|--:|--:|\n| 1 | 2 | 1.5 | 2.5 |\n| 2 | 3 | 2.5 | 3.5 |\n");
    QVERIFY2(table != std::string::npos && table > picture, page.c_str());
    QVERIFY2(page.find("| kvpr/latency-up-to | up to 0.358 | share | 0.3 | 0.2 - 0.34 | cannot tell at this n |\n") !=
                 std::string::npos,
             page.c_str());
    QVERIFY(page == page_of(at("shown again"), result_of("kvpr/fig7")));
  }

  void whatDoesNotFitIsNamed_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("letters");
    QTest::addColumn<bool>("fits");
    QTest::newRow("twelve rows of eight") << 12 << 8 << 5 << true;
    QTest::newRow("thirteen rows") << 13 << 8 << 5 << false;
    QTest::newRow("nine columns") << 12 << 9 << 5 << false;
    QTest::newRow("120 letters") << 3 << 2 << 120 - 12 << true;  // "| 0.123 | " and " |" are the others
    QTest::newRow("a row too wide") << 3 << 2 << 120 - 11 << false;
  }
  void whatDoesNotFitIsNamed() {
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(int, letters);
    QFETCH(bool, fits);
    FigureResult result = begin_figure("kvpr/fig7");
    result.settings = Json::object();
    result.tables = {table_of("Long", static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
                              std::string(static_cast<std::size_t>(letters), 'w'))};
    const std::string page = page_of(at(QTest::currentDataTag()), result);
    const std::string named = "\nLong: " + std::to_string(rows) + " rows: [fig7.csv](kvpr/fig7.csv)\n";
    QVERIFY2((page.find(named) == std::string::npos) == fits, page.c_str());
    QVERIFY2((page.find("\nLong:\n\n| c0 | c1 |") != std::string::npos) == fits, page.c_str());
    QVERIFY2((page.find("| 0.123 |") != std::string::npos) == fits, page.c_str());
    for (std::size_t begin = 0; begin < page.size(); begin = page.find('\n', begin) + 1)
      QVERIFY2(page.find('\n', begin) - begin <= 120, page.substr(begin, 130).c_str());
  }

  // Lines are as wide as their letters, whatever bytes those take.
  void lettersCountNotBytes() {
    const auto letters = [](std::size_t count, const std::string& letter) {
      std::string text;
      for (std::size_t i = 0; i < count; ++i) text += letter;
      return text;
    };
    for (const auto& [count, fits] :
         {std::pair{std::size_t{120 - 12}, true}, std::pair{std::size_t{120 - 11}, false}}) {
      FigureResult result = begin_figure("kvpr/fig7");
      result.settings = Json::object();
      result.tables = {table_of("Wide", 3, 2, letters(count, "\xc3\xa9"))};
      const std::string page = page_of(at(fits ? "letters fit" : "letters do not fit"), result);
      QVERIFY2((page.find("| 0.123 |") != std::string::npos) == fits, page.c_str());
    }
    const std::string line = wrapped_page_text(letters(60, "\xc3\xa9 "));  // 119 letters
    QVERIFY2(line.find('\n') == line.size() - 1, line.c_str());
    QVERIFY(wrapped_page_text(letters(61, "\xc3\xa9 ")).find('\n') == line.size() - 1);
  }

  // A letter that would end a cell or begin a mark stays a letter.
  void cellsStayCells() {
    FigureResult result = begin_figure("kvpr/fig7");
    result.settings = Json::object();
    result.tables = {{"A [title]", {"a|b", "n"}, {{"1 | 2 * 3", 1}, {nullptr, 2.5}}}};
    const std::string page = page_of(at("letters"), result);
    QVERIFY2(page.find("\nA \\[title\\]:\n\n| a\\|b | n |\n|---|--:|\n| 1 \\| 2 \\* 3 | 1 |\n| - | 2.5 |\n") !=
                 std::string::npos,
             page.c_str());
  }
};

KV_TEST_GUILESS_MAIN(ReproductionTest)

}  // namespace reproduction_test

#include "reproduction_test.moc"
