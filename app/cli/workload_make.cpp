#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "core/base/json.h"
#include "core/workload/make_workload.h"

namespace kvantage::cli {
namespace {

struct MakeArguments {
  MakeWorkloadOptions options;
  std::string out;
  bool quiet = false;
};

/// The command that makes the same texts again, for the file's own record.
std::string command_of(const MakeWorkloadOptions& o) {
  std::string families;
  for (const std::string& family : o.families) families += (families.empty() ? " --families " : ",") + family;
  const auto number = [](double value) { return Json(value).dump(); };
  return "kvantage-cli workload make --name " + o.name + " --seed " + std::to_string(o.seed) + families +
         " --contexts-per-family " + std::to_string(o.contexts_per_family) + " --least-tokens " +
         std::to_string(o.least_tokens) + " --most-tokens " + std::to_string(o.most_tokens) + " --filler " +
         number(o.filler_fraction) + " --profile-questions " + std::to_string(o.profile_questions) +
         " --held-out-questions " + std::to_string(o.held_out_questions) + " --requests " +
         std::to_string(o.arrivals.requests) + " --zipf " + number(o.arrivals.zipf_exponent) + " --rate " +
         number(o.arrivals.requests_per_second);
}

int make(const MakeArguments& arguments) {
  auto workload = make_workload(arguments.options);
  if (!workload) return report_error(workload.error());
  workload->made_by = command_of(arguments.options);
  const auto written = write_workload(*workload, arguments.out);
  if (!written) return report_error(written.error());
  if (!arguments.quiet)
    std::printf("%s: %zu contexts, %zu questions, digest %s\n", arguments.out.c_str(), workload->contexts.size(),
                workload->questions.size(), workload->digest().hex().c_str());
  return 0;
}

}  // namespace

void add_workload_make(CLI::App& workload, CommandResult& result) {
  auto arguments = std::make_shared<MakeArguments>();
  MakeWorkloadOptions& o = arguments->options;
  CLI::App& command = *workload.add_subcommand("make", "Make a workload from the synthetic families");
  command.add_option("--out", arguments->out, "Folder to write; made if absent")->required();
  command.add_option("--name", o.name, "Name of the workload")->capture_default_str();
  command.add_option("--licence", o.licence, "Licence of the texts")->capture_default_str();
  command.add_option("--seed", o.seed, "Seed of the texts")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--families", o.families, "Families, separated by commas; all if not given")->delimiter(',');
  command.add_option("--contexts-per-family", o.contexts_per_family, "Contexts of each family")
      ->check(whole_number(1'000'000))
      ->capture_default_str();
  command.add_option("--least-tokens", o.least_tokens, "Shortest context")
      ->check(whole_number(10'000'000))
      ->capture_default_str();
  command.add_option("--most-tokens", o.most_tokens, "Longest context")
      ->check(whole_number(10'000'000))
      ->capture_default_str();
  command.add_option("--filler", o.filler_fraction, "Share of sentences without a fact")->capture_default_str();
  command.add_option("--profile-questions", o.profile_questions, "Per context")
      ->check(whole_number(1'000'000))
      ->capture_default_str();
  command.add_option("--held-out-questions", o.held_out_questions, "Per context")
      ->check(whole_number(1'000'000))
      ->capture_default_str();
  command.add_option("--requests", o.arrivals.requests, "Requests of a run")
      ->check(CLI::Range(std::uint64_t{1}, most_requests))
      ->capture_default_str();
  command.add_option("--zipf", o.arrivals.zipf_exponent, "Popularity of the i-th context ~ 1 / rank^this")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--rate", o.arrivals.requests_per_second, "Requests a second; 0: one after the other")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_flag("--quiet", arguments->quiet, "Print nothing");
  command.callback([arguments, &result] { result.exit_code = make(*arguments); });
}

}  // namespace kvantage::cli
