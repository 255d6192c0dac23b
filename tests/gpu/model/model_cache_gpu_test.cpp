// Caches between host and device: ragged heads and heads with holes go up, are answered from as core answers from them,
// and what was computed comes back; rows that only traveled come back bit for bit.
#include "tests/gpu/model/model_under_test.h"

#include <array>
#include <cstring>

#include "core/model/kernels/kernels.h"
#include "tests/gpu/model/model_numbers.h"
#include "tests/gpu/model/model_variants.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

enum class Form { whole, ragged, holes };

const char* name_of(Form form) {
  return form == Form::whole ? "whole" : form == Form::ragged ? "ragged" : "with holes";
}

/// Each head keeps another share of its tokens; one head of a layer keeps none of them, as budgets over heads may have
/// it.
void compress(KvCache& cache, Form form, std::uint64_t seed) {
  if (form == Form::whole) return;
  Random random(seed);
  for (int layer = 0; layer < cache.shape().layers; ++layer) {
    KeptIndices kept, dropped;
    for (int h = 0; h < cache.shape().kv_heads; ++h) {
      const std::uint64_t share = h == 1 && layer == 1 ? 0 : 1 + random.below(9);
      auto& stays = kept.emplace_back();
      auto& goes = dropped.emplace_back();
      for (std::int32_t i = 0; i < cache.kept(layer, h); ++i) (random.below(10) < share ? stays : goes).push_back(i);
    }
    must(form == Form::ragged ? cache.keep(layer, kept) : cache.evict(layer, dropped));
  }
}

struct Rows {
  std::vector<std::byte> keys, values;
  std::vector<std::int32_t> positions;
  bool operator==(const Rows&) const = default;
};
Rows rows_of(const KvCache& cache, int layer, int head) {
  const auto kept = static_cast<std::size_t>(cache.kept(layer, head));
  const std::size_t bytes = kept * static_cast<std::size_t>(cache.shape().head_dim) * bytes_of(cache.shape().type);
  Rows rows{std::vector<std::byte>(bytes), std::vector<std::byte>(bytes), std::vector<std::int32_t>(kept)};
  if (kept > 0) cache.gather_head(layer, head, rows.keys.data(), rows.values.data(), rows.positions.data());
  return rows;
}
void same_rows(const KvCache& a, const KvCache& b, const std::string& what) {
  check(a.sequence_length() == b.sequence_length(), what + ": the same sequence length");
  for (int layer = 0; layer < a.shape().layers; ++layer)
    for (int h = 0; h < a.shape().kv_heads; ++h)
      check(rows_of(a, layer, h) == rows_of(b, layer, h),
            what + ": layer " + std::to_string(layer) + ", head " + std::to_string(h));
}

/// Up and down again, by both ways.
void travels(gpu::GpuModel& device, Transformer& model, const KvCache& cache, const std::string& name) {
  auto sequence = value_of(device.new_sequence());
  must(device.upload(cache, *sequence));
  HostCache back(model);
  must(device.download(*sequence, back.cache));
  same_rows(cache, back.cache, name + ", up and down");
  const auto image = value_of(device.image(*sequence));
  auto again = value_of(device.new_sequence());
  // Layers come as a store reads them: nothing of a layer is there before it is asked for.
  std::vector<std::vector<std::byte>> stored;
  for (int layer = 0; layer < model.config().layers; ++layer) {
    const auto bytes = image->layer(layer);
    stored.emplace_back(bytes.begin(), bytes.end());
    std::ranges::fill(bytes, std::byte{0xff});
  }
  must(device.load(*image, *again, [&](int layer, std::span<std::byte> bytes) -> Status {
    std::ranges::copy(stored[static_cast<std::size_t>(layer)], bytes.begin());
    return {};
  }));
  HostCache loaded_back(model);
  must(device.download(*again, loaded_back.cache));
  same_rows(cache, loaded_back.cache, name + ", as an image");
  check(!device.upload(cache, *again), name + ": a sequence that holds rows takes no others");
}

