// The launchers of gpu/kernels that the tests of copies and streams need, over the fake runtime. Checksums run
// emulated. Of the others only the ranges are theirs: what a stand-in writes depends on every byte that it reads, so a
// kernel that runs too early or too late shows in the bytes, too.
#include "core/base/digest.h"
#include "core/base/random.h"
#include "gpu/kernels/attend_paged.h"
#include "gpu/kernels/leaf_checksums.h"
#include "gpu/kernels/recompute_kv.h"
#include "tests/gpu/fake/fake_cuda.h"
#include "tests/gpu/fake/fake_launch.h"

namespace kvantage::gpu {

// The launchers of gpu/kernels/leaf_checksums.cu under other names (tests/gpu/device.cmake).
Status run_leaf_checksums(const std::byte* bytes, std::uint64_t leaves, std::uint64_t* sums, Stream stream,
                          std::uint64_t last_bytes);
Status run_check_blocks(const BlockChecksums& blocks, std::uint32_t* changed, Stream stream);
Status run_reset_count(std::uint32_t* changed, Stream stream);

namespace {

using testing::MemoryRange;
using testing::MemoryRanges;

template <class T>
MemoryRange range_of(const T* first, int count) {
  return MemoryRange::of(first, static_cast<std::size_t>(count) * sizeof(T));
}

void must(const Status& ran) {
  if (!ran) testing::fake_cuda().broken("a launch with arguments that the kernel refuses");
}

/// Fills `writes` with numbers that depend on `salt` and on all of `reads`.
void stand_in(std::uint64_t salt, const MemoryRanges& reads, const MemoryRanges& writes) {
  std::uint64_t seen = salt;
  for (const MemoryRange& range : reads) {
    const auto* const first = reinterpret_cast<const std::byte*>(range.begin);
    seen = mixed_bits(seen ^ checksum_of({first, range.end - range.begin}));
  }
  for (const MemoryRange& range : writes)
    for (std::uintptr_t at = range.begin; at < range.end; ++at)
      *reinterpret_cast<unsigned char*>(at) = static_cast<unsigned char>(mixed_bits(seen + (at - range.begin) + 1));
}

Status launch_stand_in(Stream stream, const char* kernel, const MemoryRanges& reads, const MemoryRanges& writes) {
  testing::fake_launch(stream, kernel, reads, writes, [=] { stand_in(1, reads, writes); });
  return launched(kernel);
}

MemoryRanges tables_of(const PagedHeads& heads) {
  return {testing::allocated_from(heads.blocks), testing::allocated_from(heads.first_block),
          testing::allocated_from(heads.kept)};
}

}  // namespace

Status launch_leaf_checksums(const std::byte* bytes, std::uint64_t leaves, std::uint64_t* sums, Stream stream,
                             std::uint64_t last_bytes) {
  if (leaves == 0) return {};
  const std::uint64_t read = (leaves - 1) * leaf_bytes + last_bytes;
  testing::fake_launch(stream, "leaf_checksums", {MemoryRange::of(bytes, read)},
                       {MemoryRange::of(sums, leaves * sizeof(std::uint64_t))},
                       [=] { must(run_leaf_checksums(bytes, leaves, sums, nullptr, last_bytes)); });
  return launched("leaf_checksums");
}

Status launch_check_blocks(const BlockChecksums& blocks, std::uint32_t* changed, Stream stream) {
  if (blocks.count == 0) return {};
  testing::fake_launch(stream, "check_blocks",
                       {MemoryRange::of(blocks.blocks, blocks.count * blocks.block_bytes),
                        MemoryRange::of(blocks.sums, blocks.count * sizeof(std::uint64_t)), range_of(changed, 1)},
                       {range_of(changed, 1)}, [=] { must(run_check_blocks(blocks, changed, nullptr)); });
  return launched("check_blocks");
}

Status launch_reset_count(std::uint32_t* changed, Stream stream) {
  testing::fake_launch(stream, "reset_count", {}, {range_of(changed, 1)},
                       [=] { must(run_reset_count(changed, nullptr)); });
  return launched("reset_count");
}

Status launch_recompute_kv(const LayerInputs& inputs, const KvProjection& projection, const PagedHeads& to,
                           int first_token, Stream stream) {
  const int width = to.heads * to.head_dim;
  MemoryRanges reads = tables_of(to), writes;
  reads.push_back(range_of(inputs.rows, inputs.tokens * projection.hidden));
  reads.push_back(range_of(inputs.positions, inputs.tokens));
  reads.push_back(range_of(projection.key, width * projection.hidden));
  reads.push_back(range_of(projection.value, width * projection.hidden));
  if (projection.frequencies != nullptr) reads.push_back(range_of(projection.frequencies, to.head_dim / 2));
  for (int head = 0; head < to.heads; ++head)
    for (int token = first_token; token < first_token + inputs.tokens; token += to.block_tokens)
      writes.push_back(MemoryRange::of(to.block(head, token), to.block_bytes));
  return launch_stand_in(stream, "recompute_kv", reads, writes);
}

std::size_t attend_scratch_bytes(const PagedHeads& heads, const DecodeAttention& job, int) {
  return static_cast<std::size_t>(heads.heads * job.group) * sizeof(float);
}

Status launch_attend_paged(const PagedHeads& heads, const DecodeAttention& job, int, void* scratch, std::uint16_t* out,
                           Stream stream) {
  const int numbers = heads.heads * job.group * heads.head_dim;
  const MemoryRange partial = MemoryRange::of(scratch, attend_scratch_bytes(heads, job, 0));
  MemoryRanges reads = tables_of(heads);
  reads.push_back(testing::allocated_from(heads.arena));
  reads.push_back(range_of(job.queries, numbers));
  // Scratch memory ends as it began, so that it carries nothing from one launch to the next.
  testing::fake_launch(stream, "attend_paged", reads, {range_of(out, numbers), partial},
                       [=] { stand_in(2, reads, {range_of(out, numbers)}); });
  return launched("attend_paged");
}

}  // namespace kvantage::gpu
