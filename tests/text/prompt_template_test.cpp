// links: kv_base core_text
// Prompts equal what transformers renders from the same chat template (tests/parity/make_prompt_goldens.py), and always
// fall into a context part and a question part.
#include "core/text/prompt_template.h"

#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/test_program.h"

namespace prompt_template_test {

using namespace kvantage;

namespace {

const std::filesystem::path root = KVANTAGE_SOURCE_DIR;
const std::filesystem::path trial = root / "../shared/data/models/trial-qa";

/// The small byte-level tokenizer with the special tokens of all forms.
std::shared_ptr<const Tokenizer> tokenizer_with(const Json& config) {
  Json json = read_json_file(root / "tests/goldens/tokenizers/byte_level/tokenizer.json").value();
  for (const char* token :
       {"<s>", "</s>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|endoftext|>"})
    json["added_tokens"].push_back({{"content", token}, {"special", true}});
  return Tokenizer::parse(json.dump(), config.dump(), "made.json").value();
}

std::vector<std::int32_t> joined(const PromptParts& parts) {
  std::vector<std::int32_t> ids = parts.context;
  ids.insert(ids.end(), parts.question.begin(), parts.question.end());
  return ids;
}

}  // namespace

class PromptTemplateTest : public QObject {
  Q_OBJECT

  Json goldens_;

 private slots:
  void initTestCase() { goldens_ = read_json_file(root / "tests/goldens/prompts.json").value(); }

  void promptsEqualTheRenderedTemplates_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < goldens_.at("cases").size(); ++i)
      QTest::newRow(goldens_.at("cases")[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
  }
  void promptsEqualTheRenderedTemplates() {
    QFETCH(int, index);
    const Json& entry = goldens_.at("cases")[static_cast<std::size_t>(index)];
    const auto tokenizer = tokenizer_with({{"chat_template", entry.at("chat_template")},
                                           {"bos_token", entry.at("bos_token")},
                                           {"eos_token", entry.at("eos_token")}});
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer);
    QCOMPARE(std::string(to_string(prompt.form())), entry.at("form").get<std::string>());
    const auto context = goldens_.at("context").get<std::string>();
    const PromptParts parts = prompt.encode(context, goldens_.at("question").get<std::string>());
    QCOMPARE(tokenizer->decode(joined(parts), false), entry.at("rendered").get<std::string>());
    QVERIFY(tokenizer->decode(parts.context, false).ends_with(context));
    QCOMPARE(prompt.encode(context, "Another one").context, parts.context);
    const auto stops = prompt.stop_ids();
    QVERIFY(std::find(stops.begin(), stops.end(), *tokenizer->eos_id()) != stops.end());
    QVERIFY(std::is_sorted(stops.begin(), stops.end()));
  }

  void withoutATemplateTheEndTokenTells() {
    QCOMPARE(PromptTemplate::detect(tokenizer_with({{"eos_token", "<|im_end|>"}})).form(), PromptForm::chatml);
    QCOMPARE(PromptTemplate::detect(tokenizer_with({{"eos_token", "<|eot_id|>"}})).form(), PromptForm::llama3);
    QCOMPARE(PromptTemplate::detect(tokenizer_with({{"eos_token", "<|endoftext|>"}})).form(), PromptForm::raw);
    QCOMPARE(PromptTemplate::detect(tokenizer_with(Json::object())).form(), PromptForm::raw);
    QCOMPARE(PromptTemplate::detect(tokenizer_with({{"chat_template", "{{ messages }}"}})).form(), PromptForm::raw);
  }

