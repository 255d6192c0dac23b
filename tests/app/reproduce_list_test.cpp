// links: kv_reports kv_cli_program
// `reproduce list` shows every figure that can be reproduced, and no list of the command line is wider than 100
// columns.
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <map>

#include "core/base/json.h"
#include "core/experiments/figures/out_of_scope.h"
#include "core/experiments/figures/reproduction.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace reproduce_list_test {

using namespace kvantage;
using namespace kvantage::test;

class ReproduceListTest : public QObject {
  Q_OBJECT
 private slots:
  // Nothing was made beside this database.
  void aRowPerFigure() {
    const QTemporaryDir empty;
    const Answer answer = call_forked({"reproduce", "list", "--db", empty.filePath("kvantage.db")});
    QVERIFY2(answer.exit_code == 0 && answer.error.isEmpty(), answer.text());
    QStringList lines;
    for (const QString& line : answer.out.split('\n', Qt::SkipEmptyParts))
      if (line.startsWith("   "))  // the rest of a title
        lines.back() += ' ' + line.trimmed();
      else
        lines << line;
    QCOMPARE(lines.size(), qsizetype(paper_figures().size()));
    for (qsizetype i = 0; i < lines.size(); ++i) {
      const PaperFigure& figure = paper_figures()[static_cast<std::size_t>(i)];
      const QStringList cells = cells_of(lines[i]);
      QVERIFY2(cells.size() == 3, qPrintable(lines[i]));
      QCOMPARE(cells[0].toStdString(), figure.name);
      QVERIFY2(cells[2].startsWith(QString::fromStdString(figure.title)), qPrintable(lines[i]));
      QVERIFY2(cells[2].endsWith("; not measured yet here"), qPrintable(lines[i]));
      for (const std::string& other : figure.also) QVERIFY(lines[i].contains(QString::fromStdString(other)));
    }
  }

  // Of the folder that is named, and only of what is in it.
  void theListHasTheTimesOfAReproduction() {
    const QTemporaryDir folder;
    const QString out = folder.filePath("all");
    const Answer none = call_forked({"reproduce", "list", "--out", out});
    QVERIFY2(none.exit_code != 0 && none.error.contains("is no folder of reproduce all"), none.text());
    auto reproduction = Reproduction::open(out.toStdString(), {{"program", "0.2"}});
    QVERIFY(reproduction && reproduction->keep({.name = "evicpress/fig3",
                                                .command = "kvantage-cli reproduce evicpress/fig3",
                                                .begun = "2026-11-29 12:14",
                                                .seconds = 750,
                                                .results = {begin_figure("evicpress/fig3")}}));
    QVERIFY(call_forked({"reproduce", "list", "--out", out}).out.simplified().contains("; took 13 min "));
    const Answer answer = call_forked({"reproduce", "list", "--out", out, "--json"});
    const auto json = parse_json(answer.out.toStdString(), "stdout");
    QVERIFY2(json && json->is_array() && json->size() == paper_figures().size(), answer.text());
    for (const Json& one : *json) {
      if (one.at("id") != "evicpress/fig3") {
        QVERIFY(one.at("took").is_null());
        continue;
      }
      QCOMPARE(one.at("took").at("seconds").get<double>(), 750.0);
      QCOMPARE(one.at("took").at("made").get<std::string>(), std::string("2026-11-29 12:14"));
    }
    QCOMPARE(call_forked({"reproduce", "claims", "--out", out}).exit_code, 2);
  }

  // Both lists name figures that are made; nothing is made, or written, for another one.
  void onlyAndSkipNameFigures() {
    for (const char* option : {"--only", "--skip"}) {
      const Answer answer = call_forked({"reproduce", "all", "--out", "nowhere-at-all", option, "evicpress/fig99"});
      QCOMPARE(answer.exit_code, 2);
      QVERIFY2(answer.error.contains(QString(option) + ": evicpress/fig99 is none of the figures"), answer.text());
    }
    QCOMPARE(call_forked({"reproduce", "evicpress/fig2", "--skip", "evicpress/fig3"}).exit_code, 2);
  }

