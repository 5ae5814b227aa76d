// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "profile/compose.hpp"

namespace nettune::profile {
namespace {

struct Outputs {
  bool nccl_conf = true;
  bool profile_d = true;
  bool env_file = true;
};

Result<Outputs> outputs_of(Composer& composer) {
  const Item* const item = composer.merged().find("env:outputs");
  if (item == nullptr) return Outputs{};
  TRY_ASSIGN(const Expanded expanded, composer.value_of(*item));
  const auto named = [&](std::string_view name) {
    return std::ranges::find(expanded.node.items, name, &Node::text) != expanded.node.items.end();
  };
  return Outputs{named("nccl.conf"), named("profile.d"), named("env-file")};
}

Result<std::string> text_of(const Item& item, const Expanded& expanded) {
  const Node& value = plain_value(expanded.node);
  if (!value.is(Node::Kind::string) && !value.is(Node::Kind::integer)) {
    return fail_at(value.origin, cat(label(item), " must be a string or an integer, but is ",
                                     kind_text(value.kind)));
  }
  const std::string text = value.is(Node::Kind::string) ? value.text : shown(value);
  if (const auto good = formats::check_variable_value(text); !good) {
    return fail_at(value.origin, cat(label(item), ": ", good.error().text));
  }
  return text;
}

Result<> compose_variable(Composer& composer, const Outputs& outputs, const Item& item) {
  TRY_ASSIGN(const Expanded expanded, composer.value_of(item));
  const bool optional = expanded.node.flag("optional");
  const bool same = expanded.node.flag("same_on_all_nodes");
  if (same && expanded.of_this_node) {
    return fail_at(
        item.value.origin,
        cat(label(item), " is same_on_all_nodes, but a device set of this node goes in"));
  }
  if (!composer.is_whole(item, expanded, optional)) return {};
  TRY_ASSIGN(const std::string text, text_of(item, expanded));
  composer.give_jobs({item.key, text, expanded.of_this_node, same, item.value.origin});
  // A job carries its submitter's environment to other nodes (sbatch --export=ALL), and what is in
  // the environment wins over nccl.conf: a value of this node must not get there.
  if (outputs.profile_d && !expanded.of_this_node)
    composer.boot().exports.push_back({item.key, text});
  if (outputs.env_file) composer.boot().variables.push_back({item.key, text});
  if (!outputs.nccl_conf) return {};
  Setting setting;
  setting.address = {cat("nccl.conf:", item.key)};
  setting.want = text;
  setting.optional = optional;
  setting.same_on_all_nodes = same;
  setting.origin = item.value.origin;
  return composer.add(std::move(setting));
}

}  // namespace

Result<> compose_env(Composer& composer) {
  TRY_ASSIGN(const Outputs outputs, outputs_of(composer));
  for (const Item* const item : composer.merged().with_prefix("env:")) {
    if (item->key != "outputs") TRY(compose_variable(composer, outputs, *item));
  }
  return {};
}

}  // namespace nettune::profile
