#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/base/temporary_store.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/console_figure_host.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "app/wiring/resources.h"
#include "core/base/did_you_mean.h"
#include "core/base/files.h"
#include "core/experiments/claims.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::cli {
namespace {

constexpr const char* list_word = "list";      // instead of a figure: all of them
constexpr const char* claims_word = "claims";  // what the papers report

std::string paper_name(const PaperFigure& figure) {
  const auto paper = std::ranges::find(papers(), figure.paper, &Paper::id);
  return paper == papers().end() ? figure.paper : paper->name;
}

OrderedJson figures_json() {
  OrderedJson list = OrderedJson::array();
  for (const PaperFigure& known : paper_figures())
    list.push_back({{"id", known.name}, {"paper", paper_name(known)}, {"title", known.title}, {"aliases", known.also}});
  return list;
}

void print_figures() {
  std::vector<std::vector<std::string>> rows;
  for (const PaperFigure& known : paper_figures()) {
    std::string aliases;
    for (const std::string& other : known.also) aliases += (aliases.empty() ? " (also " : ", ") + other;
    if (!aliases.empty()) aliases += ")";
    rows.push_back({known.name, paper_name(known), known.title + aliases});
  }
  std::printf("%s", list_text({{}, {}, {}}, rows).c_str());
}

Status show_claims(bool json) {
  KV_ASSIGN(const auto claims, read_claims(home_directory() / "resources" / "claims.json"));
  OrderedJson all = OrderedJson::array();
  std::string text;
  const auto number = [](const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(); };
  for (const PaperClaim& claim : claims) {
    all.push_back({{"id", claim.id},
                   {"where", claim.where},
                   {"says", claim.says},
                   {"low", number(claim.low)},
                   {"high", number(claim.high)},
                   {"unit", claim.unit},
                   {"figure", claim.figure},
                   {"out_of_scope", claim.out_of_scope},
                   {"note", claim.note}});
    const std::string span = span_text(claim);
    text += claim.id + "\n" + labeled_text("says", claim.says) +
            (span.empty() ? std::string() : labeled_text("span", span + " (" + claim.unit + ")")) +
            labeled_text("where", claim.where) +
            labeled_text("here", claim.figure.empty() ? "out of scope: " + claim.out_of_scope : claim.figure);
  }
  if (json)
    print_json(all);
  else
    std::printf("%s", text.c_str());
  return {};
}

/// Where the paper is known, its figures are meant: pagedeviction/fig9 is nearer to pagedeviction/fig2 than to
/// evicpress/fig9.
std::string near_figures(const std::string& wanted) {
  std::vector<std::string> all, of_paper;
  for (const PaperFigure& known : paper_figures()) {
    all.push_back(known.name);
    all.insert(all.end(), known.also.begin(), known.also.end());
  }
  const std::string paper = wanted.substr(0, wanted.find('/') + 1);
  for (const std::string& name : all)
    if (!paper.empty() && name.starts_with(paper)) of_paper.push_back(name);
  return did_you_mean(wanted, of_paper.empty() ? all : of_paper, "kvantage-cli reproduce list shows them");
}

/// Storage and output options: common to all figures.
constexpr std::array of_the_command{"--store", "--db", "--temporary-store", "--gpu", "--json", "--quiet", "--progress"};

std::vector<GivenOption> given_options(const CLI::App& command) {
  std::vector<GivenOption> given;
  for (const CLI::Option* option : command.parse_order()) {
    if (option->get_positional() || std::ranges::find(of_the_command, option->get_name()) != of_the_command.end())
      continue;
    std::size_t items = 0;
    for (const std::string& value : option->results()) items += split_list(value).size();
    given.push_back({option->get_name(), items});
  }
  return given;
}

/// Of figures, or of claims.
Status show_list(const FigureArguments& arguments, const std::vector<GivenOption>& given) {
  if (!given.empty())
    return fail(ErrorCode::usage, given.front().option + ": reproduce " + arguments.figure +
                                      " reads no option of a figure; leave it out");
  if (arguments.figure == claims_word) return show_claims(arguments.json);
  if (arguments.json)
    print_json(figures_json());
  else
    print_figures();
  return {};
}

Status reproduce(FigureArguments& arguments, const std::vector<GivenOption>& given) {
  if (arguments.figure == list_word || arguments.figure == claims_word) return show_list(arguments, given);
  const PaperFigure* known = find_paper_figure(arguments.figure);
  if (known == nullptr)
    return fail(ErrorCode::usage,
                "unknown figure '" + printable(arguments.figure) + "'; " + near_figures(arguments.figure));
  arguments.figure = known->name;
  if (arguments.gpu && !serves_sessions(known->name))
    return fail(ErrorCode::usage, "--gpu: " + known->name +
                                      " runs on the CPU only; leave --gpu out, or choose a figure of evicpress/fig7 to "
                                      "12, evicpress/runs or adaptcache/fig2");
  KV_TRY(check_figure_options(*known, given));
  KV_TRY(check_figure(arguments, *known));
  TemporaryStore temporary;
  if (arguments.temporary_store &&
      (known->paper == "evicpress" || known->paper == "adaptcache")) {  // the others have no store
    const std::filesystem::path base =
        arguments.store.empty() ? cache_directory() / "stores" : std::filesystem::path(arguments.store);
    if (arguments.database.empty()) arguments.database = (base / "kvantage.db").string();
    KV_TRY(temporary.make(base));
    arguments.store = temporary.path().string();
  }
  return make_figure(arguments);
}

// Options that were not given get the figure's default.
void take_standards(CLI::App& command, const std::string& figure) {
  const PaperFigure* known = find_paper_figure(figure);
  if (known == nullptr) return;
  for (const FigureSetting& setting : known->settings) {
    CLI::Option* option = command.get_option(setting.option);
    if (option->count() > 0 || setting.standard.empty()) continue;
    option->add_result(setting.standard);
    option->run_callback();
  }
}

void add_decoding_options(CLI::App& command, FigureArguments& arguments) {
  command.add_option("--eviction-methods", arguments.eviction_methods,
                     "Decode-time eviction methods (for compaction/overheads: scorers), comma-separated");
  command.add_option(
      "--page-tokens", arguments.page_tokens,
      "PagedEviction, compaction, decode: tokens per page, comma-separated; the figure's own by default");
  command.add_option("--cadence", arguments.cadence, "Steps between evictions; 0: each method's own")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command.add_option("--compact-every", arguments.compact_every, "Steps between compaction passes")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_flag("--shared-heads", arguments.shared_heads,
                   "Drop the same tokens in all KV heads of a layer, as a shared block table (vLLM) requires");
  command
      .add_option("--contexts", arguments.contexts,
                  "Number of ledgers; each has one question; throughput, long-decode: requests")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command
      .add_option("--context-tokens", arguments.context_tokens,
                  "Length of a ledger; KVPR, throughput, long-decode: length of the prompt")
      ->check(CLI::Range(64, 100000))
      ->capture_default_str();
  command
      .add_option(
          "--answer-tokens", arguments.answer_tokens,
          "Minimum length of a reference answer; steps to time; KVPR, throughput, long-decode: tokens to generate")
      ->check(CLI::Range(8, 100000))
      ->capture_default_str();
  command
      .add_option("--width", arguments.width,
                  "KVPR, throughput, long-decode: hidden size of the random-weight model, a multiple of 64 (KVPR) or "
                  "256 (the others)")
      ->check(CLI::Range(64, 8192))
      ->capture_default_str();
  command.add_option("--seed", arguments.seed, "Seed of the ledgers; KVPR: seed of weights and prompt")
      ->check(whole_number())
      ->capture_default_str();
}

void add_policy_options(CLI::App& command, FigureArguments& arguments) {
  command.add_option("--workload", arguments.workload,
                     "Workload of the figures of EvicPress; sensitivity-mix by default");
  command.add_option("--methods", arguments.methods, "EvicPress: compression methods; the figure's own by default");
  command.add_option("--removed", arguments.removed, "EvicPress: removed fractions; the figure's own by default");
  command.add_option(
      "--policy", arguments.policies,
      "evicpress/fig7 to 12, limits and adaptcache/fig2: policies; for 7, 9, 11 and 12 all but optimal by default");
  command.add_option("--alpha", arguments.alphas,
                     "EvicPress: alphas (seconds per unit of quality) of policies that use alpha");
  command.add_option(
      "--budgets", arguments.budgets,
      "EvicPress: total tier budget as shares of the uncompressed bytes, such as 0.2; evicpress/fig8, limits and "
      "adaptcache/fig2: one; decoding figures: shares of the prompt; throughput, long-decode: tokens. "
      "The figure's own by default");
  command.add_option("--rate", arguments.rates,
                     "evicpress/fig8: requests per second; evicpress/fig10 and adaptcache/fig2: one rate. "
                     "The figure's own by default");
}

void add_serving_options(CLI::App& command, FigureArguments& arguments) {
  command
      .add_option("--reprofile-threshold", arguments.reprofile_threshold,
                  "evicpress/fig10: re-profile contexts whose answers fall short of their profile by this share")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--profile-questions", arguments.profile_questions,
                  "EvicPress: profile questions per context; 0: all")
      ->check(whole_number());
  command
      .add_option("--max-batch", arguments.max_batch,
                  "Maximum concurrent requests; 8 for evicpress/fig8 and adaptcache/fig2, else as in the workload; "
                  "KVPR, throughput: batch size")
      ->check(CLI::Range(1, max_batch));
  command
      .add_option("--ttft-bound", arguments.ttft_bound_seconds,
                  "evicpress/fig8: bound on the 95th percentile of TTFT, in seconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option(
          "--itl-bound", arguments.itl_bound_seconds,
          "evicpress/fig8: bound on the mean inter-token latency, in seconds; by default twice that of requests "
          "served one at a time")
      ->check(CLI::PositiveNumber);
  command.add_option("--min-quality", arguments.min_quality, "evicpress/fig8: minimum mean quality")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--seeds", arguments.seeds, "EvicPress: number of request sequences, seeded from --seed upward")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--limit", arguments.requests, "EvicPress: requests per run; 0: the workload's")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--quality-metric", arguments.metric,
                     "EvicPress: quality metric of the utility; the workload's by default");
}

