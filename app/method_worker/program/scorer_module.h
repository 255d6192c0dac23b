// A TorchScript module as a scorer: which of its arguments is what, what it declares, and one call of it. Compiles
// with libtorch; runs strangers' code, so only a confined process includes it.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/ports/scorer_host.h"

namespace kvantage::inline method_program {

/// The tensors of one layer, by ScorerInput; undefined: not given.
struct ScorerArguments {
  std::array<at::Tensor, scorer_input_names.size()> tensors;
  int layer = 0, sequence_length = 0;

  at::Tensor& of(ScorerInput input) { return tensors[static_cast<std::size_t>(input)]; }
  const at::Tensor& of(ScorerInput input) const { return tensors[static_cast<std::size_t>(input)]; }
};

class ScorerModule {
 public:
  /// The bytes of a file. rejected_input: no TorchScript, or no method `score` or `forward` that takes tensors of
  /// scorer_input_names (and the numbers layer and sequence_length) and returns one. May run code of the file.
  static Expected<ScorerModule> load(std::span<const char> file);

  const ScorerFileNeeds& needs() const { return needs_; }
  /// A text attribute of the module; empty: there is none.
  std::string text(const char* attribute) const;

  /// Scores [kv_heads, tokens], fp32 and contiguous. rejected_input: an exception of its code, or another shape or
  /// type.
  Expected<at::Tensor> score(const ScorerArguments& arguments, std::int64_t kv_heads, std::int64_t tokens);

 private:
  struct Argument {
    std::optional<ScorerInput> tensor;  // nothing: a number
    bool is_layer = false;              // of numbers: layer, else sequence_length
  };
  ScorerModule(torch::jit::Module module, torch::jit::Method method)
      : module_(std::move(module)), method_(std::move(method)) {}
  Status read_arguments();
  Status read_positions(std::span<const std::size_t> unnamed);
  Status read_needs();
  Status set_matmul_precision() const;
  std::optional<c10::IValue> attribute(const char* name) const;
  Expected<std::int64_t> number(const char* name, std::int64_t least, std::int64_t most, std::int64_t otherwise) const;

  torch::jit::Module module_;
  torch::jit::Method method_;
  std::vector<Argument> arguments_;
  ScorerFileNeeds needs_;
};

/// What to say of an exception of libtorch or of a file's code, in one line without a trace.
std::string reason_of(const std::exception& error);

/// softmax(Q K^T / sqrt(d) + causal) of the last tokens' queries [kv_heads, group, window, d] over keys
/// [kv_heads, tokens, d] -> [kv_heads, group, window, tokens].
at::Tensor attention_of(const at::Tensor& queries, const at::Tensor& keys);

}  // namespace kvantage::inline method_program
