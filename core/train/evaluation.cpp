#include "core/train/evaluation.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/did_you_mean.h"
#include "core/train/checkpoint.h"
#include "core/train/options_check.h"
#include "core/train/shape_file.h"
#include "core/workload/families/lexicon.h"

namespace kvantage::inline training {
namespace {

/// The same probe with an uninformative text.
ExampleMaker::Probe blind(const ExampleMaker::Probe& probe) {
  const auto question = std::find(probe.tokens.begin(), probe.tokens.end(), std::int64_t{TokenizerSpec::question});
  ExampleMaker::Probe result;
  result.tokens.push_back(TokenizerSpec::context);
  result.tokens.insert(result.tokens.end(), question, probe.tokens.end());
  result.prompt_tokens = result.tokens.size() - (probe.tokens.size() - probe.prompt_tokens);
  return result;
}

/// Answer tokens that are the argmax after the correct prefix. Equals the answer length exactly if greedy decoding
/// produces that answer.
std::size_t right_tokens(const Network& network, const Network::Leaves& leaves, const ExampleMaker::Probe& probe) {
  const c10::NoGradGuard no_gradient;
  const auto best = network.greedy_after(leaves, probe.tokens, probe.prompt_tokens - 1);
  std::size_t right = 0;
  for (std::size_t i = 0; i < best.size(); ++i) right += best[i] == probe.tokens[probe.prompt_tokens + i] ? 1 : 0;
  return right;
}

Expected<FamilyScore> score(const Network& network, const Network::Leaves& leaves,
                            const std::vector<ExampleMaker::Probe>& probes, Workers& workers,
                            const EvaluationHooks& hooks) {
  constexpr std::size_t at_a_time = 8;
  std::vector<std::size_t> right(probes.size()), right_blind(probes.size());
  for (std::size_t first = 0; first < probes.size(); first += at_a_time) {
    if (hooks.cancelled && hooks.cancelled()) return fail(ErrorCode::cancelled, "interrupted while evaluating");
    workers.run(std::min(at_a_time, probes.size() - first), [&](std::size_t offset) {
      const std::size_t i = first + offset;
      right[i] = right_tokens(network, leaves, probes[i]);
      right_blind[i] = right_tokens(network, leaves, blind(probes[i]));
    });
  }
  FamilyScore score;
  score.questions = probes.size();
  std::map<std::vector<std::int64_t>, std::size_t> answers;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const auto begin = probes[i].tokens.begin() + static_cast<std::ptrdiff_t>(probes[i].prompt_tokens);
    const std::size_t tokens = probes[i].tokens.size() - probes[i].prompt_tokens;
    score.answer_tokens += tokens;
    score.right_tokens += right[i];
    score.exact += right[i] == tokens ? 1 : 0;
    score.exact_blind += right_blind[i] == tokens ? 1 : 0;
    score.majority_answer = std::max(score.majority_answer, ++answers[{begin, probes[i].tokens.end()}]);
  }
  return score;
}

}  // namespace

Expected<TrainDevice> train_device(const std::string& name) {
  if (name == "cpu" || (name == "auto" && !at::hasCUDA())) return TrainDevice{at::kCPU, Network::Steps::own_kernels, 2};
  constexpr std::array<std::string_view, 3> known{"auto", "cpu", "cuda"};
  if (std::ranges::find(known, name) == known.end())
    return fail(ErrorCode::usage, "--device: unknown device '" + name + "'; " + did_you_mean(name, known));
  if (!at::hasCUDA())
    return fail(ErrorCode::usage, "--device: cuda: libtorch here has no CUDA or finds no GPU; train with --device cpu");
  return TrainDevice{at::kCUDA, Network::Steps::plain, 1};
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

Expected<std::vector<FamilyScore>> evaluate_network(const Network& network, const ExampleMaker& examples,
                                                    const std::vector<std::size_t>& lengths, std::size_t questions,
                                                    std::uint64_t seed, Workers& workers,
                                                    const EvaluationHooks& hooks) {
  const Network::Leaves leaves = network.leaves(network.working_copies(), false);
  std::vector<FamilyScore> scores;
  for (const std::size_t length : lengths)
    for (const Family& family : families()) {
      Random random(derive_seed(seed, length));
      KV_ASSIGN(const auto probes, examples.probes(family, length, questions, random));
      KV_ASSIGN(auto scored, score(network, leaves, probes, workers, hooks));
      scored.family = family.name;
      scored.context_tokens = length;
      if (hooks.cell) hooks.cell(scored);
      scores.push_back(std::move(scored));
    }
  return scores;
}

Expected<std::vector<FamilyScore>> evaluate_model(const TrainOptions& options,
                                                  const std::vector<std::size_t>& context_tokens,
                                                  const EvaluationHooks& hooks) {
  KV_ASSIGN(const auto shape, read_shape(options.out));
  KV_TRY(check_evaluation(options, shape, context_tokens));
  KV_ASSIGN(const auto device, train_device(options.device));
  keep_freed_memory();
  at::set_num_threads(1);
  const TokenizerSpec tokenizer = build_tokenizer(lexicon_pieces());
  const ExampleMaker examples(tokenizer, {});
  Network network(shape, tokenizer.tokens.size(), 0, device.type, device.steps);
  KV_TRY(load_checkpoint(options.out, network, nullptr));
  Workers workers(std::max<std::size_t>(1, options.threads), [] { at::set_num_threads(1); });
  return evaluate_network(network, examples, context_tokens, options.probes, options.seed, workers, hooks);
}

}  // namespace kvantage::inline training
