#include "core/model/prefill_pass.h"

#include <algorithm>

#include "core/model/chunk_attention.h"
#include "core/model/experts.h"
#include "core/model/layer_math.h"
#include "core/model/projection.h"
#include "core/model/recompute.h"

namespace kvantage::inline model {
namespace {

constexpr int activated_rows_worth_splitting = 16, normed_rows_worth_splitting = 64;

/// A row of a row-major tensor of any element type.
std::byte* row_of(const at::Tensor& tensor, int row) {
  return static_cast<std::byte*>(tensor.data_ptr()) +
         static_cast<std::ptrdiff_t>(row) * tensor.stride(0) * static_cast<std::ptrdiff_t>(tensor.element_size());
}

std::size_t cached_row_bytes(const Transformer::Impl& model) {
  return static_cast<std::size_t>(model.config.kv_heads) * static_cast<std::size_t>(model.config.head_dim) *
         bytes_of(model.kv_type);
}

}  // namespace

void PassBuffers::reserve(const Transformer::Impl& model, int wanted) {
  if (wanted <= rows) return;
  rows = 0;
  const ModelConfig& config = model.config;
  const int q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim;
  const auto buffer = [&](int columns) { return at::empty({wanted, columns}, at::TensorOptions(model.scalar())); };
  normed = buffer(config.hidden);
  projected = buffer(config.hidden);
  heads.query = buffer(q);
  heads.rotated = buffer(q);
  heads.attended = buffer(q);
  heads.key = buffer(kv);
  heads.value = buffer(kv);
  if (config.form.gated) gate = buffer(config.intermediate);
  up = buffer(config.intermediate);
  heads.cache_keys.resize(static_cast<std::size_t>(wanted) * cached_row_bytes(model));
  heads.cache_values.resize(heads.cache_keys.size());
  rows = wanted;
}

PrefillPass::PrefillPass(std::span<Member* const> members)
    : model_(members.front()->model),
      layer_(members.front()->layer),
      weights_(model_.layers[static_cast<std::size_t>(layer_)]),
      buffers_(*members.front()->buffers) {
  place(members);
  buffers_.reserve(model_, rows_);
}

void PrefillPass::place(std::span<Member* const> members) {
  parts_.clear();
  rows_ = 0;
  for (Member* const member : members) {
    parts_.push_back({member, rows_, member->chunk_size()});
    rows_ += parts_.back().rows;
  }
}

/// body(part, first, last) over the rows of all parts, split between threads; rows count from a part's first one.
template <class Body>
void PrefillPass::for_rows(int grain, const Body& body) const {
  for_parts(rows_, grain, [&](int begin_row, int end_row) {
    for (const Part& part : parts_) {
      const int first = std::max(begin_row - part.first, 0), last = std::min(end_row - part.first, part.rows);
      if (first < last) body(part, first, last);
    }
  });
}

void PrefillPass::norm(const std::vector<float>& weight, const std::vector<float>& bias) {
  if (weight.empty() || model_.config.form.norms.after) {  // the residual stream itself is multiplied
    for (const Part& part : parts_)
      buffers_.normed.narrow(0, part.first, part.rows).copy_(part.member->present_residual());
    return;
  }
  for_rows(normed_rows_worth_splitting, [&](const Part& part, int first, int last) {
    for (int t = first; t < last; ++t)
      model_.norm(part.member->residual_row(t), weight, bias, row_of(buffers_.normed, part.first + t),
                  model_.element());
  });
}

void PrefillPass::norm_residual(const std::vector<float>& weight, const std::vector<float>& bias) {
  for_rows(normed_rows_worth_splitting, [&](const Part& part, int first, int last) {
    for (int t = first; t < last; ++t) {
      float* const row = part.member->residual_row(t);
      model_.norm(row, weight, bias, row, Element::fp32);
    }
  });
}

void PrefillPass::report_inputs() const {
  if (model_.input_sink == nullptr) return;
  const at::Tensor& normed = buffers_.normed;
  const std::size_t row_bytes =
      static_cast<std::size_t>(normed.stride(0)) * static_cast<std::size_t>(normed.element_size());
  for (const Part& part : parts_)
    model_.input_sink->take(layer_, part.member->first + part.member->chunk_start(), part.rows,
                            {row_of(normed, part.first), static_cast<std::size_t>(part.rows) * row_bytes});
}

// The head pass adds biases of q and k in fp32 and applies norms of single heads.
void PrefillPass::project_heads(bool with_queries) {
  const PassBuffers::Heads& heads = buffers_.heads;
  std::vector<RowProduct> products{{&weights_.key, present(heads.key)}, {&weights_.value, present(heads.value)}};
  if (with_queries) products.push_back({&weights_.query, present(heads.query)});
  project(model_, products, present(buffers_.normed));
  norm_heads(heads.key, weights_.key, weights_.key_norm);
  if (with_queries) norm_heads(heads.query, weights_.query, weights_.query_norm);
}

void PrefillPass::project_queries() {
  project(model_, weights_.query, present(buffers_.normed), present(buffers_.heads.query), false);
  norm_heads(buffers_.heads.query, weights_.query, weights_.query_norm);
}

void PrefillPass::norm_heads(const at::Tensor& projected, const Matrix& matrix,
                             const std::vector<float>& weight) const {
  if (!weight.empty() && model_.config.form.norms.whole_heads)
    norm_whole_rows(model_, projected.data_ptr(), model_.element(), matrix.bias_or_null(), weight, rows_);
}

PrefillPass::HeadSource PrefillPass::queries() const {
  return {buffers_.heads.query, weights_.query, weights_.query_norm, model_.config.heads, true};
}

// Of rows [first, last) of a part; the caller sets the output.
HeadPass PrefillPass::head_pass(const HeadSource& source, const Part& part, int first, int last) const {
  const ModelConfig& config = model_.config;
  HeadPass job;
  job.input = row_of(source.projected, part.first + first);
  job.input_type = model_.element();
  job.tokens = last - first;
  job.heads = source.heads;
  job.head_dim = config.head_dim;
  if (source.norm.empty() || !config.form.norms.whole_heads) {  // else norm_heads() did both
    job.bias = source.matrix.bias_or_null();
    job.norm = source.norm.empty() ? nullptr : source.norm.data();
  }
  job.eps = config.rms_eps;
  const RopeTable* const table = source.rotates ? table_of(part.member->ropes, config.layer_form(layer_)) : nullptr;
  if (table != nullptr) {
    const std::ptrdiff_t skipped = static_cast<std::ptrdiff_t>(first) * (config.head_dim / 2);
    job.cosines = table->cosines.data() + skipped;
    job.sines = table->sines.data() + skipped;
  }
  return job;
}

// Of all rows, into [rows, heads, head_dim] of `type`.
void PrefillPass::pass_heads(const HeadSource& source, void* output, Element type, float scale) const {
  const std::ptrdiff_t row_bytes =
      static_cast<std::ptrdiff_t>(source.heads) * model_.config.head_dim * (type == Element::bf16 ? 2 : 4);
  for_rows(normed_rows_worth_splitting, [&](const Part& part, int first, int last) {
    HeadPass job = head_pass(source, part, first, last);
    job.output = static_cast<std::byte*>(output) + (part.first + first) * row_bytes;
    job.output_type = type;
    job.scale = scale;
    model_.kernel().head_pass(job);
  });
}

std::vector<Status> PrefillPass::append_keys_and_values() {
  const int kv_heads = model_.config.kv_heads;
  PassBuffers::Heads& heads = buffers_.heads;
  pass_heads({heads.key, weights_.key, weights_.key_norm, kv_heads, true}, heads.cache_keys.data(), model_.kv_element(),
             1);
  pass_heads({heads.value, weights_.value, {}, kv_heads, false}, heads.cache_values.data(), model_.kv_element(), 1);
  const std::size_t row_bytes = cached_row_bytes(model_);
  std::vector<Status> statuses;
  for (const Part& part : parts_) {
    const auto rows_of = [&](const std::vector<std::byte>& all) {
      return std::span(all).subspan(static_cast<std::size_t>(part.first) * row_bytes,
                                    static_cast<std::size_t>(part.rows) * row_bytes);
    };
    statuses.push_back(part.member->cache.append(layer_, rows_of(heads.cache_keys), rows_of(heads.cache_values),
                                                 part.member->positions));
  }
  return statuses;
}

// Members whose queries nobody reads are ready, and those that failed stop here. First come those whose output is read.
void PrefillPass::narrow_to_read(std::span<const Status> appended) {
  std::vector<Member*> members, placed;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    placed.push_back(parts_[i].member);
    if (appended[i] && parts_[i].member->needs_queries()) members.push_back(parts_[i].member);
  }
  std::ranges::stable_partition(members, &Member::needs_output);
  if (members == placed) return;
  place(members);
  if (members.empty()) return;
  norm(weights_.input_norm, weights_.input_norm_bias);
  project_queries();
}

