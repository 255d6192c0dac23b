#include "app/cli/base/model_options.h"

#include "core/ports/serving_settings.h"
#include "core/text/chat/prompt_template.h"

namespace kvantage::cli {

std::vector<std::string> prompt_form_names() {
  std::vector<std::string> names;
  names.reserve(prompt_forms.size());
  for (const PromptForm form : prompt_forms) names.emplace_back(to_string(form));
  return names;
}

std::string prompt_form_help() {
  const std::vector<std::string> names = prompt_form_names();
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return "Form of prompts, instead of the one that the model's chat template makes: " + list;
}

std::vector<std::string> products_names() {
  return {std::string(library_products), std::string(batch_invariant_products)};
}

void add_max_model_len_option(CLI::App& command, int& tokens) {
  command
      .add_option("--max-model-len", tokens,
                  "Tokens of the longest text with its answer that the model is to serve; chooses longrope's long "
                  "factors, or dynamic scaling, where positions end before (default: those positions)")
      ->check(CLI::Range(1, most_model_tokens));
}

}  // namespace kvantage::cli
