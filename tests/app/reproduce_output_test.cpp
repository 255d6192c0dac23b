// links: kv_experiments
// `reproduce FIGURE` on several models, and its pictures for a paper.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/files.h"
#include "core/experiments/figures/model_comparison.h"
#include "core/report/figure.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace reproduce_output_test {

using namespace kvantage;
using namespace kvantage::test;

class ReproduceOutputTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString text(const char* name) const { return folder_.filePath(name); }
  static QString refusal(const QStringList& words, int code) {
    const Answer answer = call(QStringList{"reproduce"} + words);
    if (answer.exit_code != code || answer.error_lines().size() != 1 || !answer.out.isEmpty())
      return "not refused so: " + answer.text();
    return answer.error_lines().front();
  }

  static bool models_are_there() {
    return std::ranges::all_of(std::array{"model", "reference-mha"}, [](const char* name) {
      return std::filesystem::exists(source_directory() / "resources" / name / "model.safetensors");
    });
  }
  /// One question on a text of each kind.
  static QStringList small_figure() {
    return {"reproduce", "pagedeviction/fig2", "--contexts", "1", "--context-tokens", "300", "--budgets",
            "0.5",       "--answer-tokens",    "8"};
  }

 private slots:
  void severalModelsAreOneList() {
    if (!models_are_there()) QSKIP("the models in resources are not there");
    const QString own = text_of(model_directory());  // which the default is, too
    const std::string own_name = model_directory().filename().string();
    const Answer answer = call(small_figure() + QStringList{"--models", "default, reference-mha," + own, "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY(answer.out.startsWith('['));
    const auto results = figure_results_of(answer.out.toStdString(), "out");
    QVERIFY2(results && results->size() == 4, answer.text());
    for (const auto& [index, name] : {std::pair{0, "default"}, {1, "reference-mha"}, {2, own_name.c_str()}}) {
      const FigureResult& result = (*results)[static_cast<std::size_t>(index)];
      QVERIFY2(result.title.ends_with(" (" + std::string(name) + ")"), result.title.c_str());
      QCOMPARE(result.settings.at("model name").get<std::string>(), std::string(name));
    }
    const FigureResult& compared = results->back();
    QCOMPARE(compared.settings.at("models").get<std::string>(), "default, reference-mha, " + own_name);
    QCOMPARE(compared.tables.size(), std::size_t{1});
    QCOMPARE(compared.tables.front().title, std::string(model_claims_title));
    QVERIFY(!compared.tables.front().rows.empty() && compared.tables.front().rows.size() % 3 == 0);
    QCOMPARE(compared.findings.size(), std::size_t{1});
  }

  void severalModelsAsText() {
    if (!models_are_there()) QSKIP("the models in resources are not there");
    const Answer answer = call(small_figure() + QStringList{"--models", "default,reference-mha"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const qsizetype first = answer.out.indexOf("(default) ("), second = answer.out.indexOf("(reference-mha) ("),
                    last = answer.out.indexOf(model_claims_title);
    QVERIFY2(first >= 0 && first < second && second < last, answer.text());
    QCOMPARE(answer.out.count("The paper: "), 3);
  }

  void oneModelIsComparedWithNone() {
    if (!models_are_there()) QSKIP("the models in resources are not there");
    const Answer answer = call(small_figure() + QStringList{"--models", "default"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY2(answer.out.contains("(default) (") && !answer.out.contains(model_claims_title), answer.text());
    QCOMPARE(answer.out.count("The paper: "), 1);
  }

  // A config.json is all that the second model has: the first one's result is there, and compared with nothing.
  void aModelThatFailsIsNamed() {
    if (!models_are_there()) QSKIP("the models in resources are not there");
    const QString half = text("half a model");
    QVERIFY(QDir().mkpath(half));
    QVERIFY(QFile::copy(text_of(model_directory()) + "/config.json", half + "/config.json"));
    const Answer answer = call(small_figure() + QStringList{"--models", "default," + half, "--json"});
    QVERIFY2(answer.exit_code == 3 && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error_lines().front().contains("half a model: "), answer.text());
    const auto results = figure_results_of(answer.out.toStdString(), "out");
    QVERIFY2(results && results->size() == 1, answer.text());
    QCOMPARE(results->front().settings.at("model name").get<std::string>(), std::string("default"));
  }

  // Before the first model's figure is made.
  void aFolderWithoutAModelIsRefused() {
    if (!models_are_there()) QSKIP("the models in resources are not there");
    QVERIFY(QDir().mkpath(text("no model")));
    const QString line = refusal({"pagedeviction/fig2", "--models", "default," + text("no model")}, 3);
    QVERIFY2(line.contains("--models: ") && line.contains("no model: no config.json; give a Hugging Face folder"),
             qPrintable(line));
  }

  void refusals_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("part");
    QTest::newRow("random weights") << QStringList{"kvpr/table1", "--models", "default"} << 2
                                    << "--models: figure kvpr/table1 takes no --model: it uses random weights";
    for (const char* figure : {"evicpress/fig2", "evicpress/examples", "kvpr/examples"}) {
      const QString part = QString("figure %1 takes no --model: it computes without a model").arg(figure);
      QTest::addRow("%s, models", figure) << QStringList{figure, "--models", "default"} << 2 << "--models: " + part;
      QTest::addRow("%s, a model", figure) << QStringList{figure, "--model", "reference-mha"} << 2 << part;
    }
    const QString of_model = "pagedeviction/fig2";
    QTest::newRow("no such model") << QStringList{of_model, "--models", "/nonexistent,default"} << 3
                                   << "--models: /nonexistent: no such file or folder";
    QTest::newRow("twice") << QStringList{of_model, "--models", "default,default"} << 2
                           << "--models: default is named twice";
    QTest::newRow("none") << QStringList{of_model, "--models", ","} << 2 << "--models: no model is named";
    QTest::newRow("empty") << QStringList{of_model, "--models", ""} << 2 << "--models: no model is named";
    QTest::newRow("both") << QStringList{of_model, "--models", "default", "--model", "reference-mha"} << 2 << "--model";
    QTest::newRow("another option") << QStringList{of_model, "--models", "default", "--rate", "1"} << 2
                                    << "figure pagedeviction/fig2 takes no --rate; leave it out";
    QTest::newRow("an option of all") << QStringList{of_model, "--models", "default", "--only", "x"} << 2
                                      << "figure pagedeviction/fig2 takes no --only; leave it out";
    QTest::newRow("unknown figure") << QStringList{"evicpress/fig99", "--models", "default"} << 2 << "unknown figure";
    QTest::newRow("all, models") << QStringList{"all", "--out", "x", "--models", "default"} << 2
                                 << "--models: is for one figure, not for reproduce all";
    QTest::newRow("all, picture") << QStringList{"all", "--out", "x", "--picture", "x.svg"} << 2
                                  << "--picture: is for one figure, not for reproduce all";
    QTest::newRow("list") << QStringList{"list", "--models", "default"} << 2 << "--models: ";
    QTest::newRow("an ending") << QStringList{"evicpress/fig2", "--picture", "fig2.gif"} << 2
                               << "--picture: fig2.gif: unsupported picture format; use .svg, .pdf or .png";
    QTest::newRow("no folder") << QStringList{"evicpress/fig2", "--picture", "/nonexistent/fig2.svg"} << 3
                               << "--picture: /nonexistent: folder does not exist; create it";
    QTest::newRow("a width alone") << QStringList{"evicpress/fig2", "--picture-width", "page"} << 2
                                   << "--picture-width: needs --picture";
    QTest::newRow("a width") << QStringList{"evicpress/fig2", "--picture", "x.svg", "--picture-width", "poster"} << 2
                             << "--picture-width";
  }
  void refusals() {
    QFETCH(QStringList, words);
    QFETCH(int, code);
    QFETCH(QString, part);
    const QString line = refusal(words, code);
    QVERIFY2(line.contains(part), qPrintable(line));
  }

  void onlyFiguresWithAModelShowTheOption() {
    const Answer reads = call({"reproduce", "pagedeviction/fig2", "--help-all"}),
                 random = call({"reproduce", "kvpr/table1", "--help-all"}),
                 none = call({"reproduce", "evicpress/fig2", "--help-all"});
    QVERIFY2(reads.out.contains("--models ") && reads.out.contains("--picture "), reads.text());
    for (const Answer& other : {random, none}) {
      QVERIFY2(!other.out.contains("--models ") && other.out.contains("--picture "), other.text());
      QVERIFY2(!other.out.contains("--model "), other.text());
    }
  }

  // Qt starts for a picture, without a display and without a word of its own; stdout has the figure alone.
  void aPictureNeedsNoDisplay() {
    const QStringList wrapper{"env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM=xcb", "LC_ALL=C"};
    for (const auto& [width, mm] : {std::pair{"column", "85mm"}, {"page", "178mm"}}) {
      const QString file = text((std::string(width) + ".svg").c_str());
      const Answer answer = call({"reproduce", "evicpress/fig2", "--picture", file, "--picture-width", width}, wrapper);
      QVERIFY2(answer.exit_code == 0, answer.text());
      QCOMPARE(answer.error_lines(), QStringList{"picture: " + file});
      QVERIFY2(answer.out.startsWith("evicpress/fig2: ") && answer.out.contains("all numbers match the paper's"),
               answer.text());
      const std::string svg = read_text_file(file.toStdString()).value_or("");
      QVERIFY2(svg.find(std::string("width=\"") + mm) != std::string::npos, svg.substr(0, 300).c_str());
      QVERIFY(svg.find("total TTFT (s)") != std::string::npos);  // as text
    }
    const Answer pdf = call({"reproduce", "evicpress/fig2", "--picture", text("fig2.pdf"), "--quiet"}, wrapper);
    QVERIFY2(pdf.exit_code == 0 && pdf.error.isEmpty(), pdf.text());
    const std::string bytes = read_text_file(text("fig2.pdf").toStdString()).value_or("");
    QVERIFY(bytes.starts_with("%PDF-") && bytes.find("/FontFile2") != std::string::npos);
  }

  void severalPlotsAreNumbered() {
    const Answer answer = call({"reproduce", "evicpress/examples", "--picture", text("examples.png")});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY2(answer.error_lines().size() > 1, answer.text());
    for (qsizetype i = 1; i <= answer.error_lines().size(); ++i)
      QVERIFY2(QFile::exists(text("examples-") + QString::number(i) + ".png"), answer.text());
    for (const QString& line : answer.error_lines()) {  // each with the title of its table, which is in the output
      const QString title = line.mid(line.indexOf(".png: ") + 6);
      QVERIFY2(line.contains(".png: ") && answer.out.contains("\n" + title + "\n"), qPrintable(line));
    }
  }

  void aMachineWithoutFontsHasNoPicture() {
    QVERIFY(QDir().mkpath(text("no fonts")));
    QVERIFY(write_text_file(text("fonts.conf").toStdString(),
                            "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig><dir>" +
                                text("no fonts").toStdString() + "</dir></fontconfig>"));
    const Answer answer = call({"reproduce", "evicpress/fig2", "--picture", text("fontless.svg")},
                               {"env", "FONTCONFIG_FILE=" + text("fonts.conf")});
    QVERIFY2(answer.exit_code == 1 && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.out.isEmpty(), answer.text());  // no figure was made
    QVERIFY2(answer.error.contains("no font") && answer.error.contains("fonts-dejavu-core"), answer.text());
    QVERIFY(!QFile::exists(text("fontless.svg")));
  }
};

KV_TEST_GUILESS_MAIN(ReproduceOutputTest)

}  // namespace reproduce_output_test

#include "reproduce_output_test.moc"
