// kvantage-cli workload import: data sets and plain texts as workload folders.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/wiring/parquet_module.h"
#include "app/wiring/resources.h"
#include "app/wiring/session_file.h"
#include "app/wiring/workload_opening.h"
#include "core/base/counted.h"
#include "core/base/json.h"
#include "core/workload/datasets/import_generic.h"
#include "core/workload/datasets/import_workload.h"
#include "core/workload/probes.h"

namespace kvantage::cli {
namespace {

struct WorkloadImportArguments {
  ImportOptions options;
  std::vector<std::filesystem::path> files;
  std::filesystem::path model, out;
  std::string format = "auto", wording = "auto", name, map, truncate;
  std::size_t context_tokens = 0, probes = 8;
  bool json = false, quiet = false, split = false, skip = false;
};

struct Imports {
  Workload workload;
  ImportReport report;     // of data sets
  OwnTextReport own_text;  // of plain texts
  std::size_t probes = 0;
  std::string lengths_unknown;  // why context lengths could not be compared with the model; empty: they were
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
    if (!a.map.empty()) command += " --map '" + a.map + "'";
    command += length_options(a.options.long_contexts);
    if (a.options.squad.whole_articles) command += " --squad-context article";
  }
  command += " --probes " + std::to_string(a.probes) + " --wording " + a.wording;
  for (const auto& file : a.files) command += " " + file.filename().string();
  return command;
}

Status import_texts(WorkloadImportArguments& a, const ModelReading& reading, Imports& imports) {
  OwnTextOptions own{.count_tokens = reading.count_tokens,
                     .context_tokens = a.context_tokens > 0 ? a.context_tokens : reading.context_tokens};
  if (!a.options.license.empty()) own.license = a.options.license;
  KV_ASSIGN(auto workload, read_own_text(a.files, own, &imports.own_text));
  imports.workload = std::move(workload);
  imports.workload.seed = a.options.seed;
  imports.workload.arrivals = a.options.arrivals;
  if (!a.name.empty()) imports.workload.name = a.name;
  a.options.name = imports.workload.name;
  return {};
}

/// Without a model, lengths are not compared with what it serves.
Status import_data_set(WorkloadImportArguments& a, const ModelReading& reading, Imports& imports) {
  if (!a.name.empty()) a.options.name = a.name;
  KV_ASSIGN(a.options.source.map, parse_field_map(a.map, entry_keys));
  a.options.source.read_rows = parquet_rows_on_demand();
  LongContexts& lengths = a.options.long_contexts;
  lengths.count_tokens = reading.count_tokens;
  lengths.served_tokens = reading.served_tokens;
  if (a.split) lengths.action = LongContextAction::split;
  if (a.skip) lengths.action = LongContextAction::skip;
  if (a.truncate == "middle") lengths.action = LongContextAction::truncate_middle;
  if (a.truncate == "end") lengths.action = LongContextAction::truncate_end;
  KV_ASSIGN(auto workload, import_workload(a.files, a.format, a.options, &imports.report));
  imports.workload = std::move(workload);
  return {};
}

constexpr const char* default_import_metric = "token_f1";

Expected<Imports> import_workload_file(WorkloadImportArguments& a) {
  Imports imports;
  // Folders and files with text extensions are not data sets.
  if (a.format == "auto" && a.map.empty() && std::ranges::all_of(a.files, looks_like_text)) a.format = "text";
  const bool text = a.format == "text", shortens = a.split || a.skip || !a.truncate.empty();
  if (text && (a.options.limit > 0 || a.options.long_contexts.max_tokens > 0 || shortens || !a.map.empty()))
    return fail(ErrorCode::usage,
                "--limit, --map, --max-tokens, --skip, --split and --truncate apply to data sets; texts are cut to "
                "--context-tokens");
  // Token counts and the wording of questions depend on the target model.
  const bool counts = text || shortens || a.options.long_contexts.max_tokens > 0;
  const bool words = a.probes > 0 && a.wording == "auto";
  ModelReading reading;
  auto read = read_model_reading(a.model);
  if (!read && (counts || words)) return tl::unexpected(read.error());
  if (read)
    reading = *std::move(read);
  else
    imports.lengths_unknown = read.error().message;
  if (a.wording != "auto") reading.wording = a.wording == "bare" ? ProbeWording::bare : ProbeWording::instructed;
  KV_TRY(text ? import_texts(a, reading, imports) : import_data_set(a, reading, imports));
  if (a.probes > 0) {
    KV_ASSIGN(
        const auto added,
        add_missing_probes(imports.workload, {.profile = a.probes, .held_out = a.probes, .wording = reading.wording}));
    imports.probes = added;
  }
  imports.workload.made_by = command_of(a);
  KV_TRY(write_workload(imports.workload, a.out));
  KV_TRY(write_quality_metric(imports.report.metric, a.out));
  return imports;
}

void print_counts(const char* what, const ImportCounts& counts) {
  std::printf("%s: %zu read, %zu imported", what, counts.read, counts.made);
  for (const auto& [reason, count] : counts.dropped) std::printf(", %zu dropped: %s", count, reason.c_str());
  std::printf("\n");
}

/// Texts of the files first: parts are texts too, in the counts.
void print_texts(const ImportReport& report) {
  ImportCounts texts = report.contexts;
  if (report.lengths.split == 0) return print_counts("texts", texts);
  const auto unasked = texts.dropped[part_without_question];
  texts.dropped.erase(part_without_question);
  texts.dropped.erase(split_into_parts);
  std::printf("texts: %zu read, %zu of them split into %zu parts (%zu without a question, dropped); %zu imported",
              texts.read - report.lengths.parts - unasked, report.lengths.split, report.lengths.parts + unasked,
              unasked, texts.made);
  for (const auto& [reason, count] : texts.dropped) std::printf(", %zu dropped: %s", count, reason.c_str());
  std::printf("\n");
}

OrderedJson import_json(const ImportCounts& counts) {
  return {{"read", counts.read}, {"imported", counts.made}, {"dropped", counts.dropped}};
}

OrderedJson import_json(const LongContextCounts& lengths) {
  return {{"longer", lengths.longer}, {"kept", lengths.kept},   {"skipped", lengths.skipped},
          {"split", lengths.split},   {"parts", lengths.parts}, {"truncated", lengths.truncated}};
}

/// What was done with contexts that are too long; nothing where there are none.
void print_lengths(const WorkloadImportArguments& a, const Imports& imports) {
  const LongContextCounts& lengths = imports.report.lengths;
  const LongContexts& options = a.options.long_contexts;
  if (!imports.lengths_unknown.empty())
    std::printf("context lengths were not compared with a model: %s\n", imports.lengths_unknown.c_str());
  if (lengths.longer == 0) return;
  std::string text = counted(lengths.longer, "context") + " too long";
  if (options.served_tokens > 0)
    text += " (the model serves " + std::to_string(options.served_tokens) + " tokens with question and answer)";
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count > 0) text += ", " + std::to_string(count) + " " + what;
  };
  add(lengths.skipped, "skipped");
  add(lengths.split, "split into parts, which overlap by " + std::to_string(options.overlap_tokens) + " tokens");
  add(lengths.truncated, options.action == LongContextAction::truncate_end ? "cut at the end" : "cut in the middle");
  add(lengths.kept,
      "kept: no session on this model can serve them; add --split, --truncate middle or --skip, or give "
      "a larger --model");
  std::printf("%s\n", text.c_str());
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
      answer["outside_links"] = imports.own_text.outside_links;
    } else {
      answer["files"] = imports.report.files;
      answer["entries"] = import_json(imports.report.entries);
      answer["texts"] = import_json(imports.report.contexts);
      answer["unknown_prompts"] = imports.report.unknown_prompts;
      answer["format"] = imports.report.format;
      answer["map"] = imports.report.map.text();
      answer["options_count_from"] = imports.report.first_options;
      answer["quality_metric"] = imports.report.metric.empty() ? default_import_metric : imports.report.metric;
      answer["lengths"] = import_json(imports.report.lengths);
    }
    print_json(answer);
    return;
  }
  if (a.quiet) return;
  if (text) {
    std::printf("text files: %zu read, %zu empty; %zu duplicate texts skipped, %zu malformed bytes replaced\n",
                imports.own_text.files, imports.own_text.empty_files, imports.own_text.repeated_texts,
                imports.own_text.replaced_bytes);
    if (imports.own_text.outside_links > 0)
      std::printf("%s out of the folder skipped\n", counted(imports.own_text.outside_links, "link").c_str());
  } else {
    std::printf("format: %s%s%s\n", imports.report.format.c_str(), imports.report.map.empty() ? "" : " with --map ",
                printable(imports.report.map.text()).c_str());
    if (imports.report.entries.read > 0) print_counts("entries", imports.report.entries);
    print_texts(imports.report);
    if (const FieldMap& map = imports.report.map; map.find("question") != nullptr && map.find("answers") == nullptr)
      std::printf(
          "no field is known to hold answers: they are scored against those with the full KV cache; name one "
          "with --map answers=FIELD\n");
    for (const auto& [file, first] : imports.report.first_options)
      std::printf(
          "%s: its answers count the options from %zu (%s)\n", printable(file).c_str(), first,
          first == 1 ? "none is 0, and one is the number of options" : "one is 0, or none is the number of options");
    print_lengths(a, imports);
    if (!imports.report.metric.empty() && imports.report.metric != default_import_metric)
      std::printf("quality metric: %s (session.json)\n", imports.report.metric.c_str());
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

void declare_lengths(CLI::App& command, WorkloadImportArguments& a) {
  LongContexts& lengths = a.options.long_contexts;
  command.add_option("--max-tokens", lengths.max_tokens, "Maximum length of contexts; longer ones are dropped; 0: any")
      ->check(whole_number(100'000'000))
      ->capture_default_str();
  CLI::Option* split = command.add_flag("--split", a.split,
                                        "Split contexts that are too long, for the model or by --max-tokens, into "
                                        "parts; a question goes to the part with "
                                        "its answer");
  CLI::Option* truncate =
      command.add_option("--truncate", a.truncate, "Cut contexts that are too long: in the middle, or at the end")
          ->check(one_of({"middle", "end"}))
          ->excludes(split);
  command.add_flag("--skip", a.skip, "Leave out contexts that are too long")->excludes(split)->excludes(truncate);
  command.add_option("--overlap", lengths.overlap_tokens, "Tokens that a part of --split has in common with the next")
      ->check(whole_number(1'000'000))
      ->capture_default_str();
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
  declare_lengths(command, a);
  command.add_option(
      "--map", a.map,
      "Fields of the file: context=FIELD,question=FIELD,answers=FIELD,choices=FIELD,id=FIELD; nested ones "
      "with dots, several joined with +, a fixed text in double quotes (default: by known names)");
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
