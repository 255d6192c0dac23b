// links: kv_base
// The family of code, read by somebody who does not know how it is written: each page is assignments of Python, each
// answer the one after the question, and what was there before the family is unchanged by it.
#include <QtTest>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "core/workload/families/families.h"
#include "core/workload/families/lexicon.h"
#include "core/workload/families/pieces.h"
#include "core/workload/presets.h"
#include "tests/support/test_program.h"

namespace code_family_test {

using namespace kvantage;

namespace {

const Family& code() { return **find_family("code"); }

/// Without the space between them.
std::vector<std::string> statements_of(const std::string& text) {
  std::vector<std::string> statements;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size() - 1) + 1;
    statements.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return statements;
}

/// Key and value; empty where it is no assignment.
std::pair<std::string, std::string> sides_of(const std::string& statement) {
  static const std::regex form(R"((\w+\.\w+) = ([1-9]\d{3}|[a-z]+);)");
  std::smatch match;
  if (!std::regex_match(statement, match, form)) return {};
  return {match[1].str(), match[2].str()};
}

}  // namespace

class CodeFamilyTest : public QObject {
  Q_OBJECT

  static GeneratedContext make(std::uint64_t seed, std::size_t tokens = 800, KeySplit split = KeySplit::held_out) {
    Random random(seed);
    return code().generate({.target_tokens = tokens, .question_limit = 16, .split = split}, random);
  }

 private slots:
  void itComesByItsNameAlone() {
    QVERIFY(std::ranges::none_of(families(), [](const Family& family) { return family.name == "code"; }));
    QVERIFY(std::ranges::any_of(known_families(), [](const Family& family) { return family.name == "code"; }));
    QCOMPARE(known_families().size(), families().size() + 1);
    std::vector<std::string_view> in_training, names_of_training;
    for (const Family& family : known_families())
      if (family.in_training) in_training.push_back(family.name);
    for (const Family& family : families()) names_of_training.push_back(family.name);
    QVERIFY(names_of_training == in_training && !code().in_training);
    for (const WorkloadPreset& preset : workload_presets()) {
      const auto& names = preset.options.families;
      const bool is_about_code =
          preset.options.name == "adaptcache-regime-code" || preset.options.name == "adaptcache-regime-tasks";
      QCOMPARE(std::ranges::find(names, "code") != names.end(), is_about_code);
    }
    MakeWorkloadOptions options;  // that names no family
    options.contexts_per_family = 1;
    options.min_tokens = 400;
    options.max_tokens = 600;
    options.profile_questions = 2;
    options.held_out_questions = 3;
    const auto made = make_workload(options);
    QVERIFY(made && made->contexts.size() == families().size());
  }

  void pagesAreStatements() {
    std::set<std::string> texts;
    std::size_t numbers = 0, all = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const GeneratedContext context = make(seed);
      QVERIFY(texts.insert(context.text).second);
      QCOMPARE(context.text, make(seed).text);
      const std::size_t tokens = count_pieces(context.text);
      QVERIFY2(tokens + 1 >= 800 && tokens <= 848, qPrintable(QString::number(tokens)));
      std::set<std::string> keys;
      for (const std::string& statement : statements_of(context.text)) {
        const auto [key, value] = sides_of(statement);
        QVERIFY2(!key.empty(), statement.c_str());
        QVERIFY2(keys.insert(key).second, statement.c_str());
        numbers += value.front() <= '9' ? 1 : 0;
        ++all;
      }
    }
    QVERIFY2(numbers > all * 6 / 10 && numbers < all * 9 / 10, qPrintable(QString::number(numbers)));
  }

  void theAnswerIsTheNextStatement() {
    std::size_t asked = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const GeneratedContext context = make(seed);
      QCOMPARE(context.questions.size(), std::size_t{16});
      const auto statements = statements_of(context.text);
      std::set<std::string> distinct;
      for (const GeneratedQuestion& question : context.questions) {
        const std::string shown = question.question + " -> " + question.answer;
        QVERIFY2(distinct.insert(question.question).second, shown.c_str());
        const auto at = std::ranges::find(statements, question.question);
        QVERIFY2(at != statements.end() && at + 1 != statements.end(), shown.c_str());
        QCOMPARE(question.answer, *(at + 1));
        ++asked;
      }
    }
    QCOMPARE(asked, std::size_t{320});
  }

  // Four families of as many contexts: two with short answers, one with long ones, and code.
  void thePresetOfAllTasksIsInTheRegimeToo() {
    const auto preset = find_workload_preset("adaptcache-regime-tasks"),
               regime = find_workload_preset("adaptcache-regime");
    QVERIFY(preset && regime && !(*preset)->is_sample);
    QCOMPARE((*preset)->session.tiers, (*regime)->session.tiers);
    QVERIFY((*preset)->options.arrivals.each_context_first);
    const auto made = make_workload((*preset)->options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    std::map<std::string, std::size_t> contexts;
    for (const WorkloadContext& context : made->contexts) ++contexts[context.family];
    const std::map<std::string, std::size_t> wanted{{"code", 14}, {"ledger", 14}, {"news", 14}, {"registry", 14}};
    QVERIFY(contexts == wanted);
    QCOMPARE(made->arrivals.requests, std::uint64_t{4 * 56});
  }

  // The models read each word of the lexicon as one token, and know no other.
  void wordsAreOfTheLexicon() {
    const std::set<std::string> known(lexicon_pieces().begin(), lexicon_pieces().end());
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const std::string text = " " + make(seed).text;
      for (const std::string_view piece : split_pieces(text))
        QVERIFY2(known.contains(std::string(piece)), std::string(piece).c_str());
    }
  }

  void heldOutKeysAreNeverTrainedOn() {
    std::set<std::string> keys[2];
    for (const KeySplit split : {KeySplit::training, KeySplit::held_out})
      for (std::uint64_t seed = 0; seed < 40; ++seed)
        for (const std::string& statement : statements_of(make(seed, 1000, split).text))
          keys[split == KeySplit::held_out].insert(sides_of(statement).first);
    QVERIFY(keys[0].size() > 1000 && keys[1].size() > 200);
    for (const std::string& key : keys[1]) QVERIFY2(!keys[0].contains(key), key.c_str());
  }

  void thePresetHasTheRegimeOfAdaptCache() {
    const auto preset = find_workload_preset("adaptcache-regime-code"),
               regime = find_workload_preset("adaptcache-regime");
    QVERIFY(preset && regime && !(*preset)->is_sample);
    QCOMPARE((*preset)->session.tiers, (*regime)->session.tiers);
    QVERIFY((*preset)->options.arrivals.each_context_first);
    const auto made = make_workload((*preset)->options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(made->contexts.size(), std::size_t{18});
    for (const WorkloadContext& context : made->contexts) QCOMPARE(context.family, std::string("code"));
  }
};

KV_TEST_APPLESS_MAIN(CodeFamilyTest)

}  // namespace code_family_test

#include "code_family_test.moc"
