// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "kinds/common/own_file.hpp"
#include "kinds/unit/table.hpp"

namespace nettune::kinds::unit {

inline constexpr std::string_view kDropInName = "zz-nettune.conf";
inline constexpr std::string_view kUnitsDirectory = "/etc/systemd/system";

inline std::string unit_of(const Address& address) { return std::string(address.object()); }
/// "/etc/systemd/system/containerd.service.d/zz-nettune.conf".
std::string drop_in_path(std::string_view unit);
/// Of such a file: a line "LimitMEMLOCK=infinity" below "[Service]".
extern const common::OwnFormat kDropInFormat;

/// The value as it is written, or why systemd would not take it.
Result<std::string> canonical_value(const Directive& directive, std::string_view value);

/// What values it takes: "a list such as 0-7,16".
std::string wanted_form(const Directive& directive);

/// The value in one spelling, to be compared: bytes for "8M", "SOFT:HARD" for a limit. Nothing for
/// a value that systemd ignores there.
std::optional<std::string> one_spelling(const Directive& directive, std::string_view value);

}  // namespace nettune::kinds::unit
