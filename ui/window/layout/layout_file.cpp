#include "ui/window/layout/layout_file.h"

#include <QCoreApplication>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct LayoutFileText {
  Q_DECLARE_TR_FUNCTIONS(LayoutFileText)
};

constexpr const char* format_name = "kvantage-layout";
constexpr int format_version = 1;

// Qt takes a state's numbers as they are, and some that are wrong bring it down: what was changed never reaches it.
std::string digest_of_state(const QByteArray& state) {
  return digest_of(std::string_view(state.constData(), static_cast<std::size_t>(state.size()))).hex();
}
}  // namespace

Status write_layout(const LayoutFile& layout, const QString& path) {
  Json docks = Json::array();
  for (const QString& id : layout.docks) docks.push_back(from_q(id));
  const Json file = {{"format", format_name},
                     {"version", format_version},
                     {"name", from_q(layout.name)},
                     {"docks", docks},
                     {"state", layout.state.toBase64().toStdString()},
                     {"digest", digest_of_state(layout.state)}};
  return write_text_file(from_q(path), dump_json(file, 2) + "\n");
}

Expected<LayoutFile> read_layout(const QString& path) {
  const std::string name = from_q(path);
  const auto reject = [&name](const QString& why) {
    return fail(ErrorCode::rejected_input, name + ": " + from_q(why));
  };
  KV_ASSIGN(const auto text, read_text_file(name));
  const auto parsed = parse_json(text, name);  // which refuses what nests too deeply to be copied
  const Json json = parsed.value_or(Json());
  if (!json.is_object() || json.value("format", Json()) != format_name)
    return reject(LayoutFileText::tr("is not a layout; open a file saved by View > Layout > Export layout"));
  if (json.value("version", Json()) != format_version)
    return reject(LayoutFileText::tr("is a layout of another version than %1; export it again with this version")
                      .arg(format_version));
  const auto is_text = [&json](const char* field) { return json.contains(field) && json.at(field).is_string(); };
  if (!is_text("name") || !is_text("state") || !is_text("digest") || !json.contains("docks") ||
      !json.at("docks").is_array())
    return reject(LayoutFileText::tr("lacks a name, docks, a state or its digest; export the layout again"));
  KV_TRY(refuse_unknown_fields(json, {"format", "version", "name", "docks", "state", "digest"}, name));
  LayoutFile layout{to_q(json.at("name").get<std::string>()).simplified(), {}, {}};
  for (const Json& id : json.at("docks")) {
    if (!id.is_string()) return reject(LayoutFileText::tr("lists a dock that is not text; export the layout again"));
    layout.docks << to_q(id.get<std::string>());
  }
  const auto state = QByteArray::fromBase64Encoding(QByteArray::fromStdString(json.at("state").get<std::string>()),
                                                    QByteArray::AbortOnBase64DecodingErrors);
  if (!state || state.decoded.isEmpty() || layout.name.isEmpty() ||
      json.at("digest").get<std::string>() != digest_of_state(state.decoded))
    return reject(LayoutFileText::tr("has a damaged state or name; export the layout again"));
  layout.state = state.decoded;
  return layout;
}

}  // namespace kvantage
