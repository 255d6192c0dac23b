// A context that is in the device's blocks already, as an entry of a tier there is: attached to a cache without the
// host, it gives the answers that the same rows give from the host, bit for bit.
#include "tests/gpu/model/device_models.h"
#include "tests/gpu/model/model_variants.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<float> asked(Transformer& model, KvCache& cache, const std::vector<std::int32_t>& question, bool stays) {
  PrefillTask task(model, cache, question, cache.sequence_length(),
                   {.chunk_tokens = 48, .window_queries = 0, .logits = PrefillLogits::last, .rows_may_stay = stays});
  must(task.run());
  return {task.logits().begin(), task.logits().end()};
}

/// A context on the device and on the host, each head with another share of its rows.
void make_context(const DeviceModels& models, HostCache& host, const std::vector<std::int32_t>& tokens,
                  const std::vector<std::int32_t>& question) {
  PrefillTask task(*models.there, host.cache, tokens, 0,
                   {.chunk_tokens = 48, .window_queries = 0, .logits = PrefillLogits::none});
  must(task.run());
  Random random(13);
  for (int layer = 0; layer < host.cache.shape().layers; ++layer) {
    KeptIndices kept;
    for (int h = 0; h < host.cache.shape().kv_heads; ++h) {
      auto& stays = kept.emplace_back();
      for (std::int32_t i = 0; i < host.cache.kept(layer, h); ++i)
        if (random.below(10) < static_cast<std::uint64_t>(3 + 3 * h)) stays.push_back(i);
    }
    must(host.cache.keep(layer, kept));
  }
  KvCache copy = host.cache.share();  // a pass over a copy brings the rows to the device, for both
  asked(*models.there, copy, question, true);
}

bool same_rows(const KvCache& host, const KvCache& fetched) {
  const std::size_t row = static_cast<std::size_t>(host.shape().head_dim) * bytes_of(host.shape().type);
  for (int layer = 0; layer < host.shape().layers; ++layer)
    for (int h = 0; h < host.shape().kv_heads; ++h) {
      const auto ours = static_cast<std::size_t>(host.kept(layer, h)),
                 theirs = static_cast<std::size_t>(fetched.kept(layer, h));
      if (theirs < ours) return false;
      std::vector<std::byte> keys(ours * row), values(keys.size()), keys_there(theirs * row),
          values_there(keys_there.size());
      std::vector<std::int32_t> positions(ours), positions_there(theirs);
      host.gather_head(layer, h, keys.data(), values.data(), positions.data());
      fetched.gather_head(layer, h, keys_there.data(), values_there.data(), positions_there.data());
      if (!std::equal(keys.begin(), keys.end(), keys_there.begin()) ||
          !std::equal(values.begin(), values.end(), values_there.begin()) ||
          !std::equal(positions.begin(), positions.end(), positions_there.begin()))
        return false;
    }
  return true;
}

