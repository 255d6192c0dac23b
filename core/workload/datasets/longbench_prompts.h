// The prompts of LongBench's tasks as published (github.com/THUDM/LongBench, config/dataset2prompt.json, MIT license):
// the text before the context, between context and input, and after the input.
#pragma once

#include <span>
#include <string_view>

namespace kvantage::inline datasets {

struct LongbenchPrompt {
  std::string_view dataset;
  std::string_view before;   // the context follows
  std::string_view between;  // the input follows, where the task has one
  std::string_view behind;
  std::string_view question_start;  // in a filled-in prompt the question starts at the last occurrence
  int answer_tokens;                // maximum answer length, set by its authors
};

std::span<const LongbenchPrompt> longbench_prompts();

}  // namespace kvantage::inline datasets
