// A model on a device against core's, over random weights of all architectures: logits of a prefill and of decode
// steps, batches of sequences, errors. Logits may be off by no more than twice the largest distance between core's own
// bf16 and fp32 logits of the same tokens.
#include "tests/gpu/model/model_under_test.h"

#include <array>
#include <utility>

#include "gpu/model/gpu_generate.h"
#include "tests/gpu/model/model_numbers.h"
#include "tests/gpu/model/model_variants.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int steps = 8;

std::vector<float> decoded(gpu::GpuModel& device, gpu::GpuSequence& sequence, std::int32_t token, std::int32_t& next) {
  const std::array<gpu::GpuSequence*, 1> batch{&sequence};
  next = value_of(device.decode(batch, std::array{token}, 1)).front();
  return value_of(device.decode_logits());
}

/// Core in bf16 leads; fp32 and the device follow its tokens.
void against_core(gpu::GpuModel& device, Transformer& model, Transformer& wide, const std::vector<std::int32_t>& tokens,
                  const std::string& name) {
  HostCache host(model), host_wide(wide);
  auto sequence = value_of(device.new_sequence());
  LedAnswer led(model, host.cache, wide, host_wide.cache);
  const Distance prefill = led.prefill(tokens, value_of(device.prefill(*sequence, tokens, PrefillLogits::all)));
  Distance decode;
  for (int step = 0; step < steps; ++step) {
    const std::int32_t token = led.next_token();
    std::int32_t next = -1;
    const auto of_device = decoded(device, *sequence, token, next);
    check(next == greedy_token(of_device), name + ": the device's token is that of its logits");
    decode.add(of_device, led.decode(token));
    led.choose(next);
  }
  const Distance& own = led.own();
  const Agreement agreement = led.agreement();
  std::printf(
      "%-40s core bf16 to fp32 %.4f (mean %.5f); device to fp32: prefill %.4f (%.5f), decode %.4f (%.5f); tokens: %d "
      "same, %d ties, %d other\n",
      name.c_str(), own.largest, own.mean(), prefill.largest, prefill.mean(), decode.largest, decode.mean(),
      agreement.same, agreement.ties, agreement.other);
  check(prefill.largest <= 2 * own.as_bf16().largest && decode.largest <= 2 * own.as_bf16().largest,
        name + ": as near to fp32 as core's bf16, twice at most");
  check(prefill.mean() <= 1.5 * own.as_bf16().mean() && decode.mean() <= 1.5 * own.as_bf16().mean(),
        name + ": in the mean one and a half times at most");
  check(agreement.other == 0, name + ": greedy tokens agree but for ties");
}

/// Sequences of different lengths together give what each alone gives.
void batches(gpu::GpuModel& device, Random& random, const std::string& name) {
  constexpr std::array<std::size_t, 3> lengths{5, 33, 61};
  std::vector<std::unique_ptr<gpu::GpuSequence>> alone, together;
  std::vector<gpu::GpuSequence*> batch;
  std::vector<std::int32_t> first;
  for (const std::size_t length : lengths) {
    const auto tokens = random_tokens(random, length, device.config().vocab_size);
    for (auto* all : {&alone, &together}) {
      all->push_back(value_of(device.new_sequence()));
      must(device.prefill(*all->back(), tokens, PrefillLogits::none).map([](const auto&) {}));
    }
    batch.push_back(together.back().get());
    first.push_back(tokens.back());
  }
  const auto width = static_cast<std::size_t>(device.config().vocab_size);
  for (int step = 0; step < 4; ++step) {
    const auto next = value_of(device.decode(batch, first, 1));
    const auto logits = value_of(device.decode_logits());
    for (std::size_t s = 0; s < batch.size(); ++s) {
      std::int32_t token = -1;
      const auto own = decoded(device, *alone[s], first[s], token);
      Distance apart;
      apart.add(std::span(logits).subspan(s * width, width), own);
      check(apart.largest <= 0.02 * std::max(1.0, static_cast<double>(*std::ranges::max_element(own))),
            name + ": in a batch of three as alone");
    }
    first = next;
  }
  // Several steps in one call, most of them replayed, are the same steps as those of several calls that are not.
  auto again = value_of(device.new_sequence()), stepwise = value_of(device.new_sequence());
  const auto tokens = random_tokens(random, 20, device.config().vocab_size);
  must(device.prefill(*again, tokens, PrefillLogits::none).map([](const auto&) {}));
  must(device.prefill(*stepwise, tokens, PrefillLogits::none).map([](const auto&) {}));
  const std::array<gpu::GpuSequence*, 1> one{again.get()};
  const auto run = value_of(device.decode(one, std::array{7}, 5));
  check(device.has_graphs(), name + ": steps were replayed");
  device.use_graphs(false);
  std::int32_t token = 7;
  for (const std::int32_t expected : run) {
    std::int32_t next = -1;
    decoded(device, *stepwise, token, next);
    check(next == expected, name + ": several steps in a call are those of several calls");
    token = next;
  }
  device.use_graphs(true);
}

