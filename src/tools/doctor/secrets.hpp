// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::tools::doctor {

inline constexpr std::string_view kLeftOut = "(left out)";

/// A name that says that its value is secret: API_TOKEN, wandb-key, password. NCCL_IB_PKEY is none.
bool is_secret_name(std::string_view name);

/// Leaves values out of a text: those behind NAME= and NAME: of a secret name, up to the end of the
/// word or quoted text, and the user of a URL with a password.
std::string without_secrets(std::string_view text);

/// The same of a JSON document. A value of a secret name is left out, and in an object that is
/// about such a name (its address, setting or name) each text. What is no document, or was cut off,
/// is left out as a whole: nothing in it says what a value is about.
std::string without_secrets_json(const std::string& text);

}  // namespace nettune::tools::doctor
