// Doubly linked lists over small numbers in one array, oldest to newest: no allocation per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kvantage::inline eviction {

/// Key: an unsigned number below the size given to grow(). A key is in the ring at most once; the caller tracks which.
template <class Key = std::uint32_t>
class LinkedRing {
 public:
  void grow(std::size_t keys) { links_.resize(keys + 1); }
  bool empty() const { return links_[0].newer == 0; }
  Key oldest() const { return links_[0].newer - 1; }
  Key newest() const { return links_[0].older - 1; }
  /// The next newer neighbor; nothing for the newest.
  std::optional<Key> newer(Key key) const {
    const Key node = links_[key + 1].newer;
    return node == 0 ? std::nullopt : std::optional<Key>(node - 1);
  }
  void add_newest(Key key) {
    const Key node = key + 1, older = links_[0].older;
    links_[node] = {older, 0};
    links_[older].newer = node;
    links_[0].older = node;
  }
  void remove(Key key) {
    const Links links = links_[key + 1];
    links_[links.older].newer = links.newer;
    links_[links.newer].older = links.older;
  }
  void to_newest(Key key) {
    if (links_[0].older == key + 1) return;
    remove(key);
    add_newest(key);
  }
  /// The oldest unpinned key.
  template <class Pinned>
  std::optional<Key> oldest_free(const Pinned& pinned) const {
    Key node = links_[0].newer;
    while (node != 0 && pinned(node - 1)) node = links_[node].newer;
    return node == 0 ? std::nullopt : std::optional<Key>(node - 1);
  }

 private:
  struct Links {
    Key older = 0, newer = 0;
  };
  std::vector<Links> links_ = std::vector<Links>(1);  // key + 1 is the node, 0 closes the ring
};

}  // namespace kvantage::inline eviction
