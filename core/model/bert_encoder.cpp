#include "core/model/bert_encoder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/model/safetensors.h"
#include "core/model/transformer_impl.h"
#include "core/text/wordpiece.h"

namespace kvantage::inline model {
namespace {

constexpr std::size_t longest_text = 256;  // tokens, [CLS] and [SEP] included
constexpr std::size_t batch_rows = 16;
constexpr std::size_t max_kept = 65536;  // cached vectors, 100 MB; beyond that the cache is cleared

struct Linear {
  at::Tensor weight, bias;  // [out, in], [out]
  at::Tensor operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }
};
struct Norm {
  at::Tensor weight, bias;  // [hidden]
  double epsilon = 1e-12;
  at::Tensor operator()(const at::Tensor& x) const { return at::layer_norm(x, x.size(-1), weight, bias, epsilon); }
};
struct Layer {
  Linear query, key, value, attended, wide, narrow;
  Norm after_attention, after_feed_forward;
};

/// Takes tensors from the file by name and checks their shapes against config.json; keeps the first error.
class Weights {
 public:
  Weights(const WeightFiles& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  at::Tensor tensor(const std::string& name, std::vector<std::int64_t> shape) {
    const auto found = files_.tensors().find(name);
    if (found == files_.tensors().end()) return misfit("tensor '" + name + "' is missing");
    const StoredTensor& stored = found->second;
    if (stored.dtype != "F32" || stored.shape != shape)
      return misfit("tensor '" + name + "' is " + stored.describe() + ", config.json asks for " +
                    StoredTensor{"F32", std::move(shape), {}}.describe());
    digest_.add(name).add(stored.bytes);
    const at::Tensor view = at::from_blob(const_cast<std::byte*>(stored.bytes.data()), stored.shape, at::kFloat);
    return reinterpret_cast<std::uintptr_t>(stored.bytes.data()) % 4 == 0 ? view : view.clone();
  }
  Linear linear(const std::string& name, std::int64_t out, std::int64_t in) {
    return {tensor(name + ".weight", {out, in}), tensor(name + ".bias", {out})};
  }
  Norm norm(const std::string& name, std::int64_t size, double epsilon) {
    return {tensor(name + ".weight", {size}), tensor(name + ".bias", {size}), epsilon};
  }
  Status status() const { return status_; }
  Digest128 digest() const { return digest_.finish(); }

 private:
  at::Tensor misfit(const std::string& reason) {
    if (status_)
      status_ = fail(ErrorCode::rejected_input, folder_ + ": " + reason + "; give the folder of a BERT model");
    return {};
  }
  const WeightFiles& files_;
  std::string folder_;
  Status status_;
  DigestBuilder digest_;
};

}  // namespace

std::filesystem::path embedding_model_directory() {
  if (const char* folder = std::getenv("KVANTAGE_EMBEDDING_MODEL"); folder != nullptr && *folder != '\0') return folder;
  return cache_directory() / "all-minilm-l6-v2";
}

Status embedding_model_is_there() {
  const std::filesystem::path folder = embedding_model_directory();
  std::error_code ignored;
  if (std::ranges::all_of(std::array{"config.json", "vocab.txt", "model.safetensors"},
                          [&](const char* file) { return std::filesystem::exists(folder / file, ignored); }))
    return {};
  return fail(ErrorCode::rejected_input,
              "quality_metric 'cosine': needs all-MiniLM-L6-v2, which is missing or incomplete in " + folder.string() +
                  "; './run build' fetches it, or name its folder in KVANTAGE_EMBEDDING_MODEL");
}

struct BertEncoder::Impl {
  WordPiece pieces;
  WeightFiles files;  // keeps the mapping
  Digest128 digest;
  std::int64_t hidden = 0, heads = 0, positions = 0;
  at::Tensor words, places, segment;  // [vocabulary, hidden], [positions, hidden], [hidden] of the first segment
  Norm embedding_norm;
  std::vector<Layer> layers;
  std::unordered_map<std::string, std::vector<float>> known;

  Impl(WordPiece tokenizer, WeightFiles weights) : pieces(std::move(tokenizer)), files(std::move(weights)) {}

