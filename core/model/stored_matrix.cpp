#include "core/model/stored_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/kv/codecs/e4m3.h"
#include "core/model/gguf_blocks.h"

namespace kvantage::inline model {
namespace {

using Extents = std::vector<std::int64_t>;

/// Looks for tensors of one model.
class Finder {
 public:
  Finder(const WeightFiles& files, const std::string& model) : files_(files), model_(model) {}

  bool has(const std::string& name) const { return files_.tensors().contains(name); }
  const Quantization& quantization() const { return files_.quantization(); }
  tl::unexpected<Error> reject(const std::string& reason) const {
    return fail(ErrorCode::rejected_input, model_ + ": " + reason);
  }
  Expected<const StoredTensor*> find(const std::string& name, Extents shape,
                                     std::initializer_list<std::string_view> types) const {
    const std::string described_by = files_.is_gguf() ? "keys" : "config.json";
    const auto found = files_.tensors().find(name);
    if (found == files_.tensors().end())
      return reject("tensor '" + name + "' is missing; the checkpoint does not fit its " + described_by);
    const StoredTensor& stored = found->second;
    if (stored.shape != shape)
      return reject("tensor '" + name + "' is " + stored.describe() + " but its " + described_by +
                    (files_.is_gguf() ? " ask for " : " asks for ") +
                    StoredTensor{stored.dtype, std::move(shape), {}}.describe() + "; the checkpoint does not fit its " +
                    described_by);
    if (!files_.is_gguf() && std::ranges::find(types, std::string_view(stored.dtype)) == types.end())
      return reject("tensor '" + name + "' has type " + stored.dtype +
                    "; convert the checkpoint to bfloat16, float16 or float32");
    return &stored;
  }
  Expected<const StoredTensor*> plain(const std::string& name, Extents shape) const {
    return find(name, std::move(shape), {"BF16", "F32", "F16"});
  }

