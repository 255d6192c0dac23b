// How fast kernels are, as a share of what a copy within the device's memory reaches in the same run: bytes that a
// kernel must read and write over the time between two events, the best of several submitted back to back, as other
// work on the machine only makes it longer. The rows are those of 32 heads, larger than any cache of a GPU. An
// argument: tokens of a head (32,768). Ends with 1 where scoring, gathering, KIVI or attention is below 0.8 of the
// copy, or checksums below 0.5.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "gpu/kernels/attend_paged.h"
#include "gpu/kernels/compact.h"
#include "gpu/kernels/fp8.h"
#include "gpu/kernels/gather_paged.h"
#include "gpu/kernels/kivi.h"
#include "gpu/kernels/leaf_checksums.h"
#include "gpu/kernels/recompute_kv.h"
#include "gpu/kernels/rerotate.h"
#include "gpu/kernels/score_keydiff.h"
#include "gpu/kernels/score_knorm.h"
#include "gpu/kernels/score_snapkv.h"
#include "gpu/kernels/select_top.h"
#include "gpu/kernels/timing.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int rounds = 12;
constexpr int head_count = 32, head_dim = 128, block_tokens = 16;
constexpr double share_asked = 0.8;  // of a copy's rate, of scoring, gathering, KIVI and attention at full length
constexpr double checksum_share_asked = 0.5;
constexpr int tokens_held = 32768;  // fewer tokens lie in the caches of a GPU

template <class T>
T* on_device(const std::vector<T>& numbers) {
  static std::vector<std::shared_ptr<void>> all;  // for as long as the program runs
  auto array = std::make_shared<gpu::DeviceArray<T>>(value_of(gpu::DeviceArray<T>::of(numbers)));
  all.push_back(array);
  return array->data();
}

/// What all families of kernels work on: gathered rows, and the same number of rows in blocks in a random order.
struct Bench {
  int tokens = 0;
  std::size_t elements = 0;
  std::uint16_t* rows = nullptr;
  std::int32_t *counts = nullptr, *first_row = nullptr;
  gpu::PagedHeads paged;

  std::size_t row_bytes() const { return elements * sizeof(std::uint16_t); }
};

struct Timed {
  std::string name;
  std::size_t bytes = 0;  // read and written, each once
  std::function<Status(gpu::Stream)> launch;
  double operations = 0;       // multiply-adds count as two; where tensor cores are the limit
  bool held = false;           // to the share of a copy that is asked of it
  double share = share_asked;  // that share
};
using Table = std::vector<Timed>;

Bench make_bench(int tokens) {
  Random random(1);
  Bench bench;
  bench.tokens = tokens;
  bench.elements = std::size_t{head_count} * static_cast<std::size_t>(tokens) * head_dim;
  std::vector<std::uint16_t> rows(bench.elements);
  const std::size_t drawn = std::min(rows.size(), std::size_t{1} << 20);  // then again: no kernel looks that far
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = i < drawn ? gpu::narrowed(static_cast<float>(random.normal())) : rows[i - drawn];
  bench.rows = on_device(rows);
  std::vector<std::int32_t> counts(head_count, tokens), first_row, first_block, blocks;
  const int per_head = (tokens + block_tokens - 1) / block_tokens;
  for (int h = 0; h < head_count; ++h) first_row.push_back(h * tokens), first_block.push_back(h * per_head);
  for (int b = 0; b < head_count * per_head; ++b) blocks.push_back(b);
  random.shuffle(std::span(blocks));
  bench.counts = on_device(counts);
  bench.first_row = on_device(first_row);
  gpu::PagedHeads& paged = bench.paged;
  paged.values_at = std::size_t{block_tokens} * head_dim * sizeof(std::uint16_t);
  paged.positions_at = 2 * paged.values_at;
  paged.block_bytes = 2 * paged.values_at + block_tokens * sizeof(std::int32_t);
  paged.block_tokens = block_tokens, paged.head_dim = head_dim, paged.heads = head_count;
  std::vector<unsigned char> arena(blocks.size() * paged.block_bytes);
  for (std::size_t b = 0; b < blocks.size(); ++b)  // keys and values; positions stay 0
    std::memcpy(&arena[b * paged.block_bytes], &rows[b * block_tokens * head_dim % (drawn / 2)], paged.positions_at);
  paged.arena = on_device(arena);
  paged.blocks = on_device(blocks), paged.first_block = on_device(first_block), paged.kept = bench.counts,
  paged.first_slot = bench.first_row;
  return bench;
}