  void rawTextIsJoinedByALineBreak() {
    const auto tokenizer = tokenizer_with({{"bos_token", "<|begin_of_text|>"}});
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer);
    const PromptParts parts = prompt.encode("Once upon a time", "there was");
    QCOMPARE(tokenizer->decode(joined(parts), false), std::string("<|begin_of_text|>Once upon a time\nthere was"));
    QVERIFY(prompt.encode_question("").empty());
    QCOMPARE(prompt.encode_context("Once"), tokenizer->encode("Once", true));
  }

  void aFormWithoutItsTokensIsRefused() {
    const auto bare = Tokenizer::load(root / "tests/goldens/tokenizers/sentencepiece").value();
    for (const PromptForm form : {PromptForm::chatml, PromptForm::llama3, PromptForm::context_question}) {
      const auto prompt = PromptTemplate::make(bare, form);
      QVERIFY(!prompt && prompt.error().code == ErrorCode::rejected_input);
    }
    QVERIFY(PromptTemplate::make(bare, PromptForm::mistral).has_value());
  }

  void anotherFormHasAnotherDigest() {
    const auto tokenizer = tokenizer_with({{"eos_token", "<|im_end|>"}, {"chat_template", "<|im_start|>"}});
    const auto again = tokenizer_with({{"eos_token", "<|im_end|>"}, {"chat_template", "<|im_start|>"}});
    const auto thinking =
        tokenizer_with({{"eos_token", "<|im_end|>"}, {"chat_template", "<|im_start|> enable_thinking"}});
    const auto stops_elsewhere = tokenizer_with({{"eos_token", "<|eot_id|>"}, {"chat_template", "<|im_start|>"}});
    const Digest128 digest = PromptTemplate::detect(tokenizer).digest();
    QCOMPARE(PromptTemplate::detect(again).digest(), digest);
    QVERIFY(PromptTemplate::detect(thinking).digest() != digest);
    QVERIFY(PromptTemplate::detect(stops_elsewhere).digest() != digest);
    QVERIFY(PromptTemplate::make(tokenizer, PromptForm::raw)->digest() != digest);
  }

  void sentencePieceQuestionsGetNoPrefixSpace() {
    const auto tokenizer = Tokenizer::load(root / "tests/goldens/tokenizers/sentencepiece").value();
    const PromptTemplate prompt = PromptTemplate::make(tokenizer, PromptForm::mistral).value();
    const PromptParts parts = prompt.encode("The cat sat.", "Who sat?");
    QCOMPARE(joined(parts), tokenizer->encode("[INST] The cat sat.\n\nWho sat? [/INST]"));
  }

  // The marks follow the text without a space, as in training and in the model's own template.
  void theDefaultModelsPromptsFollowItsTemplate() {
    const auto tokenizer = Tokenizer::load(root / "resources/model").value();
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer);
    QCOMPARE(prompt.form(), PromptForm::context_question);
    const PromptParts parts = prompt.encode("The seat of Oscar Tate is 0045.", "What is the seat of Oscar Tate?");
    const std::string whole =
        "<|context|> The seat of Oscar Tate is 0045.<|question|> What is the seat of Oscar Tate?<|answer|>";
    QCOMPARE(joined(parts), tokenizer->encode(whole));
  }

  void theTrialModelsPromptsAreWhatItWasAsked() {
    if (!std::filesystem::exists(trial / "tokenizer.json")) QSKIP("../shared/data/models/trial-qa is not here");
    const auto tokenizer = Tokenizer::load(trial).value();
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer);
    QCOMPARE(prompt.form(), PromptForm::context_question);
    QCOMPARE(std::vector<std::int32_t>(prompt.stop_ids().begin(), prompt.stop_ids().end()),
             std::vector<std::int32_t>{4});
    const std::string lines = read_text_file(root / "../shared/data/models/expected/trial_qa.jsonl").value();
    int questions = 0;
    for (const QString& line : QString::fromStdString(lines).split('\n', Qt::SkipEmptyParts)) {
      const Json entry = Json::parse(line.toStdString());
      const auto whole = entry.at("prompt").get<std::string>();
      const std::string opening = "<|context|> ";
      const std::string context = whole.substr(opening.size());
      for (const Json& question : entry.at("questions")) {
        const auto suffix = question.at("suffix").get<std::string>();
        const std::string before = " <|question|> ";
        const std::string after = " <|answer|>";
        QVERIFY(whole.starts_with(opening) && suffix.starts_with(before) && suffix.ends_with(after));
        const PromptParts parts =
            prompt.encode(context, suffix.substr(before.size(), suffix.size() - before.size() - after.size()));
        QCOMPARE(joined(parts), tokenizer->encode(whole + suffix));
        QCOMPARE(parts.context.size(), entry.at("prompt_tokens").get<std::size_t>());
        ++questions;
      }
    }
    QCOMPARE(questions, 112);
  }
};

KV_TEST_GUILESS_MAIN(PromptTemplateTest)

}  // namespace prompt_template_test

#include "prompt_template_test.moc"