  // What is left and how long it takes comes first; --skip goes before --only. Neither figure needs a model.
  void figuresAreNamedAndLeftOut() {
    const QTemporaryDir folder;
    const auto make = [&](const QStringList& more) {
      return call(QStringList{"reproduce", "all", "--quick", "--out", folder.filePath("some")} + more);
    };
    const auto is_made = [&](const char* figure) {
      return QFile::exists(folder.filePath(QString("some/%1.json").arg(figure)));
    };
    const Answer first = make({"--only", "evicpress/fig2,evicpress/examples", "--skip", "evicpress/examples"});
    QVERIFY2(first.exit_code == 0, first.text());
    QVERIFY2(first.out.startsWith(
                 QString("1 of %1 figures to make: time not measured yet here\n").arg(reproduced_figures().size())),
             first.text());
    QVERIFY(is_made("evicpress/fig2") && !is_made("evicpress/examples"));
    const Answer second = make({"--only", "evicpress/fig2,evicpress/examples"});
    QVERIFY2(second.exit_code == 0 && second.out.contains("evicpress/examples: "), second.text());
    QVERIFY(!second.out.contains("evicpress/fig2: ") && is_made("evicpress/examples"));
    QVERIFY(!QFile::exists(folder.filePath("some/cells")));
  }

  void listsFitAHundredColumns_data() {
    QTest::addColumn<QString>("command");
    for (const char* command :
         {"policies", "policies --details", "methods", "methods --details", "reproduce list", "reproduce claims",
          "workload list", "workload make --list-presets", "simulate --list-presets"})
      QTest::newRow(command) << command;
  }
  void listsFitAHundredColumns() {
    QFETCH(QString, command);
    const Answer answer = call_forked(command.split(' '));
    QVERIFY2(answer.exit_code == 0, answer.text());
    for (const QString& line : answer.out.split('\n')) QVERIFY2(line.size() <= 100, qPrintable(line));
  }

