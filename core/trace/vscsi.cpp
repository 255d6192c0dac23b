// Block traces of VMware's vscsiStats as libCacheSim reads them (traceReader/customizedReader/vscsi.h), both versions:
// packed little-endian records, version 1 of 32 bytes: u32 serial number, u32 bytes, u32 scatter-gather entries, u16
// command, u16 version, u64 block number, u64 microseconds; version 2 of 40 bytes: u16 command, u16 version, u32 serial
// number, u32 bytes, u32 entries, u64 block number, u64 microseconds, u64 response time. The high byte of `version` is
// 1 or 2. A block number is a context; its tokens are estimated from bytes.
#include <array>

#include "core/trace/civil_time.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

struct VscsiForm {
  std::size_t bytes, version_at, length_at, block_at, time_at;
  int version;
};
constexpr VscsiForm vscsi_forms[] = {{40, 2, 8, 16, 24, 2}, {32, 14, 4, 16, 24, 1}};

std::uint64_t vscsi_number(std::string_view record, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    number |= std::uint64_t{static_cast<unsigned char>(record[at + i])} << (8 * i);
  return number;
}

bool is_of_version(std::string_view record, const VscsiForm& form) {
  return static_cast<unsigned char>(record[form.version_at + 1]) == form.version;
}

/// By two records, as libCacheSim does; one where the file has no more. Null: neither version.
const VscsiForm* vscsi_form(std::string_view head) {
  for (const VscsiForm& form : vscsi_forms) {
    if (head.size() < form.bytes || !is_of_version(head, form)) continue;
    if (head.size() < 2 * form.bytes ? head.size() == form.bytes : is_of_version(head.substr(form.bytes), form))
      return &form;
  }
  return nullptr;
}

class VscsiRows final : public RowSource {
 public:
  VscsiRows(Stream stream, std::string name, const VscsiForm& form, double bytes_per_token)
      : stream_(std::move(stream)), name_(std::move(name)), form_(form), bytes_per_token_(bytes_per_token) {}

  Expected<bool> next(TraceRow& row) override {
    std::array<char, 40> buffer{};
    stream_->read(buffer.data(), static_cast<std::streamsize>(form_.bytes));
    const auto got = static_cast<std::size_t>(stream_->gcount());
    if (stream_->bad()) return refuse("cannot be read further; check the device");
    if (got == 0) return false;
    if (got < form_.bytes)
      return refuse("has " + std::to_string(got) + " of its " + std::to_string(form_.bytes) +
                    " bytes; give the whole file");
    const std::string_view record(buffer.data(), form_.bytes);
    if (!is_of_version(record, form_))
      return refuse("is not of version " + std::to_string(form_.version) + "; give a file in vscsi");
    const std::uint64_t microseconds = vscsi_number(record, form_.time_at, 8);
    const auto time = whole_time(microseconds, 1000);
    if (!time) return refuse("has a time beyond 9 * 10^9 seconds; correct it");
    const std::uint64_t bytes = vscsi_number(record, form_.length_at, 4);
    row.nanoseconds = *time;
    row.request.row = ++row_;
    row.request.context = vscsi_number(record, form_.block_at, 8);
    row.request.input_tokens = tokens_of_bytes(bytes, bytes_per_token_);
    if (bytes == 0) row.dropped = drop_reason::no_input;
    return true;
  }

 private:
  tl::unexpected<Error> refuse(const std::string& reason_and_mend) const {
    return fail(ErrorCode::rejected_input, name_ + ":" + std::to_string(row_ + 1) + ": the record at byte " +
                                               std::to_string(row_ * form_.bytes) + " " + reason_and_mend);
  }

  Stream stream_;
  std::string name_;
  const VscsiForm& form_;
  double bytes_per_token_;
  std::uint64_t row_ = 0;
};

}  // namespace

bool is_vscsi(std::string_view head) { return vscsi_form(head) != nullptr; }

Expected<std::unique_ptr<RowSource>> open_vscsi(Stream stream, const std::string& name, const TraceOptions& options) {
  std::string head(80, '\0');
  stream->read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream->gcount()));
  stream->clear();
  stream->seekg(0);
  const VscsiForm* form = vscsi_form(head);
  if (form == nullptr)
    return fail(ErrorCode::rejected_input,
                name + ":1: the record at byte 0 is of neither version of vscsi; give a file in vscsi");
  return std::make_unique<VscsiRows>(std::move(stream), name, *form, options.bytes_per_token);
}

}  // namespace kvantage::inline trace
