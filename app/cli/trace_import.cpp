// kvantage-cli trace import: converts a trace to a workload that the real model can serve.
#include <cstdio>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/cli/trace_counts.h"
#include "app/wiring/method_files.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "app/wiring/workload_opening.h"
#include "core/base/counted.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json_fields.h"
#include "core/trace/trace_workload.h"
#include "core/workload/probes.h"

namespace kvantage::cli {
namespace {

struct ImportArguments {
  std::string file, name, workload;
  std::filesystem::path out, model;
  TraceOptions trace;
  TraceWorkloadOptions options;
  std::size_t context_tokens = 0, probes = 8;
  bool json = false, quiet = false;
};

struct Imported {
  Workload workload;
  TraceWorkloadReport report;
  std::size_t probes = 0;
};

/// An error of a row names the file and its line itself.
tl::unexpected<Error> of_file(const ImportArguments& a, const Error& error) {
  return fail(error.code, error.message.starts_with(a.file + ":") ? error.message : a.file + ": " + error.message);
}

Expected<Imported> texts_of(ImportArguments& a) {
  Imported imported;
  KV_ASSIGN(const auto reading, read_model_reading(a.model));
  a.options.count_tokens = reading.count_tokens;
  a.options.context_tokens = a.context_tokens > 0 ? a.context_tokens : reading.context_tokens;
  a.trace.with_text = true;
  KV_ASSIGN(const auto trace, open_trace(std::filesystem::path(a.file), a.trace));
  auto workload = workload_of_trace(*trace, a.options, imported.report);
  if (!workload) return of_file(a, workload.error());
  imported.workload = std::move(*workload);
  if (a.probes > 0) {
    KV_ASSIGN(
        const auto added,
        add_missing_probes(imported.workload, {.profile = a.probes, .held_out = a.probes, .wording = reading.wording}));
    imported.probes = added;
  }
  return imported;
}

Expected<Imported> arrivals_for(const ImportArguments& a) {
  Imported imported;
  KV_ASSIGN(auto workload, read_any_workload(a.workload));
  imported.workload = std::move(workload);
  KV_ASSIGN(const auto trace, open_trace(std::filesystem::path(a.file), a.trace));
  if (const Status taken = take_arrivals_of_trace(*trace, imported.workload); !taken) return of_file(a, taken.error());
  imported.report.rows = trace->counts();
  imported.report.requests = imported.report.rows.emitted;
  imported.report.scheduled = imported.workload.schedule.size();
  imported.report.contexts = imported.workload.contexts.size();
  if (!a.name.empty()) imported.workload.name = a.name;
  return imported;
}

/// Copies tiers, policy, candidates and files of methods of the base workload; the rate is the trace's.
Status take_settings(const ImportArguments& a) {
  const std::filesystem::path settings = named_workload(a.workload) / "session.json";
  if (!is_there(settings)) return {};
  KV_ASSIGN(auto json, read_json_file(settings));
  if (json.is_object()) json.erase("requests_per_second");
  KV_TRY(copy_method_files(settings, a.out));
  return write_text_file(a.out / "session.json", dump_json(json, 2) + "\n");
}

Expected<Imported> import(ImportArguments& a) {
  a.options.name = a.name.empty() ? std::filesystem::path(a.file).stem().string() : a.name;
  KV_ASSIGN(auto imported, a.workload.empty() ? texts_of(a) : arrivals_for(a));
  imported.workload.made_by =
      "kvantage-cli trace import " + std::filesystem::path(a.file).filename().string() +
      (a.workload.empty() ? "" : " --workload " + std::filesystem::path(a.workload).filename().string()) +
      (a.trace.map.empty() ? "" : " --map '" + a.trace.map + "'") + " --seed " + std::to_string(a.options.seed) +
      " --time-scale " + dump_json(Json(a.trace.time_scale)) + " --limit " + std::to_string(a.trace.limit);
  KV_TRY(write_workload(imported.workload, a.out));
  if (!a.workload.empty()) KV_TRY(take_settings(a));
  return imported;
}

void print(const ImportArguments& a, const Imported& imported) {
  const TraceWorkloadReport& report = imported.report;
  const ArrivalProcess& arrivals = imported.workload.arrivals;
  if (a.json) {
    print_json(OrderedJson{{"out", a.out.string()},
                           {"rows_read", report.rows.rows_read},
                           {"emitted", report.rows.emitted},
                           {"rows_dropped", report.rows.dropped},
                           {"requests", report.requests},
                           {"scheduled", report.scheduled},
                           {"questions", report.questions},
                           {"requests_dropped", report.dropped},
                           {"contexts", report.contexts},
                           {"cut_contexts", report.cut_contexts},
                           {"probes", imported.probes},
                           {"requests_per_second", arrivals.requests_per_second},
                           {"zipf_exponent", arrivals.zipf_exponent}});
    return;
  }
  if (a.quiet) return;
  const auto number = [](std::uint64_t value) -> unsigned long long { return value; };
  print_trace_counts(report.rows);
  if (a.workload.empty()) {
    std::uint64_t dropped = 0;
    for (const auto& [reason, count] : report.dropped) dropped += count;
    std::printf("%s = %llu scheduled + %llu dropped\n", counted(report.requests, "request").c_str(),
                number(report.scheduled), number(dropped));
    for (const auto& [reason, count] : report.dropped) std::printf("  %llu %s\n", number(count), reason.c_str());
    std::printf("%s, %llu of them cut to %zu tokens; %s generated\n", counted(report.contexts, "context").c_str(),
                number(report.cut_contexts), a.options.context_tokens,
                counted(imported.probes, "profile question").c_str());
  }
  std::printf("%s: %s, %s, %s at the trace's times, %.4g a second, popularity ~ 1 / rank^%.3g\n", a.out.c_str(),
              counted(imported.workload.contexts.size(), "context").c_str(),
              counted(imported.workload.questions.size(), "question").c_str(),
              counted(arrivals.requests, "request").c_str(), arrivals.requests_per_second, arrivals.zipf_exponent);
}

}  // namespace

void add_trace_import(CLI::App& trace, CommandResult& result) {
  auto arguments = std::make_shared<ImportArguments>();
  ImportArguments& a = *arguments;
  a.model = default_model_directory();
  CLI::App& command = *trace.add_subcommand(
      "import", "Make a workload from a trace: from its texts, or from its arrivals and another workload's texts");
  command.add_option("FILE", a.file, "A trace; one with texts (lmcache-agent), or any with --workload")->required();
  command.add_option("--out", a.out, "Folder to write; created if missing")->required();
  command.add_option("--workload", a.workload,
                     "Workload or sample that is served at the trace's arrival times; its drift is kept");
  command.add_option("--name", a.name, "Name of the workload (default: the file's)");
  command.add_option("--license", a.options.license, "License of the texts")->capture_default_str();
  command.add_option("--seed", a.options.seed, "Seed of its requests")->check(whole_number())->capture_default_str();
  std::string formats = "auto";
  for (const TraceFormatName& format : trace_formats()) formats += ", " + std::string(format.name);
  command.add_option("--format", a.trace.format, "One of " + formats)->capture_default_str();
  command.add_option("--map", a.trace.map, trace_map_help);
  command.add_option("--time-scale", a.trace.time_scale, "Factor for arrival times: 0.5 doubles the rate")
      ->capture_default_str();
  command.add_option("--limit", a.trace.limit, "Maximum number of requests; 0: all")
      ->check(whole_number())
      ->capture_default_str();
  command
      .add_option("--bytes-per-token", a.trace.bytes_per_token, "Bytes per token of traces that hold texts or bytes")
      ->capture_default_str();
  command
      .add_option("--context-tokens", a.context_tokens,
                  "Maximum context length; longer contexts keep their beginning (default: half of the model's "
                  "positions; 2560 for the default model, 7680 for reference-mha)")
      ->check(whole_number(10'000'000));
  command
      .add_option("--question-bytes", a.options.question_bytes,
                  "Maximum question length; the question is the last paragraph of an input")
      ->check(CLI::Range(std::size_t{8}, std::size_t{100'000}))
      ->capture_default_str();
  command.add_flag("--gold", a.options.gold,
                   "Use the trace's outputs as reference answers (default: the answers with uncompressed KV)");
  command.add_option("--probes", a.probes, "Profile questions generated per context; 0: none")
      ->check(whole_number(1000))
      ->capture_default_str();
  command.add_option("--model", a.model, "Model folder whose tokenizer counts tokens; if not given: the default model")
      ->transform(shipped_model());
  add_json_option(command, a.json);
  command.add_flag("--quiet", a.quiet, "Print nothing");
  command.callback([arguments, &result] {
    const auto imported = import(*arguments);
    if (imported) print(*arguments, *imported);
    result.exit_code = imported ? 0 : report_error(imported.error());
  });
}

}  // namespace kvantage::cli
