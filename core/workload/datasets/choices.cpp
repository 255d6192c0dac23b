#include "core/workload/datasets/choices.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace kvantage::inline datasets {
namespace {

constexpr std::size_t max_options = 26;

std::string_view without_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// Of "A. text", "A) text", "(A) text" and "[A] text": what follows the letter; nothing for another form.
std::optional<std::string_view> behind_letter(std::string_view option, char letter) {
  option = without_space(option);
  if (option.starts_with('(') || option.starts_with('[')) option.remove_prefix(1);
  if (option.size() < 2 || option[0] != letter || std::string_view(".):]").find(option[1]) == std::string_view::npos)
    return {};
  return without_space(option.substr(2));
}

char letter_at(std::size_t i) { return static_cast<char>('A' + i); }

/// An option that is named by its letter or by its text.
std::optional<std::size_t> named_option(std::string_view answer, std::span<const std::string> options) {
  answer = without_space(answer);
  if (answer.size() == 1 && answer[0] >= 'A' && answer[0] < letter_at(options.size()))
    return static_cast<std::size_t>(answer[0] - 'A');
  for (std::size_t i = 0; i < options.size(); ++i)
    if (answer == without_space(options[i]) || answer == behind_letter(options[i], letter_at(i))) return i;
  return {};
}

/// By its letter in another form: "b", "(B)", "B." or "B. and its text".
std::optional<std::size_t> loosely_named_option(std::string_view answer, std::span<const std::string> options) {
  answer = without_space(answer);
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto behind = behind_letter(answer, letter_at(i));
    const bool is_small = answer.size() == 1 && answer[0] == static_cast<char>('a' + i);
    if (is_small || (behind && (behind->empty() || *behind == without_space(options[i])))) return i;
  }
  return {};
}

/// The number that an answer is.
std::optional<std::size_t> index_of(std::string_view answer) {
  answer = without_space(answer);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(answer.data(), answer.data() + answer.size(), index);
  if (error != std::errc() || end != answer.data() + answer.size()) return {};
  return index;
}

std::optional<std::size_t> option_of(std::string_view answer, std::span<const std::string> options,
                                     std::size_t first_index) {
  if (const auto named = named_option(answer, options)) return named;
  const auto index = index_of(answer);
  if (!index || *index < first_index || *index - first_index >= options.size()) return {};
  return *index - first_index;
}

}  // namespace

void OptionIndices::note(std::span<const std::string> options, std::span<const std::string> answers) {
  options = options.first(std::min(options.size(), max_options));
  for (const std::string& answer : answers) {
    const auto index = named_option(answer, options) ? std::nullopt : index_of(answer);
    if (!index) continue;
    ++count_;
    has_zero_ = has_zero_ || *index == 0;
    has_last_ = has_last_ || *index == options.size();
  }
}

std::string lettered(std::span<const std::string> options) {
  std::string text;
  for (std::size_t i = 0; i < std::min(options.size(), max_options); ++i) {
    const bool has_letter = behind_letter(options[i], letter_at(i)).has_value();
    text += (i == 0 ? "" : "\n") + (has_letter ? std::string() : std::string(1, letter_at(i)) + ". ") +
            std::string(without_space(options[i]));
  }
  return text;
}

ChoiceQuestion choice_question(const std::string& question, std::span<const std::string> options,
                               std::span<const std::string> answers, std::size_t first_index) {
  options = options.first(std::min(options.size(), max_options));
  ChoiceQuestion made{.question = question, .golds = {}, .is_letter = !answers.empty()};
  made.question += "\n\n" + lettered(options) + "\n\nAnswer with the letter of the correct option.";
  made.golds.reserve(answers.size());
  std::vector<std::string> others;
  for (const std::string& answer : answers) {
    const auto option = option_of(answer, options, first_index);
    if (option)
      made.golds.emplace_back(1, letter_at(*option));
    else
      others.push_back(answer);
  }
  for (std::size_t i = 0; made.golds.empty() && i < others.size(); ++i)
    if (const auto option = loosely_named_option(others[i], options)) made.golds.emplace_back(1, letter_at(*option));
  // Beside a letter, other texts say what it stands for, such as the name of the function with the bug.
  if (made.golds.empty()) {
    made.golds = std::move(others);
    made.is_letter = false;
  }
  return made;
}

}  // namespace kvantage::inline datasets
