// kvantage-cli workload import: data sets and plain texts as workload folders.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/wiring/resources.h"
#include "app/wiring/workload_opening.h"
#include "core/base/counted.h"
#include "core/base/json.h"
#include "core/workload/import_workload.h"
#include "core/workload/probes.h"

namespace kvantage::cli {
namespace {

struct WorkloadImportArguments {
  ImportOptions options;
  std::vector<std::filesystem::path> files;
  std::filesystem::path model, out;
  std::string format = "auto", wording = "auto", name;
  std::size_t context_tokens = 0, probes = 8;
  bool json = false, quiet = false;
};

struct Imports {
  Workload workload;
  ImportReport report;     // of data sets
  OwnTextReport own_text;  // of plain texts
  std::size_t probes = 0;
};

bool looks_like_text(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  std::error_code ignored;
  return ending == ".txt" || ending == ".md" || std::filesystem::is_directory(path, ignored);
}

/// The command that recreates the workload; files by name, because paths differ between machines.
std::string command_of(const WorkloadImportArguments& a) {
  std::string command = "kvantage-cli workload import --format " + a.format + " --name " + a.options.name;
  if (a.format == "text") {
    if (a.context_tokens > 0) command += " --context-tokens " + std::to_string(a.context_tokens);
  } else {
    command +=
        " --seed " + std::to_string(a.options.seed) + " --profile-share " + dump_json(Json(a.options.profile_share));
    if (a.options.limit > 0) command += " --limit " + std::to_string(a.options.limit);
    if (a.options.max_tokens > 0) command += " --max-tokens " + std::to_string(a.options.max_tokens);
    if (a.options.squad.whole_articles) command += " --squad-context article";
  }
  command += " --probes " + std::to_string(a.probes) + " --wording " + a.wording;
  for (const auto& file : a.files) command += " " + file.filename().string();
  return command;
}

Expected<Imports> import_workload_file(WorkloadImportArguments& a) {
  Imports imports;
  // Folders and files with text extensions are not data sets.
  if (a.format == "auto" && std::ranges::all_of(a.files, looks_like_text)) a.format = "text";
  const bool text = a.format == "text";
  if (text && (a.options.limit > 0 || a.options.max_tokens > 0))
    return fail(ErrorCode::usage, "--limit and --max-tokens apply to data sets; texts are cut to --context-tokens");
  // Token counts and the wording of questions depend on the target model.
  const bool counts = text || a.options.max_tokens > 0;
  const bool words = a.probes > 0 && a.wording == "auto";
  ModelReading reading;
  if (counts || words) {
    KV_ASSIGN(auto read, read_model_reading(a.model));
    reading = std::move(read);
  }
  if (a.wording != "auto") reading.wording = a.wording == "bare" ? ProbeWording::bare : ProbeWording::instructed;
  if (text) {
    OwnTextOptions own{.count_tokens = reading.count_tokens,
                       .context_tokens = a.context_tokens > 0 ? a.context_tokens : reading.context_tokens};
    if (!a.options.license.empty()) own.license = a.options.license;
    KV_ASSIGN(auto workload, read_own_text(a.files, own, &imports.own_text));
    imports.workload = std::move(workload);
    imports.workload.seed = a.options.seed;
    imports.workload.arrivals = a.options.arrivals;
    if (!a.name.empty()) imports.workload.name = a.name;
    a.options.name = imports.workload.name;
  } else {
    if (!a.name.empty()) a.options.name = a.name;
    a.options.count_tokens = reading.count_tokens;
    KV_ASSIGN(auto workload, import_workload(a.files, a.format, a.options, &imports.report));
    imports.workload = std::move(workload);
  }
  if (a.probes > 0) {
    KV_ASSIGN(
        const auto added,
        add_missing_probes(imports.workload, {.profile = a.probes, .held_out = a.probes, .wording = reading.wording}));
    imports.probes = added;
  }
  imports.workload.made_by = command_of(a);
  KV_TRY(write_workload(imports.workload, a.out));
  return imports;
}

void print_counts(const char* what, const ImportCounts& counts) {
  std::printf("%s: %zu read, %zu imported", what, counts.read, counts.made);
  for (const auto& [reason, count] : counts.dropped) std::printf(", %zu dropped: %s", count, reason.c_str());
  std::printf("\n");
}

OrderedJson import_json(const ImportCounts& counts) {
  return {{"read", counts.read}, {"imported", counts.made}, {"dropped", counts.dropped}};
}

void print_import(const WorkloadImportArguments& a, const Imports& imports) {
  const bool text = a.format == "text";
  if (a.json) {
    OrderedJson answer = {{"name", imports.workload.name},
                          {"licence", imports.workload.license},
                          {"digest", imports.workload.digest().hex()},
                          {"contexts", imports.workload.contexts.size()},
                          {"questions", imports.workload.questions.size()},
                          {"probes", imports.probes}};
    if (text) {
      answer["files"] = imports.own_text.files;
      answer["empty_files"] = imports.own_text.empty_files;
      answer["repeated_texts"] = imports.own_text.repeated_texts;
      answer["replaced_bytes"] = imports.own_text.replaced_bytes;
    } else {
      answer["files"] = imports.report.files;
      answer["entries"] = import_json(imports.report.entries);
      answer["texts"] = import_json(imports.report.contexts);
      answer["unknown_prompts"] = imports.report.unknown_prompts;
    }
    print_json(answer);
    return;
  }
  if (a.quiet) return;
  if (text) {
    std::printf("text files: %zu read, %zu empty; %zu duplicate texts skipped, %zu malformed bytes replaced\n",
                imports.own_text.files, imports.own_text.empty_files, imports.own_text.repeated_texts,
                imports.own_text.replaced_bytes);
  } else {
    print_counts("entries", imports.report.entries);
    print_counts("texts", imports.report.contexts);
    if (imports.report.unknown_prompts > 0)
      std::printf("%zu prompts match no known task: their last paragraph is the question\n",
                  imports.report.unknown_prompts);
  }
  if (imports.probes > 0)
    std::printf("%s generated for contexts that lack some\n", counted(imports.probes, "question").c_str());
  std::printf("%s: %s, %s, license '%s', digest %s\n", a.out.c_str(),
              counted(imports.workload.contexts.size(), "context").c_str(),
              counted(imports.workload.questions.size(), "question").c_str(),
              printable(imports.workload.license).c_str(), imports.workload.digest().hex().c_str());
}

}  // namespace

void add_workload_import(CLI::App& workload, CommandResult& result) {
  auto arguments = std::make_shared<WorkloadImportArguments>();
  WorkloadImportArguments& a = *arguments;
  ImportOptions& o = a.options;
  a.model = default_model_directory();
  std::vector<std::string> formats{"auto"};
  std::string known = "Format of FILE, recognized by default";
  for (const ImportFormat& format : import_formats()) {
    formats.emplace_back(format.name);
    known += "; " + std::string(format.name) + ": " + std::string(format.idea);
  }
  formats.emplace_back("text");
  CLI::App& command = *workload.add_subcommand("import", "Make a workload from a data set or from texts");
  command.add_option("FILE", a.files, "Files of a data set, or text files and folders of texts (--format text)")
      ->required();
  command.add_option("--format", a.format, known + "; text: plain text, questions are generated")
      ->check(one_of(formats))
      ->capture_default_str();
  command.add_option("--out", a.out, "Folder to write; created if missing")->required();
  command.add_option("--name", a.name, "Name of the workload (default: imported, or the name of the text)");
  command.add_option("--license", o.license, "License of the texts, written into workload.json (default: see source)");
  command.add_option("--seed", o.seed, "Seed of the split into profile and held-out questions")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--profile-share", o.profile_share, "Share of a context's questions for profiling, below 1")
      ->capture_default_str();
  command.add_option("--limit", o.limit, "Maximum number of contexts; 0: all")
      ->check(whole_number(10'000'000))
      ->capture_default_str();
  command.add_option("--max-tokens", o.max_tokens, "Drop contexts that are longer; 0: none")
      ->check(whole_number(100'000'000))
      ->capture_default_str();
  command
      .add_option("--context-tokens", a.context_tokens,
                  "Maximum length of contexts that texts are split into (default: half of the model's positions; 2560 "
                  "for the default model, 7680 for reference-mha)")
      ->check(whole_number(10'000'000));
  command
      .add_option_function<std::string>(
          "--squad-context", [&o](const std::string& what) { o.squad.whole_articles = what == "article"; },
          "Unit of a SQuAD context: paragraph or article (default: paragraph)")
      ->check(one_of({"paragraph", "article"}));
  command
      .add_option(
          "--probes", a.probes,
          "Questions generated for each context without any: this many for profiling and this many held out; 0: none")
      ->check(whole_number(1000))
      ->capture_default_str();
  command
      .add_option("--wording", a.wording,
                  "Wording of generated questions: bare, instructed (for chat models), auto (by the model)")
      ->check(one_of({"auto", "bare", "instructed"}))
      ->capture_default_str();
  command
      .add_option("--model", a.model,
                  "Model folder whose tokenizer counts tokens and whose prompt template words questions; if "
                  "not given: the default model")
      ->transform(shipped_model());
  command.add_option("--requests", o.arrivals.requests, "Requests per run")
      ->check(CLI::Range(std::uint64_t{1}, max_requests))
      ->capture_default_str();
  command.add_option("--zipf", o.arrivals.zipf_exponent, "Zipf exponent s: popularity of a context ~ 1 / rank^s")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--rate", o.arrivals.requests_per_second, "Requests per second; 0: closed loop")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_json_option(command, a.json);
  command.add_flag("--quiet", a.quiet, "Print nothing");
  command.callback([arguments, &result] {
    const auto imports = import_workload_file(*arguments);
    if (imports) print_import(*arguments, *imports);
    result.exit_code = imports ? 0 : report_error(imports.error());
  });
}

}  // namespace kvantage::cli
