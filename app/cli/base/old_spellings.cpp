#include "app/cli/base/old_spellings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/experiments/paper_figures.h"

namespace kvantage::cli {
namespace {

struct FormerOption {
  std::string_view command, was, is;
};

constexpr std::array former_options{FormerOption{"kept", "--removed-fraction", "--removed"},
                                    FormerOption{"method bench", "--repeats", "--repeat"},
                                    FormerOption{"profiles import", "--scale", "--quality-scale"},
                                    FormerOption{"replay", "--from", "--start-at"},
                                    FormerOption{"replay", "--to", "--stop-at"},
                                    FormerOption{"run", "--attend-coded", "--attend-quantized"},
                                    FormerOption{"run", "--blocks", "--repeat"},
                                    FormerOption{"run", "--report-dir", "--out"},
                                    FormerOption{"simulate", "--scale", "--time-scale"},
                                    FormerOption{"trace info", "--scale", "--time-scale"},
                                    FormerOption{"trace info", "--capacities", "--capacity-blocks"},
                                    FormerOption{"trace import", "--scale", "--time-scale"},
                                    FormerOption{"trace import", "--licence", "--license"},
                                    FormerOption{"workload import", "--licence", "--license"},
                                    FormerOption{"workload import", "--most-tokens", "--max-tokens"},
                                    FormerOption{"workload make", "--licence", "--license"},
                                    FormerOption{"workload make", "--neighbours", "--neighbors"},
                                    FormerOption{"workload make", "--least-tokens", "--min-tokens"},
                                    FormerOption{"workload make", "--most-tokens", "--max-tokens"}};

std::string_view present_of(std::string_view command, std::string_view option) {
  if (command == "reproduce") return present_figure_option(option);
  const auto found = std::ranges::find_if(
      former_options, [&](const FormerOption& one) { return one.command == command && one.was == option; });
  return found == former_options.end() ? option : found->is;
}

}  // namespace

std::vector<std::string> with_present_options(const CLI::App& program, std::vector<std::string> words) {
  // `profile` takes a workload, so what imports profiles has a group of its own.
  if (words.size() > 1 && words[0] == "profile" && words[1] == "import") words[0] = "profiles";
  const CLI::App* command = &program;
  std::string path;
  for (std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with('-')) {
      // The library's lookup throws where there is none.
      const auto below =
          command->get_subcommands([&](const CLI::App* one) { return one->get_name() == std::string_view(word); });
      if (below.empty()) continue;
      command = below.front();
      path += (path.empty() ? "" : " ") + word;
      continue;
    }
    const std::size_t value = std::min(word.find('='), word.size());
    const std::string_view option = std::string_view(word).substr(0, value);
    if (const std::string_view present = present_of(path, option); present != option)
      word = std::string(present) + word.substr(value);
  }
  return words;
}

}  // namespace kvantage::cli
