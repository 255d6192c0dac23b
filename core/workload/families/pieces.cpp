#include "core/workload/families/pieces.h"

namespace kvantage::inline text_families {
namespace {

enum class PieceKind { digit, letter, space, mark };

PieceKind kind_of(char c) {
  if (c >= '0' && c <= '9') return PieceKind::digit;
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return PieceKind::letter;
  if (c == ' ' || (c >= '\t' && c <= '\r')) return PieceKind::space;
  return PieceKind::mark;
}

std::size_t piece_end(std::string_view text, std::size_t begin) {
  std::size_t i = begin;
  if (text[i] == ' ' && i + 1 < text.size() && kind_of(text[i + 1]) != PieceKind::space) ++i;
  const PieceKind kind = kind_of(text[i]);
  ++i;
  if (kind == PieceKind::digit) return i;
  while (i < text.size() && kind_of(text[i]) == kind) ++i;
  return i;
}

}  // namespace

std::vector<std::string_view> split_pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = piece_end(text, begin);
    pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

std::size_t count_pieces(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < text.size(); begin = piece_end(text, begin)) ++count;
  return count;
}

}  // namespace kvantage::inline text_families
