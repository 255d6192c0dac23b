#include "core/compress/scorers/file_scorer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/kv/head_rows.h"

namespace kvantage::inline scorers {
namespace {

struct FileScorerTable {
  std::mutex mutex;
  std::vector<std::shared_ptr<ScorerHost>> rows;
};

// Every text form of a method is read against it, on any thread.
FileScorerTable& file_scorer_table() {
  static FileScorerTable table;
  return table;
}

/// `count` numbers of a row as fp32.
void widen(const std::byte* row, KvType type, std::size_t count, float* target) {
  if (type == KvType::fp32) {
    std::memcpy(target, row, count * sizeof *target);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) target[i] = element_of(row, KvType::bf16, i);
}

/// Keys or values of every head, straight from the pool: [kv_heads, tokens, head_dim].
void write_rows(const LayerView& view, bool keys, std::span<std::byte> memory) {
  auto* const numbers = reinterpret_cast<float*>(memory.data());
  at::parallel_for(0, view.kv_heads, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t h = first; h < last; ++h) {
      const HeadView& head = view.heads[static_cast<std::size_t>(h)];
      const KvShape& shape = head.pool->shape();
      const auto dim = static_cast<std::size_t>(shape.head_dim), row_bytes = dim * bytes_of(shape.type),
                 tokens = static_cast<std::size_t>(view.tokens);
      const auto block = static_cast<std::size_t>(head.pool->block_tokens());
      float* target = numbers + static_cast<std::size_t>(h) * tokens * dim;
      for (std::size_t t = 0; t < tokens; ++t, target += dim) {
        const auto slot = static_cast<std::size_t>(head.slot(t));
        const BlockId id = head.blocks[slot / block];
        const std::byte* rows = keys ? head.pool->keys(id) : head.pool->values(id);
        widen(rows + slot % block * row_bytes, shape.type, dim, target);
      }
    }
  });
}

void write_tensor(const at::Tensor& tensor, std::span<std::byte> memory) {
  const at::Tensor packed = tensor.contiguous();
  std::memcpy(memory.data(), packed.const_data_ptr(), memory.size());
}

class FileScorer final : public Scorer {
 public:
  explicit FileScorer(std::shared_ptr<ScorerHost> host) : host_(std::move(host)), asked_(host_->facts().needs) {}

  // Keys and values are read in place.
  ScorerNeeds needs() const override {
    ScorerNeeds needs;
    needs.positions = asked_.of(ScorerInput::positions);
    needs.window_queries = asked_.window_queries;
    needs.hidden_states = asked_.of(ScorerInput::hidden_states);
    return needs;
  }

  at::Tensor score(const LayerView& view) const override { return try_score(view).value(); }

  Expected<at::Tensor> try_score(const LayerView& view) const override {
    ScorerCall call{view.layer, view.sequence_length, view.kv_heads, view.tokens, inputs_of(view), {}};
    call.write = [&](std::size_t i, std::span<std::byte> memory) { write(view, call.inputs[i].input, memory); };
    at::Tensor scores = at::empty({view.kv_heads, view.tokens});
    KV_TRY(host_->score(call, {scores.mutable_data_ptr<float>(), static_cast<std::size_t>(scores.numel())}));
    return scores;
  }

  bool runs_a_file() const override { return true; }

