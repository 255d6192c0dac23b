// The prompts of LongBench's tasks as published (github.com/THUDM/LongBench, config/dataset2prompt.json, MIT licence):
// what stands before the context, between context and input, and behind the input.
#pragma once

#include <span>
#include <string_view>

namespace kvantage {

struct LongbenchPrompt {
  std::string_view dataset;
  std::string_view before;   // the context follows
  std::string_view between;  // the input follows, where the task has one
  std::string_view behind;
  std::string_view question_start;  // in a filled-in prompt the question begins where this stands last
  int answer_tokens;                // longest answer, as its authors set it
};

std::span<const LongbenchPrompt> longbench_prompts();

}  // namespace kvantage
