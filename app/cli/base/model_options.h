// How a model is read, as options of every command that computes with one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/cli/base/value_checks.h"

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

/// The values of --products (ServingSettings::products), and what it is.
std::vector<std::string> products_names();
inline constexpr const char* products_help =
    "Matrix products of the model on the CPU: library: libtorch's; batch_invariant: own ones, which give a row the "
    "same "
    "bits however many are computed together, so that requests prefill and profiles are measured together (default: "
    "the "
    "session's)";

/// Declares --products, as a text or an optional one.
template <class Text>
void add_products_option(CLI::App& command, Text& products) {
  command.add_option("--products", products, products_help)->check(one_of(products_names()));
}

}  // namespace kvantage::cli
