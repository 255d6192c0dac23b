#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/text/encoding_budget.h"
#include "core/text/tokenizer.h"

namespace kvantage::cli {
namespace {

struct TokenizeArguments {
  std::string folder;
  std::string text_file;
  bool add_special = false;
  bool json = false;
};

int tokenize(const TokenizeArguments& arguments) {
  const auto tokenizer = Tokenizer::load(arguments.folder);
  if (!tokenizer) return report_error(tokenizer.error());
  const auto text = read_text_file(arguments.text_file, EncodingBudget::max_given_bytes);
  if (!text) return report_error(text.error());
  if (const Status valid = check_utf8(*text, arguments.text_file); !valid) return report_error(valid.error());
  const auto encoded = (*tokenizer)->try_encode(*text, arguments.add_special);
  if (!encoded) return report_error(encoded.error());
  const std::vector<std::int32_t>& ids = *encoded;
  if (!arguments.json) {
    for (const std::int32_t id : ids) std::printf("%8d  %s\n", id, dump_json(Json((*tokenizer)->token(id))).c_str());
    std::printf("%zu tokens for %zu bytes\n", ids.size(), text->size());
    return 0;
  }
  // Written piece by piece: as values of one document, the lists take a hundred times the memory of the text.
  const auto print_list = [&](const char* name, const auto& value_of) {
    std::printf("\"%s\":[", name);
    const char* between = "";
    for (const std::int32_t id : ids) std::printf("%s%s", std::exchange(between, ","), value_of(id).c_str());
    std::printf("],");
  };
  std::printf("{\"tokenizer_digest\":\"%s\",\"bytes\":%zu,\"count\":%zu,", (*tokenizer)->digest().hex().c_str(),
              text->size(), ids.size());
  print_list("ids", [](std::int32_t id) { return std::to_string(id); });
  print_list("tokens", [&](std::int32_t id) { return dump_json(Json((*tokenizer)->token(id))); });
  std::printf("\"decoded\":%s}\n", dump_json(Json((*tokenizer)->decode(ids, false))).c_str());
  return 0;
}

}  // namespace

void add_tokenize(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<TokenizeArguments>();
  CLI::App& command = *parent.add_subcommand("tokenize", "Tokenize a text with a model's tokenizer");
  command.add_option("FOLDER", arguments->folder, "Model folder with tokenizer.json, or GGUF file")
      ->required()
      ->transform(shipped_model());
  command.add_option("--text-file", arguments->text_file, "UTF-8 text to tokenize")->required();
  command.add_flag("--add-special", arguments->add_special, "Add the tokenizer's special tokens");
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] { result.exit_code = tokenize(*arguments); });
}

}  // namespace kvantage::cli