 private:
  const WeightFiles& files_;
  const std::string& model_;
};

/// The numbers of a tensor of F32, F16 or BF16; of quantized types, which GGUF files may have, widened at once.
class PlainNumbers {
 public:
  explicit PlainNumbers(const StoredTensor& tensor)
      : bytes_(tensor.bytes), size_(tensor.dtype == "F32" ? 4 : 2), widen_(widen_blocks(tensor.dtype)) {
    if (tensor.dtype == "F32" || tensor.dtype == "F16" || tensor.dtype == "BF16") return;
    std::size_t count = 1;
    for (const std::int64_t extent : tensor.shape) count *= static_cast<std::size_t>(extent);
    widened_.resize(count);
    widen_(bytes_, widened_);
  }
  float operator[](std::size_t index) const {
    if (!widened_.empty()) return widened_[index];
    float number = 0;
    widen_(bytes_.subspan(index * size_, size_), {&number, 1});
    return number;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t size_;
  WidenBlocks widen_;
  std::vector<float> widened_;
};

std::uint32_t word_at(const StoredTensor& tensor, std::size_t index) {
  std::uint32_t word = 0;
  std::memcpy(&word, tensor.bytes.data() + index * sizeof(word), sizeof(word));
  return word;
}

std::size_t cells(std::int64_t row, std::int64_t columns, std::int64_t column) {
  return static_cast<std::size_t>(row * columns + column);
}

/// 2^(code - 127).
std::array<float, 256> powers_of_two() {
  std::array<float, 256> powers{};
  for (std::size_t code = 0; code < powers.size(); ++code)
    powers[code] = std::ldexp(1.0F, static_cast<int>(code) - 127);
  return powers;
}

std::string packed_name(const MatrixName& name, const char* part) { return name.name + part; }

/// A scale for each block of rows and columns (DeepSeek V3's format).
Expected<StoredMatrix> find_fp8(const Finder& finder, const MatrixName& name, std::int64_t of, int columns) {
  const Quantization& form = finder.quantization();
  if (form.method != QuantizationMethod::fp8)
    return finder.reject("tensor '" + name.name +
                         ".weight' has type F8_E4M3 but config.json names no quantization 'fp8'; fetch it again");
  const std::int64_t across = (columns + form.block_columns - 1) / form.block_columns;
  const std::string scale_name = packed_name(name, ".weight_scale_inv");
  KV_ASSIGN(const auto codes, finder.find(name.name + ".weight", {of, columns}, {"F8_E4M3"}));
  KV_ASSIGN(const auto scales, finder.plain(scale_name, {(of + form.block_rows - 1) / form.block_rows, across}));
  StoredMatrix stored;
  stored.tensors = {{name.name + ".weight", codes}, {scale_name, scales}};
  stored.row = [codes, scale_of = PlainNumbers(*scales), form, columns, across, fused = name.fused](
                   std::int64_t row, std::span<float> numbers) {
    const std::int64_t at = fused.at(row);
    for (std::int64_t c = 0; c < columns; ++c) {
      const float scale = scale_of[cells(at / form.block_rows, across, c / form.block_columns)];
      numbers[static_cast<std::size_t>(c)] =
          e4m3_values[std::to_integer<std::size_t>(codes->bytes[cells(at, columns, c)])] * scale;
    }
  };
  return stored;
}

/// Codes of consecutive inputs in one word; zero points of consecutive outputs in one.
Expected<StoredMatrix> find_gptq(const Finder& finder, const MatrixName& name, std::int64_t of, int columns) {
  const Quantization form = finder.quantization();
  const int packed = 32 / form.bits, group = form.group_size == 0 ? columns : form.group_size;
  if (columns % packed != 0 || of % packed != 0)
    return finder.reject("'" + name.name + ".qweight' cannot hold a matrix [" + std::to_string(of) + ", " +
                         std::to_string(columns) + "]; use another checkpoint");
  const std::int64_t groups = (columns + group - 1) / group;
  KV_ASSIGN(const auto codes, finder.find(packed_name(name, ".qweight"), {columns / packed, of}, {"I32"}));
  KV_ASSIGN(const auto zeros, finder.find(packed_name(name, ".qzeros"), {groups, of / packed}, {"I32"}));
  KV_ASSIGN(const auto scales, finder.plain(packed_name(name, ".scales"), {groups, of}));
  StoredMatrix stored;
  stored.tensors = {{packed_name(name, ".qweight"), codes},
                    {packed_name(name, ".qzeros"), zeros},
                    {packed_name(name, ".scales"), scales}};
  const StoredTensor* order = nullptr;  // the group of each input, where inputs were reordered
  if (finder.has(packed_name(name, ".g_idx"))) {
    KV_ASSIGN(order, finder.find(packed_name(name, ".g_idx"), {columns}, {"I32"}));
    for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c)
      if (word_at(*order, c) >= groups)
        return finder.reject("'" + name.name + ".g_idx' names a group beyond " + std::to_string(groups) +
                             "; fetch the file again");
    stored.tensors.emplace_back(packed_name(name, ".g_idx"), order);
  }
  stored.row = [=, scale_of = PlainNumbers(*scales), fused = name.fused](std::int64_t row, std::span<float> numbers) {
    const std::int64_t at = fused.at(row);
    const std::uint32_t mask = (1U << form.bits) - 1;
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t of_group =
          order != nullptr ? static_cast<std::int64_t>(word_at(*order, static_cast<std::size_t>(c))) : c / group;
      const std::uint32_t code =
          word_at(*codes, cells(c / packed, of, at)) >> static_cast<unsigned>(c % packed * form.bits) & mask;
      const std::uint32_t zero =
          word_at(*zeros, cells(of_group, of / packed, at / packed)) >> static_cast<unsigned>(at % packed * form.bits) &
          mask;
      const auto offset = static_cast<int>(zero) + (form.zeros_less_one ? 1 : 0);
      numbers[static_cast<std::size_t>(c)] =
          scale_of[cells(of_group, of, at)] * static_cast<float>(static_cast<int>(code) - offset);
    }
  };
  return stored;
}

/// Codes of eight consecutive outputs in one word, in an order of their own.
Expected<StoredMatrix> find_awq(const Finder& finder, const MatrixName& name, std::int64_t of, int columns) {
  constexpr std::int64_t packed = 8;
  const int group = finder.quantization().group_size == 0 ? columns : finder.quantization().group_size;
  if (of % packed != 0)
    return finder.reject("'" + name.name + ".qweight' cannot hold " + std::to_string(of) +
                         " outputs; use another checkpoint");
  const std::int64_t groups = (columns + group - 1) / group;
  KV_ASSIGN(const auto codes, finder.find(packed_name(name, ".qweight"), {columns, of / packed}, {"I32"}));
  KV_ASSIGN(const auto zeros, finder.find(packed_name(name, ".qzeros"), {groups, of / packed}, {"I32"}));
  KV_ASSIGN(const auto scales, finder.plain(packed_name(name, ".scales"), {groups, of}));
  StoredMatrix stored;
  stored.tensors = {{packed_name(name, ".qweight"), codes},
                    {packed_name(name, ".qzeros"), zeros},
                    {packed_name(name, ".scales"), scales}};
  stored.row = [=, scale_of = PlainNumbers(*scales), fused = name.fused](std::int64_t row, std::span<float> numbers) {
    constexpr std::array<unsigned, 8> place{0, 4, 1, 5, 2, 6, 3, 7};
    const std::int64_t at = fused.at(row);
    const unsigned shift = 4 * place[static_cast<std::size_t>(at % packed)];
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto code = static_cast<int>(word_at(*codes, cells(c, of / packed, at / packed)) >> shift & 15U);
      const auto zero = static_cast<int>(word_at(*zeros, cells(c / group, of / packed, at / packed)) >> shift & 15U);
      numbers[static_cast<std::size_t>(c)] = scale_of[cells(c / group, of, at)] * static_cast<float>(code - zero);
    }
  };
  return stored;
}