  // What its worker needs for attention weights; nobody knows what its own code allocates.
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    if (!asked_.of(ScorerInput::attention) || !view.queries.defined()) return 0;
    return static_cast<std::size_t>(view.queries.numel() / view.queries.size(3)) *
           static_cast<std::size_t>(view.tokens) * sizeof(float);
  }

 private:
  std::vector<ScorerTensor> inputs_of(const LayerView& view) const {
    std::vector<ScorerTensor> inputs;
    inputs.reserve(scorer_input_names.size());
    const std::int64_t dim = view.heads.front().pool->shape().head_dim;
    const bool attention = asked_.of(ScorerInput::attention);
    if (attention || asked_.of(ScorerInput::keys))
      inputs.push_back({ScorerInput::keys, {view.kv_heads, view.tokens, dim}});
    if (asked_.of(ScorerInput::values)) inputs.push_back({ScorerInput::values, {view.kv_heads, view.tokens, dim}});
    if (attention || asked_.of(ScorerInput::queries))
      inputs.push_back({ScorerInput::queries, view.queries.sizes().vec()});
    if (asked_.of(ScorerInput::positions)) inputs.push_back({ScorerInput::positions, view.positions.sizes().vec()});
    if (asked_.of(ScorerInput::hidden_states))
      inputs.push_back({ScorerInput::hidden_states, view.hidden_states.sizes().vec()});
    if (asked_.of(ScorerInput::frequencies))
      inputs.push_back({ScorerInput::frequencies, view.frequencies.sizes().vec()});
    return inputs;
  }

  static void write(const LayerView& view, ScorerInput input, std::span<std::byte> memory) {
    switch (input) {
      case ScorerInput::keys:
        return write_rows(view, true, memory);
      case ScorerInput::values:
        return write_rows(view, false, memory);
      case ScorerInput::queries:
        return write_tensor(view.queries, memory);
      case ScorerInput::positions:
        return write_tensor(view.positions, memory);
      case ScorerInput::hidden_states:
        return write_tensor(view.hidden_states, memory);
      case ScorerInput::frequencies:
        return write_tensor(view.frequencies, memory);
      case ScorerInput::attention:
        return;  // computed by its worker
    }
  }

  std::shared_ptr<ScorerHost> host_;
  ScorerFileNeeds asked_;
};

class UnloadedScorer final : public Scorer {
 public:
  explicit UnloadedScorer(std::string name) : name_(std::move(name)) {}
  ScorerNeeds needs() const override { return {}; }
  at::Tensor score(const LayerView& view) const override { return try_score(view).value(); }
  Expected<at::Tensor> try_score(const LayerView&) const override { return file_not_loaded(name_); }
  bool runs_a_file() const override { return true; }

 private:
  std::string name_;
};

}  // namespace

void add_file_scorer(std::shared_ptr<ScorerHost> host) {
  FileScorerTable& table = file_scorer_table();
  const std::scoped_lock lock(table.mutex);
  std::erase_if(table.rows, [&](const auto& row) { return row->facts().name == host->facts().name; });
  table.rows.push_back(std::move(host));
}

std::vector<std::shared_ptr<ScorerHost>> file_scorers() {
  FileScorerTable& table = file_scorer_table();
  const std::scoped_lock lock(table.mutex);
  return table.rows;
}

std::shared_ptr<ScorerHost> find_file_scorer(std::string_view name) {
  const auto rows = file_scorers();
  const auto found = std::find_if(rows.rbegin(), rows.rend(), [&](const auto& row) {
    return row->facts().name == name || row->facts().alias == name;
  });
  return found == rows.rend() ? nullptr : *found;
}

bool names_file_scorer(std::string_view name) {
  if (name.size() < scorer_file_digits + 2 || name[name.size() - scorer_file_digits - 1] != '_') return false;
  return std::ranges::all_of(name.substr(name.size() - scorer_file_digits),
                             [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

tl::unexpected<Error> file_not_loaded(std::string_view name) {
  const auto other = find_file_scorer(name.substr(0, name.size() - scorer_file_digits - 1));
  return fail(ErrorCode::usage,
              "method '" + std::string(name) + "': " +
                  (other ? "its file has changed and is now '" + other->facts().name +
                               "'; use that, or give the file "
                               "of before with --method-file"
                         : "its file is not loaded; give it with --method-file, or drop it on the window"));
}

std::unique_ptr<Scorer> make_file_scorer(std::shared_ptr<ScorerHost> host) {
  return std::make_unique<FileScorer>(std::move(host));
}

std::unique_ptr<Scorer> make_unloaded_scorer(std::string name) {
  return std::make_unique<UnloadedScorer>(std::move(name));
}

}  // namespace kvantage::inline scorers
