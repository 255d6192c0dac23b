// A layer of the present chunks of several prefills of one model; internal to core/model, because it holds tensors. A
// prefill alone is a pass with one member.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <span>
#include <vector>

#include "core/model/prefill.h"

namespace kvantage::inline model {

/// Rows of a pass of several members, at most: from about 256 on, rows no longer share a read of the weights
/// (products/products.h). A member with more rows has a pass of its own.
inline constexpr int max_shared_pass_rows = 512;

/// Memory of a pass. Nothing in it outlasts the pass, so all prefills of a model share it.
struct PassBuffers {
  /// Of q, k, v and attention.
  struct Heads {
    at::Tensor query, rotated, attended;              // [rows, heads * head_dim] in the compute type
    at::Tensor key, value;                            // [rows, kv_heads * head_dim]
    std::vector<std::byte> cache_keys, cache_values;  // [rows, kv_heads, head_dim] KvType
  };

  /// Grows to `wanted` rows; does not keep what is in it.
  void reserve(const Transformer::Impl& model, int wanted);

  int rows = 0;
  at::Tensor normed, projected;  // [rows, hidden] in the compute type
  at::Tensor gate, up;           // [rows, intermediate]
  Heads heads;
};

class PrefillPass {
 public:
  using Member = PrefillTask::State;

  /// Members are at the same layer, have begun its step (State::begin_step) and outlive the pass. Several: all rows
  /// are multiplied together, so only where that changes no bit.
  explicit PrefillPass(std::span<Member* const> members);

  /// A status a member: that of its cache's append. Members that fail are left as they were.
  std::vector<Status> run();
  /// Of the chunk of the only member, into [heads, tokens, head_dim] of all its tokens, as PrefillTask::next_queries().
  void take_queries(std::span<float> queries_of_all);

 private:
  /// A member and its rows [first, first + rows) of the buffers.
  struct Part {
    Member* member = nullptr;
    int first = 0;
    int rows = 0;
  };
  /// Projected q, k or v.
  struct HeadSource {
    const at::Tensor& projected;
    const Matrix& matrix;
    std::span<const float> norm;  // or empty
    int heads = 0;
    bool rotates = false;
  };
  /// Tokens [from, to) of a prompt; row 0 of the target is token `first_kept`, and it has `kept` rows.
  struct QueryRange {
    int from = 0, to = 0, first_kept = 0, kept = 0;
  };

  void place(std::span<Member* const> members);
  at::Tensor present(const at::Tensor& buffer) const { return buffer.narrow(0, 0, rows_); }
  template <class Body>
  void for_rows(int grain, const Body& body) const;

  void norm(const std::vector<float>& weight, const std::vector<float>& bias);
  void norm_residual(const std::vector<float>& weight, const std::vector<float>& bias);
  void report_inputs() const;
  void project_heads(bool with_queries);
  void project_queries();
  void norm_heads(const at::Tensor& projected, const Matrix& matrix, const std::vector<float>& weight) const;
  HeadSource queries() const;
  HeadPass head_pass(const HeadSource& source, const Part& part, int first, int last) const;
  void pass_heads(const HeadSource& source, void* output, Element type, float scale) const;
  std::vector<Status> append_keys_and_values();
  void narrow_to_read(std::span<const Status> appended);
  void keep_windows();
  void write_queries(const Part& part, const QueryRange& range, float* target) const;
  void attend();
  void add_to_residual(const at::Tensor& outputs, Element type, const float* bias,
                       const std::vector<float>& output_norm);
  void project_to_residual(const Matrix& matrix, const at::Tensor& input, const std::vector<float>& output_norm);
  void multiply_up_and_down();
  void write_logits() const;

  const Transformer::Impl& model_;
  const int layer_;
  const LayerWeights& weights_;
  PassBuffers& buffers_;
  std::vector<Part> parts_;
  int rows_ = 0;
};

}  // namespace kvantage::inline model
