// An inspector without an engine: a made-up context, kept tokens by arithmetic, results when the test says so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ports/inspector.h"

namespace kvantage {

class ScriptedInspector : public Inspector {
 public:
  static constexpr int layers = 3, kv_heads = 2;
  explicit ScriptedInspector(std::size_t tokens = 12, std::size_t questions = 2) {
    static const char* const words[] = {"The",  " brass", " key",   " was", " moved", " to",
                                        " the", " north", " shelf", ".\n",  " Then",  " not"};
    for (std::size_t t = 0; t < tokens; ++t) tokens_.push_back(words[t % 12]);
    for (std::size_t q = 0; q < questions; ++q)
      questions_.push_back({"Question " + std::to_string(q) + "?", "the brass key", q > 0});
  }

  std::uint64_t request_keep_map(const KeepMapRequest& request) override {
    requests.push_back(request);
    if (at_once) answer();
    return requests.size();
  }
  void drop_keep_map() override { ++drops; }
  std::shared_ptr<const KeepMapResult> keep_map() const override { return result_; }
  std::string keep_map_work() const override {
    return result_ && result_->ticket == requests.size() && result_->complete ? "" : "Scoring";
  }
  std::vector<std::string> methods() const override { return {"knorm", "snapkv", "random"}; }

  /// Of a token's KV head: later tokens score lower, and every head keeps a token less than the one before it.
  static float score_of(int layer, int head, std::size_t token) {
    return 100 - static_cast<float>(token) - 0.25f * static_cast<float>(layer * kv_heads + head);
  }
  /// How many tokens a head keeps, its first ones.
  std::size_t kept_of(int layer, int head, double removed_fraction) const {
    const auto kept = static_cast<std::size_t>(static_cast<double>(tokens_.size()) * (1 - removed_fraction));
    const auto less = static_cast<std::size_t>(layer * kv_heads + head);
    return removed_fraction == 0 ? kept : kept > less ? kept - less : 0;
  }
  /// Publishes a result for request number `ticket`, the newest unless said otherwise; with tokens alone or answers,
  /// too.
  void answer(std::uint64_t ticket = 0, bool with_answers = true, const std::string& error = {}) {
    if (ticket == 0) ticket = requests.size();
    auto result = std::make_shared<KeepMapResult>();
    result->ticket = ticket;
    result->request = requests[ticket - 1];
    result->seconds = 0.02;
    result->error = error;
    result->complete = with_answers || !result->request.question;
    if (!error.empty()) {
      result_ = std::move(result);
      return;
    }
    auto& context = contexts_[result->request.context];
    if (context == nullptr) {
      auto made = std::make_shared<KeepMapContext>();
      made->id = result->request.context;
      made->tokens = tokens_;
      made->layers = layers;
      made->kv_heads = kv_heads;
      made->full_bytes = 65536;
      made->questions = questions_;
      context = made;
    }
    result->context = context;
    for (const std::string& method : result->request.methods) {
      KeepMapForm form;
      form.method = method;
      form.removed_fraction = encodes ? 0 : result->request.removed_fraction;
      form.bytes = 16384;
      auto scores = std::make_shared<std::vector<float>>();
      for (int l = 0; l < layers; ++l)
        for (int h = 0; h < kv_heads; ++h)
          for (std::size_t t = 0; t < tokens_.size(); ++t) {
            form.kept.push_back(t < kept_of(l, h, form.removed_fraction));
            scores->push_back(score_of(l, h, t));
          }
      form.scores = std::move(scores);
      if (result->request.question && with_answers) form.answer = KeepMapAnswer{"the copper key", true, 2.0 / 3};
      result->forms.push_back(std::move(form));
    }
    if (result->request.question && with_answers) result->uncompressed = KeepMapAnswer{"the brass key", true, 1.0};
    result_ = std::move(result);
  }

  std::vector<KeepMapRequest> requests;
  bool at_once = true;   // each request is answered when it comes
  bool encodes = false;  // its methods remove no token
  int drops = 0;

 private:
  std::vector<std::string> tokens_;
  std::vector<KeepMapQuestion> questions_;
  std::map<std::string, std::shared_ptr<const KeepMapContext>> contexts_;
  std::shared_ptr<const KeepMapResult> result_;
};

}  // namespace kvantage
