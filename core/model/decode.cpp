// One token through one layer, all in fp32 and own kernels: at a single row a GEMM library spends longer choosing a
// kernel than multiplying.
#include <array>

#include "core/model/transformer_impl.h"

namespace kvantage {
namespace {

/// Bytes of keys and values below which one thread attends faster than several.
constexpr std::int64_t attention_bytes_worth_splitting = 1 << 20;

std::size_t count(int a, int b = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

struct DecodeTask::State {
  State(Transformer& transformer, KvCache& target, std::int32_t id, std::int32_t at, DecodeHooks* watcher)
      : model(transformer.impl()), cache(target), token(id), position(at), hooks(watcher) {}

  Status begin();
  Status run_layer();
  void attend();
  void attend_selected();
  void head_pass(const float* input, int heads, const std::vector<float>& norm, bool rotate, float scale, Element type,
                 void* output) const;

  Transformer::Impl& model;
  KvCache& cache;
  std::int32_t token;
  std::int32_t position;
  DecodeHooks* hooks;
  int layer = 0;
  bool begun = false;
  bool finished = false;

  RopeTable rope;
  std::vector<float> residual, normed, query, plain_query, key, value, attended, projected, gate, up, logits;
  std::vector<std::byte> cache_key, cache_value;  // [kv_heads, head_dim] KvType
};

Status DecodeTask::State::begin() {
  KV_TRY(check_request(model, cache, std::array{token}, position));
  const ModelConfig& config = model.config;
  residual.resize(count(config.hidden));
  normed.resize(count(config.hidden));
  projected.resize(count(config.hidden));
  query.resize(count(config.heads, config.head_dim));
  attended.resize(query.size());
  key.resize(count(config.kv_heads, config.head_dim));
  value.resize(key.size());
  gate.resize(count(config.intermediate));
  up.resize(gate.size());
  logits.resize(count(config.vocab_size));
  cache_key.resize(key.size() * bytes_of(model.kv_type));
  cache_value.resize(cache_key.size());
  model.embed(token, residual.data());
  fill_rope_table(model.frequencies, position, 1, rope);
  begun = true;
  return {};
}

void DecodeTask::State::head_pass(const float* input, int heads, const std::vector<float>& norm, bool rotate,
                                  float scale, Element type, void* output) const {
  HeadPass job;
  job.input = input;
  job.output = output;
  job.output_type = type;
  job.tokens = 1;
  job.heads = heads;
  job.head_dim = model.config.head_dim;
  job.norm = norm.empty() ? nullptr : norm.data();
  job.eps = model.config.rms_eps;
  job.cosines = rotate ? rope.cosines.data() : nullptr;
  job.sines = rope.sines.data();
  job.scale = scale;
  model.kernel().head_pass(job);
}

void DecodeTask::State::attend() {
  const ModelConfig& config = model.config;
  std::int64_t bytes = 0;
  for (int h = 0; h < config.kv_heads; ++h)
    bytes += static_cast<std::int64_t>(cache.shape().bytes_per_head_token()) * cache.kept(layer, h);
  const std::int64_t grain = bytes < attention_bytes_worth_splitting ? config.kv_heads : 1;
  for_parts(config.kv_heads, grain, [&](int first, int last) {
    HeadRows addresses;
    for (int h = first; h < last; ++h) {
      DecodeAttention job;
      job.rows = addresses.rows(cache, layer, h, model.kv_element());
      job.head_dim = config.head_dim;
      job.group = config.group();
      const std::size_t offset = count(h * config.group(), config.head_dim);
      job.queries = &query[offset];
      job.output = &attended[offset];
      model.kernel().attention_decode(job);
    }
  });
}

// Query heads read different rows, so each is a job of its own.
void DecodeTask::State::attend_selected() {
  const ModelConfig& config = model.config;
  HeadRows addresses;
  std::vector<std::int32_t> slots;
  for (int q = 0; q < config.heads; ++q) {
    const int h = q / config.group();
    const std::size_t offset = count(q, config.head_dim);
    const auto chosen = hooks->rows(cache, layer, q, {&plain_query[offset], count(config.head_dim)});
    DecodeAttention job;
    job.rows = addresses.rows(cache, layer, h, model.kv_element());
    const HeadView view = cache.head(layer, h);
    slots.clear();
    for (const std::int32_t row : chosen) slots.push_back(view.slot(static_cast<std::size_t>(row)));
    job.rows.kept = static_cast<int>(slots.size());
    job.rows.row_slots = slots.data();
    job.head_dim = config.head_dim;
    job.group = 1;
    job.queries = &query[offset];
    job.output = &attended[offset];
    model.kernel().attention_decode(job);
  }
}

Status DecodeTask::State::run_layer() {
  const ModelConfig& config = model.config;
  const LayerWeights& weights = model.layers[static_cast<std::size_t>(layer)];
  const Kernels& kernel = model.kernel();

  kernel.rms_norm(residual.data(), weights.input_norm.data(), config.hidden, config.rms_eps, normed.data(),
                  Element::fp32);
  model.multiply(weights.query, normed.data(), query.data());
  model.multiply(weights.key, normed.data(), key.data());
  model.multiply(weights.value, normed.data(), value.data());
  head_pass(key.data(), config.kv_heads, weights.key_norm, true, 1.0F, model.kv_element(), cache_key.data());
  head_pass(value.data(), config.kv_heads, {}, false, 1.0F, model.kv_element(), cache_value.data());
  head_pass(query.data(), config.heads, weights.query_norm, true, query_scale(config.head_dim), Element::fp32,
            query.data());
  KV_TRY(cache.append(layer, cache_key, cache_value, std::array{position}));
  if (hooks != nullptr) {
    plain_query.resize(query.size());
    const float scale = 1.0F / query_scale(config.head_dim);
    for (std::size_t i = 0; i < query.size(); ++i) plain_query[i] = query[i] * scale;
  }
  if (hooks != nullptr && hooks->selects(layer))
    attend_selected();
  else
    attend();
  if (hooks != nullptr) KV_TRY(hooks->after_layer(cache, layer, plain_query));
  model.multiply(weights.output, attended.data(), projected.data());
  kernel.add(residual.data(), projected.data(), nullptr, 1, config.hidden, Element::fp32);

  kernel.rms_norm(residual.data(), weights.attention_norm.data(), config.hidden, config.rms_eps, normed.data(),
                  Element::fp32);
  model.multiply(weights.gate, normed.data(), gate.data());
  model.multiply(weights.up, normed.data(), up.data());
  kernel.silu_multiply(gate.data(), up.data(), gate.data(), gate.size(), Element::fp32);
  model.multiply(weights.down, gate.data(), projected.data());
  kernel.add(residual.data(), projected.data(), nullptr, 1, config.hidden, Element::fp32);
  if (layer + 1 == config.layers) model.logits(residual.data(), 1, logits.data());
  return {};
}

DecodeTask::DecodeTask(Transformer& model, KvCache& cache, std::int32_t token, std::int32_t position, DecodeHooks* hooks)
    : state_(std::make_unique<State>(model, cache, token, position, hooks)) {}
DecodeTask::~DecodeTask() = default;
DecodeTask::DecodeTask(DecodeTask&&) noexcept = default;
DecodeTask& DecodeTask::operator=(DecodeTask&&) noexcept = default;

Status DecodeTask::step() {
  State& s = *state_;
  if (s.finished) return {};
  Status status = guarded([&]() -> Status {
    if (!s.begun) KV_TRY(s.begin());
    return s.run_layer();
  });
  if (!status) return status;
  s.finished = ++s.layer == s.model.config.layers;
  return {};
}

Status DecodeTask::run() {
  while (!done()) KV_TRY(step());
  return {};
}

bool DecodeTask::done() const {
  return state_->finished;
}
int DecodeTask::next_layer() const {
  return state_->layer;
}
std::span<const float> DecodeTask::logits() const {
  return state_->logits;
}

}  // namespace kvantage
