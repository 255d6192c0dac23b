// Options that the figures of EvicPress share. An empty list: the option is not passed, and what happens then is said.
#pragma once

#include <string>
#include <vector>

#include "core/experiments/paper_figures.h"

namespace kvantage::inline evicpress_figures {

FigureSetting workload_setting(const std::string& name);
FigureSetting methods_setting(const std::string& list);
FigureSetting removed_setting(const std::string& list);
FigureSetting budgets_setting(const std::string& list, const std::string& otherwise = {});
FigureSetting alphas_setting(const std::string& list, const std::string& otherwise);
FigureSetting policies_setting(const std::string& list, const std::string& otherwise = {});
FigureSetting rates_setting(const std::string& list, const std::string& otherwise = {});
FigureSetting batch_setting(const std::string& most);
FigureSetting seeds_setting(const std::string& count = "3");
FigureSetting requests_setting(const std::string& count = {});
/// For a figure that reads only one of them.
FigureSetting one_value(FigureSetting setting, const std::string& label);

/// Options that are rarely needed: of figures that measure curves alone, and of those that serve requests.
const std::vector<std::string>& options_of_curves();
const std::vector<std::string>& options_of_serving();

}  // namespace kvantage::inline evicpress_figures
