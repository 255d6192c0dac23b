#include "core/kvpr/offloaded_weights.h"

#include "core/kvpr/offloaded_prompt.h"

namespace kvantage::inline kvpr {

Expected<std::unique_ptr<OffloadedWeights>> OffloadedWeights::write(Transformer& model, StorageTier& tier,
                                                                    std::string_view name, LentWeights::Own own) {
  KV_ASSIGN(auto lent, LentWeights::take(model, own));
  std::unique_ptr<OffloadedWeights> weights(new OffloadedWeights(tier, std::move(lent)));
  for (int layer = 0; layer < model.config().layers; ++layer) {
    WeightEntry entry;
    entry.key = DigestBuilder().add(name).add("weights").add(static_cast<std::uint64_t>(layer)).finish();
    PackedLayer packed{{entry.key, {}}, std::make_shared<std::vector<std::byte>>()};
    const auto pack = [&](WeightPart part, ReadExtent& extent, std::size_t& bytes) {
      bytes = weights->lent_->bytes(part);
      weights->lent_->copy(layer, part, add_block(*packed.bytes, bytes, extent));
    };
    pack(WeightPart::keys_values, entry.keys_values, entry.key_value_bytes);
    pack(WeightPart::others, entry.others, entry.other_bytes);
    seal(*packed.bytes, entry.keys_values);
    seal(*packed.bytes, entry.others);
    KV_TRY(write_and_wait(tier, packed));
    weights->bytes_ += packed.bytes->size();
    weights->layers_.push_back(std::move(entry));
  }
  return weights;
}

OffloadedWeights::~OffloadedWeights() {
  for (const WeightEntry& layer : layers_) (void)tier_.erase(layer.key);
}

}  // namespace kvantage::inline kvpr
