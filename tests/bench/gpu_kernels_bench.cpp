// How fast kernels are, as a share of what a copy within the device's memory reaches in the same run: bytes that a kernel must read and write over the
// time between two events, the best of several, as other work on the machine only makes it longer. The rows are those of 32 heads, larger than any
// cache of a GPU. An argument: tokens of a head (32,768).
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "gpu/kernels/fp8.h"
#include "gpu/kernels/kivi.h"
#include "gpu/kernels/rerotate.h"
#include "gpu/kernels/timing.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int rounds = 12, warming = 2;
constexpr int head_count = 32, head_dim = 128, block_tokens = 16;

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
};
using Table = std::vector<Timed>;

Bench make_bench(int tokens) {
  Random random(1);
  Bench bench;
  bench.tokens = tokens;
  bench.elements = std::size_t{head_count} * static_cast<std::size_t>(tokens) * head_dim;
  std::vector<std::uint16_t> rows(bench.elements);
  const std::size_t drawn = std::min(rows.size(), std::size_t{1} << 20);  // then again: no kernel looks that far
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i < drawn ? gpu::narrowed(static_cast<float>(random.normal())) : rows[i - drawn];
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
  paged.arena = on_device(std::vector<unsigned char>(blocks.size() * paged.block_bytes));
  paged.blocks = on_device(blocks), paged.first_block = on_device(first_block), paged.kept = bench.counts, paged.first_slot = bench.first_row;
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
      const gpu::HeadRows gathered = gpu::gathered_rows(bench.rows, bench.first_row, head_dim), in_blocks = gpu::paged_rows(bench.paged, !keys);
      const std::size_t moved = bench.row_bytes() + head_count * bytes;
      const std::string name = "kivi" + std::to_string(bits) + (keys ? " keys" : " values");
      table.push_back({name + ", encode", moved, [=](gpu::Stream stream) { return gpu::launch_kivi_encode(form, gathered, heads, encoded, stream); }});
      table.push_back({name + ", decode", moved, [=](gpu::Stream stream) { return gpu::launch_kivi_decode(form, heads, encoded, gathered, corrupt, stream); }});
      table.push_back({name + ", decode into blocks", moved, [=](gpu::Stream stream) { return gpu::launch_kivi_decode(form, heads, encoded, in_blocks, corrupt, stream); }});
    }
}

void fp8(const Bench& bench, Table& table) {
  std::uint8_t* const codes = on_device(std::vector<std::uint8_t>(bench.elements));
  const std::size_t moved = bench.row_bytes() + bench.elements;
  table.push_back({"fp8, encode", moved, [=](gpu::Stream stream) { return gpu::launch_fp8_encode(bench.rows, bench.elements, codes, stream); }});
  table.push_back({"fp8, decode", moved, [=](gpu::Stream stream) { return gpu::launch_fp8_decode(codes, bench.elements, bench.rows, stream); }});
}

void rerotation(const Bench& bench, Table& table) {
  std::vector<float> frequencies;
  for (int f = 0; f < head_dim / 2; ++f) frequencies.push_back(static_cast<float>(std::pow(500000.0, -2.0 * f / head_dim)));
  gpu::Rerotation there{on_device(frequencies), head_dim / 2, nullptr, bench.first_row, bench.tokens};
  gpu::Rerotation back = there;
  std::vector<std::int32_t> positions;
  for (int h = 0; h < head_count; ++h)
    for (int i = 0; i < bench.tokens; ++i) positions.push_back(2 * i + 1);
  there.positions = on_device(positions);  // each way in turn, as rows that stay are not touched
  const auto turns = std::make_shared<int>(0);
  table.push_back({"rerotate, in blocks", 2 * bench.row_bytes(), [=](gpu::Stream stream) { return gpu::launch_rerotate(bench.paged, (*turns)++ % 2 == 0 ? there : back, stream); }});
}

/// A family of kernels: a function that enters them, and a line here.
constexpr void (*families[])(const Bench&, Table&) = {kivi, fp8, rerotation};

double best_seconds(const std::function<Status(gpu::Stream)>& launch) {
  double best = 1e9;
  for (int round = 0; round < warming + rounds; ++round) {
    const double seconds = value_of(gpu::seconds_of(nullptr, [&] { return launch(nullptr); }));
    if (round >= warming) best = std::min(best, seconds);
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  need_device();
  const int tokens = count > 1 ? std::atoi(arguments[1]) : 32768;
  if (tokens < 1) return std::printf("usage: %s [tokens of a head]\n", arguments[0]), 2;
  const Bench bench = make_bench(tokens);
  std::byte* const other = on_device(std::vector<std::byte>(bench.row_bytes()));
  const double copied = 2 * static_cast<double>(bench.row_bytes()) / best_seconds([&](gpu::Stream stream) { return gpu::copy_within(other, bench.rows, bench.row_bytes(), stream); });
  std::printf("%s; %d heads of %d tokens, head_dim %d: %.1f MiB; a copy within the device: %.1f GB/s\n", gpu::device_name().c_str(), head_count, tokens, head_dim,
              static_cast<double>(bench.row_bytes()) / (1 << 20), copied / 1e9);
  std::printf("%-36s %12s %12s %10s\n", "kernel", "us", "GB/s", "of a copy");
  for (const auto family : families) {
    Table table;
    family(bench, table);
    for (const Timed& timed : table) {
      const double seconds = best_seconds(timed.launch), rate = static_cast<double>(timed.bytes) / seconds;
      std::printf("%-36s %12.1f %12.1f %8.0f %%\n", timed.name.c_str(), seconds * 1e6, rate / 1e9, 100 * rate / copied);
    }
  }
  return end();
}
