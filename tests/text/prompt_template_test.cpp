// links: kv_base core_text_chat
// Prompts equal what transformers renders from the same chat template (tests/parity/make_prompt_goldens.py), and always
// fall into a context part and a question part.
#include "core/text/chat/prompt_template.h"

#include <QTemporaryDir>
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

/// With the template and special tokens of a case of tests/goldens/chat.json.
std::shared_ptr<const Tokenizer> tokenizer_of(const Json& entry) {
  Json json = read_json_file(root / "tests/goldens/tokenizers/byte_level/tokenizer.json").value();
  Json config = entry.at("tokens");
  config["chat_template"] = entry.at("template");
  for (const Json& token : entry.at("tokens")) json["added_tokens"].push_back({{"content", token}, {"special", true}});
  for (const char* token : {"<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"})
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

  Json goldens_, chats_;

  Json chat(const std::string& name) const {
    for (const Json& entry : chats_.at("cases"))
      if (entry.at("name") == name) return entry;
    return {};
  }

 private slots:
  void initTestCase() {
    goldens_ = read_json_file(root / "tests/goldens/prompts.json").value();
    chats_ = read_json_file(root / "tests/goldens/chat.json").value();
  }

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
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer).value();
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
    QCOMPARE(PromptTemplate::detect(tokenizer_with({{"eos_token", "<|im_end|>"}})).value().form(), PromptForm::chatml);
    QCOMPARE(PromptTemplate::detect(tokenizer_with({{"eos_token", "<|eot_id|>"}})).value().form(), PromptForm::llama3);
    QCOMPARE(PromptTemplate::detect(tokenizer_with({{"eos_token", "<|endoftext|>"}})).value().form(), PromptForm::raw);
    QCOMPARE(PromptTemplate::detect(tokenizer_with(Json::object())).value().form(), PromptForm::raw);
    // A written list of messages escapes their text.
    const auto prompt = PromptTemplate::detect(tokenizer_with({{"chat_template", "{{ messages }}"}}));
    QVERIFY(!prompt && prompt.error().message.find("does not contain the user's text") != std::string::npos);
  }

  void rawTextIsJoinedByALineBreak() {
    const auto tokenizer = tokenizer_with({{"bos_token", "<|begin_of_text|>"}});
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer).value();
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
    const std::string turns = goldens_.at("cases")[0].at("chat_template").get<std::string>();
    const std::string reasoning = goldens_.at("cases")[3].at("chat_template").get<std::string>();
    const auto tokenizer = tokenizer_with({{"eos_token", "<|im_end|>"}, {"chat_template", turns}});
    const auto again = tokenizer_with({{"eos_token", "<|im_end|>"}, {"chat_template", turns}});
    const auto thinking = tokenizer_with({{"eos_token", "<|im_end|>"}, {"chat_template", reasoning}});
    const auto stops_elsewhere = tokenizer_with({{"eos_token", "<|eot_id|>"}, {"chat_template", turns}});
    QCOMPARE(PromptTemplate::detect(tokenizer).value().form(), PromptForm::chatml);
    const Digest128 digest = PromptTemplate::detect(tokenizer).value().digest();
    QCOMPARE(PromptTemplate::detect(again).value().digest(), digest);
    QVERIFY(PromptTemplate::detect(thinking).value().digest() != digest);
    QVERIFY(PromptTemplate::detect(stops_elsewhere).value().digest() != digest);
    QVERIFY(PromptTemplate::make(tokenizer, PromptForm::raw)->digest() != digest);
  }

  // Of the text that jinja2 renders (tests/parity/make_chat_goldens.py).
  void chatTemplatesAreCutWhereTheContextEnds_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < chats_.at("cases").size(); ++i)
      QTest::newRow(chats_.at("cases")[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
  }
  void chatTemplatesAreCutWhereTheContextEnds() {
    QFETCH(int, index);
    const Json& entry = chats_.at("cases")[static_cast<std::size_t>(index)];
    const auto tokenizer = tokenizer_of(entry);
    const auto made = PromptTemplate::detect(tokenizer);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    const auto content = chats_.at("conversations").at("question")[0].at("content").get<std::string>();
    const std::string context = content.substr(0, content.find("\n\n"));
    const PromptParts parts = made->encode(context, content.substr(context.size() + 2));
    QCOMPARE(tokenizer->decode(joined(parts), false), entry.at("texts").at("question").get<std::string>());
    QVERIFY(tokenizer->decode(parts.context, false).ends_with(context));
    QCOMPARE(made->encode(context, "Another one\n<x>").context, parts.context);
    if (made->form() != PromptForm::chat_template) return;
    // What the template trims is trimmed.
    const ChatPrompt cut = cut_chat_template(tokenizer->chat(), PromptOptions{}.date).value();
    const std::vector<std::int32_t> padded = made->encode_context("  \n" + context);
    QCOMPARE(padded == parts.context, cut.trims_start);
  }

  void theTokenThatEndsATurnStopsAnAnswer() {
    Json entry = chat("gemma");
    entry["tokens"]["more"] = "<end_of_turn>";
    const auto tokenizer = tokenizer_of(entry);
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer).value();
    std::vector<std::string> stops;
    for (const std::int32_t id : prompt.stop_ids()) stops.emplace_back(tokenizer->token(id));
    std::sort(stops.begin(), stops.end());
    QCOMPARE(stops, (std::vector<std::string>{"<end_of_turn>", "<eos>"}));
  }

  void aTemplateThatCannotBeUsedIsRefusedWithTheRemedy_data() {
    QTest::addColumn<QString>("chat");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* source, const char* expected) { QTest::newRow(source) << source << expected; };
    row("a\n{{ messages | groupby('role') }}", "line 2: filter 'groupby' is not supported");
    row("{{ raise_exception('never') }}", "line 1: the template refuses the conversation: 'never'");
    row("{{ messages[0].content | upper }}", "does not contain the user's text once and unchanged");
    row("{{ messages[0].content }}{{ messages[0].content }}", "does not contain the user's text once and unchanged");
    row("{{ messages[0].content | length }}{{ messages[0].content }}", "depends on the message");
    row("{{ messages[0].content }}{{ 'x' if 'now' in messages[0].content else 'y' }}", "depends on the message");
    row("{{ 'x' if messages[0].content[0] == 'N' else 'y' }}{{ messages[0].content }}", "depends on the message");
  }
  void aTemplateThatCannotBeUsedIsRefusedWithTheRemedy() {
    QFETCH(QString, chat);
    QFETCH(QString, expected);
    const auto tokenizer = tokenizer_with({{"chat_template", chat.toStdString()}});
    const auto prompt = PromptTemplate::detect(tokenizer);
    QVERIFY(!prompt && prompt.error().code == ErrorCode::rejected_input);
    const QString message = QString::fromStdString(prompt.error().message);
    QVERIFY2(message.startsWith("made.json (tokenizer_config.json): chat_template: ") && message.contains(expected) &&
                 message.endsWith("(--prompt-form raw)") && !message.contains('\n'),
             qPrintable(message));
    // The remedy is one.
    QCOMPARE(PromptTemplate::detect(tokenizer, {.form = PromptForm::raw}).value().form(), PromptForm::raw);
  }

  void amongNamedTemplatesTheDefaultOneCounts() {
    const std::string turns = goldens_.at("cases")[0].at("chat_template").get<std::string>();
    const auto named = [&](const char* name) {
      return tokenizer_with({{"chat_template", Json::array({{{"name", "tool_use"}, {"template", "{{ 1 }}"}},
                                                            {{"name", name}, {"template", turns}}})}});
    };
    QCOMPARE(PromptTemplate::detect(named("default")).value().form(), PromptForm::chatml);
    const auto prompt = PromptTemplate::detect(named("rag"));
    QVERIFY(!prompt && prompt.error().message.find("(tool_use, rag) is named default") != std::string::npos);
  }

  void theFileOfATemplateComesFirst() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    std::filesystem::copy_file(root / "tests/goldens/tokenizers/byte_level/tokenizer.json", path / "tokenizer.json");
    QVERIFY(
        write_text_file(path / "tokenizer_config.json", R"({"chat_template": "config {{ messages[0].content }}"})"));
    QCOMPARE(Tokenizer::load(path).value()->chat().source, std::string("tokenizer_config.json"));
    QVERIFY(write_text_file(path / "chat_template.jinja", "file {{ messages[0].content }} end"));
    const auto tokenizer = Tokenizer::load(path).value();
    QCOMPARE(tokenizer->chat().source, std::string("chat_template.jinja"));
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer).value();
    QCOMPARE(prompt.form(), PromptForm::chat_template);
    QCOMPARE(tokenizer->decode(joined(prompt.encode("a", "b")), false), std::string("file a\n\nb end"));
  }

  void theDateIsPartOfThePromptAndOfItsDigest() {
    const auto tokenizer = tokenizer_with({{"chat_template", "{{ strftime_now('%F') }} {{ messages[0].content }}"}});
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer).value();
    QCOMPARE(tokenizer->decode(prompt.encode_context("a"), false), std::string("2024-07-26 a"));
    const PromptTemplate later =
        PromptTemplate::detect(tokenizer, {.form = {}, .date = {.year = 2025, .month = 1, .day = 2}}).value();
    QCOMPARE(tokenizer->decode(later.encode_context("a"), false), std::string("2025-01-02 a"));
    QVERIFY(prompt.digest() != later.digest());
  }

  void everyFormIsFoundByItsName() {
    for (const PromptForm form : prompt_forms) QVERIFY(prompt_form_of(to_string(form)) == form);
    QVERIFY(!prompt_form_of("other"));
    QVERIFY(!PromptTemplate::make(tokenizer_with(Json::object()), PromptForm::chat_template));
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
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer).value();
    QCOMPARE(prompt.form(), PromptForm::context_question);
    const PromptParts parts = prompt.encode("The seat of Oscar Tate is 0045.", "What is the seat of Oscar Tate?");
    const std::string whole =
        "<|context|> The seat of Oscar Tate is 0045.<|question|> What is the seat of Oscar Tate?<|answer|>";
    QCOMPARE(joined(parts), tokenizer->encode(whole));
  }

  void theTrialModelsPromptsAreWhatItWasAsked() {
    if (!std::filesystem::exists(trial / "tokenizer.json")) QSKIP("../shared/data/models/trial-qa is not here");
    const auto tokenizer = Tokenizer::load(trial).value();
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer).value();
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
