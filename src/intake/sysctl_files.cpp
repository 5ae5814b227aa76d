// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "intake/account.hpp"
#include "kinds/sysctl/sysctl_d.hpp"
#include "toml/guard.hpp"

namespace nettune::intake {
namespace {

void read_file(const std::string& file, const std::string& text, Account& account) {
  const auto known = kinds::sysctl::read_sysctl_d(text);
  auto found = known.begin();  // both are in the order of the file
  int number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    const LineId id = account.add(file, number, std::string(line));
    while (found != known.end() && found->line < number) ++found;
    if (found == known.end() || found->line != number)
      account.refuse(id, "not a line that systemd-sysctl reads: KEY = VALUE");
    else if (found->excludes)
      account.refuse(id, "excludes a key from patterns; a profile has no patterns");
    else if (found->key.find_first_of("*?[") != std::string::npos)
      account.refuse(id,
                     "a pattern; a profile has \"net.ipv4.conf.${SET.each}...\" for the "
                     "interfaces of a device set");
    else
      account.set_sysctl(id, found->key, Relation::exact, found->value, found->ignore_errors);
  }
}

}  // namespace

Result<> read_sysctl_files(node::Context& context, const ImportRequest& request, Account& account) {
  for (const std::string& file : request.files) {
    TRY_ASSIGN(const std::string text,
               node::read_named_file(context.disk(), file, toml::kMaxFileBytes));
    read_file(file, text, account);
  }
  return {};
}

}  // namespace nettune::intake
