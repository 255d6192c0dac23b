// An asker that answers what a test tells it to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ports/asker.h"

namespace kvantage {

class ScriptedAsker : public Asker {
 public:
  std::uint64_t ask(const AskRequest& request) override {
    requests.push_back(request);
    return requests.size();
  }
  void stop_asking() override { ++stops; }
  std::optional<AskResult> asked_since(const AskSeen& seen) const override {
    auto change = result ? change_since(*result, seen) : std::nullopt;
    if (!change) return change;
    ++changes;
    for (const AskAnswer& answer : change->answers) {
      handed_tokens += answer.tokens.size();
      for (const AskToken& token : answer.tokens) handed_bytes += sizeof token + token.text.size();
    }
    return change;
  }
  std::string ask_work() const override { return work; }

  /// A result of the newest request: the text is these tokens, and every column says "12 ." with a second token of its
  /// own from column 2 on.
  AskResult answer(bool complete) const {
    AskResult made;
    made.ticket = requests.size();
    made.request = requests.back();
    auto text = std::make_shared<AskText>();
    text->tokens = {"The", " badge", " of", " Ada", " is", " 12", " ."};
    text->full_bytes = 1 << 20;
    made.text = std::move(text);
    for (std::size_t column = 0; column < made.request->columns.size(); ++column) {
      AskAnswer one;
      one.column = made.request->columns[column];
      one.stage = complete ? AskStage::done : AskStage::decoding;
      one.tokens = {{"12", 0.25}, {column < 2 ? " ." : " !", 0.375}};
      one.ended = complete;
      one.ttft_seconds = 0.25;
      one.text_seconds = 0.125;
      one.bytes = 1 << 20;
      if (!one.column.tier.empty()) one.bytes_read = 1 << 20;
      if (one.column.method != "none") one.kept = std::vector<float>{1, 0, 0, 0.5F, 1, 1, 0};
      if (column >= 2) one.parts_at = 1;
      made.answers.push_back(std::move(one));
    }
    if (complete) {
      made.attention = AskAttention{{0.3F, 0.05F, 0.05F, 0.1F, 0.1F, 0.35F, 0.05F}, AskSpan{4, 6}};
    }
    made.seconds = 0.5;
    made.complete = complete;
    return made;
  }
  /// What an engine publishes next.
  void show(AskResult made) {
    made.revision = ++revision_;
    made.begun = result && result->ticket == made.ticket ? result->begun : revision_;
    result = std::move(made);
  }
  /// Answers that do not continue those before.
  void begin_again(AskResult made) {
    result.reset();
    show(std::move(made));
  }
  /// One more token of a column, at its end.
  void say(std::size_t column, const std::string& text) {
    std::vector<AskToken>& tokens = result->answers[column].tokens;
    tokens.push_back({text, 1 + 0.125 * static_cast<double>(tokens.size())});
    result->answers[column].stage = AskStage::decoding;
    result->revision = ++revision_;
  }

  std::vector<AskRequest> requests;
  std::optional<AskResult> result;
  std::string work;
  int stops = 0;
  mutable std::size_t changes = 0, handed_tokens = 0, handed_bytes = 0;  // by asked_since(); bytes of tokens

 private:
  std::uint64_t revision_ = 0;
};

}  // namespace kvantage
