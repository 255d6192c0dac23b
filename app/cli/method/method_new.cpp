// kvantage-cli method new: a Python file to begin with.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "app/cli/base/json_output.h"
#include "app/cli/method/method_commands.h"
#include "app/cli/session_options.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/compress/method_files.h"

namespace kvantage::cli {
namespace {

constexpr const char* method_template =
    R"py("""A compression method for KVantage. Run this file; its last line saves what KVantage loads:

    python @NAME@.py
    kvantage-cli method check @NAME@.pt
    kvantage --method-file @NAME@.pt

score() gets one layer and returns a score for each token of each KV head, larger = keep. Its arguments are given by
name; take only those that you need:

    keys           [kv_heads, tokens, head_dim]           fp32, after RoPE
    values         [kv_heads, tokens, head_dim]           fp32
    queries        [kv_heads, group, window, head_dim]    fp32, after RoPE, of the last tokens
    attention      [kv_heads, group, window, tokens]      of these queries, causal
    positions      [kv_heads, tokens]                     int32
    hidden_states  [tokens, hidden]                       fp32, normed inputs of the layer's attention
    frequencies    [head_dim / 2]                         radians per position
    layer, sequence_length                                int
"""

import torch
from torch import Tensor


class Score(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.name = "@NAME@"
        self.summary = "keeps keys of low L2 norm"
        # self.window_queries = 64      # with `queries` or `attention`: of how many last tokens
        # self.all_queries = True       # or of all of them
        # self.matmul_precision = "medium"  # products in bf16, sums in fp32
        # self.decode_eviction = True   # also while an answer is decoded

    def forward(self, keys: Tensor) -> Tensor:
        return -torch.linalg.vector_norm(keys, dim=-1)


torch.jit.script(Score()).save("@NAME@.pt")
)py";

std::string filled_in(std::string text, const std::string& name) {
  constexpr std::string_view place = "@NAME@";
  for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + name.size()))
    text.replace(at, place.size(), name);
  return text;
}

struct NewMethodArguments {
  std::string file;
  bool json = false;
};

Status write_new_method(const NewMethodArguments& arguments) {
  const std::filesystem::path file = arguments.file;
  if (file.extension() != ".py")
    return fail(ErrorCode::usage, arguments.file + ": the template is Python; give a name that ends with .py");
  const std::string name = file.stem().string();
  KV_TRY(check_method_alias(name));
  if (std::error_code ignored; std::filesystem::exists(file, ignored))
    return fail(ErrorCode::usage, arguments.file + ": is there already; give another name, or remove it");
  KV_TRY(write_text_file(file, filled_in(method_template, name)));
  if (arguments.json)
    print_json(OrderedJson{{"file", arguments.file}, {"saves", name + ".pt"}});
  else
    std::printf("%s: edit score, then run it with Python and torch: it writes %s.pt\n", arguments.file.c_str(),
                name.c_str());
  return {};
}

}  // namespace

void add_method_new(CLI::App& method, CommandResult& result) {
  auto arguments = std::make_shared<NewMethodArguments>();
  CLI::App& command = *method.add_subcommand("new", "Write a Python file whose last line saves a method");
  command.add_option("FILE", arguments->file, "Python file to write, such as my_method.py")->required();
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const Status written = write_new_method(*arguments);
    result.exit_code = written ? 0 : report_error(written.error());
  });
}

}  // namespace kvantage::cli
