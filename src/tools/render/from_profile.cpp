// SPDX-License-Identifier: Apache-2.0
#include "tools/render/from_profile.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "profile/compose.hpp"
#include "profile/expand.hpp"
#include "profile/merge.hpp"
#include "profile/source.hpp"
#include "profile/vars.hpp"

namespace nettune::tools::render {
namespace {

using profile::Item;
using profile::Merged;

class Reader {
 public:
  Reader(const Merged& merged, const profile::Variables& variables)
      : merged_(merged), variables_(variables), expander_(variables, nullptr, no_node_) {}

  const profile::Expander& expander() const { return expander_; }

  /// The source of an item's value; for a variable, the source of the variable.
  std::string source(const Item& item) const {
    const std::string& text = profile::plain_value(item.value).text;
    const bool variable = text.starts_with("${") && text.ends_with('}');
    const std::string name = variable ? text.substr(2, text.size() - 3) : std::string();
    const auto found = variables_.find(name);
    if (found == variables_.end() || !found->second) return item.value.origin.text();
    return cat(name, " of ", found->second->origin.text());
  }

  Result<> ports(FromProfile& out) const {
    for (const Item* const item : merged_.with_prefix("firewall:")) {
      if (item->key != "tcp") continue;
      TRY_ASSIGN(const profile::Expanded expanded, expander_.expand(item->value));
      std::vector<toml::Node> ranges = expanded.node.items;
      if (!expanded.node.is(toml::Node::Kind::array)) ranges.push_back(expanded.node);
      for (const toml::Node& range : ranges) {
        TRY_ASSIGN(const firewall::rules::PortRange parsed,
                   firewall::rules::parse_port_range(toml::shown(range)));
        out.ports.push_back(parsed);
      }
      out.ports_source = item->value.origin.text();
    }
    out.ports = firewall::rules::merged(std::move(out.ports));
    return {};
  }

  Result<> lossless(FromProfile& out) const {
    TRY_ASSIGN(const auto intents, intents::lossless_intents(merged_, expander_));
    if (intents.empty()) return {};
    if (intents.size() > 1)
      return toml::fail_at(
          intents.rbegin()->second.origin,
          "the profile has several [lossless.SET] tables, but a switch takes only one");
    const std::string& set = intents.begin()->first;
    out.lossless = intents.begin()->second;
    for (const Item* const item : merged_.with_prefix(cat("lossless:", set, ':')))
      out.sources[item->key] = source(*item);
    const Item* const mtu = merged_.find(cat("link:", set, ":mtu"));
    if (mtu == nullptr) return {};
    TRY_ASSIGN(const profile::Expanded expanded,
               expander_.expand(profile::plain_value(mtu->value)));
    if (expanded.node.is(toml::Node::Kind::integer)) out.mtu = expanded.node.integer;
    out.sources["mtu"] = source(*mtu);
    return {};
  }

 private:
  const Merged& merged_;
  const profile::Variables& variables_;
  facts::Facts no_node_;
  profile::Expander expander_;
};

}  // namespace

Result<FromProfile> from_profile(Disk& disk, const profile::Sources& sources,
                                 const std::string& name) {
  FromProfile out;
  out.name = name;
  out.set = sources.set;
  TRY_ASSIGN(profile::Resolved resolved, profile::resolve(disk, sources, name, facts::Facts()));
  out.variables = std::move(resolved.desired.variables);
  std::erase_if(out.variables, [](const JobVariable& one) { return one.of_this_node; });
  TRY_ASSIGN(const Merged merged, profile::load_merged(disk, sources, name));
  for (const Item* const item : merged.with_prefix("env:")) {
    const bool common =
        std::ranges::find(out.variables, item->key, &JobVariable::name) != out.variables.end();
    if (!common && item->key != "outputs") out.node_variables.push_back(item->key);
  }
  TRY_ASSIGN(const profile::Site site, profile::read_site(disk, sources));
  TRY_ASSIGN(const profile::Variables variables,
             profile::resolve_variables(merged, site, sources.set));
  const Reader reader(merged, variables);
  TRY(reader.ports(out));
  TRY(reader.lossless(out));
  return out;
}

}  // namespace nettune::tools::render
