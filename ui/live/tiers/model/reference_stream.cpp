#include "ui/live/tiers/model/reference_stream.h"

#include <algorithm>
#include <utility>

namespace kvantage {

bool ReferenceStream::Content::extends(const Content& earlier) const {
  if (requests < earlier.requests || earlier.requests < dropped || earlier.dropped > dropped) return false;
  const auto gone = static_cast<std::size_t>((dropped - earlier.dropped) / chunk_requests);
  for (std::size_t i = gone; i < earlier.chunks.size(); ++i) {
    const auto &one = *chunks[i - gone], &other = *earlier.chunks[i];
    if (&one == &other) continue;
    if (one.size() < other.size() || !std::equal(other.begin(), other.end(), one.begin())) return false;
  }
  return true;
}

std::vector<ReferenceStream::Reference> ReferenceStream::Content::after(std::uint64_t count) const {
  std::vector<Reference> rest;
  count = std::max(count, dropped);
  if (count >= requests) return rest;
  rest.reserve(static_cast<std::size_t>(requests - count));
  auto skipped = static_cast<std::ptrdiff_t>(count % chunk_requests);
  for (std::size_t i = static_cast<std::size_t>((count - dropped) / chunk_requests); i < chunks.size(); ++i) {
    rest.insert(rest.end(), chunks[i]->begin() + skipped, chunks[i]->end());
    skipped = 0;
  }
  return rest;
}

ReferenceStream::ReferenceStream(QObject* parent) : QObject(parent) {}

void ReferenceStream::clear() { set_content({}); }

void ReferenceStream::swap_content(ReferenceStream& other) {
  std::swap(content_, other.content_);
  emit changed();
}

void ReferenceStream::set_content(const Content& content) {
  content_ = content;
  emit changed();
}

void ReferenceStream::add(const Reference& reference) {
  auto& chunks = content_.chunks;
  if (chunks.empty() || chunks.back()->size() == chunk_requests) {
    if (chunks.size() == max_chunks) {
      chunks.erase(chunks.begin());
      content_.dropped += chunk_requests;
    }
    chunks.push_back(std::make_shared<std::vector<Reference>>());
    chunks.back()->reserve(chunk_requests);
  } else if (chunks.back().use_count() > 1) {
    chunks.back() = std::make_shared<std::vector<Reference>>(*chunks.back());
  }
  chunks.back()->push_back(reference);
  ++content_.requests;
  emit changed();
}

}  // namespace kvantage
