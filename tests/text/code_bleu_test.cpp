// links: kv_base core_text
// CodeBLEU equals that of the package codebleu, part by part, and so do the sources whose comments it removes
// (tests/parity/make_code_bleu_goldens.py). Tests that parse skip in a build without tree-sitter.
#include "core/text/code/code_bleu.h"

#include <QtTest>

#include "core/base/json.h"
#include "core/text/code/code_tree.h"
#include "core/text/code/data_flow.h"
#include "core/text/code/ngram_match.h"
#include "core/text/code/python_comments.h"
#include "core/text/quality_meter.h"
#include "core/workload/families/families.h"
#include "tests/support/test_program.h"

namespace code_bleu_test {

using namespace kvantage;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

bool near(double value, const Json& expected) { return std::abs(value - expected.get<double>()) < 1e-12; }

}  // namespace

#define SKIP_WITHOUT_PARSER() \
  if (const Status there = code_parser_is_there(); !there) QSKIP(there.error().message.c_str())

class CodeBleuTest : public QObject {
  Q_OBJECT

  Json goldens_;

 private slots:
  void initTestCase() {
    goldens_ = read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/code_bleu.json").value();
  }

  void partsEqualThePackage() {
    SKIP_WITHOUT_PARSER();
    QVERIFY(goldens_.at("pairs").size() >= 200);
    for (const Json& pair : goldens_.at("pairs")) {
      const auto answer = pair.at("answer").get<std::string>(), reference = pair.at("reference").get<std::string>();
      const auto match = code_bleu(answer, reference);
      QVERIFY2(match, match ? "" : match.error().message.c_str());
      const std::string shown = pair.dump(-1, ' ', true) + ": " + std::to_string(match->ngram_match) + " " +
                                std::to_string(match->weighted_ngram_match) + " " +
                                std::to_string(match->syntax_match) + " " + std::to_string(match->dataflow_match);
      QVERIFY2(near(match->ngram_match, pair.at("words")), shown.c_str());
      QVERIFY2(near(match->weighted_ngram_match, pair.at("weighted_words")), shown.c_str());
      QVERIFY2(near(match->syntax_match, pair.at("syntax")), shown.c_str());
      QVERIFY2(near(match->dataflow_match, pair.at("data_flow")), shown.c_str());
      QVERIFY2(near(match->score(), pair.at("score")), shown.c_str());
    }
  }

  // In a build without the parser, too.
  void ngramsEqualThePackage() {
    for (const Json& pair : goldens_.at("pairs")) {
      const auto answer = pair.at("answer").get<std::string>(), reference = pair.at("reference").get<std::string>();
      const auto answered = code_tokens(answer), expected = code_tokens(reference);
      QVERIFY2(near(ngram_match(answered, expected), pair.at("words")), answer.c_str());
      QVERIFY2(near(weighted_ngram_match(answered, expected), pair.at("weighted_words")), answer.c_str());
    }
  }

  void commentsAreRemovedAsInThePackage() {
    std::size_t refused = 0;
    QVERIFY(goldens_.at("sources").size() >= 200);
    for (const Json& row : goldens_.at("sources")) {
      const auto source = row.at("source").get<std::string>();
      const auto code = without_comments(source);
      const std::string shown = row.dump(-1, ' ', true) + ": " + Json(code.value_or("nothing")).dump(-1, ' ', true);
      QVERIFY2(code.has_value() != row.at("code").is_null(), shown.c_str());
      if (code) QVERIFY2(*code == row.at("code").get<std::string>(), shown.c_str());
      refused += code ? 0 : 1;
    }
    QVERIFY(refused > 10);
  }

  void tokensAreSplitAtTheWhiteSpaceOfPython() {
    const std::string text =
        "\u3000 a\x1c\x1f"
        "b\u00a0c\u2028\u0085 \u200bd\ufeff ";
    const std::vector<std::string_view> expected{"a", "b", "c", "\u200bd\ufeff"};
    QVERIFY(code_tokens(text) == expected);
    QVERIFY(stripped_code(text) == std::string_view(text).substr(4, text.size() - 5));
    QVERIFY(code_tokens(" \t\u2003").empty() && stripped_code(" \t\u2003").empty());
  }

  // By hand: the mean of square roots and logs of counts.
  void ngramsAreCounted() {
    const std::string reference = "return a or b", shorter = "return a", other = "return c or b";
    const auto tokens = [](const std::string& text) { return code_tokens(text); };
    QCOMPARE(ngram_match(tokens(reference), tokens(reference)), 1.0);
    // 2 of 2, 1 of 1, then a tenth of one each; the reference is twice as long.
    QVERIFY(std::abs(ngram_match(tokens(shorter), tokens(reference)) - std::exp(1 - 2.0) * std::pow(0.01, 0.25)) <
            1e-12);
    // 3 of 4, 1 of 3, a tenth of 2 and of 1.
    const double plain = std::pow(3.0 / 4 * (1.0 / 3) * (0.1 / 2) * 0.1, 0.25);
    QVERIFY(std::abs(ngram_match(tokens(other), tokens(reference)) - plain) < 1e-12);
    // Keywords have weight 1, others 0.2: (1 + 1 + 0.2) of 2.4.
    const double weighted = std::pow(2.2 / 2.4 * (1.0 / 3) * (0.1 / 2) * 0.1, 0.25);
    QVERIFY(std::abs(weighted_ngram_match(tokens(other), tokens(reference)) - weighted) < 1e-12);
    QCOMPARE(ngram_match(tokens("x"), tokens(reference)), 0.0);
    QCOMPARE(ngram_match({}, tokens(reference)), 0.0);
  }

