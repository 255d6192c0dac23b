// links: core_kv
// Cache entries whose checksums fit: their header, and the rows of their layers, whose checksums are not looked at.
#include "core/kv/serial.h"
#include "core/kv/serial_inputs.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

constexpr std::size_t prefix_end = 24, length_at = 16;

bool is_small(const EntryHeader& header) {
  return header.shape.layers <= 8 && header.shape.kv_heads * header.shape.head_dim <= 4096 &&
         header.token_ids.size() <= 4096;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = test::bytes_of(data, size);
  test::mend_checksum(bytes, prefix_end);
  const auto length = test::number_at<std::uint64_t>(bytes, length_at);
  if (length >= sizeof(std::uint64_t) && length <= bytes.size()) test::mend_checksum(bytes, length - sizeof length);
  const std::span<const std::byte> entry(bytes);
  (void)entry_header_bytes(entry.first(std::min<std::size_t>(entry.size(), entry_alignment)));
  const auto header = parse_entry_header(entry);
  if (!header) {
    test::check_refusal(header.error());
    return 0;
  }
  if (!is_small(*header)) return 0;
  BlockPool pool(header->shape, 32, std::size_t{32} << 20);
  KvCache cache(pool);
  for (int layer = 0; layer < header->shape.layers; ++layer) {
    const auto [begin, end] = header->layer_range(layer);
    if (begin > end || end > entry.size()) break;
    const auto stored = entry.subspan(begin, end - begin);
    if (header->holds_layer_inputs()) {
      if (const auto rows = read_inputs_layer(*header, layer, stored, false); !rows) test::check_refusal(rows.error());
      continue;
    }
    const Status restored = restore_layer(*header, layer, stored, false, cache, layer % 2 == 1);
    if (!restored) test::check_refusal(restored.error());
    if (!header->has_window_queries()) continue;
    const auto [from, to] = header->window_queries_range(layer);
    if (from <= to && to <= entry.size()) (void)restore_window_queries(*header, layer, entry.subspan(from, to - from));
  }
  return 0;
}
