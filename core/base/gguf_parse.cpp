// Parses bytes into a GgufFile: every length, count and offset is validated before it is used.
#include <algorithm>
#include <array>
#include <bit>

#include "core/base/gguf_scalars.h"

namespace kvantage {
namespace {

using gguf::in_quotes, gguf::number_at, gguf::scalar_bytes;

constexpr std::array<GgufTensorType, 33> tensor_types{{
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},     {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},      {8, "Q8_0", 32, 34},     {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},  {14, "Q6_K", 256, 210},
    {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74}, {18, "IQ3_XXS", 256, 98},
    {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110}, {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},       {26, "I32", 1, 4},
    {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},  {30, "BF16", 1, 2},
    {34, "TQ1_0", 256, 54},   {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},   {40, "NVFP4", 64, 36},
    {41, "Q1_0", 128, 18},
}};

}  // namespace

std::span<const GgufTensorType> gguf_tensor_types() { return tensor_types; }

/// A single forward pass over the bytes; all reads are bounds-checked.
class GgufFile::Parser {
 public:
  Parser(std::span<const std::byte> bytes, GgufFile& file) : bytes_(bytes), file_(file) {}

  Status parse() {
    constexpr std::string_view magic = "GGUF";
    if (bytes_.size() < magic.size() || std::memcmp(bytes_.data(), magic.data(), magic.size()) != 0)
      return file_.reject("does not begin with GGUF; give a GGUF file or a Hugging Face model folder");
    at_ = magic.size();
    KV_TRY(take(file_.version_, "the version"));
    if (file_.version_ == __builtin_bswap32(2) || file_.version_ == __builtin_bswap32(3))
      return file_.reject("is big-endian; convert the model to a little-endian GGUF file");
    if (file_.version_ != 2 && file_.version_ != 3)
      return file_.reject("has version " + std::to_string(file_.version_) +
                          ", but 2 and 3 are read; convert the model again with a current converter");
    std::uint64_t tensors = 0, values = 0;
    KV_TRY(take(tensors, "the number of tensors"));
    KV_TRY(take(values, "the number of keys"));
    // The minimum size of a key or tensor: larger counts are rejected before anything is read.
    KV_TRY(fits(values, 8 + 4 + 1, "the file claims " + std::to_string(values) + " keys"));
    KV_TRY(fits(tensors, 8 + 4 + 8 + 4 + 8, "the file claims " + std::to_string(tensors) + " tensors"));
    // More than any model has, and few enough to be held.
    constexpr std::uint64_t most_values = 65'536, most_tensors = 200'000;
    if (values > most_values || tensors > most_tensors)
      return file_.reject("has " + std::to_string(values) + " keys and " + std::to_string(tensors) +
                          " tensors, and at most " + std::to_string(most_values) + " and " +
                          std::to_string(most_tensors) + " are read; fetch the file again");
    for (; values > 0; --values) KV_TRY(parse_value());
    KV_TRY(read_alignment());
    std::vector<Placed> placed;
    for (; tensors > 0; --tensors) KV_TRY(parse_tensor(placed));
    return place(placed);
  }

 private:
  struct Placed {
    std::uint64_t offset;
    GgufTensor* tensor;
    const std::string* name;
    std::uint64_t bytes;
  };

  std::size_t left() const { return bytes_.size() - at_; }

  Status truncated(const std::string& what) const {
    return file_.reject("ends inside " + what + ": it is truncated or damaged; fetch the file again");
  }
  /// Do `count` items of at least `each` bytes fit in the rest of the file?
  Status fits(std::uint64_t count, std::size_t each, const std::string& what) const {
    if (count <= left() / each) return {};
    return file_.reject(what + " but the file holds " + std::to_string(bytes_.size()) +
                        " bytes: it is truncated or damaged; fetch the file again");
  }

