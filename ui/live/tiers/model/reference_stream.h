// Which contexts the requests of a run were for, in order, and how large their caches are uncompressed: what caches of
// any size are simulated on.
#pragma once

#include <QObject>
#include <cstdint>
#include <memory>
#include <vector>

namespace kvantage {

class ReferenceStream : public QObject {
  Q_OBJECT
 public:
  struct Reference {
    std::uint64_t context = 0;  // of its digest
    std::uint64_t bytes = 0;
    bool operator==(const Reference&) const = default;
  };
  /// Everything that it knows, cheap to copy: the newest max_chunks of chunk_requests each but the last. Full ones
  /// never change: copies of a content share them.
  struct Content {
    std::vector<std::shared_ptr<std::vector<Reference>>> chunks;
    std::uint64_t requests = 0;  // those that are no longer kept included
    std::uint64_t dropped = 0;   // of those
    /// Whether this continues `earlier`, with all that came behind it.
    bool extends(const Content& earlier) const;
    /// Those behind the first `count`, as far as they are kept.
    std::vector<Reference> after(std::uint64_t count) const;
  };
  static constexpr std::size_t chunk_requests = 512, max_chunks = 2048;

  explicit ReferenceStream(QObject* parent = nullptr);
  void clear();
  void swap_content(ReferenceStream& other);
  const Content& content() const { return content_; }
  void set_content(const Content& content);
  void add(const Reference& reference);

 signals:
  void changed();

 private:
  Content content_;
};

}  // namespace kvantage
