#include "core/model/products/products.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "core/model/kernels/scratch.h"
#include "core/model/products/product_kernels.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace kvantage::inline model_products {

extern const ProductKernels products_bf16_portable, products_fp32_portable;
#if defined(__x86_64__)
extern const ProductKernels products_bf16_avx2, products_fp32_avx2;
extern const ProductKernels products_bf16_avx512, products_fp32_avx512;
extern const ProductKernels products_bf16_avx512bf16, products_bf16_amx;
#endif

namespace {

/// Of packed rows that are multiplied with many weights: half of a small L2 cache.
constexpr std::size_t block_bytes = std::size_t{512} << 10;
/// Of outputs whose sums over some chunks wait for the others.
constexpr int outputs_together = 8 * product_unit;

/// Does the CPU multiply tiles of bf16, and does the system let this process?
bool has_amx() {
#if defined(__x86_64__) && defined(__linux__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned amx_bf16 = 1U << 22, amx_tile = 1U << 24;
  if ((d & amx_bf16) == 0 || (d & amx_tile) == 0) return false;
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM of Linux 5.16
  return ::syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

const ProductKernels& kernels_of(ProductSet set, Element weights) {
  const bool bf16 = weights == Element::bf16;
#if defined(__x86_64__)
  switch (set) {
    case ProductSet::portable:
      break;
    case ProductSet::avx2:
      return bf16 ? products_bf16_avx2 : products_fp32_avx2;
    case ProductSet::avx512:
      return bf16 ? products_bf16_avx512 : products_fp32_avx512;
    case ProductSet::avx512bf16:
      return bf16 ? products_bf16_avx512bf16 : products_fp32_avx512;
    case ProductSet::amx:
      return bf16 ? products_bf16_amx : products_fp32_avx512;
  }
#endif
  static_cast<void>(set);
  return bf16 ? products_bf16_portable : products_fp32_portable;
}

/// Memory of a thread for packed rows; in use while one of them holds it.
struct PackedMemory {
  std::byte* bytes = nullptr;
  std::size_t size = 0;

  PackedMemory() = default;
  PackedMemory(const PackedMemory&) = delete;
  PackedMemory& operator=(const PackedMemory&) = delete;
  ~PackedMemory() { release(); }
  void release() {
    ::operator delete[](bytes, std::align_val_t{64});
    bytes = nullptr;
    size = 0;
  }
};
thread_local PackedMemory packed_memory;

/// The next multiple.
int whole(int count, int of) { return (count + of - 1) / of * of; }

}  // namespace

const char* to_string(ProductSet set) {
  switch (set) {
    case ProductSet::portable:
      return "portable";
    case ProductSet::avx2:
      return "avx2";
    case ProductSet::avx512:
      return "avx512";
    case ProductSet::avx512bf16:
      return "avx512bf16";
    case ProductSet::amx:
      return "amx";
  }
  return "unknown";
}

ProductSet product_set(Isa isa) {
  switch (std::min(isa, best_isa())) {
    case Isa::portable:
      return ProductSet::portable;
    case Isa::avx2:
      return ProductSet::avx2;
    case Isa::avx512:
      return ProductSet::avx512;
    case Isa::avx512bf16: {
      static const bool amx = has_amx();
      return amx ? ProductSet::amx : ProductSet::avx512bf16;
    }
  }
  return ProductSet::portable;
}

PackedRows::PackedRows(ProductSet set, Element weights, const InputRows& input)
    : kernels_(kernels_of(set, weights)), input_(input) {
  const auto padded = static_cast<std::size_t>(whole(input.columns, kernels_.step));
  row_bytes_ = padded * kernels_.element_bytes;
  const std::size_t chunk = kernels_.chunk == 0 ? padded : std::min(padded, static_cast<std::size_t>(kernels_.chunk));
  const std::size_t fitting = block_bytes / std::max<std::size_t>(1, chunk * kernels_.element_bytes);
  const int most = std::max(kernels_.row_tile, static_cast<int>(std::min<std::size_t>(fitting, 1 << 20)));
  const int blocks = std::max(1, (input.rows + most - 1) / most);  // of about the same size: each reads all weights
  block_rows_ = std::max(kernels_.row_tile, whole((input.rows + blocks - 1) / blocks, kernels_.row_tile));
  bytes_ = bytes(set, weights, input.rows, input.columns);
  PackedMemory& memory = packed_memory;
  if (memory.size < bytes_) {
    memory.release();
    memory.bytes = static_cast<std::byte*>(::operator new[](bytes_, std::align_val_t{64}));
    memory.size = bytes_;
  }
  bytes_ = std::exchange(memory.size, 0);
  packed_ = std::exchange(memory.bytes, nullptr);
}

PackedRows::~PackedRows() {
  PackedMemory& memory = packed_memory;
  if (memory.size < bytes_) {
    memory.release();
    memory.bytes = packed_;
    memory.size = bytes_;
  } else {
    ::operator delete[](packed_, std::align_val_t{64});
  }
}

std::size_t PackedRows::bytes(ProductSet set, Element weights, int rows, int columns) {
  const ProductKernels& kernels = kernels_of(set, weights);
  return static_cast<std::size_t>(whole(rows, kernels.row_tile)) *
         static_cast<std::size_t>(whole(columns, kernels.step)) * kernels.element_bytes;
}

int PackedRows::tiles() const { return (input_.rows + kernels_.row_tile - 1) / kernels_.row_tile; }

void PackedRows::pack(int first, int last) const {
  PackJob job;
  job.rows = input_.numbers;
  job.type = input_.type;
  job.stride = input_.stride;
  job.row_count = input_.rows;
  job.columns = input_.columns;
  job.packed = packed_;
  job.first_tile = first;
  job.last_tile = last;
  kernels_.pack(job);
}

int PackedRows::blocks() const { return (input_.rows + block_rows_ - 1) / block_rows_; }

void PackedRows::multiply(const WeightProduct& product, int block, int first, int last) const {
  const int first_row = block * block_rows_, columns = input_.columns;
  ProductBlock job;
  job.weights = product.weights;
  job.columns = columns;
  job.row_count = std::min(block_rows_, input_.rows - first_row);
  job.rows = packed_ + static_cast<std::size_t>(first_row) * row_bytes_;
  const std::size_t element = product.type == Element::bf16 ? sizeof(Bf16) : sizeof(float);
  job.target.output =
      static_cast<std::byte*>(product.output) + first_row * product.stride * static_cast<std::ptrdiff_t>(element);
  job.target.type = product.type;
  job.target.stride = product.stride;
  job.target.bias = product.bias;
  const bool chunks = kernels_.chunk != 0 && columns > kernels_.chunk;
  if (chunks) {
    job.target.partial = reinterpret_cast<float*>(
        kernel_scratch(static_cast<std::size_t>(job.row_count) * outputs_together * sizeof(float)));
    job.target.partial_stride = outputs_together;
  }
  // Whole rows of weights in memory order, as long as all columns of the packed rows fit the cache.
  const bool fits = static_cast<std::size_t>(job.row_count) * row_bytes_ <= block_bytes;
  const int together = chunks && !fits ? kernels_.chunk : columns;
  for (job.first_output = first; job.first_output < last; job.first_output = job.last_output) {
    job.last_output = std::min(last, job.first_output + outputs_together);
    for (job.first_column = 0; job.first_column < columns; job.first_column = job.last_column) {
      job.last_column = std::min(columns, job.first_column + together);
      kernels_.multiply(job);
    }
  }
}

}  // namespace kvantage::inline model_products
