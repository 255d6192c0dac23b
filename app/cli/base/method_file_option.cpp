#include "app/cli/base/method_file_option.h"

#include "app/wiring/method_files.h"

namespace kvantage::cli {

void add_method_file_option(CLI::App& command, std::vector<std::string>* names) {
  const auto open = [names](const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      const auto opened = open_method_file(file);
      if (!opened) throw CLI::ValidationError("--method-file", opened.error().message);
      if (names != nullptr) names->push_back(opened->name);
    }
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--method-file", open,
          "TorchScript file whose scorer becomes a method of its name; it runs confined, without files and network; "
          "repeatable")
      ->allow_extra_args(false);
}

}  // namespace kvantage::cli