/// The generation loop over the device: core's tokens where they are greedy; drawn ones the same for the same seed.
void generations(gpu::GpuModel& device, Transformer& model, const std::vector<std::int32_t>& prompt,
                 const std::string& name) {
  GenerateOptions options;
  options.max_tokens = 6;
  HostCache host(model);
  const auto expected = value_of(generate(model, host.cache, prompt, options)),
             got = value_of(gpu::gpu_generate(device, prompt, options, {}));
  check(got.tokens == expected.tokens && got.reason == FinishReason::length, name + ": the tokens of generate()");
  options.stop_tokens = {expected.tokens[2]};
  const auto first = std::ranges::find(expected.tokens, expected.tokens[2]) - expected.tokens.begin();
  const auto stopped = value_of(gpu::gpu_generate(device, prompt, options, {}));
  check(static_cast<std::ptrdiff_t>(stopped.tokens.size()) == first && stopped.reason == FinishReason::stop,
        name + ": a stop token ends it");
  options = {};
  options.max_tokens = 6;
  options.sampling.temperature = 1;
  options.sampling.seed = 9;
  const auto drawn = value_of(gpu::gpu_generate(device, prompt, options, {})),
             again = value_of(gpu::gpu_generate(device, prompt, options, {}));
  check(drawn.tokens.size() == 6 && drawn.tokens == again.tokens, name + ": drawn tokens are those of their seed");
  int seen = 0;
  const auto cancelled =
      value_of(gpu::gpu_generate(device, prompt, options, [&](std::int32_t token) { return token < 0 || ++seen < 2; }));
  check(cancelled.reason == FinishReason::cancelled && cancelled.tokens.size() == 2, name + ": a cancel ends it");
}

void refusals(gpu::GpuModel& device) {
  auto sequence = value_of(device.new_sequence());
  const auto free = device.free_cache_bytes();
  check(!device.prefill(*sequence, std::array{device.config().vocab_size}, PrefillLogits::last),
        "a token outside the vocabulary is refused");
  check(!device.prefill(*sequence,
                        std::vector<std::int32_t>(static_cast<std::size_t>(device.config().max_positions) + 1, 1),
                        PrefillLogits::last),
        "too long a context is refused");
  check(!device.prefill(*sequence, {}, PrefillLogits::last), "no tokens are refused");
  check(device.free_cache_bytes() == free && sequence->sequence_length() == 0, "what was refused took nothing");
  must(device.prefill(*sequence, std::array{1, 2, 3, 4, 5}, PrefillLogits::none).map([](const auto&) {}));
  must(device.truncate(*sequence, 2));
  check(sequence->sequence_length() == 2 && sequence->kept(0, 0) == 2, "a sequence is cut back");
  const auto cut = value_of(device.prefill(*sequence, std::array{9}, PrefillLogits::last));
  auto plain = value_of(device.new_sequence());
  const auto expected = value_of(device.prefill(*plain, std::array{1, 2, 9}, PrefillLogits::last));
  Distance apart;
  apart.add(cut, expected);
  check(apart.largest <= 0.05 * std::max(1.0, static_cast<double>(*std::ranges::max_element(expected))),
        "after a cut the sequence continues as if it had never been longer");
  sequence.reset();
  plain.reset();
  check(device.free_cache_bytes() == free, "sequences give their blocks back");
}

}  // namespace

int main() {
  const ScratchFolder scratch;
  Random random(3);
  bool first = true;
  for (const auto& [name, folder] : all_variants(scratch)) {
    const auto model = loaded(folder, std::nullopt), wide = loaded(folder, ComputeType::fp32);
    const auto device = open_under_test({.model = model.get()}, small_options());
    against_core(*device, *model, *wide, random_tokens(random, 150, model->config().vocab_size), name);
    batches(*device, random, name);
    if (std::exchange(first, false))
      generations(*device, *model, random_tokens(random, 30, model->config().vocab_size), name);
    refusals(*device);
  }
  return end();
}