void PrefillPass::keep_windows() {
  for (const Part& part : parts_) {
    Member& member = *part.member;
    const int window_start = member.total() - member.window.window;  // index of the first token of the window
    const int from = std::max(window_start, member.chunk_start()), to = member.chunk_start() + part.rows;
    if (member.window.window > 0 && from < to)
      write_queries(part, {from, to, window_start, member.window.window},
                    member.window.layers[static_cast<std::size_t>(layer_)].data());
  }
}

// Into [heads, kept, head_dim]; the tokens are in the part's chunk.
void PrefillPass::write_queries(const Part& part, const QueryRange& range, float* target) const {
  const ModelConfig& config = model_.config;
  const int start = part.member->chunk_start();
  std::vector<float> rows(static_cast<std::size_t>(config.heads * config.head_dim) *
                          static_cast<std::size_t>(range.to - range.from));
  HeadPass job = head_pass(queries(), part, range.from - start, range.to - start);
  job.scale = model_.observed_scale();
  job.output = rows.data();
  job.output_type = Element::fp32;
  run_heads(model_.kernel(), job);
  store_by_head(config, rows, range.from - range.first_kept, range.kept, target);
}

void PrefillPass::take_queries(std::span<float> queries_of_all) {
  norm(weights_.input_norm, weights_.input_norm_bias);
  project_queries();
  const Part& part = parts_.front();
  const int start = part.member->chunk_start();
  write_queries(part, {start, start + part.rows, 0, part.member->total()}, queries_of_all.data());
}

