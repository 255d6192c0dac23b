// libCacheSim's oracleGeneral: packed little-endian records of 24 bytes: u32 seconds, u64 object, u32 size in bytes,
// i64 number of the object's next request (-1 or 2^63 - 1: none). An object is a context; its tokens are estimated from
// bytes.
#include <array>
#include <cstring>

#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

constexpr std::size_t record_bytes = 24;

template <class T>
T little_endian(const char* bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return static_cast<T>(number);
}

class OracleGeneralRows final : public RowSource {
 public:
  OracleGeneralRows(Stream stream, std::string name, double bytes_per_token)
      : stream_(std::move(stream)), name_(std::move(name)), bytes_per_token_(bytes_per_token) {}

  Expected<bool> next(TraceRow& row) override {
    std::array<char, record_bytes> record{};
    stream_->read(record.data(), record_bytes);
    const auto got = static_cast<std::size_t>(stream_->gcount());
    if (stream_->bad()) return refuse("cannot be read further; check the device");
    if (got == 0) return false;
    if (got < record_bytes) return refuse("has " + std::to_string(got) + " of its 24 bytes; give the whole file");
    const auto next_request = little_endian<std::int64_t>(record.data() + 16);
    if (next_request < -1) return refuse("names a next request before the first; give a file in oracleGeneral");
    const std::uint64_t bytes = little_endian<std::uint32_t>(record.data() + 12);
    row.nanoseconds = std::int64_t{little_endian<std::uint32_t>(record.data())} * 1'000'000'000;
    row.request.row = ++row_;
    row.request.context = little_endian<std::uint64_t>(record.data() + 4);
    row.request.input_tokens = tokens_of_bytes(bytes, bytes_per_token_);
    if (bytes == 0) row.dropped = drop_reason::no_input;
    return true;
  }

 private:
  // A binary file has no lines; records are numbered like rows.
  tl::unexpected<Error> refuse(const std::string& reason_and_mend) const {
    return fail(ErrorCode::rejected_input, name_ + ":" + std::to_string(row_ + 1) + ": the record at byte " +
                                               std::to_string(row_ * record_bytes) + " " + reason_and_mend);
  }

  Stream stream_;
  std::string name_;
  double bytes_per_token_;
  std::uint64_t row_ = 0;
};

}  // namespace

bool is_oracle_general(std::string_view head) {
  // Sizes below 16 MB, numbers and "none" all leave zero bytes in a record; a text has none.
  return head.size() >= record_bytes && head.substr(0, record_bytes).find('\0') != std::string_view::npos &&
         little_endian<std::int64_t>(head.data() + 16) >= -1;
}

Expected<std::unique_ptr<RowSource>> open_oracle_general(Stream stream, const std::string& name,
                                                         const TraceOptions& options) {
  return std::make_unique<OracleGeneralRows>(std::move(stream), name, options.bytes_per_token);
}

}  // namespace kvantage::inline trace
