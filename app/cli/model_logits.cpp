#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/model_common.h"
#include "app/cli/session_options.h"
#include "core/base/files.h"

namespace kvantage::cli {
namespace {

struct LogitsArguments {
  ModelArguments model;
  std::string tokens_file;
  std::string out;
  int chunk_tokens = 256;
  bool token_by_token = false, json = false;
};

/// A .npy file (format 1.0) of little-endian fp32 numbers, [rows, columns].
std::string npy_bytes(std::span<const float> numbers, std::size_t rows, std::size_t columns) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns) + "), }";
  constexpr std::size_t preamble = 10;  // magic, version, header length
  header.resize((preamble + header.size() + 1 + 63) / 64 * 64 - preamble - 1, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  return bytes;
}

Status write_logits(const LogitsArguments& arguments) {
  KV_ASSIGN(auto tokens, read_token_ids(arguments.tokens_file));
  KV_ASSIGN(const auto model, load_model(arguments.model));
  const KvShape shape = model->kv_shape();
  BlockPool pool(shape, 32, pool_bytes_for(shape, 32, tokens.size()));
  KvCache cache(pool);
  const auto vocabulary = static_cast<std::size_t>(model->config().vocab_size);
  std::vector<float> logits;
  if (arguments.token_by_token) {
    logits.resize(tokens.size() * vocabulary);
    for (std::size_t t = 0; t < tokens.size(); ++t)
      KV_TRY(model->decode(cache, tokens[t], static_cast<std::int32_t>(t), {&logits[t * vocabulary], vocabulary}));
  } else {
    PrefillTask task(*model, cache, tokens, 0,
                     {.chunk_tokens = arguments.chunk_tokens, .window_queries = 0, .logits = PrefillLogits::all});
    KV_TRY(task.run());
    logits.assign(task.logits().begin(), task.logits().end());
  }
  KV_TRY(write_text_file(arguments.out, npy_bytes(logits, tokens.size(), vocabulary)));
  if (arguments.json) {
    print_json(OrderedJson{{"file", arguments.out},
                           {"rows", tokens.size()},
                           {"columns", vocabulary},
                           {"type", "fp32"},
                           {"path", model->path_description()}});
    return {};
  }
  std::printf("%s: %zu x %zu fp32 logits (%s)\n", arguments.out.c_str(), tokens.size(), vocabulary,
              model->path_description().c_str());
  return {};
}

}  // namespace

void add_model_logits(CLI::App& model, CommandResult& result) {
  auto arguments = std::make_shared<LogitsArguments>();
  CLI::App& command =
      *model.add_subcommand("logits", "Write the logits of a token sequence as a NumPy file, one row per token");
  add_model_options(command, arguments->model);
  command.add_option("--tokens", arguments->tokens_file, "JSON list of token ids, or what `tokenize --json` prints")
      ->required();
  command.add_option("--out", arguments->out, "File to write, .npy")->required();
  command.add_option("--chunk-tokens", arguments->chunk_tokens, "Tokens per prefill chunk")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  command.add_flag("--token-by-token", arguments->token_by_token, "Use the decode path instead of prefill");
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const Status status = write_logits(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