void PrefillPass::attend() {
  const PassBuffers::Heads& heads = buffers_.heads;
  pass_heads(queries(), heads.rotated.data_ptr(), model_.element(), model_.score_scale());
  for (const Part& part : parts_)
    attend_chunk(model_, part.member->cache, layer_,
                 {row_of(heads.rotated, part.first), row_of(heads.attended, part.first), part.member->positions});
}

void PrefillPass::add_to_residual(const at::Tensor& outputs, Element type, const float* bias,
                                  const std::vector<float>& output_norm) {
  for_rows(normed_rows_worth_splitting, [&](const Part& part, int first, int last) {
    add_outputs(model_, part.member->residual_row(first), row_of(outputs, part.first + first), type, bias, output_norm,
                last - first);
  });
}

void PrefillPass::project_to_residual(const Matrix& matrix, const at::Tensor& input,
                                      const std::vector<float>& output_norm) {
  project(model_, matrix, present(input), present(buffers_.projected), false);
  add_to_residual(buffers_.projected, model_.element(), matrix.bias_or_null(), output_norm);
}

std::vector<Status> PrefillPass::run() {
  const ModelForm& form = model_.config.form;
  norm(weights_.input_norm, weights_.input_norm_bias);
  report_inputs();
  project_heads(std::ranges::any_of(parts_, [](const Part& part) { return part.member->needs_queries(); }));
  std::vector<Status> statuses = append_keys_and_values();
  narrow_to_read(statuses);
  keep_windows();
  std::erase_if(parts_, [](const Part& part) { return !part.member->needs_output(); });  // they are the last ones
  if (parts_.empty()) return statuses;
  rows_ = parts_.back().first + parts_.back().rows;

  attend();
  if (form.parallel) norm(weights_.attention_norm, weights_.attention_norm_bias);
  project_to_residual(weights_.output, buffers_.heads.attended, weights_.extra.attention_output_norm);
  if (form.norms.after) norm_residual(weights_.input_norm, weights_.input_norm_bias);
  if (!form.parallel) norm(weights_.attention_norm, weights_.attention_norm_bias);
  multiply_up_and_down();
  if (parts_.front().member->top_layer()) write_logits();
  return statuses;
}

