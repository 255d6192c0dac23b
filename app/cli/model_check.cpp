#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/model_common.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "core/base/units.h"
#include "core/text/chat/prompt_template.h"
#include "core/text/tokenizer.h"

namespace kvantage::cli {
namespace {

/// Checks everything that could fail later with a model: config, weights, tokenizer, and a forward pass.
Status check(const ModelArguments& arguments, bool json) {
  KV_ASSIGN(const auto model, load_model(arguments));
  const ModelConfig& config = model->config();
  KV_ASSIGN(const auto tokenizer, Tokenizer::load(arguments.folder));
  if (tokenizer->vocab_size() > config.vocab_size)
    return fail(ErrorCode::rejected_input, arguments.folder + ": the tokenizer has " +
                                               std::to_string(tokenizer->vocab_size()) + " tokens but the model only " +
                                               std::to_string(config.vocab_size) +
                                               "; use the tokenizer that belongs to the weights");
  KV_TRY(PromptTemplate::detect(tokenizer));
  std::vector<std::int32_t> tokens;
  for (std::int32_t id = 0; id < std::min({64, config.vocab_size, config.max_positions}); ++id) tokens.push_back(id);
  const KvShape shape = model->kv_shape();
  BlockPool pool(shape, 32, pool_bytes_for(shape, 32, tokens.size()));
  KvCache cache(pool);
  PrefillTask task(*model, cache, tokens, 0, {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::all});
  KV_TRY(task.run());
  for (const float logit : task.logits())
    if (!std::isfinite(logit))
      return fail(ErrorCode::rejected_input,
                  arguments.folder + ": its logits are not finite; fetch the checkpoint again");
  if (json) {
    print_json(OrderedJson{{"folder", arguments.folder},
                           {"architecture", to_string(config.architecture)},
                           {"parameters", config.parameters()},
                           {"weight_bytes", model->weight_bytes()},
                           {"vocab_size", tokenizer->vocab_size()},
                           {"path", model->path_description()},
                           {"digest", model->digest().hex()}});
    return {};
  }
  const std::string text = arguments.folder + ": OK: " + to_string(config.architecture) + ", " +
                           format_fixed(static_cast<double>(config.parameters()) * 1e-6, 1) + " M parameters, " +
                           format_bytes(model->weight_bytes()) + " of weights, " +
                           std::to_string(tokenizer->vocab_size()) + " tokens, " + model->path_description() +
                           ", digest " + model->digest().hex();
  std::printf("%s\n", wrapped(one_line(text), "  ", output_columns).c_str());
  return {};
}

}  // namespace

void add_model_check(CLI::App& model, CommandResult& result) {
  struct Arguments {
    ModelArguments model;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *model.add_subcommand("check", "Load a model and check that it can be served");
  add_model_options(command, arguments->model);
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const Status status = check(arguments->model, arguments->json);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
