// Writes stored rows of a layer into the blocks that were reserved for them. Rows as they are take one copy. Encoded
// rows are decoded in place where their codec reads ranges, else through a buffer of one head.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/kv/codecs/codec.h"
#include "core/kv/row_run.h"

namespace kvantage::inline kv {

class RowFilling {
 public:
  /// codec: of the rows; null: they are stored as they are.
  RowFilling(const KvShape& shape, int layer, std::shared_ptr<const Codec> codec = nullptr)
      : shape_(shape), layer_(layer), codec_(std::move(codec)) {}

  /// Rows of one head; all that `runs` reserve. keys, values: as stored, [rows, head_dim] or encoded; they must outlive
  /// fill().
  void add(std::vector<RowRun> runs, std::span<const std::byte> keys, std::span<const std::byte> values);
  /// Writes all rows; parts of them at once where that takes longer than waking threads. corrupt: the codec cannot have
  /// produced the bytes; the rows are undefined then. on_threads: empty: all on this thread.
  Status fill(const RunTasks& on_threads) const;

 private:
  struct Rows {
    std::vector<RowRun> runs;
    std::span<const std::byte> keys, values;
    int count = 0;
  };
  /// Runs [first, last) of `rows`; of one kind where they are decoded as a whole.
  struct Part {
    const Rows* rows = nullptr;
    std::size_t first = 0, last = 0;
    ExtentKind kind = ExtentKind::keys;
  };
  CodecRows codec_rows(const Rows& rows, ExtentKind kind) const { return {shape_, layer_, kind, rows.count}; }
  bool decodes_whole() const { return codec_ != nullptr && codec_->ranges() == nullptr; }
  std::vector<Part> parts() const;
  Status write(const Part& part, bool past_caches) const;
  Status decode_whole(const Part& part, bool past_caches) const;

  KvShape shape_;
  int layer_;
  std::shared_ptr<const Codec> codec_;
  std::vector<Rows> rows_;
};

}  // namespace kvantage::inline kv