/// Of the command, whatever the figure.
void add_place_options(CLI::App& command, FigureArguments& arguments) {
  command.add_option("--store", arguments.store, "Folder of the stores (default: the cache folder)");
  command.add_option("--db", arguments.database, "Database of profiles and runs (default: inside the store)");
  command.add_flag("--temporary-store", arguments.temporary_store,
                   "Use a temporary folder inside --store; runs and profiles stay in the database");
  command.add_flag("--gpu", arguments.gpu,
                   "EvicPress and AdaptCache: sessions prefill and answer on the first GPU (docs/gpu-model.md)");
  add_json_option(command, arguments.json);
  CLI::Option* quiet = command.add_flag_callback(
      "--quiet", [&arguments] { arguments.progress = "none"; }, "No progress");
  command.add_option("--progress", arguments.progress, "json: progress as JSON lines on stderr")
      ->check(one_of({"json"}))
      ->excludes(quiet);
}

std::string value_text(const CLI::Option& option, const std::string& value) {
  if (option.get_positional()) return " " + value;
  const ShippedModel* shipped = option.get_name() == "--model" ? shipped_model_at(value) : nullptr;
  return " '" + (shipped == nullptr ? value : std::string(shipped->name)) + "'";
}

/// The command line that repeats it, here or on another machine: where things are kept and how it is printed are left
/// out.
std::string command_text(const CLI::App& command) {
  std::string text = "kvantage-cli reproduce";
  for (const CLI::Option* option : command.parse_order()) {
    const std::string name = option->get_name();
    if (name != "--gpu" && std::ranges::find(of_the_command, name) != of_the_command.end()) continue;
    if (!option->get_positional()) text += " " + name;
    if (option->get_expected_min() == 0) continue;  // a flag
    for (const std::string& value : option->results()) text += value_text(*option, value);
  }
  return text;
}

