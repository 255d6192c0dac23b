#include "app/method_worker/program/scorer_module.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <sstream>
#include <utility>

namespace kvantage::inline method_program {
namespace {

constexpr int default_window = 64;  // of queries, as SnapKV's
constexpr std::int64_t max_cadence = 65536;

tl::unexpected<Error> refused_module(std::string reason) { return fail(ErrorCode::rejected_input, std::move(reason)); }

std::optional<ScorerInput> input_named(const std::string& name) {
  const auto found = std::ranges::find(scorer_input_names, name, [](const char* known) { return std::string(known); });
  if (found == scorer_input_names.end()) return std::nullopt;
  return static_cast<ScorerInput>(found - scorer_input_names.begin());
}

std::string known_names() {
  std::string names;
  for (const char* name : scorer_input_names) names += std::string(names.empty() ? "" : ", ") + name;
  return names + ", layer, sequence_length";
}

std::string shape_text(at::IntArrayRef shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

/// An exception that is no std::exception of ours still ends here.
template <class Function>
auto guarded_call(const Function& function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::exception& error) {
    return refused_module(reason_of(error));
  } catch (...) {
    return refused_module("threw something that is no exception");
  }
}

}  // namespace

std::string reason_of(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::istringstream lines(torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
  std::string first, last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (first.empty()) first = line;
    last = line;
  }
  // The interpreter prints a trace first, and what is wrong in the end. Of an archive, what follows is advice.
  if (first.starts_with("The following operation failed in the TorchScript interpreter")) return last;
  return first.substr(0, first.find(" This is an internal miniz error"));
}

at::Tensor attention_of(const at::Tensor& queries, const at::Tensor& keys) {
  const std::int64_t heads = queries.size(0), rows = queries.size(2), tokens = keys.size(1);
  at::Tensor logits = at::matmul(queries.flatten(1, 2), keys.transpose(1, 2));
  logits = logits.div_(std::sqrt(static_cast<double>(keys.size(2)))).view({heads, -1, rows, tokens});
  if (rows > 1) logits.slice(3, tokens - rows).masked_fill_(at::ones({rows, rows}, at::kBool).triu(1), -INFINITY);
  return at::softmax(logits, -1);
}

Expected<ScorerModule> ScorerModule::load(std::span<const char> file) {
  auto loaded = guarded_call([&]() -> Expected<torch::jit::Module> {
    const c10::InferenceMode inference;
    std::istringstream stream(std::string(file.begin(), file.end()));
    torch::jit::Module module = torch::jit::load(stream, at::kCPU);
    module.eval();
    return module;
  });
  if (!loaded)
    return refused_module("is no TorchScript file that libtorch " TORCH_VERSION " can load (" + loaded.error().message +
                          "); write it with torch.jit.script(score).save(FILE)");
  return guarded_call([&]() -> Expected<ScorerModule> {
    torch::jit::Module module = std::move(*loaded);
    auto method = module.find_method("score");
    if (!method) method = module.find_method("forward");
    if (!method)
      return refused_module(
          "has neither score() nor forward(); decorate score with torch.jit.export, or save a "
          "scripted function");
    ScorerModule scorer(std::move(module), std::move(*method));
    KV_TRY(scorer.read_arguments());
    KV_TRY(scorer.read_needs());
    return scorer;
  });
}

std::optional<c10::IValue> ScorerModule::attribute(const char* name) const {
  if (module_.hasattr(name)) return module_.attr(name);
  return module_.type()->findConstant(name);  // Final, or in __constants__
}

std::string ScorerModule::text(const char* name) const {
  const auto value = attribute(name);
  return value && value->isString() ? value->toStringRef() : std::string();
}

Expected<std::int64_t> ScorerModule::number(const char* name, std::int64_t least, std::int64_t most,
                                            std::int64_t otherwise) const {
  const auto value = attribute(name);
  if (!value || value->isNone()) return otherwise;
  const std::int64_t given = value->isBool() ? (value->toBool() ? 1 : 0) : value->isInt() ? value->toInt() : LLONG_MIN;
  if (given < least || given > most)
    return refused_module("attribute '" + std::string(name) + "' is not a whole number from " + std::to_string(least) +
                          " to " + std::to_string(most));
  return given;
}

/// By name. Tensors whose names say nothing are keys and values, then what the attributes declare, in order.
Status ScorerModule::read_arguments() {
  const auto& schema = method_.function().getSchema();
  std::vector<std::size_t> unnamed;
  bool any_named = false;
  for (std::size_t i = 1; i < schema.arguments().size(); ++i) {  // 0: the module
    const c10::Argument& given = schema.arguments()[i];
    const bool is_tensor = given.type()->isSubtypeOf(*c10::TensorType::get());
    const bool is_number = given.type()->isSubtypeOf(*c10::IntType::get());
    Argument argument;
    if (is_tensor) {
      argument.tensor = input_named(given.name());
      any_named = any_named || argument.tensor.has_value();
      if (!argument.tensor) unnamed.push_back(arguments_.size());
    } else if (is_number && (given.name() == "layer" || given.name() == "sequence_length")) {
      argument.is_layer = given.name() == "layer";
    } else {
      return refused_module("argument '" + given.name() + "' of " + method_.name() + "() is a " + given.type()->str() +
                            " that nobody can give; its arguments may be " + known_names());
    }
    arguments_.push_back(argument);
  }
  if (any_named && !unnamed.empty())
    return refused_module("argument '" + schema.arguments()[unnamed.front() + 1].name() + "' of " + method_.name() +
                          "() is not known; its arguments may be " + known_names());
  KV_TRY(read_positions(unnamed));
  const auto& returned = schema.returns();
  if (returned.size() != 1 || !returned.front().type()->isSubtypeOf(*c10::TensorType::get()))
    return refused_module(method_.name() + "() returns no tensor; return scores [kv_heads, tokens]");
  for (const Argument& argument : arguments_)
    if (argument.tensor) needs_.reads[static_cast<std::size_t>(*argument.tensor)] = true;
  if (std::ranges::none_of(needs_.reads, std::identity{}))
    return refused_module(method_.name() + "() takes no tensor; its arguments may be " + known_names());
  return {};
}

Status ScorerModule::read_positions(std::span<const std::size_t> unnamed) {
  if (unnamed.empty()) return {};
  std::vector<ScorerInput> in_order{ScorerInput::keys, ScorerInput::values};
  KV_ASSIGN(const auto window, number("window_queries", 0, INT_MAX, 0));
  KV_ASSIGN(const auto all, number("all_queries", 0, 1, 0));
  if (window > 0 || all == 1) in_order.push_back(ScorerInput::queries);
  for (std::size_t i = static_cast<std::size_t>(ScorerInput::attention); i < scorer_input_names.size(); ++i) {
    KV_ASSIGN(const auto declared, number(scorer_input_names[i], 0, 1, 0));
    if (declared == 1) in_order.push_back(static_cast<ScorerInput>(i));
  }
  if (unnamed.size() > in_order.size())
    return refused_module(method_.name() + "() takes " + std::to_string(unnamed.size()) +
                          " tensors whose names say nothing; name them " + known_names());
  for (std::size_t i = 0; i < unnamed.size(); ++i) arguments_[unnamed[i]].tensor = in_order[i];
  return {};
}

/// Attributes say how many queries; those of inputs must not contradict the arguments.
Status ScorerModule::read_needs() {
  for (std::size_t i = 0; i < scorer_input_names.size(); ++i) {
    KV_ASSIGN(const auto declared, number(scorer_input_names[i], 0, 1, needs_.reads[i] ? 1 : 0));
    if ((declared == 1) != needs_.reads[i])
      return refused_module("attribute '" + std::string(scorer_input_names[i]) + "' is " +
                            (declared == 1 ? "True, and " : "False, and ") + method_.name() + "() has " +
                            (declared == 1 ? "no" : "an") + " argument of this name");
  }
  KV_ASSIGN(const auto window, number("window_queries", 0, INT_MAX, 0));
  KV_ASSIGN(const auto all, number("all_queries", 0, 1, 0));
  const bool of_queries = needs_.of(ScorerInput::queries) || needs_.of(ScorerInput::attention);
  if ((window > 0 || all == 1) && !of_queries)
    return refused_module("declares queries, and " + method_.name() +
                          "() has neither an argument 'queries' nor 'attention'");
  if (of_queries) needs_.window_queries = all == 1 ? INT_MAX : window > 0 ? static_cast<int>(window) : default_window;
  KV_ASSIGN(const auto decoding, number("decode_eviction", 0, 1, 0));
  needs_.decode_eviction = decoding == 1;
  KV_ASSIGN(const auto cadence, number("cadence", 1, max_cadence, needs_.cadence));
  needs_.cadence = static_cast<int>(cadence);
  return set_matmul_precision();
}

/// The process runs this file alone.
Status ScorerModule::set_matmul_precision() const {
  const std::string precision = attribute("matmul_precision") ? text("matmul_precision") : "highest";
  if (precision != "highest" && precision != "high" && precision != "medium")
    return refused_module("attribute 'matmul_precision' is none of 'highest', 'high' and 'medium'");
  at::globalContext().setFloat32MatmulPrecision(precision);
  return {};
}

Expected<at::Tensor> ScorerModule::score(const ScorerArguments& given, std::int64_t kv_heads, std::int64_t tokens) {
  return guarded_call([&]() -> Expected<at::Tensor> {
    const c10::InferenceMode inference;
    at::manual_seed(0);  // a scorer that draws numbers scores a layer alike every time
    std::vector<c10::IValue> stack;
    stack.reserve(arguments_.size());
    for (const Argument& argument : arguments_) {
      if (argument.tensor)
        stack.emplace_back(given.of(*argument.tensor));
      else
        stack.emplace_back(static_cast<std::int64_t>(argument.is_layer ? given.layer : given.sequence_length));
    }
    const c10::IValue returned = method_(std::move(stack));
    if (!returned.isTensor()) return refused_module("returned no tensor; return scores [kv_heads, tokens]");
    const at::Tensor& scores = returned.toTensor();
    if (scores.sizes() != at::IntArrayRef({kv_heads, tokens}))
      return refused_module("returned a tensor of shape " + shape_text(scores.sizes()) +
                            "; return scores [kv_heads, tokens], here " + shape_text({kv_heads, tokens}));
    if (!scores.is_floating_point() || scores.is_sparse() || scores.is_quantized())
      return refused_module("returned a tensor of type " + std::string(at::toString(scores.scalar_type())) +
                            "; return floating-point scores");
    return scores.to(at::kFloat).contiguous();
  });
}

}  // namespace kvantage::inline method_program
