// Hostile tokenizer.json.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "tests/app/hostile_inputs.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"

namespace kvantage::test::hostile {

/// A BPE of a few letters, with other stages or another model.
inline std::function<void(const path&)> tokenizer_with(const std::function<std::string()>& fields,
                                                       const std::function<std::string()>& text) {
  return [=](const path& folder) {
    const std::string given = fields();
    const bool has_model = given.find("\"model\"") != std::string::npos;
    save(folder / "tokenizer.json",
         "{" + given + (has_model ? "" : R"(,"model":{"type":"BPE","vocab":{"a":0,"b":1," ":2},"merges":[]})") + "}");
    save(folder / "text", text());
  };
}

inline std::string replace_step(const std::string& from, const std::string& to) {
  return filled(filled(R"({"type":"Replace","pattern":{"String":"#"},"content":"#"})", from), to);
}

inline void add_added_tokens(Rows& rows) {
  const QStringList tokenize{"tokenize", "@", "--text-file", "@/text"};
  rows.push_back({"tokenizer: 300,000 added tokens that begin alike",
                  tokenizer_with(
                      [] {
                        return "\"added_tokens\":" + list_of(300'000, [](auto i) {
                                 return R"({"content":"<|token)" + number(i) + R"(|>","special":true})";
                               });
                      },
                      [] { return repeated("<|token29999 ", 100'000); }),
                  tokenize,
                  {0, 3}});
  rows.push_back({"tokenizer: added tokens that end apart",
                  tokenizer_with(
                      [] {
                        return "\"added_tokens\":" + list_of(900, [](auto i) {
                                 return filled(R"({"content":"#b","special":true})", letters(i + 1));
                               });
                      },
                      [] { return letters(1'000'000); }),
                  tokenize,
                  {0, 3}});
  rows.push_back({"tokenizer: 600,000 added tokens",
                  tokenizer_with(
                      [] {
                        return "\"added_tokens\":" +
                               list_of(600'000, [](auto i) { return filled(R"({"content":"#"})", number(i)); });
                      },
                      [] { return letters(1); }),
                  tokenize,
                  {0, 3}});
  rows.push_back({"tokenizer: an added token that decodes to much",
                  tokenizer_with(
                      [] {
                        return R"("normalizer":)" + replace_step(std::string(900, 'b'), "a") +
                               filled(R"(,"added_tokens":[{"content":"#"}])", std::string(900, 'b'));
                      },
                      [] { return letters(600'000); }),
                  tokenize + QStringList{"--json"},
                  {0}});
}

inline void add_tokenizer_stages(Rows& rows) {
  const QStringList tokenize{"tokenize", "@", "--text-file", "@/text"};
  const auto regex = [](const std::string& pattern) {
    return filled(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"#"},"behavior":"Isolated"})", pattern);
  };
  rows.push_back({"tokenizer: a regular expression of exponential time",
                  tokenizer_with([=] { return regex("(a+)+b"); }, [] { return letters(1'000'000); }),
                  tokenize,
                  {3}});
  rows.push_back({"tokenizer: a regular expression of quadratic time",
                  tokenizer_with([=] { return regex("a*b|c"); }, [] { return letters(1'000'000); }),
                  tokenize,
                  {0, 3}});
  rows.push_back({"tokenizer: replacements that grow",
                  tokenizer_with(
                      [] {
                        return R"("normalizer":{"type":"Sequence","normalizers":)" +
                               list_of(50, [](auto) { return replace_step("a", "aaaa"); }) + "}";
                      },
                      [] { return letters(1'000'000); }),
                  tokenize,
                  {3}});
  rows.push_back({"tokenizer: a long text to replace",
                  tokenizer_with([] { return R"("normalizer":)" + replace_step(letters(1'000'000) + "b", "c"); },
                                 [] { return letters(3'000'000); }),
                  tokenize,
                  {0}});
  rows.push_back({"tokenizer: tokens around a text",
                  tokenizer_with(
                      [] {
                        const auto name = [](auto i) { return quoted(number(i)); };
                        return R"("post_processor":{"type":"TemplateProcessing","single":[)" +
                               joined(20'000, ",",
                                      [&](auto i) { return "{\"SpecialToken\":{\"id\":" + name(i) + "}}"; }) +
                               R"(,{"Sequence":{"id":"A"}}],"special_tokens":{)" +
                               joined(20'000, ",", [&](auto i) { return name(i) + ":{\"ids\":[]}"; }) + "}}";
                      },
                      [] { return letters(1); }),
                  tokenize,
                  {0}});
  rows.push_back({"tokenizer: sequences in sequences",
                  tokenizer_with(
                      [] {
                        const std::string begin = R"({"type":"Sequence","normalizers":[)";
                        return "\"normalizer\":" + repeated(begin, 8) +
                               joined(800'000, ",", [](auto) { return R"({"type":"NFC"})"; }) + repeated("]}", 8);
                      },
                      [] { return letters(1); }),
                  tokenize,
                  {3}});
  rows.push_back({"tokenizer: a decoder that grows",
                  tokenizer_with([] { return R"("decoder":)" + replace_step("a", std::string(900'000, 'x')); },
                                 [] { return letters(100'000); }),
                  tokenize + QStringList{"--json"},
                  {0}});
}

inline void add_token_models(Rows& rows) {
  const QStringList tokenize{"tokenize", "@", "--text-file", "@/text"};
  // Each merge makes the left side of the next: all letters up to a token of 900 are merged one by one.
  rows.push_back({"tokenizer: merges in the worst order",
                  tokenizer_with(
                      [] {
                        const auto vocab =
                            joined(900, ",", [](auto i) { return quoted(letters(i + 1)) + ":" + number(i); });
                        const auto merges = list_of(899, [](auto i) { return quoted(letters(i + 1) + " a"); });
                        return R"("model":{"type":"BPE","vocab":{)" + vocab + R"(},"merges":)" + merges + "}";
                      },
                      [] { return letters(3'000'000); }),
                  tokenize,
                  {0}});
  rows.push_back(
      {"tokenizer: 500,000 tokens and merges",
       tokenizer_with(
           [] {
             const auto vocab = joined(500'000, ",", [](auto i) { return quoted("a" + number(i)) + ":" + number(i); });
             const auto merges = list_of(500'000, [](auto i) { return quoted("a a" + number(i)); });
             return R"("model":{"type":"BPE","vocab":{"a":500000,)" + vocab + "," +
                    joined(500'000, ",", [](auto i) { return quoted("aa" + number(i)) + ":" + number(500'001 + i); }) +
                    R"(},"merges":)" + merges + "}";
           },
           [] { return letters(1000); }),
       tokenize,
       {0}});
  rows.push_back({"tokenizer: words of a letter",
                  tokenizer_with(
                      [] {
                        return R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"ByteLevel"},)"
                               R"({"type":"Digits","individual_digits":true}]})";
                      },
                      [] { return repeated("a1", 2'000'000); }),
                  tokenize + QStringList{"--json"},
                  {0}});
  rows.push_back({"text of 4 GiB",
                  [](const path& folder) { save_sparse(folder / "text", "a", 4 * gib); },
                  {"tokenize", text_of(model_directory()), "--text-file", "@/text"},
                  {3}});
  rows.push_back({"tokenizer.json of 4 GiB",
                  [](const path& folder) {
                    save(folder / "text", "a");
                    save_sparse(folder / "tokenizer.json", "{", 4 * gib);
                  },
                  tokenize,
                  {3}});
}

}  // namespace kvantage::test::hostile