void answers_without_the_host(const DeviceModels& models, Random& random) {
  const std::uint64_t at_rest = models.device->free_cache_bytes();
  const int vocab = models.core->config().vocab_size;
  const auto question = random_tokens(random, 19, vocab);
  HostCache host(*models.there);
  make_context(models, host, random_tokens(random, 133, vocab), question);
  ModelDevice& passes = models.device->passes();
  const auto stored = host.cache.device_rows();
  check(stored != nullptr && stored->blocks() == passes.blocks(), "a cache on the device is in its blocks");
  std::vector<int> kept;
  for (int layer = 0; layer < host.cache.shape().layers; ++layer)
    for (int h = 0; h < host.cache.shape().kv_heads; ++h) kept.push_back(host.cache.kept(layer, h));
  check(stored->kept() == kept && stored->sequence_length() == host.cache.sequence_length(), "with its rows");

  const auto before = passes.gauges();
  HostCache attached(*models.there);
  must(passes.attach(stored, attached.cache));
  check(attached.cache.sequence_length() == host.cache.sequence_length() && attached.cache.kept_rows() == 0,
        "a cache that is attached has no rows on the host");
  check(attached.cache.device_rows()->kept() == kept && attached.cache.device_rows() != stored, "and its own blocks");
  KvCache context = attached.cache.share();  // what a request keeps for its context
  KvCache from_host = host.cache.share();
  const auto expected = asked(*models.there, from_host, question, true);
  check(asked(*models.there, attached.cache, question, true) == expected, "the same logits, bit for bit");
  std::vector<std::int32_t> tokens{greedy_token(expected)}, others = tokens;
  for (int step = 0; step < 4; ++step)
    for (auto* side : {&tokens, &others}) {
      KvCache& cache = side == &tokens ? attached.cache : from_host;
      BatchDecodeTask decode(*models.there,
                             std::vector<DecodeSequence>{{&cache, side->back(), cache.sequence_length()}});
      must(decode.run());
      side->push_back(greedy_token(decode.logits(0)));
    }
  check(tokens == others, "and the same tokens");
  check(passes.gauges().uploaded.bytes == before.uploaded.bytes &&
            passes.gauges().downloaded.bytes == before.downloaded.bytes,
        "without a byte of a row over the bus");

  attached.cache = std::move(context);
  check(asked(*models.there, attached.cache, question, true) == expected, "the context is as it was after an answer");
  KvCache fetched = host.cache.share();
  fetched.clear();
  must(passes.attach(stored, fetched));
  asked(*models.there, fetched, question, false);
  check(same_rows(host.cache, fetched), "rows that come to the host are those of the context");
  check(!passes.attach(stored, attached.cache), "a cache with rows takes no others");
  fetched.clear();
  from_host.clear();
  attached.cache.clear();
  host.cache.clear();
  check(models.device->free_cache_bytes() < at_rest, "what is stored there stays while it is held");
}

void refuses_what_does_not_fit(const std::filesystem::path& folder, Random& random) {
  gpu::GpuModelOptions other = small_options(), few = small_options();
  other.block_tokens = 32;
  few.cache_bytes = std::uint64_t{1} << 20;  // soon full
  const DeviceModels models(folder, few), wider(folder, other);
  const int vocab = models.core->config().vocab_size;
  HostCache host(*models.there), target(*wider.there);
  make_context(models, host, random_tokens(random, 90, vocab), random_tokens(random, 5, vocab));
  const Status refused = wider.device->passes().attach(host.cache.device_rows(), target.cache);
  check(!refused && refused.error().code == ErrorCode::rejected_input, "blocks of another form are refused");
  check(target.cache.device_rows() == nullptr && target.cache.sequence_length() == 0, "and leave the cache as it was");

  std::vector<std::unique_ptr<gpu::GpuSequence>> held;
  const auto filling = random_tokens(random, 200, vocab);
  for (;;) {
    held.push_back(value_of(models.device->new_sequence()));
    if (!models.device->prefill(*held.back(), filling, PrefillLogits::none)) break;
  }
  const auto small = random_tokens(random, 20, vocab);
  for (;;) {
    held.push_back(value_of(models.device->new_sequence()));
    if (!models.device->prefill(*held.back(), small, PrefillLogits::none)) break;
  }
  HostCache full(*models.there);
  const std::uint64_t free = models.device->free_cache_bytes();
  const Status none = models.device->passes().attach(host.cache.device_rows(), full.cache);
  check(!none && none.error().code == ErrorCode::no_space, "a full device says so");
  check(full.cache.device_rows() == nullptr && models.device->free_cache_bytes() == free, "and takes nothing");
  held.clear();
  must(models.device->passes().attach(host.cache.device_rows(), full.cache));
}

}  // namespace

int main() {
  const ScratchFolder scratch;
  Random random(4);
  for (const int kv_heads : {2, 3}) {
    const auto folder = scratch.make(std::to_string(kv_heads));
    must(write_variant(folder, {.name = "", .architecture = "LlamaForCausalLM", .kv_heads = kv_heads}, 31));
    const DeviceModels models(folder);
    const std::uint64_t at_rest = models.device->free_cache_bytes();
    answers_without_the_host(models, random);
    check(models.device->free_cache_bytes() == at_rest, "all blocks are free again");
    if (kv_heads == 2) refuses_what_does_not_fit(folder, random);
  }
  return end();
}
