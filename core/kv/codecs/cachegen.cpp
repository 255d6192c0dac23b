// CacheGen (arXiv 2310.07240), as in its released encoder: symmetric quantization per token, then an arithmetic coder
// with a frequency table per channel. It scales tokens over all heads of a layer; we scale over one head, since heads
// may keep different tokens. It stores tables as 16-bit sums; we store the counts that they derive from.
//
//   [largest magnitude of each row, in the type held]
//   for every 256 rows: [u32 bytes that follow][counts of each channel, Elias gamma][one range-coded stream, channel by
//   channel, oldest row first]
#include <algorithm>
#include <array>

#include "core/kv/codecs/codecs.h"
#include "core/kv/codecs/elements.h"
#include "core/kv/codecs/range_coder.h"

namespace kvantage::inline codecs {
namespace {

using namespace codecs;

constexpr std::size_t piece_rows = 256;
constexpr std::size_t max_symbols = 31;

/// Frequencies of one channel's symbols: symbol s has [sums[s], sums[s+1]) of 65536.
struct Frequencies {
  std::array<std::uint32_t, max_symbols + 1> sums{};

  /// CacheGen's normalization to 16 bits, strictly increasing: sum * (65535 - bins) / rows + index.
  Frequencies(const std::uint32_t* counts, std::size_t symbols, std::uint32_t bins, std::uint32_t rows) {
    std::uint32_t sum = 0;
    for (std::size_t s = 0; s < symbols; ++s) {
      sums[s] = sum * (65535U - bins) / rows + static_cast<std::uint32_t>(s);
      sum += counts[s];
    }
    sums[symbols] = frequency_total;
  }
};

/// Quantization of one part of one layer.
struct Bins {
  std::uint32_t bins;
  std::size_t symbols() const { return 2 * static_cast<std::size_t>(half()) + 1; }
  int half() const { return static_cast<int>(bins / 2) - 1; }
};

using Symbols = std::vector<std::uint8_t>;  // [rows, head_dim]

/// Finite numbers for scaling: NaN becomes 0, infinities the largest finite number.
template <class T>
float finite(const std::byte* data, std::size_t index) {
  constexpr float limit = sizeof(T) == 2 ? 0x1.fep127F : 0x1.fffffep127F;
  const float value = load_element<T>(data, index);
  const float number = value == value ? value : 0.0F;
  return std::min(limit, std::max(-limit, number));
}

template <class T>
void quantize(std::span<const std::byte> data, std::size_t head_dim, Bins bins, std::byte* maxima, Symbols& symbols) {
  const std::size_t rows = data.size() / sizeof(T) / head_dim;
  const auto half = static_cast<float>(bins.half());
  for (std::size_t r = 0; r < rows; ++r) {
    const std::byte* row = data.data() + r * head_dim * sizeof(T);
    std::uint32_t bits = 0;  // of magnitudes: they sort like integers
    for (std::size_t c = 0; c < head_dim; ++c)
      bits = std::max(bits, std::bit_cast<std::uint32_t>(finite<T>(row, c)) & 0x7fffffffU);
    const auto largest = std::bit_cast<float>(bits);
    store_element<T>(maxima, r, largest);
    // An overflowing quotient means numbers so small that 0 is as good.
    const float factor = largest > 0 && half / largest < 0x1p120F ? half / largest : 0.0F;
    std::uint8_t* row_symbols = symbols.data() + r * head_dim;  // bytes could alias the vector itself
    for (std::size_t c = 0; c < head_dim; ++c) {
      // Adding 1.5 * 2^23 rounds to an integer, to nearest, ties to even, and leaves it in the low bits.
      const float scaled = finite<T>(row, c) * factor + 0x1.8p23F;
      row_symbols[c] =
          static_cast<std::uint8_t>(static_cast<int>(std::bit_cast<std::uint32_t>(scaled) & 0xffU) + bins.half());
    }
  }
}

template <class T>
bool dequantize(const Symbols& symbols, std::size_t head_dim, Bins bins, const std::byte* maxima,
                std::span<std::byte> data) {
  const std::size_t rows = data.size() / sizeof(T) / head_dim;
  bool sound = true;
  std::array<float, max_symbols> shares{}, values{};
  for (std::size_t s = 0; s < bins.symbols(); ++s)
    shares[s] = static_cast<float>(static_cast<int>(s) - bins.half()) / static_cast<float>(bins.half());
  for (std::size_t r = 0; r < rows; ++r) {
    const float largest = load_element<T>(maxima, r);
    sound = sound && largest >= 0 && std::isfinite(largest);
    for (std::size_t s = 0; s < max_symbols; ++s) values[s] = shares[s] * largest;
    for (std::size_t c = 0; c < head_dim; ++c)
      store_element<T>(data.data(), r * head_dim + c, values[symbols[r * head_dim + c]]);
  }
  return sound;
}

void encode_piece(std::span<const std::uint8_t> symbols, std::size_t head_dim, Bins bins, std::vector<std::byte>& out) {
  const std::size_t rows = symbols.size() / head_dim;
  std::vector<std::uint32_t> counts(head_dim * bins.symbols());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < head_dim; ++c) ++counts[c * bins.symbols() + symbols[r * head_dim + c]];
  BitWriter writer(out);
  for (std::size_t c = 0; c < head_dim; ++c) {
    auto left = static_cast<std::uint32_t>(rows);  // the last count, and the zeros after all rows, are known
    for (std::size_t s = 0; left > 0 && s + 1 < bins.symbols(); ++s) {
      writer.put_gamma(counts[c * bins.symbols() + s] + 1);
      left -= counts[c * bins.symbols() + s];
    }
  }
  writer.finish();
  RangeEncoder coder(out);
  for (std::size_t c = 0; c < head_dim; ++c) {
    const Frequencies of(counts.data() + c * bins.symbols(), bins.symbols(), bins.bins,
                         static_cast<std::uint32_t>(rows));
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint8_t symbol = symbols[r * head_dim + c];
      coder.put(of.sums[symbol], of.sums[symbol + 1U]);
    }
  }
  coder.finish();
}

