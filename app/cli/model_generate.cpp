#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/model_common.h"
#include "app/cli/session_options.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/model/generate.h"
#include "core/text/encoding_budget.h"
#include "core/text/tokenizer.h"
#include "gpu/model/gpu_generate.h"
#include "gpu/model/module_loader.h"

namespace kvantage::cli {
namespace {

struct GenerateArguments {
  ModelArguments model;
  GenerateOptions options;
  std::string prompt_file;
  bool gpu = false;
  bool no_special = false;
  bool ignore_stop = false;
  bool json = false;
};

/// Sized for the prompt and its answer.
Expected<std::unique_ptr<gpu::GpuModel>> on_gpu(const Transformer& model, const GenerateOptions& options,
                                                std::size_t tokens) {
  gpu::GpuModelOptions device;
  device.cache_bytes = gpu::cache_bytes_for(model.config(), device.block_tokens, tokens);
  device.chunk_tokens = options.chunk_tokens;
  gpu::GpuModelSource source;
  source.model = &model;
  return gpu::load_gpu_model(gpu::gpu_model_places(), source, device);
}

int run_generate(GenerateArguments& arguments) {
  if (const auto status = check_sampling(arguments.options.sampling); !status) return report_error(status.error());
  const auto prompt = read_text_file(arguments.prompt_file, EncodingBudget::max_given_bytes);
  if (!prompt) return report_error(prompt.error());
  if (const Status valid = check_utf8(*prompt, arguments.prompt_file); !valid) return report_error(valid.error());
  const auto tokenizer = Tokenizer::load(arguments.model.folder);
  if (!tokenizer) return report_error(tokenizer.error());
  const auto model = load_model(arguments.model);
  if (!model) return report_error(model.error());

  const std::vector<std::int32_t> ids = (*tokenizer)->encode(*prompt, !arguments.no_special);
  if (!arguments.ignore_stop) arguments.options.stop_tokens = (*model)->config().eos_ids;
  const KvShape shape = (*model)->kv_shape();
  const std::size_t most = ids.size() + static_cast<std::size_t>(arguments.options.max_tokens);
  BlockPool pool(shape, 32, pool_bytes_for(shape, 32, most));
  KvCache cache(pool);

  std::unique_ptr<gpu::GpuModel> device;
  if (arguments.gpu) {
    auto opened = on_gpu(**model, arguments.options, most);
    if (!opened && opened.error().code == ErrorCode::not_found)
      return report_error({ErrorCode::usage, opened.error().message + "; or leave --gpu out"});
    if (!opened) return report_error(opened.error());
    device = std::move(*opened);
  }

  const SystemClock clock;
  const double start = clock.seconds();
  double first_token = start;
  StreamDecoder stream(*tokenizer);
  const TokenCallback on_token = [&](std::int32_t token) {
    if (token < 0) return true;
    if (first_token == start) first_token = clock.seconds();
    if (!arguments.json) {
      std::fputs(stream.push(token).c_str(), stdout);
      std::fflush(stdout);
    }
    return true;
  };
  const auto generation = device != nullptr ? gpu::gpu_generate(*device, ids, arguments.options, on_token)
                                            : generate(**model, cache, ids, arguments.options, on_token);
  if (!generation && generation.error().code == ErrorCode::rejected_input)
    return report_error({ErrorCode::rejected_input, arguments.model.folder + ": " + generation.error().message});
  if (!generation) return report_error(generation.error());
  const double end = clock.seconds();
  if (first_token == start) first_token = end;  // the first token ended the answer
  const std::size_t steps = generation->tokens.size() > 1 ? generation->tokens.size() - 1 : 1;
  const double step_seconds = (end - first_token) / static_cast<double>(steps);
  if (!arguments.json) {
    std::fputs((stream.finish() + "\n").c_str(), stdout);
    std::fprintf(stderr, "%zu prompt tokens, first token after %s, then %s per token; %s\n", ids.size(),
                 format_seconds(first_token - start).c_str(), format_seconds(step_seconds).c_str(),
                 to_string(generation->reason));
    return 0;
  }
  const OrderedJson answer = {{"model_digest", (*model)->digest().hex()},
                              {"path", device != nullptr ? device->description() : (*model)->path_description()},
                              {"prompt_ids", ids},
                              {"ids", generation->tokens},
                              {"text", (*tokenizer)->decode(generation->tokens)},
                              {"finish_reason", to_string(generation->reason)},
                              {"first_token_seconds", first_token - start},
                              {"seconds_per_token", step_seconds}};
  print_json(answer);
  return 0;
}

}  // namespace

void add_model_generate(CLI::App& model, CommandResult& result) {
  auto arguments = std::make_shared<GenerateArguments>();
  GenerateOptions& o = arguments->options;
  CLI::App& command = *model.add_subcommand("generate", "Continue a prompt");
  add_model_options(command, arguments->model);
  command.add_option("--prompt-file", arguments->prompt_file, "UTF-8 text, used verbatim")->required();
  command.add_option("--max-tokens", o.max_tokens, "Maximum number of tokens")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command.add_option("--temperature", o.sampling.temperature, "0: greedy")->capture_default_str();
  command.add_option("--top-k", o.sampling.top_k, "Sample from the k most likely tokens; 0: all")
      ->capture_default_str();
  command.add_option("--top-p", o.sampling.top_p, "Sample from the most likely tokens up to this total probability")
      ->capture_default_str();
  command.add_option("--seed", o.sampling.seed, "Sampling seed")->check(whole_number())->capture_default_str();
  command.add_option("--chunk-tokens", o.chunk_tokens, "Tokens per prefill chunk")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  command.add_flag("--gpu", arguments->gpu, "Compute on the first GPU, in bf16 (docs/gpu-model.md)");
  command.add_flag("--no-special", arguments->no_special, "Do not add the tokenizer's special tokens");
  command.add_flag("--ignore-stop", arguments->ignore_stop, "Continue after an end token");
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] { result.exit_code = run_generate(*arguments); });
}

}  // namespace kvantage::cli
