// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/message_values.hpp"

#include "base/text.hpp"

namespace nettune::tools::nccl::log {

std::string_view without_part(std::string_view text, char end) {
  text = trim(text);
  const auto last = text.rfind(' ');
  const auto word = last == text.npos ? text : text.substr(last + 1);
  if (word.find(end) != word.npos) return text;
  return last == text.npos ? std::string_view() : trim(text.substr(0, last));
}

std::uint32_t id_of_text(Log& log, std::string_view text) {
  text = trim(text);
  if (text.size() <= kLongestText) return log.names.id(text);
  return log.names.id(cat(trim(text.substr(0, text.rfind(' ', kLongestText))), " ..."));
}

}  // namespace nettune::tools::nccl::log