  /// ids [batch, tokens], all of one length, without padding or masks -> [batch, hidden], normalized.
  at::Tensor encode(const at::Tensor& ids) const {
    const std::int64_t batch = ids.size(0), tokens = ids.size(1), width = hidden / heads;
    at::Tensor x = embedding_norm(at::embedding(words, ids) + places.slice(0, 0, tokens) + segment);
    const auto by_head = [&](const at::Tensor& t) { return t.view({batch, tokens, heads, width}).transpose(1, 2); };
    for (const Layer& layer : layers) {
      const at::Tensor scores = at::matmul(by_head(layer.query(x)), by_head(layer.key(x)).transpose(-1, -2)) /
                                std::sqrt(static_cast<double>(width));
      const at::Tensor mixed =
          at::matmul(at::softmax(scores, -1), by_head(layer.value(x))).transpose(1, 2).reshape({batch, tokens, hidden});
      x = layer.after_attention(layer.attended(mixed) + x);
      x = layer.after_feed_forward(layer.narrow(at::gelu(layer.wide(x))) + x);
    }
    const at::Tensor mean = x.mean(1);
    return mean / mean.norm(2, {1}, true).clamp_min(1e-12);
  }
};

BertEncoder::BertEncoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BertEncoder::~BertEncoder() = default;

Expected<std::unique_ptr<BertEncoder>> BertEncoder::load(const std::filesystem::path& folder) {
  const std::string name = (folder / "config.json").string();
  KV_ASSIGN(const auto config, read_json_file(folder / "config.json"));
  std::map<std::string, std::int64_t> sizes;
  for (const char* key : {"hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size",
                          "max_position_embeddings", "type_vocab_size", "vocab_size"}) {
    KV_ASSIGN(const auto value, json_field<std::int64_t>(config, key, name));
    if (value < 1 || value > 1 << 20)
      return fail(ErrorCode::rejected_input, name + ": field '" + key + "' is out of range; correct it");
    sizes[key] = value;
  }
  KV_ASSIGN(const auto activation, json_field<std::string>(config, "hidden_act", name));
  KV_ASSIGN(const auto epsilon, json_field_or<double>(config, "layer_norm_eps", name, 1e-12));
  if (activation != "gelu" || sizes["hidden_size"] % sizes["num_attention_heads"] != 0)
    return fail(ErrorCode::rejected_input,
                name + ": is not a plain BERT (gelu, heads that divide hidden_size); use all-MiniLM-L6-v2");

  KV_ASSIGN(auto pieces, WordPiece::load(folder / "vocab.txt"));
  if (static_cast<std::int64_t>(pieces.size()) > sizes["vocab_size"])
    return fail(ErrorCode::rejected_input,
                folder.string() + ": vocab.txt has more pieces than config.json's vocab_size; use files of one model");
  KV_ASSIGN(auto files, WeightFiles::open(folder));
  auto made = std::make_unique<Impl>(std::move(pieces), std::move(files));

  const std::int64_t hidden = made->hidden = sizes["hidden_size"];
  made->heads = sizes["num_attention_heads"];
  made->positions = sizes["max_position_embeddings"];
  Weights weights(made->files, folder.string());
  made->words = weights.tensor("embeddings.word_embeddings.weight", {sizes["vocab_size"], hidden});
  made->places = weights.tensor("embeddings.position_embeddings.weight", {made->positions, hidden});
  const at::Tensor segments =
      weights.tensor("embeddings.token_type_embeddings.weight", {sizes["type_vocab_size"], hidden});
  made->embedding_norm = weights.norm("embeddings.LayerNorm", hidden, epsilon);
  for (std::int64_t l = 0; l < sizes["num_hidden_layers"] && weights.status(); ++l) {
    const std::string at = "encoder.layer." + std::to_string(l) + ".";
    const std::int64_t wide = sizes["intermediate_size"];
    made->layers.push_back({.query = weights.linear(at + "attention.self.query", hidden, hidden),
                            .key = weights.linear(at + "attention.self.key", hidden, hidden),
                            .value = weights.linear(at + "attention.self.value", hidden, hidden),
                            .attended = weights.linear(at + "attention.output.dense", hidden, hidden),
                            .wide = weights.linear(at + "intermediate.dense", wide, hidden),
                            .narrow = weights.linear(at + "output.dense", hidden, wide),
                            .after_attention = weights.norm(at + "attention.output.LayerNorm", hidden, epsilon),
                            .after_feed_forward = weights.norm(at + "output.LayerNorm", hidden, epsilon)});
  }
  KV_TRY(weights.status());
  made->segment = segments[0];
  made->digest = weights.digest();
  return std::unique_ptr<BertEncoder>(new BertEncoder(std::move(made)));
}

int BertEncoder::width() const { return static_cast<int>(impl_->hidden); }
Digest128 BertEncoder::digest() const { return impl_->digest; }

Expected<std::vector<std::vector<float>>> BertEncoder::embed(std::span<const std::string> texts) {
  auto& known = impl_->known;
  if (known.size() > max_kept) known.clear();
  std::map<std::size_t, std::map<std::string, std::vector<std::int32_t>>> wanted;  // by length
  for (const std::string& text : texts) {
    if (known.contains(text)) continue;
    std::vector<std::int32_t> ids =
        impl_->pieces.encode(text, std::min(longest_text, static_cast<std::size_t>(impl_->positions)));
    wanted[ids.size()].emplace(text, std::move(ids));
  }
  KV_TRY(guarded([&]() -> Status {
    for (const auto& [length, group] : wanted) {
      for (auto next = group.begin(); next != group.end();) {
        std::vector<const std::string*> batch;
        std::vector<std::int64_t> ids;
        for (; next != group.end() && batch.size() < batch_rows; ++next) {
          batch.push_back(&next->first);
          ids.insert(ids.end(), next->second.begin(), next->second.end());
        }
        const auto rows = static_cast<std::int64_t>(batch.size());
        const at::Tensor input = at::from_blob(ids.data(), {rows, static_cast<std::int64_t>(length)}, at::kLong);
        const at::Tensor vectors = impl_->encode(input).contiguous();
        const float* at = vectors.const_data_ptr<float>();
        for (const std::string* text : batch) {
          known[*text] = std::vector<float>(at, at + impl_->hidden);
          at += impl_->hidden;
        }
        computed_ += batch.size();
      }
    }
    return {};
  }));
  std::vector<std::vector<float>> result;
  for (const std::string& text : texts) result.push_back(known.at(text));
  return result;
}

}  // namespace kvantage::inline model
