// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace nettune::tools::doctor {

/// What a GPU answers when it is asked for a value, the worst last.
enum class Answer { value, not_supported, no_permission, error, reset_required, lost };

/// Of a return code of NVML.
Answer answer_of_code(int code);
/// Of the text in the place of a value that nvidia-smi prints: "GPU is lost", "[N/A]", "ERR!".
Answer answer_of_word(std::string_view text);
/// "lost", "reset required", "error", "not supported", "not permitted", "value": for recordings.
std::string_view answer_word(Answer answer);

}  // namespace nettune::tools::doctor
