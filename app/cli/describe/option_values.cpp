#include "app/cli/describe/option_values.h"

#include <algorithm>
#include <array>

#include "app/cli/describe/command_list.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "core/base/form_text.h"
#include "core/compress/decode/eviction_method.h"
#include "core/compress/method.h"
#include "core/eviction/simulated_cache.h"
#include "core/experiments/paper_figures.h"
#include "core/kv/codecs/codec.h"
#include "core/policy/policy_info.h"
#include "core/ports/tier_kind.h"
#include "core/report/event_lines.h"
#include "core/report/formats/report_files.h"
#include "core/report/serving/serving_settings.h"
#include "core/simulator/presets.h"
#include "core/text/quality.h"
#include "core/trace/trace.h"
#include "core/workload/families/families.h"
#include "core/workload/presets.h"

namespace kvantage::cli {
namespace {

using Names = std::vector<std::string>;
using Paths = OptionValues::Paths;

template <class Rows, class Name>
Names names_of(const Rows& rows, Name name) {
  Names names;
  for (const auto& row : rows) names.emplace_back(std::invoke(name, row));
  return names;
}

Names policies() { return names_of(policy_infos(), &PolicyInfo::name); }

Names policies_and_orders() {
  Names names = policies();
  for (const std::string_view order : cache_orders())
    if (std::ranges::find(names, order) == names.end()) names.emplace_back(order);
  return names;
}

Names methods() {
  Names names = names_of(known_methods(), &MethodInfo::name);
  for (const std::string& learned : names_of(weight_methods(), &MethodInfo::name)) names.push_back(learned);
  for (const std::string& budget : names_of(known_budgets(), &BudgetInfo::name)) names.push_back(budget);
  for (const std::string& codec : names_of(known_codecs(), &CodecInfo::name)) names.push_back(codec);
  return names;
}

Names tiers() {
  Names names = names_of(tier_kinds(), [](const TierKind& kind) { return kind.id + "="; });
  names.emplace_back("archive=unlimited");
  return names;
}

Names figures() {
  Names names;
  for (const PaperFigure& figure : paper_figures()) {
    names.push_back(figure.name);
    names.insert(names.end(), figure.also.begin(), figure.also.end());
  }
  names.emplace_back("list");
  return names;
}

Names trace_format_names() {
  Names names = names_of(trace_formats(), &TraceFormatName::name);
  names.insert(names.begin(), "auto");
  return names;
}

Names simulator_presets() {
  const auto presets = read_presets(program_home() / "resources" / "presets");
  return presets ? names_of(*presets, &SimulatorPreset::name) : Names{};
}

Names samples() { return names_of(sample_workloads(), &SampleWorkload::name); }
Names workload_preset_names() {
  return names_of(workload_presets(), [](const WorkloadPreset& preset) { return preset.options.name; });
}
Names family_names() { return names_of(known_families(), &Family::name); }
Names metrics() { return names_of(quality_metrics(), &QualityMetric::name); }
Names eviction_methods() { return names_of(known_eviction_methods(), &DecodeMethodInfo::name); }
Names newest() { return {"last"}; }

struct Known {
  std::string_view command, option;  // no command: of every command
  Names (*names)();
  Paths paths = Paths::none;
  bool list = false;
};

/// The first row that fits.
constexpr std::array known{Known{"simulate", "--policy", policies_and_orders, Paths::none, true},
                           Known{"", "--policy", policies, Paths::none, true},
                           Known{"", "--methods", methods, Paths::none, true},
                           Known{"", "--method", methods},
                           Known{"", "--eviction-methods", eviction_methods, Paths::none, true},
                           Known{"", "--quality-metric", metrics},
                           Known{"", "--tier", tiers},
                           Known{"report", "--format", report_format_names, Paths::none, true},
                           Known{"", "--format", trace_format_names},
                           Known{"simulate", "--preset", simulator_presets},
                           Known{"fleet", "--preset", simulator_presets},
                           Known{"", "--preset", workload_preset_names},
                           Known{"", "--families", family_names, Paths::none, true},
                           Known{"", "--for", serving_systems},
                           Known{"", "--type", event_types, Paths::none, true},
                           Known{"", "FIGURE", figures},
                           Known{"", "WORKLOAD", samples, Paths::files},
                           Known{"", "--workload", samples, Paths::files},
                           Known{"", "RUN", newest},
                           Known{"", "RUNS", newest},
                           Known{"run", "--from", newest},
                           Known{"report", "--run", newest},
                           Known{"export", "--out", nullptr, Paths::files},
                           Known{"export", "--for-model", simulator_presets, Paths::files},
                           Known{"session import", "--out", nullptr, Paths::files},
                           Known{"run", "--from-serving", nullptr, Paths::files},
                           Known{"model logits", "--out", nullptr, Paths::files},
                           Known{"runs share", "--out", nullptr, Paths::files},
                           Known{"", "--out", nullptr, Paths::folders},
                           Known{"model train", "--resume", nullptr, Paths::folders},
                           Known{"", "--store", nullptr, Paths::folders},
                           Known{"store stat", "FOLDER", nullptr, Paths::folders},
                           Known{"store check", "FOLDER", nullptr, Paths::folders},
                           Known{"store compact", "FOLDER", nullptr, Paths::folders},
                           Known{"", "FOLDER", nullptr, Paths::files},  // of a model, or a GGUF file
                           Known{"", "FILE", nullptr, Paths::files},
                           Known{"", "TRACE", nullptr, Paths::files},
                           Known{"", "--model", nullptr, Paths::files},
                           Known{"", "--method-file", nullptr, Paths::files},
                           Known{"", "--picture", nullptr, Paths::files},
                           Known{"", "--listen", nullptr, Paths::files},
                           Known{"", "--db", nullptr, Paths::files},
                           Known{"", "--curves", nullptr, Paths::files},
                           Known{"", "--export", nullptr, Paths::files},
                           Known{"", "--text-file", nullptr, Paths::files},
                           Known{"", "--prompt-file", nullptr, Paths::files},
                           Known{"", "--tokens", nullptr, Paths::files}};

/// "TEXT:{auto,off}" of one_of().
Names choices(const std::string& type) {
  const std::size_t begin = type.find('{'), end = type.find('}');
  return begin == std::string::npos || end == std::string::npos ? Names{}
                                                                : split_list(type.substr(begin + 1, end - begin - 1));
}

}  // namespace

OptionValues values_of(const CLI::App& program, std::string_view command, const CLI::Option& option) {
  if (!takes_value(option)) return {};
  if (Names names = choices(option.get_type_name()); !names.empty()) return {std::move(names), Paths::none, false};
  const std::string name = option_names(option);
  if (name == command_argument) return {names_of_commands(program), Paths::none, false};
  const auto found = std::ranges::find_if(
      known, [&](const Known& one) { return one.option == name && (one.command.empty() || one.command == command); });
  if (found == known.end()) return {};
  return {found->names == nullptr ? Names{} : found->names(), found->paths, found->list};
}

NamedThings named_things(const std::string& command) {
  if (command == "policies") return {policies(), ""};
  if (command == "workload make") return {workload_preset_names(), "--preset "};
  if (command != "methods") return {};
  Names names = methods();
  for (std::string& name : eviction_methods()) names.push_back(std::move(name));
  return {std::move(names), ""};
}

}  // namespace kvantage::cli