/// Frequencies of one channel, and by the upper byte of a position in their range the first symbol that can be there.
struct SymbolTable {
  std::array<std::uint32_t, max_symbols + 1> sums;
  std::array<std::uint8_t, 256> first_symbol;

  void fill(const std::uint32_t* counts, Bins bins, std::size_t rows) {
    sums = Frequencies(counts, bins.symbols(), bins.bins, static_cast<std::uint32_t>(rows)).sums;
    std::size_t place = 0;
    for (std::size_t s = 0; s < bins.symbols(); ++s)
      for (; place < 256 && place * 256 < sums[s + 1]; ++place) first_symbol[place] = static_cast<std::uint8_t>(s);
  }
};

__attribute__((always_inline)) inline std::uint8_t next_symbol(RangeDecoder& coder, const SymbolTable& table) {
  const std::uint32_t at = coder.peek();
  std::size_t symbol = table.first_symbol[at >> 8];
  symbol += at >= table.sums[symbol + 1] ? 1U : 0U;  // without a branch; more are rare
  while (at >= table.sums[symbol + 1]) ++symbol;
  coder.take(table.sums[symbol], table.sums[symbol + 1]);
  return static_cast<std::uint8_t>(symbol);
}

/// A piece whose counts are read.
struct OpenPiece {
  std::vector<std::uint32_t> counts;  // [head_dim, symbols]
  RangeDecoder coder{{}};
  std::uint8_t* symbols = nullptr;  // [rows, head_dim]

