// An asker that answers what a test tells it to.
#pragma once

#include <memory>
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
  std::shared_ptr<const AskResult> asked() const override { return result; }
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
    for (std::size_t column = 0; column < made.request.columns.size(); ++column) {
      AskAnswer one;
      one.column = made.request.columns[column];
      one.stage = complete ? AskStage::done : AskStage::decoding;
      one.tokens = {{"12", 0.25}, {column < 2 ? " ." : " !", 0.375}};
      one.ended = complete;
      one.ttft_seconds = 0.25;
      one.text_seconds = 0.125;
      one.bytes = 1 << 20;
      if (!one.column.tier.empty()) one.bytes_read = 1 << 20;
      if (one.column.method != "none") one.kept = {1, 0, 0, 0.5F, 1, 1, 0};
      if (column >= 2) one.parts_at = 1;
      made.answers.push_back(std::move(one));
    }
    if (complete) {
      made.attention = {0.3F, 0.05F, 0.05F, 0.1F, 0.1F, 0.35F, 0.05F};
      made.attended = AskSpan{4, 6};
    }
    made.seconds = 0.5;
    made.complete = complete;
    return made;
  }
  void show(AskResult made) { result = std::make_shared<const AskResult>(std::move(made)); }

  std::vector<AskRequest> requests;
  std::shared_ptr<const AskResult> result;
  std::string work;
  int stops = 0;
};

}  // namespace kvantage