/// A question and its answer over the cache, on both sides; then what the device computed comes to the host.
void answers(gpu::GpuModel& device, Transformer& model, Transformer& wide, HostCache& host, HostCache& host_wide,
             const std::vector<std::int32_t>& question, const std::string& name) {
  auto sequence = value_of(device.new_sequence());
  must(device.upload(host.cache, *sequence));
  HostCache fetched(model);
  must(device.download(*sequence, fetched.cache));
  LedAnswer led(model, host.cache, wide, host_wide.cache);
  const Distance there = led.prefill(question, value_of(device.prefill(*sequence, question, PrefillLogits::all)));
  const std::array<gpu::GpuSequence*, 1> batch{sequence.get()};
  for (int step = 0; step < 6; ++step) {
    const std::int32_t token = led.next_token();
    led.decode(token);
    led.choose(value_of(device.decode(batch, std::array{token}, 1)).front());
  }
  const Distance& own = led.own();
  const Agreement agreement = led.agreement();
  std::printf(
      "%-28s core bf16 to fp32 %.4f (mean %.5f); device to fp32 %.4f (%.5f); tokens: %d same, %d ties, %d other\n",
      name.c_str(), own.largest, own.mean(), there.largest, there.mean(), agreement.same, agreement.ties,
      agreement.other);
  check(there.largest <= 2 * own.as_bf16().largest && there.mean() <= 1.5 * own.as_bf16().mean(),
        name + ": logits as near to fp32 as core's bf16, twice at most");
  check(agreement.other == 0, name + ": greedy tokens agree but for ties");

  must(device.download(*sequence, fetched.cache));
  check(fetched.cache.sequence_length() == host.cache.sequence_length(), name + ": what was computed comes back");
  for (int layer = 0; layer < model.config().layers; ++layer)
    for (int h = 0; h < model.config().kv_heads; ++h) {
      const Rows ours = rows_of(fetched.cache, layer, h), cores = rows_of(host.cache, layer, h);
      check(ours.positions == cores.positions, name + ": rows at the original positions");
      if (layer > 0 || ours.keys.size() != cores.keys.size()) continue;
      // Of the first layer, which nothing stands before: the same numbers but for the last bits of bf16.
      const auto* a = reinterpret_cast<const Bf16*>(ours.keys.data());
      const auto* b = reinterpret_cast<const Bf16*>(cores.keys.data());
      for (std::size_t i = 0; i < ours.keys.size() / sizeof(Bf16); ++i)
        check(std::fabs(to_float(a[i]) - to_float(b[i])) <= 0.03F * std::max(1.0F, std::fabs(to_float(b[i]))),
              name + ": keys that were computed");
    }
}

}  // namespace

int main() {
  const ScratchFolder scratch;
  Random random(5);
  for (const int kv_heads : {2, 4}) {  // grouped and one each
    const auto folder = scratch.make(std::to_string(kv_heads));
    must(write_variant(
        folder, {.name = "", .architecture = "LlamaForCausalLM", .heads = 4, .kv_heads = kv_heads, .head_dim = 32},
        17));
    const auto model = loaded(folder, std::nullopt), wide = loaded(folder, ComputeType::fp32);
    const auto device = open_under_test({.model = model.get()}, small_options());
    const auto context = random_tokens(random, 137, model->config().vocab_size),
               question = random_tokens(random, 21, model->config().vocab_size);
    for (const Form form : {Form::whole, Form::ragged, Form::holes}) {
      const std::string name = std::to_string(kv_heads) + " KV heads, " + name_of(form);
      HostCache host(*model), host_wide(*wide);
      core_prefill(*model, host.cache, context, PrefillLogits::none);
      core_prefill(*wide, host_wide.cache, context, PrefillLogits::none);
      compress(host.cache, form, 23);
      compress(host_wide.cache, form, 23);
      travels(*device, *model, host.cache, name);
      answers(*device, *model, *wide, host, host_wide, question, name);
    }
    HostCache empty(*model);
    auto sequence = value_of(device->new_sequence());
    must(device->upload(empty.cache, *sequence));
    check(sequence->sequence_length() == 0 && sequence->held_bytes() == 0, "nothing is uploaded of nothing");
  }
  // Caches that hold fp32 are rounded on their way up, and are numbers of bf16 when they come down.
  const auto folder = scratch.make("fp32");
  must(write_variant(folder, {.name = "", .architecture = "LlamaForCausalLM"}, 18));
  LoadOptions options;
  options.compute = ComputeType::fp32;
  options.kv_type = KvType::fp32;
  const auto wide = value_of(Transformer::load(folder, options));
  const auto device = open_under_test({.model = wide.get()}, small_options());
  HostCache host(*wide), back(*wide);
  core_prefill(*wide, host.cache, random_tokens(random, 40, wide->config().vocab_size), PrefillLogits::none);
  auto sequence = value_of(device->new_sequence());
  must(device->upload(host.cache, *sequence));
  must(device->download(*sequence, back.cache));
  const Rows before = rows_of(host.cache, 0, 0), after = rows_of(back.cache, 0, 0);
  for (std::size_t i = 0; i < before.keys.size(); i += sizeof(float)) {
    float a, b;
    std::memcpy(&a, &before.keys[i], sizeof(a));
    std::memcpy(&b, &after.keys[i], sizeof(b));
    check(to_float(to_bf16(a)) == b, "an fp32 cache is rounded to bf16");
  }
  return end();
}