  void namesOfVariablesDoNotCountInDataFlow() {
    SKIP_WITHOUT_PARSER();
    const auto flows = [](const std::string& code) { return data_flow_of(*parse_code(code), code); };
    const auto reference = flows("a = b\nc = a + b");
    QCOMPARE(reference.size(), std::size_t{5});  // b; a of b; c of a and b; the uses of a and b
    QCOMPARE(dataflow_match(flows("x = y\nz = x + y"), reference), 1.0);
    QVERIFY(dataflow_match(flows("x = y\nz = x + x"), reference) < 1);
    QCOMPARE(dataflow_match(flows("f(1)"), reference), 0.0);
    QVERIFY(flows("return 4").empty());
  }

  void theMeterComparesWithTheUncompressedAnswer() {
    QualityMeter meter;
    const QualityMetric& metric = *find_quality_metric("code_bleu");
    AnswerEvidence evidence{.answer = "x = 1", .golds = {"x = 2"}, .reference = "x = 1", .logits = {}};
    QCOMPARE(**meter.score(metric, evidence), 1.0);  // by definition; the package gives 0.76
    evidence.answer = "";
    evidence.reference = "";
    QCOMPARE(**meter.score(metric, evidence), 1.0);
    evidence.reference.reset();
    QVERIFY(!*meter.score(metric, evidence));
    QVERIFY(!*meter.chance(metric, evidence, std::vector<std::string>{"x = 1"}));
    SKIP_WITHOUT_PARSER();
    evidence = {.answer = "x = 2", .golds = {}, .reference = "x = 1", .logits = {}};
    QCOMPARE(**meter.score(metric, evidence), code_bleu("x = 2", "x = 1")->score());
    const std::vector<std::string> others{"x = 1", "x = 2", "print(y)"};
    const double chance = (1 + code_bleu("x = 2", "x = 1")->score() + code_bleu("print(y)", "x = 1")->score()) / 3;
    QVERIFY(std::abs(**meter.chance(metric, evidence, others) - chance) < 1e-12);
  }

  void withoutAParserTheMetricIsRefusedInOneLine() {
    const Status there = code_parser_is_there();
    if (there) QSKIP("this build has the parser");
    QVERIFY(there.error().code == ErrorCode::rejected_input);
    for (const char* part : {"'code_bleu'", "tree-sitter", "./run build"})
      QVERIFY2(there.error().message.find(part) != std::string::npos, part);
    QVERIFY(there.error().message.find('\n') == std::string::npos);
    const auto refused = code_bleu("x", "y");
    QVERIFY(!refused && refused.error().message == there.error().message);
  }

  // Texts of models may be anything; whatever it is takes little time and stack.
  void anyTextIsScored() {
    SKIP_WITHOUT_PARSER();
    std::string loops;
    for (int i = 0; i < 40; ++i) loops += std::string(static_cast<std::size_t>(i), ' ') + "while a:\n";
    loops += std::string(40, ' ') + "a = b";
    for (const std::string& text :
         {repeated("(", 20000), repeated("((x)", 5000), repeated("-", 20000) + "x", loops, repeated("x = y\n", 9000),
          repeated("x=y;", 15000), std::string("\xFF\xFEx = \xC3"), std::string("x\0y = 1", 7), repeated("'", 4001)}) {
      const auto forward = code_bleu(text, "x = y\nz = x"), back = code_bleu("x = y\nz = x", text);
      QVERIFY(forward && back);
      for (const double score : {forward->score(), back->score()}) QVERIFY(score >= 0 && score <= 1);
    }
    QVERIFY(parse_code(repeated("-", 20000) + "x")->nodes.empty());
    QVERIFY(!parse_code(repeated("(", 20) + "x" + repeated(")", 20))->nodes.empty());
    QVERIFY(parse_code(std::string(max_code_bytes + 1, 'x'))->nodes.empty());
  }

  void pagesOfTheFamilyAreCode() {
    SKIP_WITHOUT_PARSER();
    Random random(3);
    const FamilyParams params{.target_tokens = 600, .split = KeySplit::held_out};
    const GeneratedContext context = (*find_family("code"))->generate(params, random);
    std::vector<std::string> texts{context.text};
    for (const GeneratedQuestion& question : context.questions) texts.push_back(question.answer);
    for (const std::string& text : texts) {
      const CodeTree tree = *parse_code(text);
      QVERIFY(!tree.subtrees.empty());
      for (const CodeNode& node : tree.nodes) QVERIFY2(node.type != "ERROR", text.c_str());
    }
  }
};

KV_TEST_APPLESS_MAIN(CodeBleuTest)

}  // namespace code_bleu_test

#include "code_bleu_test.moc"
