#include "core/kvpr/decoded_pages.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/kvpr/layer_rows.h"

namespace kvantage::inline kvpr {

DecodedPages::DecodedPages(const Transformer& model, const RowCodec& codec, StorageTier& tier,
                           std::int32_t first_position, PageOptions options)
    : shape_(model.kv_shape()),
      codec_(codec),
      tier_(tier),
      first_position_(first_position),
      options_(std::move(options)),
      input_bytes_(layer_input_bytes(model)),
      decoded_inputs_(reports_decoded_inputs(model)),
      completions_(tier.clock()) {}

DecodedPages::~DecodedPages() {
  for (const Page& page : pages_)
    for (const OffloadedLayer& layer : page.layers) (void)tier_.erase(layer.key);  // ends writes in flight
  while (!writes_.empty())
    for (const Completion& completion : completions_.wait(1))
      std::erase_if(writes_, [&](const auto& write) { return write.first == completion.ticket; });
  for (const Page& page : pages_)
    for (const OffloadedLayer& layer : page.layers) (void)tier_.erase(layer.key);
}

void DecodedPages::begin_pass(int rows, Pass pass) {
  const bool keeps_inputs = options_.inputs != KeptInputs::none && (pass == Pass::fed || decoded_inputs_);
  if (options_.inputs == KeptInputs::none) pass = Pass::decoded;  // nothing is recomputed, so tokens are all alike
  const bool open = !pages_.empty() && !pages_.back().full, joins = open && pass == Pass::decoded;
  if (open && !joins) pages_.back().full = true;
  pass_rows_ = rows;
  pass_page_ = pages_.size() - (joins ? 1 : 0);
  for (std::size_t at = pass_page_; rows > 0; ++at) {
    if (at == pages_.size())
      pages_.push_back({.first = tokens_before(at),
                        .pass = pass,
                        .keeps_inputs = keeps_inputs,
                        .rows = std::vector<Rows>(static_cast<std::size_t>(shape_.layers))});
    Page& page = pages_[at];
    page.pass_tokens = pass == Pass::fed ? rows : std::min(rows, options_.page_tokens - page.tokens);
    rows -= page.pass_tokens;
  }
}

void DecodedPages::take(int layer, std::int32_t first_position, int /*tokens*/, std::span<const std::byte> rows) {
  Page& page = pages_.back();
  std::vector<std::byte>& inputs = page.rows[static_cast<std::size_t>(layer)].inputs;
  const std::size_t at = static_cast<std::size_t>(first_position - page.first) * input_bytes_;
  inputs.resize(std::max(inputs.size(), at + rows.size()));
  std::memcpy(&inputs[at], rows.data(), rows.size());
}

void DecodedPages::take_rows(const KvCache& cache, int layer) {
  int row = cache.kept(layer, 0) - pass_rows_;
  for (std::size_t page = pass_page_; page < pages_.size(); ++page) {
    Rows& target = pages_[page].rows[static_cast<std::size_t>(layer)];
    const int tokens = pages_[page].pass_tokens;
    const std::size_t at = target.keys.size(), more = static_cast<std::size_t>(tokens) * layer_row_bytes(shape_) / 2;
    target.keys.resize(at + more);
    target.values.resize(at + more);
    copy_rows(cache, layer, row, tokens, &target.keys[at], &target.values[at]);
    row += tokens;
  }
}

Status DecodedPages::end_pass(bool wait) {
  KV_TRY(finish(completions_.poll()));
  for (; pass_page_ < pages_.size(); ++pass_page_) {
    Page& page = pages_[pass_page_];
    page.tokens += std::exchange(page.pass_tokens, 0);
    page.full = page.pass == Pass::fed || page.tokens >= options_.page_tokens;
  }
  for (; begun_ < pages_.size() && pages_[begun_].full; ++begun_) {
    while (!writes_.empty())
      KV_TRY(finish(completions_.wait(1)));  // backpressure: a tier slower than decoding must not fill the memory
    KV_TRY(write(begun_));
  }
  while (wait && !writes_.empty()) KV_TRY(finish(completions_.wait(1)));
  return {};
}

Status DecodedPages::write(std::size_t index) {
  Page& page = pages_[index];
  const bool with_inputs = page.keeps_inputs && options_.inputs == KeptInputs::on_tier;
  for (int layer = 0; layer < shape_.layers; ++layer) {
    Rows& rows = page.rows[static_cast<std::size_t>(layer)];
    const Digest128 key =
        DigestBuilder().add(options_.name).add("page").add(index).add(static_cast<std::uint64_t>(layer)).finish();
    const RunRows packable{rows.keys, rows.values,
                           with_inputs ? std::span<const std::byte>(rows.inputs) : std::span<const std::byte>()};
    KV_ASSIGN(auto packed, pack_rows(layer, packable, page.first, page.tokens, codec_, key));
    packed.layer.blocks.front().decoded = page.pass == Pass::decoded;
    if (with_inputs) rows.inputs = std::vector<std::byte>();  // its memory, too
    const std::uint64_t bytes = packed.bytes->size();
    written_bytes_ += bytes;
    ++page.writes_left;
    page.layers.push_back(packed.layer);
    writes_.emplace_back(tier_.submit_write({.key = key, .bytes = bytes, .header_bytes = 0, .label = "offloaded page"},
                                            std::move(packed.bytes), completions_),
                         index);
  }
  return {};
}

// All of them, also behind one that failed: the destructor waits for the rest.
Status DecodedPages::finish(const std::vector<Completion>& completions) {
  Status status;
  for (const Completion& completion : completions) {
    const auto found = std::ranges::find(writes_, completion.ticket, &std::pair<Ticket, std::size_t>::first);
    if (found == writes_.end()) continue;
    const std::size_t page = found->second;
    writes_.erase(found);
    if (completion.status)
      --pages_[page].writes_left;
    else if (status)
      status = completion.status;
  }
  while (written_ < pages_.size() && !pages_[written_].layers.empty() && pages_[written_].writes_left == 0) ++written_;
  return status;
}

Status DecodedPages::append_held(KvCache& cache, int layer, std::size_t pages) const {
  for (std::size_t page = pages; page < pages_.size(); ++page) {
    const Rows& rows = pages_[page].rows[static_cast<std::size_t>(layer)];
    const int tokens = static_cast<int>(rows.keys.size() / (layer_row_bytes(shape_) / 2));
    if (tokens > 0) KV_TRY(append_rows(cache, layer, rows.keys, rows.values, pages_[page].first, tokens));
  }
  return {};
}

void DecodedPages::release(std::size_t pages) {
  for (std::size_t page = 0; page < std::min(pages, written_); ++page)
    for (Rows& rows : pages_[page].rows) rows = Rows{.keys = {}, .values = {}, .inputs = std::move(rows.inputs)};
}

void DecodedPages::add_recomputable(std::size_t pages, std::vector<int>& ends) const {
  for (std::size_t page = 0; page < pages && pages_[page].keeps_inputs; ++page) ends.push_back(pages_[page].end());
}

Expected<RowCodec::Rows> DecodedPages::recomputed(std::size_t page, int layer, KvRecompute& recompute) const {
  const Page& from = pages_[page];
  const std::vector<std::byte>& inputs = from.rows[static_cast<std::size_t>(layer)].inputs;
  KV_TRY(from.pass == Pass::decoded ? recompute.run_decoded(layer, inputs, from.first, from.tokens)
                                    : recompute.run(layer, inputs, from.first, from.tokens));
  return RowCodec::Rows{recompute.keys(), recompute.values()};
}

std::uint64_t DecodedPages::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const Page& page : pages_)
    for (const Rows& rows : page.rows) bytes += rows.keys.size() + rows.values.size() + rows.inputs.size();
  return bytes;
}

std::uint64_t DecodedPages::resident_bytes() const {
  if (options_.inputs != KeptInputs::in_memory) return 0;
  std::uint64_t bytes = 0;
  for (const Page& page : pages_)
    for (const Rows& rows : page.rows) bytes += rows.inputs.size();
  return bytes;
}

}  // namespace kvantage::inline kvpr
