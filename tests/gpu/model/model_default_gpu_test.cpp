// The default model on a device: greedy answers to real prompts, token by token those of Transformer but for ties
// within the error of bf16. Prompts are token ids, tests/gpu/model_prompts.txt, so that a carried program needs no
// tokenizer: contexts of the quick-start workload cut to a few sentences around the answer, each with its question,
// then the answer as the workload gives it.
#include "tests/gpu/model/model_under_test.h"

#include <array>
#include <fstream>
#include <sstream>

#include "tests/gpu/model/model_numbers.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Prompt {
  std::vector<std::int32_t> tokens, answer;
};

std::vector<Prompt> prompts() {
  std::ifstream file(in_tree("tests/gpu/model_prompts.txt"));
  std::vector<Prompt> all;
  for (std::string line; std::getline(file, line);) {
    Prompt& prompt = all.emplace_back();
    std::istringstream words(line);
    bool answer = false;
    for (std::string word; words >> word;)
      if (word == "|")
        answer = true;
      else
        (answer ? prompt.answer : prompt.tokens).push_back(std::stoi(word));
  }
  check(all.size() >= 20, "at least 20 prompts");
  return all;
}

constexpr std::size_t longest_answer = 16;

struct Answer {
  std::vector<std::int32_t> tokens;
  std::vector<std::vector<float>> logits;  // that each token was chosen from
};

Answer of_core(Transformer& model, const Prompt& prompt) {
  HostCache host(model);
  Answer answer;
  auto logits = core_prefill(model, host.cache, prompt.tokens, PrefillLogits::last);
  while (true) {
    answer.tokens.push_back(greedy_token(logits));
    answer.logits.push_back(std::move(logits));
    if (std::ranges::binary_search(model.config().eos_ids, answer.tokens.back()) ||
        answer.tokens.size() == longest_answer)
      return answer;
    logits = core_decode(model, host.cache, answer.tokens.back());
  }
}

/// Free running: as many tokens as core gave.
std::vector<std::int32_t> of_device(gpu::GpuModel& device, const Prompt& prompt, std::size_t count,
                                    std::vector<float>& first_logits) {
  auto sequence = value_of(device.new_sequence());
  first_logits = value_of(device.prefill(*sequence, prompt.tokens, PrefillLogits::last));
  std::vector<std::int32_t> tokens{greedy_token(first_logits)};
  if (count == 1) return tokens;
  const std::array<gpu::GpuSequence*, 1> batch{sequence.get()};
  const auto more = value_of(device.decode(batch, std::array{tokens.front()}, static_cast<int>(count) - 1));
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

}  // namespace

int main() {
  const auto folder = in_tree("resources/model");
  const auto model = loaded(folder, std::nullopt), wide = loaded(folder, ComputeType::fp32);
  gpu::GpuModelOptions options;
  options.cache_bytes = std::uint64_t{128} << 20;
  options.chunk_tokens = 256;
  const auto device = open_under_test({.model = model.get()}, options);
  std::printf("%s; core: %s\n", device->description().c_str(), model->path_description().c_str());
  Distance own, there;
  Agreement agreement;
  int same_answers = 0, right = 0, right_of_core = 0, count = 0;
  std::vector<std::pair<Answer, std::vector<std::int32_t>>> answers;
  for (const Prompt& prompt : prompts()) {
    Answer core = of_core(*model, prompt);
    HostCache host(*wide);
    const auto exact = core_prefill(*wide, host.cache, prompt.tokens, PrefillLogits::last);
    std::vector<float> first;
    const auto tokens = of_device(*device, prompt, core.tokens.size(), first);
    own.add(core.logits.front(), exact);
    there.add(first, exact);
    ++count;
    same_answers += tokens == core.tokens ? 1 : 0;
    const auto holds = [&](const std::vector<std::int32_t>& given) {
      return given.size() >= prompt.answer.size() &&
             std::equal(prompt.answer.begin(), prompt.answer.end(), given.begin());
    };
    right += holds(tokens) ? 1 : 0;
    right_of_core += holds(core.tokens) ? 1 : 0;
    answers.emplace_back(std::move(core), tokens);
  }
  for (const auto& [core, tokens] : answers)
    for (std::size_t i = 0; i < core.tokens.size(); ++i) {
      agreement.add(core.logits[i], tokens[i], own.largest);
      if (tokens[i] != core.tokens[i]) break;  // from here on each answers another text
    }
  std::printf("%d prompts: %d answers the same; tokens: %d same, %d ties, %d other; right answers: %d, core's %d\n",
              count, same_answers, agreement.same, agreement.ties, agreement.other, right, right_of_core);
  std::printf("logits to fp32: core's bf16 %.4f (mean %.5f), device %.4f (mean %.5f)\n", own.largest, own.mean(),
              there.largest, there.mean());
  check(agreement.other == 0, "greedy tokens are core's but for ties");
  check(there.largest <= 2 * own.as_bf16().largest && there.mean() <= 1.5 * own.as_bf16().mean(),
        "logits are as near to fp32 as core's bf16, twice at most, in the mean one and a half times");
  check(right >= right_of_core - agreement.ties, "as many right answers, but for ties");
  return end();
}
