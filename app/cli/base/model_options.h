// How a model is read, as options of every command that computes with one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kvantage::cli {

/// The names of --prompt-form, and what it is.
std::vector<std::string> prompt_form_names();
std::string prompt_form_help();

/// Declares --prompt-form, as a text or an optional one.
template <class Text>
void add_prompt_form_option(CLI::App& command, Text& form) {
  command.add_option("--prompt-form", form, prompt_form_help())->check(CLI::IsMember(prompt_form_names()));
}

/// The largest value of --max-model-len.
inline constexpr int most_model_tokens = 1'000'000'000;

/// Declares --max-model-len (LoadOptions::max_model_len); 0: not given.
void add_max_model_len_option(CLI::App& command, int& tokens);

}  // namespace kvantage::cli