  /// False where the counts do not fit the rows.
  bool open(std::span<const std::byte> bytes, std::size_t rows, std::size_t head_dim, Bins bins) {
    counts.assign(head_dim * bins.symbols(), 0);
    BitReader reader(bytes);
    for (std::size_t c = 0; c < head_dim; ++c) {
      auto left = static_cast<std::uint32_t>(rows);
      for (std::size_t s = 0; left > 0 && s + 1 < bins.symbols(); ++s) {
        const std::uint32_t code = reader.get_gamma();
        if (code == 0 || code - 1 > left) return false;
        counts[c * bins.symbols() + s] = code - 1;
        left -= code - 1;
      }
      counts[(c + 1) * bins.symbols() - 1] = left;
    }
    coder = RangeDecoder(bytes.subspan(reader.bytes_read()));
    return true;
  }
};

/// False where the stream is longer than its symbols.
bool decode_piece(OpenPiece& piece, std::size_t rows, std::size_t head_dim, Bins bins) {
  RangeDecoder coder = piece.coder;
  std::uint8_t* const symbols = piece.symbols;
  SymbolTable table;
  for (std::size_t c = 0; c < head_dim; ++c) {
    table.fill(piece.counts.data() + c * bins.symbols(), bins, rows);
    for (std::size_t at = c; at < rows * head_dim; at += head_dim) symbols[at] = next_symbol(coder, table);
  }
  return coder.at_end();
}

constexpr std::size_t pieces_together = 4;

/// Four pieces of as many rows, symbol by symbol in turns: each symbol waits for a division, a lookup and a product of
/// the one before, and meanwhile the processor works on the other pieces.
bool decode_together(std::array<OpenPiece, pieces_together>& pieces, std::size_t rows, std::size_t head_dim,
                     Bins bins) {
  RangeDecoder first = pieces[0].coder, second = pieces[1].coder, third = pieces[2].coder, fourth = pieces[3].coder;
  std::uint8_t *const to_first = pieces[0].symbols, *const to_second = pieces[1].symbols,
                      *const to_third = pieces[2].symbols, *const to_fourth = pieces[3].symbols;
  std::array<SymbolTable, pieces_together> tables;
  for (std::size_t c = 0; c < head_dim; ++c) {
    for (std::size_t p = 0; p < pieces_together; ++p)
      tables[p].fill(pieces[p].counts.data() + c * bins.symbols(), bins, rows);
    for (std::size_t at = c; at < rows * head_dim; at += head_dim) {
      to_first[at] = next_symbol(first, tables[0]);
      to_second[at] = next_symbol(second, tables[1]);
      to_third[at] = next_symbol(third, tables[2]);
      to_fourth[at] = next_symbol(fourth, tables[3]);
    }
  }
  return first.at_end() && second.at_end() && third.at_end() && fourth.at_end();
}

/// Decodes pieces as they are added, whole ones together.
class PieceDecoder {
 public:
  PieceDecoder(std::size_t head_dim, Bins bins) : head_dim_(head_dim), bins_(bins) {}

  /// False where the piece, or one added before it, is broken.
  bool add(std::span<const std::byte> bytes, std::size_t rows, std::uint8_t* symbols) {
    OpenPiece& piece = pieces_[open_];
    piece.symbols = symbols;
    if (!piece.open(bytes, rows, head_dim_, bins_)) return false;
    if (rows != piece_rows) return finish() && decode_piece(piece, rows, head_dim_, bins_);
    if (++open_ < pieces_together) return true;
    open_ = 0;
    return decode_together(pieces_, piece_rows, head_dim_, bins_);
  }
  /// Decodes what is left.
  bool finish() {
    bool sound = true;
    for (std::size_t p = 0; p < open_; ++p) sound = decode_piece(pieces_[p], piece_rows, head_dim_, bins_) && sound;
    open_ = 0;
    return sound;
  }

 private:
  std::size_t head_dim_;
  Bins bins_;
  std::array<OpenPiece, pieces_together> pieces_;
  std::size_t open_ = 0;
};

class CacheGenCodec : public Codec {
 public:
  CacheGenCodec(std::string text, int level) : text_(std::move(text)), level_(level) {}