void PrefillPass::multiply_up_and_down() {
  const std::vector<float>& output_norm = weights_.extra.mlp_output_norm;
  if (!weights_.extra.experts.empty())
    return add_to_residual(run_experts(model_, weights_, present(buffers_.normed)), Element::fp32, nullptr,
                           output_norm);
  const bool gated = model_.config.form.gated;
  const at::Tensor &up = buffers_.up, &gate = buffers_.gate;
  std::vector<RowProduct> products{{&weights_.up, present(up), true}};
  if (gated) products.push_back({&weights_.gate, present(gate), true});
  project(model_, products, present(buffers_.normed));
  for_parts(rows_, activated_rows_worth_splitting, [&](int begin_row, int end_row) {
    const auto count =
        static_cast<std::size_t>(model_.config.intermediate) * static_cast<std::size_t>(end_row - begin_row);
    if (gated)
      gate_rows(model_, row_of(gate, begin_row), row_of(up, begin_row), count, model_.element());
    else
      activate_rows(model_, row_of(up, begin_row), count, model_.element());
  });
  project_to_residual(weights_.down, gated ? gate : up, output_norm);
  if (!gated && model_.config.form.norms.after) norm_residual(weights_.attention_norm, weights_.attention_norm_bias);
}

// The head reads all its weights for a row as for many, so members that need one row share it.
void PrefillPass::write_logits() const {
  const auto vocabulary = static_cast<std::size_t>(model_.config.vocab_size),
             hidden = static_cast<std::size_t>(model_.config.hidden);
  std::vector<Member*> last_rows;
  for (const Part& part : parts_) {
    Member& member = *part.member;
    if (member.options.logits == PrefillLogits::last)
      last_rows.push_back(&member);
    else
      model_.logits(member.residual_row(0), part.rows,
                    &member.logit_values[static_cast<std::size_t>(member.chunk_start()) * vocabulary]);
  }
  if (last_rows.size() == 1)
    return model_.logits(last_rows.front()->residual_row(last_rows.front()->chunk_size() - 1), 1,
                         last_rows.front()->logit_values.data());
  std::vector<float> rows(last_rows.size() * hidden), logits(last_rows.size() * vocabulary);
  for (std::size_t i = 0; i < last_rows.size(); ++i)
    std::copy_n(last_rows[i]->residual_row(last_rows[i]->chunk_size() - 1), hidden, &rows[i * hidden]);
  if (!last_rows.empty()) model_.logits(rows.data(), static_cast<int>(last_rows.size()), logits.data());
  for (std::size_t i = 0; i < last_rows.size(); ++i)
    std::copy_n(&logits[i * vocabulary], vocabulary, last_rows[i]->logit_values.begin());
}

}  // namespace kvantage::inline model
