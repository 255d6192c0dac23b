#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/method_file_option.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "core/base/json.h"
#include "core/compress/decode/eviction_method.h"
#include "core/compress/method.h"
#include "core/kv/codecs/codec.h"
#include "core/ports/decode_eviction.h"

namespace kvantage::cli {
namespace {

std::string needs_of(const DecodeMethodInfo& info, const EvictionNeeds& needs) {
  if (needs.attention) return "attention of every step";
  if (needs.calibration) return "a calibration pass";
  if (needs.window_queries > 0) return "last " + std::to_string(needs.window_queries) + " queries";
  const std::vector<MethodInfo> scorers = known_methods();
  const auto scorer = std::ranges::find(scorers, info.name, &MethodInfo::name);  // it scores rows alike
  return scorer == scorers.end() ? "keys or positions" : scorer->reads;
}

std::string cost_of(const DecodeMethodInfo& info, const EvictionNeeds& needs) {
  const std::string evicts = info.cadence == 1 ? "one pass over its scores every step"
                                               : "new scores every " + std::to_string(info.cadence) + " steps";
  if (needs.every_step) return "one pass over its scores every page";
  return needs.attention ? "attention weights of every step, computed again" : evicts;
}

std::string bits_of(const CodecInfo& info) {
  const std::string bits(info.bits_per_element);
  return bits.find_first_not_of("0123456789.") == std::string::npos ? bits + " bits per element"
                                                                    : "bits per element: " + bits;
}

/// The method's own, then those of the loop that runs it.
std::string parameters_of(const DecodeMethodInfo& info) {
  const std::string own(info.parameters);
  return own + (own.empty() ? "" : ",") + loop_parameters(info);
}

struct Line {
  const char* kind;
  std::string name, parameters, needs, cost, summary, source;
};

std::vector<Line> all_lines() {
  std::vector<Line> lines;
  for (const MethodInfo& info : known_methods())
    lines.push_back({"scorer", info.name, info.parameters, info.reads, info.costs, info.summary, info.source});
  for (const MethodInfo& info : weight_methods())
    lines.push_back({"scorer", info.name, info.parameters, info.reads, info.costs, info.summary, info.source});
  for (const auto& [name, means] : method_aliases())
    lines.push_back({"scorer", name, "", "as " + means, "as " + means, "another name of " + means, "-"});
  for (const BudgetInfo& info : known_budgets())
    lines.push_back({"budget", info.name, info.parameters, "a scorer", info.costs, info.summary, info.source});
  for (const DecodeMethodInfo& info : all_decode_methods()) {
    const auto eviction_method = info.selects ? nullptr : make_eviction(info.name, {}).value_or(nullptr);
    const EvictionNeeds needs = eviction_method != nullptr ? eviction_method->needs() : EvictionNeeds{};
    lines.push_back({info.selects ? "page selector" : "evictor", std::string(info.name), parameters_of(info),
                     info.selects ? "queries of each step" : needs_of(info, needs),
                     info.selects ? "two summary rows per page; frees nothing" : cost_of(info, needs),
                     std::string(info.summary), std::string(info.source)});
  }
  for (const CodecInfo& info : known_codecs())
    lines.push_back({"codec", std::string(info.name), std::string(info.parameters), "kept rows",
                     bits_of(info) + ", decoded at each load", std::string(info.summary), std::string(info.source)});
  return lines;
}

OrderedJson methods_json() {
  OrderedJson list = OrderedJson::array();
  for (const Line& line : all_lines())
    list.push_back({{"kind", line.kind},
                    {"name", line.name},
                    {"parameters", line.parameters},
                    {"needs", line.needs},
                    {"costs", line.cost},
                    {"summary", line.summary},
                    {"source", line.source}});
  return list;
}

std::string detailed_text(const Line& line) {
  std::string text = form_lines(line.parameters.empty() ? line.name : line.name + "(" + line.parameters + ")") +
                     labeled_text("does", line.summary) + labeled_text("reads", line.needs) +
                     labeled_text("costs", line.cost);
  if (line.source.size() > 1) text += labeled_text("source", line.source);
  return text;
}

std::string methods_text(bool details) {
  const std::vector<Line> lines = all_lines();
  std::string text;
  for (std::size_t i = 0; i < lines.size();) {
    const std::string kind = lines[i].kind;
    text += (i == 0 ? "" : "\n") + (kind == "evictor" ? "decode-time eviction method" : kind) + "s\n";
    std::vector<std::vector<std::string>> rows;
    for (; i < lines.size() && lines[i].kind == kind; ++i)
      if (details)
        text += detailed_text(lines[i]);
      else
        rows.push_back({lines[i].name, lines[i].summary});
    text += list_text({{}, {}}, rows);
  }
  return text + "\n" +
         wrapped(
             "A method is a scorer, optionally in a budget and followed by codecs: snapkv, "
             "adakv(snapkv(window=32)), snapkv+kivi4, kivi4+zstd. `kvantage-cli reproduce compaction/decode` compares "
             "decode-time eviction methods. " +
                 std::string(details ? "Parameters are shown with their defaults."
                                     : "Parameters, needs, costs and sources: --details."),
             "", output_columns) +
         "\n";
}

struct MethodListArguments {
  bool json = false, details = false;
};

}  // namespace

void add_methods(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<MethodListArguments>();
  CLI::App& command = *parent.add_subcommand(
      "methods", "List compression and eviction methods with parameters, sources, needs and costs");
  command.add_flag("--details", arguments->details, "Print parameters, needs, costs and sources as well");
  add_method_file_option(command);
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    if (arguments->json)
      print_json(methods_json());
    else
      std::printf("%s", methods_text(arguments->details).c_str());
    result.exit_code = 0;
  });
}

}  // namespace kvantage::cli
