#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/model_options.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/model/config.h"
#include "core/model/safetensors.h"
#include "core/text/chat/prompt_template.h"

namespace kvantage::cli {
namespace {

struct InfoArguments {
  std::string folder;
  int max_model_len = 0;
  bool json = false;
};

/// Which chat template there is, and how it is read: the form of prompts, or why it is refused.
void add_prompt(OrderedJson& answer, const std::string& model) {
  const auto tokenizer = Tokenizer::load(model);
  if (!tokenizer) return;  // a model without one can still be looked at
  const std::string& source = (*tokenizer)->chat().source;
  answer["chat_template"] = (*tokenizer)->chat_template().empty() ? "none" : source;
  const auto prompt = PromptTemplate::detect(*tokenizer);
  answer["prompt_form"] = prompt ? to_string(prompt->form()) : prompt.error().message;
}

int info(const InfoArguments& arguments) {
  const auto config = read_model_config(arguments.folder, arguments.max_model_len);
  if (!config) return report_error(config.error());
  const auto files = WeightFiles::open(arguments.folder);
  if (!files) return report_error(files.error());
  const ModelConfig& c = *config;
  const KvShape kv{c.layers, c.kv_heads, c.head_dim, c.dtype == WeightType::bf16 ? KvType::bf16 : KvType::fp32};

  OrderedJson rope = {{"kind", to_string(c.rope.kind)}, {"theta", c.rope.theta}};
  if (c.rope.kind != RopeKind::plain) rope["factor"] = c.rope.factor;
  if (c.rope.kind == RopeKind::llama3) {
    rope["low_frequency_factor"] = c.rope.low_frequency_factor;
    rope["high_frequency_factor"] = c.rope.high_frequency_factor;
    rope["original_max_positions"] = c.rope.original_max_positions;
  }
  OrderedJson answer = {{"architecture", to_string(c.architecture)},
                        {"parameters", c.parameters()},
                        {"weights", to_string(c.dtype)},
                        {"stored_types", files->stored_types()},
                        {"weight_bytes", files->tensor_bytes()},
                        {"layers", c.layers},
                        {"hidden", c.hidden},
                        {"intermediate", c.intermediate},
                        {"heads", c.heads},
                        {"kv_heads", c.kv_heads},
                        {"head_dim", c.head_dim},
                        {"vocab_size", c.vocab_size},
                        {"max_positions", c.max_positions},
                        {"rope", rope},
                        {"rms_eps", std::round(static_cast<double>(c.rms_eps) * 1e12) * 1e-12},
                        {"qkv_bias", c.qkv_bias},
                        {"qk_norm", c.qk_norm},
                        {"tied_embeddings", c.tied_embeddings},
                        {"eos_ids", c.eos_ids},
                        {"kv_bytes_per_token", kv.bytes_per_token()}};
  add_prompt(answer, arguments.folder);
  if (arguments.json) {
    print_json(answer);
    return 0;
  }
  for (const auto& [key, value] : answer.items()) {
    std::string text = value.is_string() ? value.get<std::string>() : dump_json(value);
    if (key == "weight_bytes" || key == "kv_bytes_per_token")
      text += "  (" + format_bytes(value.get<std::uint64_t>()) + ")";
    std::printf("%-20s %s\n", key.c_str(), one_line(text).c_str());
  }
  return 0;
}

}  // namespace

void add_model_info(CLI::App& model, CommandResult& result) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App& command = *model.add_subcommand("info", "Show what a model contains, without loading it");
  command.add_option("FOLDER", arguments->folder, "Hugging Face model folder or GGUF file")
      ->required()
      ->transform(shipped_model());
  add_max_model_len_option(command, arguments->max_model_len);
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] { result.exit_code = info(*arguments); });
}

}  // namespace kvantage::cli
