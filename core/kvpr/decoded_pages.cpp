#include "core/kvpr/decoded_pages.h"

#include <algorithm>

#include "core/kvpr/layer_rows.h"

namespace kvantage::inline kvpr {

DecodedPages::DecodedPages(const KvShape& shape, const RowCodec& codec, StorageTier& tier, std::int32_t first_position,
                           int page_tokens, std::string name)
    : shape_(shape),
      codec_(codec),
      tier_(tier),
      first_position_(first_position),
      page_tokens_(page_tokens),
      name_(std::move(name)),
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

void DecodedPages::take_rows(const KvCache& cache, int layer, int rows) {
  const std::size_t half = layer_row_bytes(shape_) / 2;
  for (int row = 0; row < rows; ++row) {
    const auto page = static_cast<std::size_t>((tokens_ + row) / page_tokens_);
    if (page == pages_.size()) pages_.push_back({std::vector<Rows>(static_cast<std::size_t>(shape_.layers)), {}, 0});
    Rows& target = pages_[page].rows[static_cast<std::size_t>(layer)];
    const std::size_t at = target.keys.size();
    target.keys.resize(at + half);
    target.values.resize(at + half);
    copy_row(cache, layer, rows - 1 - row, &target.keys[at], &target.values[at]);
  }
}

Status DecodedPages::end_step(int rows, bool wait) {
  KV_TRY(take(completions_.poll()));
  tokens_ += rows;
  for (; begun_ < static_cast<std::size_t>(tokens_ / page_tokens_); ++begun_) {
    while (!writes_.empty())
      KV_TRY(take(completions_.wait(1)));  // backpressure: a tier slower than decoding must not fill the memory
    KV_TRY(write(begun_));
  }
  while (wait && !writes_.empty()) KV_TRY(take(completions_.wait(1)));
  return {};
}

Status DecodedPages::write(std::size_t index) {
  Page& page = pages_[index];
  for (int layer = 0; layer < shape_.layers; ++layer) {
    const Rows& rows = page.rows[static_cast<std::size_t>(layer)];
    const Digest128 key =
        DigestBuilder().add(name_).add("page").add(index).add(static_cast<std::uint64_t>(layer)).finish();
    KV_ASSIGN(auto packed, pack_rows(layer, rows.keys, rows.values, first_of(index), page_tokens_, codec_, key));
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
Status DecodedPages::take(const std::vector<Completion>& completions) {
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
    if (tokens > 0) KV_TRY(append_rows(cache, layer, rows.keys, rows.values, first_of(page), tokens));
  }
  return {};
}

void DecodedPages::release(std::size_t pages) {
  for (std::size_t page = 0; page < std::min(pages, written_); ++page)
    pages_[page].rows.assign(static_cast<std::size_t>(shape_.layers), {});
}

std::uint64_t DecodedPages::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const Page& page : pages_)
    for (const Rows& rows : page.rows) bytes += rows.keys.size() + rows.values.size();
  return bytes;
}

}  // namespace kvantage::inline kvpr
