// Inputs as hostile as they may be within the limits or beyond them, and the commands that read them: what makes them.
#pragma once

#include <QStringList>
#include <QtGlobal>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace kvantage::test::hostile {

using std::filesystem::path;

/// An input in a folder of its own, and the command that reads it. In words, @ is the folder.
struct Row {
  std::string name;
  std::function<void(const path& folder)> make;
  QStringList words;
  std::vector<int> codes;  // what it may end with
  std::string says = {};   // what a refusal must say
};
using Rows = std::vector<Row>;

inline std::string number(std::size_t value) { return std::to_string(value); }

inline void save(const path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream) qFatal("cannot write %s", file.c_str());
}

/// Takes no space on the disk.
inline void save_sparse(const path& file, const std::string& beginning, std::uintmax_t bytes) {
  save(file, beginning);
  std::filesystem::resize_file(file, bytes);
}

inline std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

/// `part(i)` for each i, with `between`.
template <class Part>
std::string joined(std::size_t count, const char* between, const Part& part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text.append(i == 0 ? "" : between).append(part(i));
  return text;
}

inline std::string list_of(std::size_t count, const std::function<std::string(std::size_t)>& part) {
  return "[" + joined(count, ",", part) + "]";
}

inline std::string letters(std::size_t count) { return std::string(count, 'a'); }
inline std::string quoted(const std::string& text) { return "\"" + text + "\""; }

/// `form` with `value` for its #.
inline std::string filled(const std::string& form, const std::string& value) {
  const std::size_t at = form.find('#');
  return form.substr(0, at) + value + form.substr(at + 1);
}

constexpr std::uintmax_t gib = std::uintmax_t{1} << 30;

/// A file of this text.
inline std::function<void(const path&)> one_file(const char* name, const std::function<std::string()>& text) {
  return [=](const path& folder) { save(folder / name, text()); };
}

}  // namespace kvantage::test::hostile
