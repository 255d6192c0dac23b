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

/// How the answers of a file name options by their index. They count from 1 where none is 0 and one is the number of
/// options of its question, else from 0.
class OptionIndices {
 public:
  /// The answers of a question. The letter or the text of an option is no index.
  void note(std::span<const std::string> options, std::span<const std::string> answers);
  bool any() const { return count_ > 0; }
  std::size_t first() const { return has_last_ && !has_zero_ ? 1 : 0; }

 private:
  std::size_t count_ = 0;
  bool has_zero_ = false, has_last_ = false;
};

/// At most 26 options. An answer names an option by its letter, by its text, or by its index from `first_index` on.
ChoiceQuestion choice_question(const std::string& question, std::span<const std::string> options,
                               std::span<const std::string> answers, std::size_t first_index = 0);
/// "A. first\nB. second"; options that begin with their letter stay as they are.
std::string lettered(std::span<const std::string> options);

}  // namespace kvantage::inline datasets