void kivi(const Bench& bench, Table& table) {
  for (const bool keys : {true, false})
    for (const int bits : {2, 4, 8}) {
      const gpu::KiviForm form{bits, 128, 32, head_dim, keys};
      const std::size_t bytes = gpu::kivi_layout(form, bench.tokens).bytes(), apart = (bytes + 15) / 16 * 16;
      std::vector<std::size_t> first_byte;
      for (std::size_t h = 0; h < head_count; ++h) first_byte.push_back(h * apart);
      unsigned char* const encoded = on_device(std::vector<unsigned char>(head_count * apart));
      std::int32_t* const corrupt = on_device(std::vector<std::int32_t>(1));
      const gpu::KiviHeads heads{head_count, bench.tokens, bench.counts, on_device(first_byte)};
      const gpu::HeadRows gathered = gpu::gathered_rows(bench.rows, bench.first_row, head_dim),
                          in_blocks = gpu::paged_rows(bench.paged, !keys);
      const std::size_t moved = bench.row_bytes() + head_count * bytes;
      const std::string name = "kivi" + std::to_string(bits) + (keys ? " keys" : " values");
      table.push_back(
          {name + ", encode", moved,
           [=](gpu::Stream stream) { return gpu::launch_kivi_encode(form, gathered, heads, encoded, stream); }, 0,
           true});
      table.push_back(
          {name + ", decode", moved,
           [=](gpu::Stream stream) { return gpu::launch_kivi_decode(form, heads, encoded, gathered, corrupt, stream); },
           0, true});
      table.push_back({name + ", decode into blocks", moved,
                       [=](gpu::Stream stream) {
                         return gpu::launch_kivi_decode(form, heads, encoded, in_blocks, corrupt, stream);
                       },
                       0, true});
    }
}

void fp8(const Bench& bench, Table& table) {
  std::uint8_t* const codes = on_device(std::vector<std::uint8_t>(bench.elements));
  const std::size_t moved = bench.row_bytes() + bench.elements;
  table.push_back({"fp8, encode", moved, [=](gpu::Stream stream) {
                     return gpu::launch_fp8_encode(bench.rows, bench.elements, codes, stream);
                   }});
  table.push_back({"fp8, decode", moved, [=](gpu::Stream stream) {
                     return gpu::launch_fp8_decode(codes, bench.elements, bench.rows, stream);
                   }});
}

void rerotation(const Bench& bench, Table& table) {
  std::vector<float> frequencies;
  for (int f = 0; f < head_dim / 2; ++f)
    frequencies.push_back(static_cast<float>(std::pow(500000.0, -2.0 * f / head_dim)));
  gpu::Rerotation there{on_device(frequencies), head_dim / 2, nullptr, bench.first_row, bench.tokens};
  gpu::Rerotation back = there;
  std::vector<std::int32_t> positions;
  for (int h = 0; h < head_count; ++h)
    for (int i = 0; i < bench.tokens; ++i) positions.push_back(2 * i + 1);
  there.positions = on_device(positions);  // each way in turn, as rows that stay are not touched
  const auto turns = std::make_shared<int>(0);
  table.push_back({"rerotate, in blocks", 2 * bench.row_bytes(), [=](gpu::Stream stream) {
                     return gpu::launch_rerotate(bench.paged, (*turns)++ % 2 == 0 ? there : back, stream);
                   }});
}

void scoring(const Bench& bench, Table& table) {
  const int longest = bench.tokens, total = head_count * longest;
  float* const scores = on_device(std::vector<float>(static_cast<std::size_t>(total)));
  const gpu::PagedHeads paged = bench.paged;
  table.push_back({"score by norm", bench.row_bytes(),
                   [=](gpu::Stream stream) { return gpu::launch_score_knorm(paged, longest, scores, stream); }, 0,
                   true});
  float* const keydiff = on_device(std::vector<float>(gpu::keydiff_scratch(paged, longest)));
  table.push_back(
      {"score keydiff, its two passes", 2 * bench.row_bytes(),
       [=](gpu::Stream stream) { return gpu::launch_score_keydiff(paged, longest, keydiff, scores, stream); }, 0,
       true});
  gpu::SnapKv job{.queries = bench.rows, .group = 4, .window = 64, .kernel = 7, .layer_heads = 8};
  float* const snapkv = on_device(std::vector<float>(gpu::snapkv_scratch(paged, job, longest, total)));
  const double products = 2.0 * 2 * 4 * 64 * static_cast<double>(bench.elements);
  table.push_back(
      {"score snapkv, its two passes", 2 * bench.row_bytes(),
       [=](gpu::Stream stream) { return gpu::launch_score_snapkv(paged, job, longest, total, snapkv, scores, stream); },
       products, true});
  const gpu::HeadScores of_heads{scores, bench.first_row, bench.counts, head_count, longest};
  std::int32_t* const half = on_device(std::vector<std::int32_t>(head_count, longest / 2));
  std::int32_t* const indices = on_device(std::vector<std::int32_t>(static_cast<std::size_t>(total)));
  table.push_back({"select the better half", static_cast<std::size_t>(total) * 6, [=](gpu::Stream stream) {
                     return gpu::launch_select_top(of_heads, half, bench.first_row, indices, stream);
                   }});
}