/// 32 numbers of four bits with a power of two (OCP Microscaling Formats, MXFP4), rows are outputs.
Expected<StoredMatrix> find_mxfp4(const Finder& finder, const MatrixName& name, std::int64_t of, int columns) {
  constexpr std::int64_t block = 32;
  if (columns % block != 0)
    return finder.reject("'" + name.name + "_blocks' cannot hold " + std::to_string(columns) +
                         " inputs; use another checkpoint");
  const std::int64_t blocks = columns / block;
  KV_ASSIGN(const auto codes, finder.find(packed_name(name, "_blocks"), {name.experts, of, blocks, block / 2}, {"U8"}));
  KV_ASSIGN(const auto scales, finder.find(packed_name(name, "_scales"), {name.experts, of, blocks}, {"U8"}));
  StoredMatrix stored;
  stored.tensors = {{packed_name(name, "_blocks"), codes}, {packed_name(name, "_scales"), scales}};
  stored.row = [=, fused = name.fused, expert = name.expert](std::int64_t row, std::span<float> numbers) {
    constexpr std::array<float, 8> sizes{0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    static const std::array<float, 256> powers = powers_of_two();
    const std::size_t first = cells(expert, of, fused.at(row)) * static_cast<std::size_t>(blocks);
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      const auto byte = std::to_integer<unsigned>(codes->bytes[first * (block / 2) + c / 2]);
      const unsigned code = c % 2 == 0 ? byte & 15U : byte >> 4;
      const float number = sizes[code & 7U] * powers[std::to_integer<std::size_t>(scales->bytes[first + c / block])];
      numbers[c] = (code & 8U) != 0 ? -number : number;
    }
  };
  return stored;
}

/// One of a stack [experts, columns, rows] of plain numbers.
Expected<StoredMatrix> find_in_stack(const Finder& finder, const MatrixName& name, std::int64_t of, int columns) {
  KV_ASSIGN(const auto stack, finder.plain(name.name, {name.experts, columns, of}));
  StoredMatrix stored;
  stored.tensors = {{name.name, stack}};
  stored.row = [=, number = PlainNumbers(*stack), fused = name.fused, expert = name.expert](std::int64_t row,
                                                                                            std::span<float> numbers) {
    const std::size_t first = cells(expert, columns, 0) * static_cast<std::size_t>(of);
    for (std::int64_t c = 0; c < columns; ++c)
      numbers[static_cast<std::size_t>(c)] = number[first + cells(c, of, fused.at(row))];
  };
  return stored;
}

Expected<StoredMatrix> find_plain(const Finder& finder, const MatrixName& name, std::int64_t of, int columns) {
  KV_ASSIGN(const auto tensor, finder.plain(name.name + ".weight", {of, columns}));
  StoredMatrix stored;
  stored.tensors = {{name.name + ".weight", tensor}};
  stored.plain = tensor;
  if (name.fused.of == 0) stored.whole = tensor;
  const std::size_t row_bytes = tensor->bytes.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, of));
  stored.row = [=, fused = name.fused](std::int64_t row, std::span<float> numbers) {
    widen_blocks(tensor->dtype)(tensor->bytes.subspan(static_cast<std::size_t>(fused.at(row)) * row_bytes, row_bytes),
                                numbers);
  };
  return stored;
}

Expected<StoredMatrix> find_form(const Finder& finder, const MatrixName& name, std::int64_t of, int columns) {
  if (name.expert >= 0)
    return finder.has(packed_name(name, "_blocks")) ? find_mxfp4(finder, name, of, columns)
                                                    : find_in_stack(finder, name, of, columns);
  if (finder.has(packed_name(name, ".qweight"))) {
    if (finder.quantization().method == QuantizationMethod::gptq) return find_gptq(finder, name, of, columns);
    if (finder.quantization().method == QuantizationMethod::awq) return find_awq(finder, name, of, columns);
    return finder.reject("'" + name.name +
                         ".qweight' is packed, but config.json names neither 'gptq' nor 'awq'; "
                         "fetch the checkpoint again");
  }
  if (finder.has(packed_name(name, ".weight_scale_inv"))) return find_fp8(finder, name, of, columns);
  return find_plain(finder, name, of, columns);
}

}  // namespace

Expected<const StoredTensor*> find_tensor(const WeightFiles& files, const std::string& model, const std::string& name,
                                          std::vector<std::int64_t> shape) {
  return Finder(files, model).plain(name, std::move(shape));
}

Expected<StoredMatrix> find_matrix(const WeightFiles& files, const std::string& model, const MatrixName& name, int rows,
                                   int columns, bool with_bias) {
  const Finder finder(files, model);
  const std::int64_t of = name.fused.of == 0 ? rows : name.fused.of;
  KV_ASSIGN(StoredMatrix stored, find_form(finder, name, of, columns));
  if (!with_bias) return stored;
  const std::string bias_name = name.name + (name.expert >= 0 ? "_bias" : ".bias");
  KV_ASSIGN(stored.bias, finder.plain(bias_name, name.expert >= 0 ? Extents{name.experts, of} : Extents{of}));
  stored.tensors.emplace_back(bias_name, stored.bias);
  const std::int64_t first = name.expert >= 0 ? name.expert * of : 0;
  stored.bias_of = [bias = PlainNumbers(*stored.bias), first, fused = name.fused](std::int64_t row) {
    return bias[static_cast<std::size_t>(first + fused.at(row))];
  };
  return stored;
}

}  // namespace kvantage::inline model
