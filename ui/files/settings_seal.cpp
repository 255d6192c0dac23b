#include "ui/files/settings_seal.h"

#include "core/base/digest.h"

namespace kvantage {
namespace {
QByteArray head_of(const QByteArray& state) {
  return QByteArray::fromStdString(
             digest_of(std::string_view(state.constData(), static_cast<std::size_t>(state.size()))).hex()) +
         ':';
}
}  // namespace

QByteArray sealed(const QByteArray& state) { return head_of(state) + state; }

std::optional<QByteArray> unsealed(const QByteArray& kept) {
  const qsizetype end = kept.indexOf(':') + 1;
  if (end == 0 || kept.size() == end) return std::nullopt;
  const QByteArray state = kept.mid(end);
  return kept.startsWith(head_of(state)) && head_of(state).size() == end ? std::optional(state) : std::nullopt;
}

}  // namespace kvantage
