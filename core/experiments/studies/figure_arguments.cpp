#include "core/experiments/studies/figure_arguments.h"

#include <cmath>
#include <cstdlib>

#include "core/text/chat/prompt_template.h"

namespace kvantage::inline studies {

Expected<std::vector<double>> study_numbers(const std::string& text, const char* option) {
  std::vector<double> numbers;
  for (const std::string& item : split_list(text)) {
    char* end = nullptr;
    const double number = std::strtod(item.c_str(), &end);
    if (item.empty() || *end != '\0' || !std::isfinite(number) || number <= 0)
      return fail(ErrorCode::usage,
                  std::string(option) + ": '" + item + "' is not a number above 0; give a list such as 0.1,0.2");
    numbers.push_back(number);
  }
  if (numbers.empty()) return fail(ErrorCode::usage, std::string(option) + ": is empty; give a list such as 0.1,0.2");
  return numbers;
}

Expected<std::unique_ptr<ModelRuntime>> load_asked_model(const FigureArguments& arguments) {
  ModelRuntimeOptions options;
  options.prompt.form = prompt_form_of(arguments.model.prompt_form);
  options.load.max_model_len = arguments.model.max_model_len;
  return ModelRuntime::load(
      arguments.model.path.empty() ? arguments.host->default_model() : std::filesystem::path(arguments.model.path),
      options);
}

}  // namespace kvantage::inline studies
