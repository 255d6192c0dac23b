#include <ATen/ATen.h>

#include "core/compress/wrappers/wrappers.h"

namespace kvantage::inline scorer_wrappers {
namespace {

/// Of [kv_heads, .., tokens, ..] the given tokens of each head; `dim` is that of the tokens.
at::Tensor picked(const at::Tensor& rows, const std::vector<at::Tensor>& tokens, std::int64_t dim) {
  if (!rows.defined()) return {};
  std::vector<at::Tensor> heads;
  heads.reserve(tokens.size());
  for (std::size_t h = 0; h < tokens.size(); ++h)
    heads.push_back(rows[static_cast<std::int64_t>(h)].index_select(dim - 1, tokens[h]));
  return at::stack(heads);
}

}  // namespace

RowsView rows_of(const LayerView& all, const KeptIndices& rows) {
  RowsView part;
  part.view = all;
  part.view.tokens = static_cast<int>(rows.front().size());
  part.view.repeat.clear();
  std::vector<at::Tensor> tokens;
  tokens.reserve(rows.size());
  part.slots.reserve(rows.size());
  for (std::size_t h = 0; h < rows.size(); ++h) {
    const at::Tensor indices = at::empty({static_cast<std::int64_t>(rows[h].size())}, at::kLong);
    std::copy(rows[h].begin(), rows[h].end(), indices.mutable_data_ptr<std::int64_t>());
    tokens.push_back(indices);
    std::vector<std::int32_t>& slots = part.slots.emplace_back();
    slots.reserve(rows[h].size());
    for (const std::int32_t token : rows[h]) slots.push_back(all.heads[h].slot(static_cast<std::size_t>(token)));
    part.view.heads[h].kept = part.view.tokens;
    part.view.heads[h].row_slots = slots;
  }
  part.view.keys = picked(all.keys, tokens, 1);
  part.view.values = picked(all.values, tokens, 1);
  part.view.positions = picked(all.positions, tokens, 1);
  part.view.queries = picked(all.queries, tokens, 2);
  part.view.absolute_output_norms = picked(all.absolute_output_norms, tokens, 2);
  part.view.euclidean_output_norms = picked(all.euclidean_output_norms, tokens, 2);
  if (all.hidden_states.defined()) part.view.hidden_states = all.hidden_states.index_select(0, tokens.front());
  return part;
}

tl::unexpected<Error> wrong_inner(const char* wrapper, const char* takes) {
  return fail(ErrorCode::usage,
              std::string("method '") + wrapper + "': takes " + takes + "; e.g. " + wrapper + "(keydiff)");
}

}  // namespace kvantage::inline scorer_wrappers
