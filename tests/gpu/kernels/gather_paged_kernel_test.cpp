// Gathering rows: the kernels against their references byte for byte, into blocks and into arrays, of some tokens and
// of all.
#include "gpu/kernels/gather_paged.h"

#include "tests/gpu/kernels/ragged_heads.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

void into_blocks(Random& random, const RaggedHeads& from, const std::string& shape) {
  std::vector<int> counts;
  std::vector<std::int32_t> indices;
  for (const int kept : from.kept) {
    std::vector<std::int32_t> chosen;
    for (int token = 0; token < kept; ++token)
      if (random.below(2) == 0) chosen.push_back(token);
    counts.push_back(static_cast<int>(chosen.size()));
    indices.insert(indices.end(), chosen.begin(), chosen.end());
  }
  RaggedHeads to = ragged_heads(random, from.host.head_dim, 48 - from.host.block_tokens, counts,
                                Rows::dense);  // blocks of another size as well
  to.point();
  const auto source = from.on_device(), target = to.on_device();
  const auto wanted = value_of(gpu::DeviceArray<std::int32_t>::of(indices));
  must(gpu::launch_gather_blocks(source.heads, wanted.data(), target.heads, to.longest(), nullptr));
  must(gpu::synchronize());
  gpu::gather_blocks_reference(from.host, indices.data(), to.host);
  check(value_of(target.arena.numbers()) == to.arena, "blocks, " + shape);
  check(value_of(source.arena.numbers()) == from.arena, "what is gathered from stays, " + shape);
  for (int head = 0, at = 0; head < to.host.heads;
       at += counts[static_cast<std::size_t>(head++)])  // the reference, by what is where
    for (int i = 0; i < counts[static_cast<std::size_t>(head)]; ++i)
      check(*to.host.position(head, i) == *from.host.position(head, indices[static_cast<std::size_t>(at + i)]) &&
                to.host.value(head, i)[from.host.head_dim - 1] ==
                    from.host.value(head, indices[static_cast<std::size_t>(at + i)])[from.host.head_dim - 1],
            "the reference's rows, " + shape);
}

void into_rows(Random& random, const RaggedHeads& from, bool all, bool values, const std::string& shape) {
  std::vector<std::int32_t> first_row, counts, indices;
  for (const int kept : from.kept) {
    first_row.push_back(static_cast<std::int32_t>(indices.size()));
    const auto before = indices.size();
    for (int token = 0; token < kept; ++token)
      if (all || random.below(3) == 0) indices.push_back(token);
    counts.push_back(static_cast<std::int32_t>(indices.size() - before));
  }
  const std::size_t rows = indices.size(), numbers = rows * static_cast<std::size_t>(from.host.head_dim);
  const auto source = from.on_device();
  const auto wanted = value_of(gpu::DeviceArray<std::int32_t>::of(indices)),
             firsts = value_of(gpu::DeviceArray<std::int32_t>::of(first_row)),
             taken = value_of(gpu::DeviceArray<std::int32_t>::of(counts)),
             positions = value_of(gpu::DeviceArray<std::int32_t>::zeros(rows));
  const auto keys_there = value_of(gpu::DeviceArray<std::uint16_t>::zeros(numbers)),
             values_there = value_of(gpu::DeviceArray<std::uint16_t>::zeros(numbers));
  must(gpu::launch_gather_rows(source.heads, all ? nullptr : wanted.data(), firsts.data(), taken.data(),
                               {keys_there.data(), values ? values_there.data() : nullptr, positions.data()},
                               from.longest(), nullptr));
  must(gpu::synchronize());
  std::vector<std::uint16_t> keys(numbers), of_values(numbers);
  std::vector<std::int32_t> of_positions(rows);
  gpu::gather_rows_reference(from.host, all ? nullptr : indices.data(), first_row.data(), counts.data(),
                             {keys.data(), values ? of_values.data() : nullptr, of_positions.data()});
  check(value_of(keys_there.numbers()) == keys, "keys, " + shape);
  check(value_of(values_there.numbers()) == of_values, "values, " + shape);
  check(value_of(positions.numbers()) == of_positions, "positions, " + shape);
}

}  // namespace

int main() {
  need_device();
  Random random(14);
  for_ragged_shapes(random, [&](const RaggedHeads& heads, const std::string& shape) {
    into_blocks(random, heads, shape);
    into_rows(random, heads, false, true, "some, " + shape);
    into_rows(random, heads, true, false, "all keys, " + shape);
  });
  return end();
}
