#include "core/store/serialized_entry.h"

#include "core/base/json.h"
#include "core/compress/method.h"
#include "core/load/kept_map.h"
#include "core/runtime/observing.h"

namespace kvantage::inline store {

std::string EntryLabel::text() const {
  return dump_json(Json{{"context", context.hex()}, {"method", method}, {"removed_fraction", removed_fraction}});
}

std::optional<EntryLabel> EntryLabel::parse(const std::string& text) {
  const auto json = parse_json(text, "entry label");
  if (!json) return std::nullopt;
  const auto context = json_field<std::string>(*json, "context", "entry label");
  const auto method = json_field<std::string>(*json, "method", "entry label");
  const auto removed = json_field<double>(*json, "removed_fraction", "entry label");
  if (!context || !method || !removed) return std::nullopt;
  const auto digest = Digest128::from_hex(*context);
  if (!digest) return std::nullopt;
  return EntryLabel{*digest, *method, *removed};
}

Expected<SerializedEntry> EntryMaker::serialize(std::size_t context, const KvCache& cache, const WindowQueries* queries,
                                                const Configuration& configuration,
                                                const LayerInputRows* inputs) const {
  EntryHeader header;
  header.identity = runtime_.identity;
  header.compression.method = configuration.method;
  header.compression.removed_fraction = configuration.removed_fraction;
  if (const auto method = parse_stored_method(configuration.method); method && (*method)->codec() != nullptr)
    header.compression.codec = (*method)->info().codec;
  header.token_ids = catalog_.details(context).tokens;
  const bool with_queries = queries != nullptr && !queries->empty();
  KV_ASSIGN(auto bytes, kvantage::serialize(cache, header, with_queries ? queries : nullptr, inputs));
  SerializedEntry entry;
  entry.info = {
      .key = header.key(),
      .bytes = header.entry_bytes,
      .header_bytes = header.header_bytes,
      .label = EntryLabel{catalog_.facts(context).key, header.compression.method, header.compression.removed_fraction}
                   .text()};
  entry.kept_map = kept_map_of(cache, header);
  entry.header = std::make_shared<EntryHeader>(std::move(header));
  entry.bytes = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  return entry;
}

Expected<SerializedEntry> EntryMaker::compress(std::size_t context, Original& original,
                                               const Configuration& configuration,
                                               const std::function<bool()>& stop) const {
  if (configuration.method == "none") return serialize(context, original.cache, nullptr, configuration);
  KV_ASSIGN(const auto method, parse_method(configuration.method));
  KV_TRY(complete_observation(runtime_, original.cache, catalog_.details(context).tokens, method->info().needs,
                              original.observed, stop));
  KV_ASSIGN(const auto scores, method->scores(original.cache, original.observed));
  KV_ASSIGN(const auto compressed, compressed_copy(original.cache, scores, *method, configuration.removed_fraction));
  const double share = method->codec() != nullptr ? method->codec()->layer_input_share() : 0;
  if (share <= 0) return serialize(context, compressed, nullptr, configuration);
  KV_ASSIGN(const auto inputs, inputs_of(context, original, share, stop));
  return serialize(context, compressed, nullptr, configuration, inputs.get());
}

Expected<std::shared_ptr<const LayerInputs>> EntryMaker::inputs_of(std::size_t context, Original& original,
                                                                   double share,
                                                                   const std::function<bool()>& stop) const {
  const auto& tokens = catalog_.details(context).tokens;
  const int front = tokens_as_inputs(share, tokens.size(), runtime_.chunk_tokens());
  if (original.inputs == nullptr || original.inputs->tokens() < front) {
    KV_ASSIGN(original.inputs, record_layer_inputs(*runtime_.model, *runtime_.pool,
                                                   std::span(tokens).first(static_cast<std::size_t>(front)),
                                                   runtime_.chunk_tokens(), stop));
  }
  return original.inputs;
}

std::shared_ptr<const std::vector<std::byte>> EntryMaker::kept_map_of(const KvCache& cache, const EntryHeader& header) {
  const KvShape& shape = header.shape;
  const std::size_t all =
      header.token_ids.size() * static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads);
  if (header.is_encoded() || header.kept_rows == all) return nullptr;
  const KeptMap map = KeptMap::of(cache);
  return map.fits(header) ? std::make_shared<const std::vector<std::byte>>(map.bytes(header)) : nullptr;
}

}  // namespace kvantage::inline store