void moving(const Bench& bench, Table& table) {
  std::vector<std::int32_t> second;  // of each head every other token
  const int kept = bench.tokens / 2;
  for (int h = 0; h < head_count; ++h)
    for (int i = 0; i < bench.tokens; ++i) second.push_back(std::min(2 * i + 1, bench.tokens - 1));
  std::int32_t* const indices = on_device(second);
  std::int32_t* const counts = on_device(std::vector<std::int32_t>(head_count, kept));
  gpu::GatheredRows to;
  to.keys = on_device(std::vector<std::uint16_t>(bench.elements / 2));
  to.values = on_device(std::vector<std::uint16_t>(bench.elements / 2));
  std::vector<std::int32_t> first_row;
  for (int h = 0; h < head_count; ++h) first_row.push_back(h * kept);
  std::int32_t* const first = on_device(first_row);
  std::vector<std::int32_t> of_half;
  for (int h = 0; h < head_count; ++h)
    for (int i = 0; i < kept; ++i) of_half.push_back(2 * i + 1);
  std::int32_t* const half = on_device(of_half);
  table.push_back(
      {"gather every second row", 2 * bench.row_bytes(),
       [=](gpu::Stream stream) { return gpu::launch_gather_rows(bench.paged, half, first, counts, to, kept, stream); },
       0, true});
  gpu::PagedHeads blocks = bench.paged;  // blocks of their own
  blocks.arena = on_device(std::vector<unsigned char>(
      static_cast<std::size_t>(head_count * ((bench.tokens + block_tokens - 1) / block_tokens)) *
      bench.paged.block_bytes));
  blocks.kept = counts;
  table.push_back(
      {"gather every second row into blocks", 2 * bench.row_bytes(),
       [=](gpu::Stream stream) { return gpu::launch_gather_blocks(bench.paged, indices, blocks, kept, stream); }, 0,
       true});
  // Holes in the first half of a head are filled from its second half: a fourth of the rows moves.
  std::vector<std::int32_t> from, into, first_copy;
  for (int h = 0; h < head_count; ++h) {
    first_copy.push_back(static_cast<std::int32_t>(from.size()));
    for (int i = 0; i + 1 < kept; i += 2) into.push_back(i), from.push_back(kept + i);
  }
  first_copy.push_back(static_cast<std::int32_t>(from.size()));
  const std::size_t moved = 4 * from.size() * head_dim * sizeof(std::uint16_t);
  const gpu::SlotMoves moves{bench.paged,     bench.paged,           on_device(from),
                             on_device(into), on_device(first_copy), nullptr};
  table.push_back({"fill holes with a fourth of the rows", moved,
                   [=](gpu::Stream stream) { return gpu::launch_compact(moves, nullptr, 0, stream); }});
}

void attention(const Bench& bench, Table& table) {
  std::uint16_t* const out = on_device(std::vector<std::uint16_t>(std::size_t{head_count} * 8 * head_dim));
  for (const auto& [heads, group] : {std::pair{32, 1}, std::pair{32, 4}, std::pair{8, 4}, std::pair{8, 8}}) {
    gpu::PagedHeads paged = bench.paged;
    paged.heads = heads;
    const gpu::DecodeAttention job{bench.rows, group, 0.088F};
    void* const scratch = on_device(std::vector<unsigned char>(gpu::attend_scratch_bytes(paged, job, bench.tokens)));
    table.push_back(
        {"attend, " + std::to_string(heads) + " KV heads, group " + std::to_string(group),
         2 * bench.row_bytes() / head_count * static_cast<std::size_t>(heads),
         [=](gpu::Stream stream) { return gpu::launch_attend_paged(paged, job, bench.tokens, scratch, out, stream); },
         0, true});
  }
}

