// Examples of commands, for docs/cli.md and manual pages. A test runs each in a folder that has notes.txt,
// curves.csv and trace.jsonl, in the order of docs/cli.md.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage::cli {

struct CommandExample {
  std::string_view command;  // its path: "runs list"
  std::string_view line;     // MODEL: a model folder
};

inline constexpr std::array command_examples{
    CommandExample{"run", "kvantage-cli run quickstart --policy lru,evicpress --alpha 0.3 --tier dram=20%,ssd=60%"},
    CommandExample{"run", "kvantage-cli run quickstart --policy lru --decode-eviction 'paged_eviction(budget=25%)'"},
    CommandExample{"profile", "kvantage-cli profile notes.txt --methods kivi4,knorm --removed 0.5 --probes 2"},
    CommandExample{"profiles import", "kvantage-cli profiles import curves.csv --out curves.json"},
    CommandExample{"plan",
                   "kvantage-cli plan notes.txt --methods kivi4,knorm --removed 0.5 --probes 2 --alpha 0.1,1,10"},
    CommandExample{"report", "kvantage-cli report last --details"},
    CommandExample{"replay", "kvantage-cli replay last --quiet"},
    CommandExample{"runs export", "kvantage-cli runs export last run.kvrun"},
    CommandExample{"runs import", "kvantage-cli runs import run.kvrun --db elsewhere.db"},
    CommandExample{"runs share", "kvantage-cli runs share last --out run.html"},
    CommandExample{"methods", "kvantage-cli methods --details"},
    CommandExample{"reproduce", "kvantage-cli reproduce list"},
    CommandExample{"reproduce", "kvantage-cli reproduce evicpress/fig2"},
    CommandExample{"simulate", "kvantage-cli simulate trace.jsonl --policy lru,arc,sieve --capacity-blocks 256"},
    CommandExample{"fleet", "kvantage-cli fleet --engines 20 --contexts 100000 --store-bandwidth 5GB/s"},
    CommandExample{"model info", "kvantage-cli model info MODEL"},
    CommandExample{"store stat", "kvantage-cli store stat"},
    CommandExample{"store check", "kvantage-cli store check --quiet"},
    CommandExample{"trace info", "kvantage-cli trace info trace.jsonl"},
    CommandExample{"workload make",
                   "kvantage-cli workload make --out registry --families registry --contexts-per-family 2"},
    CommandExample{"man", "kvantage-cli man run"}};

inline std::vector<std::string> examples_of(std::string_view command) {
  std::vector<std::string> lines;
  for (const CommandExample& example : command_examples)
    if (example.command == command) lines.emplace_back(example.line);
  return lines;
}

}  // namespace kvantage::cli
