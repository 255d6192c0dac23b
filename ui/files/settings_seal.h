// States of Qt's in the settings file, with a digest before them: Qt takes their numbers as they are, and some that are
// wrong bring it down, so what was cut or changed never reaches it.
#pragma once

#include <QByteArray>
#include <optional>

namespace kvantage {

QByteArray sealed(const QByteArray& state);
/// The state; nothing where it is not as it was sealed.
std::optional<QByteArray> unsealed(const QByteArray& kept);

}  // namespace kvantage