  template <class T>
  Status take(T& number, const std::string& what) {
    if (left() < sizeof(T)) return truncated(what);
    number = number_at<T>(bytes_.data() + at_);
    at_ += sizeof(T);
    return {};
  }
  Status take_text(std::string_view& text, const std::string& what) {
    std::uint64_t size = 0;
    KV_TRY(take(size, what));
    if (size > left()) return truncated(what);
    text = {reinterpret_cast<const char*>(bytes_.data() + at_), static_cast<std::size_t>(size)};
    at_ += text.size();
    return {};
  }
  Status take_type(GgufType& type, const std::string& what) {
    std::uint32_t number = 0;
    KV_TRY(take(number, what));
    if (number > static_cast<std::uint32_t>(GgufType::f64))
      return file_.reject(what + " has the unknown type " + std::to_string(number) + "; fetch the file again");
    type = static_cast<GgufType>(number);
    return {};
  }

  /// May a value end so many bytes behind here? Values are read page by page, and a sparse file has any length.
  Status keys_may_take(std::uint64_t bytes, const std::string& what) const {
    constexpr std::uint64_t most = std::uint64_t{256} << 20;
    if (at_ <= most && bytes <= most - at_) return {};
    return file_.reject(what + " ends beyond the first " + std::to_string(most >> 20) +
                        " MiB of the file, in which all keys must be; fetch the file again");
  }

  Status parse_value() {
    std::string_view key;
    KV_TRY(take_text(key, "a key"));
    if (key.empty() || key.size() > 65535)
      return file_.reject("has a key of " + std::to_string(key.size()) +
                          " bytes, but keys have 1 to 65535; fetch the file again");
    const std::string what = "key " + in_quotes(key);
    GgufValue value;
    KV_TRY(take_type(value.type, what));
    value.element = value.type;
    if (value.type == GgufType::array) {
      KV_TRY(take_type(value.element, what));
      if (value.element == GgufType::array)
        return file_.reject(what + " is an array of arrays, which is not supported; convert the model again");
      KV_TRY(take(value.count, what));
      const std::size_t least = value.element == GgufType::text ? 8 : scalar_bytes(value.element);
      KV_TRY(fits(value.count, least, what + " claims " + std::to_string(value.count) + " elements"));
    }
    const std::size_t begin = at_;
    if (value.element == GgufType::text) {
      std::string_view ignored;
      for (std::uint64_t i = 0; i < value.count; ++i) {
        KV_TRY(take_text(ignored, what));
        KV_TRY(keys_may_take(0, what));
      }
    } else {
      const std::size_t size = static_cast<std::size_t>(value.count) * scalar_bytes(value.element);
      if (size > left()) return truncated(what);
      KV_TRY(keys_may_take(size, what));
      at_ += size;
    }
    value.bytes = bytes_.subspan(begin, at_ - begin);
    if (value.element == GgufType::boolean)
      for (const std::byte byte : value.bytes)
        if (std::to_integer<unsigned>(byte) > 1)
          return file_.reject(what + " holds a boolean that is neither 0 nor 1; fetch the file again");
    if (!file_.values_.emplace(key, value).second)
      return file_.reject(what + " appears twice; convert the model again");
    return {};
  }

  Status read_alignment() {
    constexpr std::string_view key = "general.alignment";
    if (!file_.has(key)) return {};
    KV_ASSIGN(const auto alignment, file_.whole_number(key));
    if (!std::has_single_bit(alignment) || alignment > (1U << 20))
      return file_.reject("key 'general.alignment' is " + std::to_string(alignment) +
                          ", but must be a power of two up to 1048576; convert the model again");
    alignment_ = alignment;
    return {};
  }

