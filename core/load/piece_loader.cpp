#include "core/load/piece_loader.h"

#include <algorithm>

namespace kvantage::inline loading {
namespace {

constexpr double arrival_look_seconds = 0.02;  // polling interval of the stop flag

}  // namespace

PieceLoader::PieceLoader(PieceSource source, SplitQueue& queue)
    : source_(std::move(source)),
      queue_(queue),
      completions_(source_.tier->clock()),
      arrived_(source_.pieces.size()),
      thread_(source_.tier->executor().start("piece-loader", ThreadPriority::transfers, [this] { run(); })) {}

PieceLoader::~PieceLoader() {
  stopping_ = true;
  join();
}

void PieceLoader::join() { thread_.reset(); }

void PieceLoader::run() {
  while (!stopping_) {
    const std::uint64_t seen = queue_.changes();
    while (given_back_ == 0) {
      const auto piece = queue_.claim_back();
      if (!piece) break;
      if (Status asked = submit(*piece); !asked) give_up(*piece, asked.error(), "no_buffer");
    }
    if (in_flight_.empty()) {
      if (given_back_ > 0 || queue_.all_claimed()) break;
      queue_.wait(seen, arrival_look_seconds);
      continue;
    }
    for (Completion& completion : completions_.wait(arrival_look_seconds)) take(std::move(completion));
  }
  for (const Read& read : in_flight_) source_.tier->cancel(read.ticket);
  while (!in_flight_.empty())
    for (const Completion& completion : completions_.wait(arrival_look_seconds))
      if (completion.last)
        std::erase_if(in_flight_, [&](const Read& read) { return read.ticket == completion.ticket; });
  queue_.end_loading();
}

Status PieceLoader::submit(int piece) {
  const EntryHeader& header = *source_.header;
  const ChunkSpan chunks = source_.pieces[static_cast<std::size_t>(piece)];
  std::vector<ReadExtent> extents;
  for (int layer = 0; layer < header.shape.layers; ++layer) {
    const auto [begin, end] = chunk_range(header, layer, chunks.first, chunks.last);
    ReadExtent extent{.offset = begin, .bytes = end - begin, .pieces = {}};
    for (const Extent& part : chunk_extents(header, layer, chunks.first, chunks.last))
      extent.pieces.push_back({part.offset, part.bytes, part.checksum});
    extents.push_back(std::move(extent));
  }
  KV_ASSIGN(auto buffers, buffers_for(*source_.tier, header.key(), extents, *source_.lender));
  Read read{.piece = piece, .arrived = {}, .submitted_ns = source_.tier->clock().monotonic_ns(), .status = {}};
  read.arrived.resize(extents.size());
  read.ticket = source_.tier->submit_read(header.key(), std::move(extents), std::move(buffers), completions_);
  in_flight_.push_back(std::move(read));
  return {};
}

void PieceLoader::take(Completion completion) {
  const auto read = std::ranges::find(in_flight_, completion.ticket, &Read::ticket);
  if (read == in_flight_.end()) return;
  device_seconds_ += completion.device_seconds;
  if (completion.status) {
    const auto [begin, end] = chunk_range(*source_.header, static_cast<int>(completion.index),
                                          source_.pieces[static_cast<std::size_t>(read->piece)].first,
                                          source_.pieces[static_cast<std::size_t>(read->piece)].last);
    arrivals_.push_back({.piece = read->piece,
                         .layer = static_cast<int>(completion.index),
                         .arrived_ns = completion.pushed_ns,
                         .submitted_ns = read->submitted_ns,
                         .device_seconds = completion.device_seconds,
                         .bytes = end - begin});
    read->arrived[completion.index] = ArrivedBytes(completion);
  } else if (read->status) {
    read->status = completion.status;
    read->miss_reason = completion.miss_reason;
  }
  if (!completion.last) return;
  Read ended = std::move(*read);
  in_flight_.erase(read);
  finish(std::move(ended));
}

Expected<LoadedPiece> PieceLoader::take_apart(Read& read) const {
  KV_TRY(read.status);
  if (!std::ranges::all_of(read.arrived, [](const ArrivedBytes& layer) { return static_cast<bool>(layer); }))
    return fail(ErrorCode::io, "compute-or-load: the tier ended a read early; run it again");
  const EntryHeader& header = *source_.header;
  const ChunkSpan chunks = source_.pieces[static_cast<std::size_t>(read.piece)];
  LoadedPiece piece;
  for (int layer = 0; layer < header.shape.layers; ++layer) {
    const auto [begin, end] = chunk_range(header, layer, chunks.first, chunks.last);
    const auto bytes = read.arrived[static_cast<std::size_t>(layer)].bytes().first(end - begin);
    // Verified here for every tier: host memory does not verify each read.
    KV_ASSIGN(auto rows, read_chunks(header, layer, chunks.first, chunks.last, bytes, true));
    piece.layers.push_back(std::move(rows));
    piece.bytes += end - begin;
  }
  piece.arrived = std::move(read.arrived);
  return piece;
}

void PieceLoader::finish(Read read) {
  queue_.loaded();
  auto piece = take_apart(read);
  if (piece && read.piece >= given_back_) {
    arrived_[static_cast<std::size_t>(read.piece)] = std::move(*piece);
    return;
  }
  if (piece) {
    dropped_bytes_ += piece->bytes;
    return;
  }
  const ChunkSpan chunks = source_.pieces[static_cast<std::size_t>(read.piece)];
  for (int layer = 0; layer < source_.header->shape.layers; ++layer) {
    if (!read.arrived[static_cast<std::size_t>(layer)]) continue;
    const auto [begin, end] = chunk_range(*source_.header, layer, chunks.first, chunks.last);
    dropped_bytes_ += end - begin;
  }
  if (piece.error().code == ErrorCode::corrupt && damaged_++ == 0) {
    damage_ = tl::unexpected(piece.error());
    damage_reason_ = read.miss_reason;
  }
  if (piece.error().code == ErrorCode::corrupt && source_.leaves_gaps) return;
  give_up(read.piece, std::move(piece).error(), std::move(read.miss_reason));
}

void PieceLoader::give_up(int piece, Error error, std::string miss_reason) {
  if (given_back_ == 0) {
    status_ = tl::unexpected(std::move(error));
    miss_reason_ = std::move(miss_reason);
  }
  given_back_ = std::max(given_back_, piece + 1);
  for (const Read& read : in_flight_)  // pieces above are still used
    if (read.piece < given_back_) source_.tier->cancel(read.ticket);
  for (int below = 0; below < given_back_; ++below)
    if (auto& arrived = arrived_[static_cast<std::size_t>(below)]) {
      dropped_bytes_ += arrived->bytes;
      arrived.reset();
    }
  queue_.give_back(given_back_);
}

}  // namespace kvantage::inline loading