  std::string text() const override { return text_; }
  std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const override {
    return rows.count == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
  /// 17 bits per symbol (frequencies are at least 1 of 65536) and a gamma code of at most 17 bits per count.
  std::uint64_t max_bytes(const CodecRows& rows) const override {
    const std::size_t pieces = (static_cast<std::size_t>(rows.count) + piece_rows - 1) / piece_rows;
    const auto head_dim = static_cast<std::uint64_t>(rows.shape.head_dim);
    return maxima_bytes(rows) + rows.elements() * 17 / 8 + pieces * (head_dim * max_symbols * 17 / 8 + 32);
  }

  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    KV_TRY(check_buffers(rows, data.size()));
    const Bins bins = bins_of(rows);
    const auto head_dim = static_cast<std::size_t>(rows.shape.head_dim);
    const std::size_t begin = out.size();
    out.resize(begin + maxima_bytes(rows));
    Symbols symbols(rows.elements());
    with_element(rows.shape.type == KvType::bf16,
                 [&]<class T>(T) { quantize<T>(data, head_dim, bins, out.data() + begin, symbols); });
    for_each_piece(rows, [&](std::size_t first, std::size_t count) {
      const std::size_t length_at = out.size();
      out.resize(length_at + sizeof(std::uint32_t));
      encode_piece(std::span(symbols).subspan(first * head_dim, count * head_dim), head_dim, bins, out);
      const auto length = static_cast<std::uint32_t>(out.size() - length_at - sizeof(std::uint32_t));
      std::memcpy(out.data() + length_at, &length, sizeof length);
      return true;
    });
    return {};
  }

  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    KV_TRY(check_buffers(rows, data.size()));
    if (bytes.size() < maxima_bytes(rows)) return broken_rows(text_, "shorter than its rows' scales");
    const Bins bins = bins_of(rows);
    const auto head_dim = static_cast<std::size_t>(rows.shape.head_dim);
    auto left = bytes.subspan(maxima_bytes(rows));
    Symbols symbols(rows.elements());
    PieceDecoder decoder(head_dim, bins);
    const bool whole = for_each_piece(rows, [&](std::size_t first, std::size_t count) {
      std::uint32_t length = 0;
      if (left.size() < sizeof length) return false;
      std::memcpy(&length, left.data(), sizeof length);
      left = left.subspan(sizeof length);
      if (length > left.size() || !decoder.add(left.first(length), count, symbols.data() + first * head_dim))
        return false;
      left = left.subspan(length);
      return true;
    });
    const bool sound =
        whole && decoder.finish() && left.empty() && with_element(rows.shape.type == KvType::bf16, [&]<class T>(T) {
          return dequantize<T>(symbols, head_dim, bins, bytes.data(), data);
        });
    if (!sound) return broken_rows(text_, "its bitstream does not fit its rows");
    return {};
  }

 private:
  static std::size_t maxima_bytes(const CodecRows& rows) {
    return static_cast<std::size_t>(rows.count) * bytes_of(rows.shape.type);
  }

  /// CacheGen's tables for a model of 32 layers: lower layers are more sensitive and get more bins.
  Bins bins_of(const CodecRows& rows) const {
    if (level_ == 3) return {32};
    if (rows.kind == ExtentKind::keys)
      return {level_ == 2 ? (rows.layer < 10 ? 32U : 16U) : rows.layer < 20 ? 16U : 12U};
    return {level_ == 2 ? (rows.layer < 2 ? 32U : 16U) : rows.layer < 2 ? 16U : 12U};
  }

  template <class Body>
  static bool for_each_piece(const CodecRows& rows, Body&& body) {
    const auto count = static_cast<std::size_t>(rows.count);
    for (std::size_t first = 0; first < count; first += piece_rows)
      if (!body(first, std::min(piece_rows, count - first))) return false;
    return true;
  }

  std::string text_;
  int level_;
};

}  // namespace

Expected<std::shared_ptr<const Codec>> make_cachegen(const Parameters& parameters) {
  KV_ASSIGN(const auto level, parameters.integer("level", 1, 3));
  return std::make_shared<CacheGenCodec>(parameters.canonical_text(), level);
}

}  // namespace kvantage::inline codecs