  Status parse_tensor(std::vector<Placed>& placed) {
    std::string_view name;
    KV_TRY(take_text(name, "the name of a tensor"));
    if (name.empty() || name.size() > 64)
      return file_.reject("has a tensor whose name has " + std::to_string(name.size()) +
                          " bytes, but names have 1 to 64; fetch the file again");
    const std::string what = "tensor " + in_quotes(name);
    std::uint32_t dimensions = 0;
    KV_TRY(take(dimensions, what));
    if (dimensions < 1 || dimensions > 4)
      return file_.reject(what + " has " + std::to_string(dimensions) +
                          " dimensions, but 1 to 4 are allowed; fetch the file again");
    GgufTensor tensor;
    std::uint64_t elements = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      std::uint64_t extent = 0;
      KV_TRY(take(extent, what));
      if (extent == 0 || __builtin_mul_overflow(elements, extent, &elements) || elements > (1ULL << 50))
        return file_.reject(what + " has an invalid shape; fetch the file again");
      tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(extent));
    }
    std::uint32_t type = 0;
    KV_TRY(take(type, what));
    const auto known = std::ranges::find(tensor_types, type, &GgufTensorType::number);
    if (known == tensor_types.end())
      return file_.reject(what + " has the unknown type " + std::to_string(type) +
                          "; quantize the model again to a supported type");
    tensor.type = &*known;
    if (tensor.shape.back() % known->elements != 0)
      return file_.reject(what + " has rows of " + std::to_string(tensor.shape.back()) + " numbers, but " +
                          known->name + " stores " + std::to_string(known->elements) +
                          " together; fetch the file again");
    std::uint64_t offset = 0;
    KV_TRY(take(offset, what));
    const auto [entry, is_new] = file_.tensors_.emplace(name, std::move(tensor));
    if (!is_new) return file_.reject(what + " appears twice; convert the model again");
    placed.push_back({offset, &entry->second, &entry->first, elements / known->elements * known->bytes});
    return {};
  }

  /// Tensors are contiguous without overlap, each padded to the alignment, and nothing follows them.
  Status place(std::vector<Placed>& placed) {
    const auto padded = [&](std::uint64_t number) { return (number + alignment_ - 1) & ~(alignment_ - 1); };
    const std::uint64_t begin = padded(at_);
    const std::uint64_t data = begin <= bytes_.size() ? bytes_.size() - begin : 0;
    std::ranges::sort(placed, {}, &Placed::offset);
    std::uint64_t end = 0;
    for (const Placed& one : placed) {
      const std::string what = "tensor " + in_quotes(*one.name);
      if (one.offset != padded(end))
        return file_.reject(what + " begins at byte " + std::to_string(one.offset) + " of the data instead of " +
                            std::to_string(padded(end)) + ": tensors overlap or leave gaps; fetch the file again");
      if (one.offset > data || one.bytes > data - one.offset)
        return file_.reject(what + " takes " + std::to_string(one.bytes) + " bytes from byte " +
                            std::to_string(one.offset) + " of the data, but the file holds " + std::to_string(data) +
                            ": it is truncated or damaged; fetch the file again");
      one.tensor->bytes =
          bytes_.subspan(static_cast<std::size_t>(begin + one.offset), static_cast<std::size_t>(one.bytes));
      end = one.offset + one.bytes;
    }
    if (data > padded(end)) return file_.reject("has bytes after the last tensor; fetch the file again");
    return {};
  }

  std::span<const std::byte> bytes_;
  GgufFile& file_;
  std::size_t at_ = 0;
  std::uint64_t alignment_ = 32;
};

Expected<GgufFile> GgufFile::parse(std::span<const std::byte> bytes, std::string name) {
  GgufFile file;
  file.name_ = std::move(name);
  KV_TRY(Parser(bytes, file).parse());
  return file;
}

Expected<std::shared_ptr<const GgufFile>> GgufFile::open(const std::filesystem::path& path) {
  KV_ASSIGN(auto mapped, MappedFile::open(path));
  KV_ASSIGN(auto file, parse(mapped->bytes(), path.string()));
  file.mapped_ = std::move(mapped);
  return std::make_shared<const GgufFile>(std::move(file));
}

}  // namespace kvantage