void recomputation(const Bench& bench, Table& table) {
  const int tokens = std::min(bench.tokens, 4096), width = head_count * head_dim;  // hidden as wide: MHA
  std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens));
  for (int i = 0; i < tokens; ++i) positions[static_cast<std::size_t>(i)] = i;
  std::vector<float> frequencies;
  for (int f = 0; f < head_dim / 2; ++f)
    frequencies.push_back(static_cast<float>(std::pow(10000.0, -2.0 * f / head_dim)));
  const auto numbers = static_cast<std::size_t>(width) * static_cast<std::size_t>(width);
  if (bench.elements < numbers) return;
  gpu::KvProjection projection;
  projection.key = on_device(std::vector<std::uint16_t>(numbers, gpu::narrowed(0.01F)));
  projection.value = projection.key;
  projection.frequencies = on_device(frequencies);
  projection.hidden = width;
  const gpu::LayerInputs inputs{bench.rows, on_device(positions), tokens};
  const std::size_t rows = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(width) * sizeof(std::uint16_t);
  table.push_back(
      {"recompute keys and values", 3 * rows + 2 * numbers * sizeof(std::uint16_t),
       [=](gpu::Stream stream) { return gpu::launch_recompute_kv(inputs, projection, bench.paged, 0, stream); },
       4.0 * tokens * static_cast<double>(numbers)});
}

void checksums(const Bench& bench, Table& table) {
  const std::uint64_t leaves = bench.row_bytes() / gpu::leaf_bytes;
  std::uint64_t* const sums = on_device(std::vector<std::uint64_t>(leaves));
  table.push_back({"checksums of leaves", bench.row_bytes(),
                   [=](gpu::Stream stream) {
                     return gpu::launch_leaf_checksums(reinterpret_cast<const std::byte*>(bench.rows), leaves, sums,
                                                       stream);
                   },
                   0, true, checksum_share_asked});
}

/// A family of kernels: a function that enters them, and a line here.
constexpr void (*families[])(const Bench&, Table&) = {scoring,    moving,    kivi,          fp8,
                                                      rerotation, attention, recomputation, checksums};

double best_seconds(const std::function<Status(gpu::Stream)>& launch) {
  (void)value_of(gpu::seconds_of(nullptr, [&] { return launch(nullptr); }));  // loads it
  const std::vector<double> seconds = value_of(gpu::seconds_of_each(nullptr, rounds, [&] { return launch(nullptr); }));
  return *std::ranges::min_element(seconds);
}

}  // namespace

int main(int count, char** arguments) {
  need_device();
  const int tokens = count > 1 ? std::atoi(arguments[1]) : 32768;
  if (tokens < 1) return std::printf("usage: %s [tokens of a head]\n", arguments[0]), 2;
  const Bench bench = make_bench(tokens);
  std::byte* const other = on_device(std::vector<std::byte>(bench.row_bytes()));
  const double copied = 2 * static_cast<double>(bench.row_bytes()) / best_seconds([&](gpu::Stream stream) {
                          return gpu::copy_within(other, bench.rows, bench.row_bytes(), stream);
                        });
  std::printf("%s; %d heads of %d tokens, head_dim %d: %.1f MiB; a copy within the device: %.1f GB/s\n",
              gpu::device_name().c_str(), head_count, tokens, head_dim,
              static_cast<double>(bench.row_bytes()) / (1 << 20), copied / 1e9);
  std::printf("%-36s %12s %12s %10s\n", "kernel", "us", "GB/s", "of a copy");
  std::vector<std::string> slow;
  for (const auto family : families) {
    Table table;
    family(bench, table);
    for (const Timed& timed : table) {
      const double seconds = best_seconds(timed.launch), rate = static_cast<double>(timed.bytes) / seconds;
      std::printf("%-36s %12.1f %12.1f %8.0f %%", timed.name.c_str(), seconds * 1e6, rate / 1e9, 100 * rate / copied);
      timed.operations > 0 ? std::printf(" %10.1f TFLOP/s\n", timed.operations / seconds / 1e12) : std::printf("\n");
      if (timed.held && tokens >= tokens_held && rate < timed.share * copied)
        slow.push_back(timed.name + ": below " + std::to_string(static_cast<int>(100 * timed.share)) +
                       " % of a copy's rate");
    }
  }
  for (const std::string& row : slow) std::printf("FAIL: %s\n", row.c_str());
  return slow.empty() ? end() : 1;
}