  void everyClaimHasAFigureOrAReason() {
    const Answer answer = call_forked({"reproduce", "claims", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto json = parse_json(answer.out.toStdString(), "stdout");
    QVERIFY2(json && json->is_array() && json->size() > 200, answer.text());
    std::map<std::string, int> measured, apart;  // by paper
    for (const Json& claim : *json) {
      const std::string id = claim.at("id").get<std::string>(), paper = id.substr(0, id.find('/'));
      const std::string figure = claim.at("figure").get<std::string>();
      if (figure.empty()) {
        QVERIFY2(!claim.at("out_of_scope").get<std::string>().empty(), id.c_str());
        ++apart[paper];
        continue;
      }
      const PaperFigure* known = find_paper_figure(figure);
      QVERIFY2(known != nullptr, id.c_str());
      QVERIFY2(known->paper == paper || paper == "compaction", id.c_str());
      ++measured[paper];
    }
    // So many of each paper are measured: fewer would be a step back.
    const std::map<std::string, int> at_least{
        {"evicpress", 41}, {"adaptcache", 11}, {"pagedeviction", 21}, {"compaction", 22}, {"kvpr", 71}};
    for (const auto& [paper, count] : at_least)
      QVERIFY2(measured[paper] >= count && measured[paper] + apart[paper] >= count + 4, paper.c_str());
    QVERIFY(measured["evicpress"] + apart["evicpress"] >= 76 && json->size() >= 236);
    // Its table has a line or more for each, and options of figures are not for it.
    const Answer shown = call_forked({"reproduce", "claims"});
    QVERIFY(shown.out.count('\n') > static_cast<qsizetype>(json->size()));
    QVERIFY2(shown.out.contains("  span        up to 2.19 (ratio)\n"), qPrintable(shown.out.left(500)));
    QCOMPARE(call_forked({"reproduce", "claims", "--seeds", "2"}).exit_code, 2);
  }

  void asJson() {
    const Answer answer = call_forked({"reproduce", "list", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto json = parse_json(answer.out.toStdString(), "stdout");
    QVERIFY2(json && json->is_array() && json->size() == paper_figures().size(), answer.text());
    for (const Json& figure : *json)
      for (const char* key : {"id", "paper", "title", "aliases"}) QVERIFY2(figure.contains(key), key);
  }

  void optionsOfAFigureAreRefused() {
    const Answer answer = call_forked({"reproduce", "list", "--seeds", "2"});
    QVERIFY2(answer.exit_code == 2 && answer.error.startsWith("error: --seeds: "), answer.text());
  }

  // Ids are in the list, not in the help.
  void helpIsShort() {
    const Answer help = call_forked({"reproduce", "--help"});
    QVERIFY2(help.out.contains("Figure or table, e.g. evicpress/fig8, or list\n"), help.text());
    QVERIFY2(!help.out.contains("kvpr/fig13"), help.text());
  }

  // A figure's help has its own options with its own defaults, and no others.
  void helpOfAFigureShowsWhatItReads() {
    for (const PaperFigure& figure : paper_figures()) {
      const Answer help = call_forked({"reproduce", QString::fromStdString(figure.name), "--help-all"});
      QCOMPARE(help.exit_code, 0);
      const QString flat = help.out.simplified();
      QVERIFY2(flat.contains(QString::fromStdString(figure.name)), help.text());
      QStringList read;
      for (const FigureSetting& setting : figure.settings) {
        read << QString::fromStdString(setting.option);
        QVERIFY2(flat.contains(read.back() + ' '), setting.option.c_str());
      }
      for (const std::string& option : figure.more) read << QString::fromStdString(option);
      for (const char* option :
           {"--budgets", "--rate", "--seeds", "--width", "--page-tokens", "--itl-bound", "--alpha"})
        QCOMPARE(flat.contains(QString(option) + ' '), read.contains(option));
    }
    // A model of its own, where others have the default one.
    const QString coding = call_forked({"reproduce", "adaptcache/coding", "--help-all"}).out.simplified();
    QVERIFY2(coding.contains("or reference-mha; default: reference-mha"), qPrintable(coding));
    const QString seven = call_forked({"reproduce", "evicpress/fig7", "--help-all"}).out.simplified();
    QVERIFY2(seven.contains("default: evicpress-regime") &&
                 seven.contains("default: those of the regime; 0.1,0.2,0.33 outside of one"),
             qPrintable(seven));
  }

  // A help that lists every option says nothing about what is no figure.
  void whatIsNoFigureHasNoHelp_data() {
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("error");
    QTest::newRow("unknown") << "bogus/fig1"
                             << "error: unknown figure 'bogus/fig1'; ";
    QTest::newRow("unknown, by an id of before") << "003/1"
                                                 << "error: unknown figure '003/1'; ";
    QTest::newRow("near") << "evicpress/fgi8"
                          << "did you mean 'evicpress/fig8'?";
    QTest::newRow("out of scope") << "kvpr/fig14"
                                  << "error: figure kvpr/fig14 is out of scope: a comparison with "
                                     "attention computed on the CPU";
    QTest::newRow("out of scope, by an id of before") << "004/14"
                                                      << "error: figure kvpr/fig14 is out of scope: ";
  }
  void whatIsNoFigureHasNoHelp() {
    QFETCH(QString, figure);
    QFETCH(QString, error);
    for (const QStringList& words : {QStringList{"reproduce", figure, "--help"},
                                     {"reproduce", figure, "--help-all"},
                                     {"reproduce", "--help", figure},
                                     {"reproduce", figure}}) {
      const Answer answer = call_forked(words);
      QVERIFY2(answer.exit_code == 2 && answer.error.contains(error) && answer.out.isEmpty(), answer.text());
    }
    for (const char* word : {"list", "claims", "all", "evicpress/fig7", "000/7"}) {
      const Answer help = call_forked({"reproduce", word, "--help"});
      QVERIFY2(help.exit_code == 0 && help.error.isEmpty() && !help.out.isEmpty(), help.text());
    }
  }

  void whatIsOutOfScopeIsNoFigure() {
    for (const OutOfScope& one : figures_out_of_scope()) {
      QVERIFY2(find_paper_figure(one.figure) == nullptr, one.figure.data());
      QVERIFY(
          std::ranges::any_of(papers(), [&](const Paper& paper) { return one.figure.starts_with(paper.id + "/"); }));
      QVERIFY(!one.reason.empty() && !one.reason.ends_with('.'));
    }
  }
};

KV_TEST_GUILESS_MAIN(ReproduceListTest)

}  // namespace reproduce_list_test

#include "reproduce_list_test.moc"
