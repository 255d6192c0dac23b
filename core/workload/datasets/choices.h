// Questions with options to choose from: how they are worded, and that their reference answer is a letter.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kvantage::inline datasets {

struct ChoiceQuestion {
  std::string question;            // with its options, a line each
  std::vector<std::string> golds;  // letters, where an answer names an option
  bool is_letter = false;          // all of them are
};

/// At most 26 options. An answer names an option by its letter, by its text, or by its index from 0 on.
ChoiceQuestion choice_question(const std::string& question, std::span<const std::string> options,
                               std::span<const std::string> answers);
/// "A. first\nB. second"; options that begin with their letter stay as they are.
std::string lettered(std::span<const std::string> options);

}  // namespace kvantage::inline datasets