/// For whoever started the command; stdout has the figure.
void say_line(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

/// The same lines as a progress line: stages of a session that opens, else cells, the present one by its part.
void show_progress(const std::string& figure, const std::string& line) {
  const auto json = parse_json(line, "progress");
  if (!json) return;
  if (json->contains("stage")) {
    stderr_progress().show(json->value("stage", ""), json->value("done", 0.0), json->value("total", 0.0));
    return;
  }
  const double cells = json->value("cells", 0.0), done = json->value("cells_done", 0.0) + json->value("part", 0.0);
  if (cells > 0 && done < cells) stderr_progress().show("figure " + figure, done, cells);
}

/// What becomes of the lines of a figure's progress.
std::function<void(const std::string&)> progress_writer(const FigureArguments& arguments) {
  if (arguments.progress == "json") return say_line;
  if (arguments.progress == "none" || !terminal_on_stderr()) return {};
  return [figure = arguments.figure](const std::string& line) { show_progress(figure, line); };
}

}  // namespace

void add_reproduce(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<FigureArguments>();
  CLI::App& command =
      *parent.add_subcommand("reproduce", "Reproduce figures and tables of papers; reproduce list shows them");
  command
      .add_option(
          "FIGURE", arguments->figure,
          "Figure or table, e.g. evicpress/fig8, or list; list prints each with its paper and title, claims every "
          "number that the papers report")
      ->required();
  command
      .add_option("--model", arguments->model,
                  "Hugging Face model folder, or reference-mha; if not given: the default model. KVPR: random "
                  "weights by default, kvpr/fig7 and kvpr/context-load take a folder")
      ->transform(shipped_model());
  add_decoding_options(command, *arguments);
  add_policy_options(command, *arguments);
  add_serving_options(command, *arguments);
  add_place_options(command, *arguments);
  command.callback([arguments, &command, &result] {
    note_interrupts();
    arguments->command = command_text(command);
    const auto given = given_options(command);
    take_standards(command, arguments->figure);
    ConsoleFigureHost host;
    if (const ShippedModel* shipped = shipped_model_at(arguments->model);
        shipped != nullptr && !arguments->figure.starts_with("kvpr/"))  // which ranks no methods
      host.set_model_note(std::string(shipped->note));
    arguments->host = &host;
    arguments->lines = std::make_shared<FigureProgress>(host.clock(), progress_writer(*arguments),
                                                        [&host] { host.calibration().time(); });
    const Status status = reproduce(*arguments, given);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
