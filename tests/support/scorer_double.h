// A host of a file's scorer without a file and without a process: the test is what it computes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ports/scorer_host.h"

namespace kvantage::test {

class ScorerDouble final : public ScorerHost {
 public:
  /// inputs: the bytes of call.inputs, as written.
  using Score = std::function<Status(const ScorerCall& call, const std::vector<std::vector<std::byte>>& inputs,
                                     std::span<float> scores)>;

  ScorerDouble(const std::string& alias, const std::string& digest, ScorerFileNeeds needs, Score score)
      : score_(std::move(score)) {
    facts_.alias = alias;
    facts_.digest = digest;
    facts_.name = scorer_file_name(alias, digest);
    facts_.summary = "what a test computes";
    facts_.source = "a test";
    facts_.needs = needs;
  }

  const ScorerFileFacts& facts() const override { return facts_; }
  Status score(const ScorerCall& call, std::span<float> scores) override {
    ++calls;
    std::vector<std::vector<std::byte>> inputs;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      inputs.emplace_back(call.inputs[i].bytes());
      call.write(i, inputs.back());
    }
    return score_(call, inputs, scores);
  }

  int calls = 0;

 private:
  ScorerFileFacts facts_;
  Score score_;
};

inline ScorerFileNeeds reading(std::initializer_list<ScorerInput> inputs) {
  ScorerFileNeeds needs;
  for (const ScorerInput input : inputs) needs.reads[static_cast<std::size_t>(input)] = true;
  return needs;
}

inline std::span<const float> floats_in(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

}  // namespace kvantage::test
