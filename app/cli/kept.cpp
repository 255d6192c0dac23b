#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/base/json_output.h"
#include "app/cli/base/method_file_option.h"
#include "app/cli/base/model_options.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/model_common.h"
#include "app/cli/session_options.h"
#include "app/wiring/workload_opening.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/compress/method.h"
#include "core/inspect/keep_map.h"
#include "core/runtime/windowed_rows.h"
#include "core/text/encoding_budget.h"

namespace kvantage::cli {
namespace {

struct KeptArguments {
  std::string model, prompt_form, text_file, tokens_file, question, method = "snapkv";
  double removed_fraction = 0.5;
  bool fp32 = false, json = false, scores = true;
  int threads = 0, max_model_len = 0;
};

Expected<std::vector<std::int32_t>> context_tokens(const KeptArguments& arguments, const ModelRuntime& runtime) {
  if (!arguments.tokens_file.empty()) return read_token_ids(arguments.tokens_file);
  KV_ASSIGN(const auto text, read_text_file(arguments.text_file, EncodingBudget::max_given_bytes));
  KV_TRY(check_utf8(text, arguments.text_file));
  auto tokens = runtime.prompt->encode_context(text);
  if (!arguments.question.empty()) {  // query-aware: the question is compressed with the context
    const auto question = runtime.prompt->encode_question(arguments.question);
    tokens.insert(tokens.end(), question.begin(), question.end());
  }
  return tokens;
}

OrderedJson heads_json(const std::vector<KeptIndices>& kept, const LayerScores& scores, bool with_scores) {
  OrderedJson layers = OrderedJson::array();
  for (std::size_t l = 0; l < kept.size(); ++l) {
    OrderedJson heads = OrderedJson::array();
    for (std::size_t h = 0; h < kept[l].size(); ++h) {
      OrderedJson head{{"kept", kept[l][h]}};
      if (with_scores && !scores.passes_window(l)) head["scores"] = scores.layers[l][h].scores;
      heads.push_back(std::move(head));
    }
    layers.push_back(std::move(heads));
  }
  return layers;
}

Status show_kept(const KeptArguments& arguments) {
  KV_ASSIGN(const auto method, parse_method(arguments.method));
  KV_TRY(wiring::check_model_is_there(arguments.model));
  set_compute_threads(arguments.threads);
  ModelRuntimeOptions options;
  if (arguments.fp32) options.load.compute = ComputeType::fp32;
  options.load.max_model_len = arguments.max_model_len;
  options.prompt.form = prompt_form_of(arguments.prompt_form);
  KV_ASSIGN(const auto runtime, ModelRuntime::load(arguments.model, options));
  KV_ASSIGN(const auto tokens, context_tokens(arguments, *runtime));
  if (tokens.empty()) return fail(ErrorCode::rejected_input, "context: is empty; give a text");

  const SystemClock clock;
  const std::int64_t begun = clock.monotonic_ns();
  KvCache cache(*runtime->pool);
  PrefillTask prefill(*runtime->model, cache, tokens, 0,
                      {.chunk_tokens = runtime->chunk_tokens(),
                       .window_queries = std::min(method->info().needs.window_queries, static_cast<int>(tokens.size())),
                       .logits = PrefillLogits::none});
  KV_TRY(prefill.run());
  KV_TRY(evict_unseen_rows(*runtime, cache));
  const std::int64_t start = clock.monotonic_ns();
  Observation observed = observation_of(*runtime, prefill.take_window_queries());
  KV_TRY(complete_observation(*runtime, cache, tokens, method->info().needs, observed));
  const std::int64_t seen = clock.monotonic_ns();
  KV_ASSIGN(const auto scores, method->scores(cache, observed));
  const std::int64_t scored = clock.monotonic_ns();
  KV_ASSIGN(const auto form, kept_form(cache, scores, *method, arguments.removed_fraction));
  const std::vector<KeptIndices>& kept = form.kept;
  const KvCache* compressed = &form.stored;
  const std::string text = method->text();
  KV_ASSIGN(const auto before, entry_bytes(cache, 4, *parse_codec("bf16").value()));

  const double prefill_seconds = static_cast<double>(start - begun) * 1e-9;
  const double observe_seconds = static_cast<double>(seen - start) * 1e-9,
               score_seconds = static_cast<double>(scored - seen) * 1e-9;
  if (arguments.json) {
    OrderedJson json;
    json["model"] = runtime->model->digest().hex();
    json["compute"] = runtime->model->path_description();
    json["method"] = text;
    json["removed_fraction"] = arguments.removed_fraction;
    json["tokens"] = tokens.size();
    json["token_ids"] = tokens;
    json["bytes"] = {{"pool_before", cache.held_bytes()},
                     {"pool_after", compressed->held_bytes()},
                     {"rows_before", cache.payload_bytes()},
                     {"rows_after", compressed->payload_bytes()},
                     {"entry_before", before},
                     {"entry_after", form.entry_bytes}};
    json["prefill_seconds"] = prefill_seconds;  // includes recording the queries that the method needs
    json["observe_seconds"] = observe_seconds;
    json["score_seconds"] = score_seconds;
    json["score_buffer_bytes"] = scores.buffer_bytes;
    json["layers"] = heads_json(kept, scores, arguments.scores);
    print_json(json);
    return {};
  }
  std::printf("%s, removed fraction %g, %zu tokens, %s\n", text.c_str(), arguments.removed_fraction, tokens.size(),
              runtime->model->path_description().c_str());
  std::printf(
      "bytes: rows %s -> %s, entry %s -> %s; prefill %.1f ms, observation beyond it %.1f ms, scoring %.1f ms, peak of "
      "score buffers %s\n",
      format_bytes(cache.payload_bytes()).c_str(), format_bytes(compressed->payload_bytes()).c_str(),
      format_bytes(before).c_str(), format_bytes(form.entry_bytes).c_str(), prefill_seconds * 1e3,
      observe_seconds * 1e3, score_seconds * 1e3, format_bytes(scores.buffer_bytes).c_str());
  for (std::size_t l = 0; l < kept.size(); ++l) {
    std::printf("layer %zu:", l);
    for (const auto& head : kept[l]) std::printf(" %zu", head.size());
    std::printf(" kept in its heads\n");
  }
  return {};
}

}  // namespace

void add_kept(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<KeptArguments>();
  CLI::App& command = *parent.add_subcommand(
      "kept", "Show which tokens of a text a method keeps, by layer and KV head, with scores and bytes");
  command.add_option("--model", arguments->model, "Hugging Face model folder, or reference-mha")
      ->required()
      ->transform(shipped_model());
  add_prompt_form_option(command, arguments->prompt_form);
  add_max_model_len_option(command, arguments->max_model_len);
  auto* text = command.add_option("--text-file", arguments->text_file, "The context, plain text");
  command.add_option("--tokens", arguments->tokens_file, "The context as a JSON list of token ids instead")
      ->excludes(text);
  command
      .add_option("--question", arguments->question,
                  "Query-aware: score the context of --text-file together with a question")
      ->needs(text);
  command.add_option("--method", arguments->method, "Compression method; `kvantage-cli methods` lists them")
      ->capture_default_str();
  add_method_file_option(command);
  command.add_option("--removed", arguments->removed_fraction, "Share of tokens to remove")
      ->check(fraction())
      ->capture_default_str();
  command.add_flag("--fp32", arguments->fp32, "Compute and cache in fp32 whatever the checkpoint stores");
  command.add_option("--threads", arguments->threads, "Compute threads; 0: one per core")
      ->check(CLI::Range(0, max_threads))
      ->capture_default_str();
  add_json_option(command, arguments->json);
  command.add_flag("!--no-scores", arguments->scores, "Print kept positions only");
  command.callback([arguments, &result] {
    const Status status = arguments->text_file.empty() && arguments->tokens_file.empty()
                              ? fail(ErrorCode::usage, "kept: no context; give --text-file or --tokens")
                              : show_kept(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
