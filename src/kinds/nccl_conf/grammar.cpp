// SPDX-License-Identifier: Apache-2.0
#include "kinds/nccl_conf/grammar.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace nettune::kinds::nccl_conf {
namespace {

/// The position of the effective line for a name.
struct Found {
  std::size_t begin = 0;
  std::size_t value = 0;  ///< after '='
  std::size_t end = 0;    ///< the newline, or the end of the text
  int line = 0;
};

std::optional<Found> find(std::string_view text, std::string_view name) {
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    ++number;
    // A line that starts with '#' matches no name that set() takes, so comments (2.26.2) and older
    // NCCL versions need no case of their own.
    if (line.size() > name.size() && line[name.size()] == '=' && line.starts_with(name)) {
      return Found{begin, begin + name.size() + 1, end, number};
    }
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace

NcclConf::NcclConf(std::string text) : text_(std::move(text)) {}

std::optional<std::string> NcclConf::get(std::string_view name) const {
  const auto found = find(text_, name);
  if (!found) return std::nullopt;
  return text_.substr(found->value, found->end - found->value);
}

int NcclConf::line(std::string_view name) const {
  const auto found = find(text_, name);
  return found ? found->line : 0;
}

Result<> NcclConf::set(std::string_view name, std::string_view value) {
  using namespace std::string_view_literals;
  if (name.empty() || name.front() == '#' || name.find_first_of("=\n\0"sv) != name.npos) {
    return fail(Errc::invalid, cat("'", printable(name.substr(0, 80)),
                                   "' is not a valid variable name in an nccl.conf"));
  }
  if (value.find('\n') != value.npos) {
    return fail(Errc::invalid, cat("the value \"", printable(value.substr(0, 80)), "\" of ", name,
                                   " has a newline, which an nccl.conf line cannot have"));
  }
  if (const auto found = find(text_, name)) {
    text_.replace(found->value, found->end - found->value, value);
    return {};
  }
  set_final_newline(true);
  text_ += cat(name, '=', value, '\n');
  return {};
}

void NcclConf::remove(std::string_view name) {
  const auto found = find(text_, name);
  if (!found) return;
  text_.erase(found->begin, found->end + 1 - found->begin);
}

bool NcclConf::ends_with_newline() const { return text_.empty() || text_.back() == '\n'; }

void NcclConf::set_final_newline(bool present) {
  if (present == ends_with_newline()) return;
  if (present) {
    text_ += '\n';
  } else {
    text_.pop_back();
  }
}

}  // namespace nettune::kinds::nccl_conf
