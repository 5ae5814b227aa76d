// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <array>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "kinds/nccl_conf/kind.hpp"

namespace nettune::kinds::nccl_conf {
namespace {

Result<> compose_outputs(profile::Composer& composer) {
  auto& outputs = composer.boot().outputs;
  const profile::Item* const item = composer.merged().find("env:outputs");
  if (item == nullptr) {
    outputs = {"nccl.conf", "profile.d", "env-file"};
    return {};
  }
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(*item));
  for (const toml::Node& name : expanded.node.items) outputs.insert(name.text);
  return {};
}

Result<std::string> text_of(const profile::Item& item, const profile::Expanded& expanded) {
  const toml::Node& value = profile::plain_value(expanded.node);
  if (!value.is(toml::Node::Kind::string) && !value.is(toml::Node::Kind::integer)) {
    return toml::fail_at(value.origin,
                         cat(profile::label(item), " must be a string or an integer, but is ",
                             toml::kind_text(value.kind)));
  }
  const std::string text = value.is(toml::Node::Kind::string) ? value.text : toml::shown(value);
  if (const auto good = conf::check_variable_value(text); !good) {
    return toml::fail_at(value.origin, cat(profile::label(item), ": ", good.error().text));
  }
  return text;
}

Result<> compose_variable(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  const bool optional = expanded.node.flag("optional");
  const bool same = expanded.node.flag("same_on_all_nodes");
  if (same && expanded.of_this_node) {
    return toml::fail_at(
        item.value.origin,
        cat(profile::label(item),
            " is same_on_all_nodes, but its value depends on a device set of this node"));
  }
  if (!composer.is_whole(item, expanded, optional)) return {};
  TRY_ASSIGN(const std::string text, text_of(item, expanded));
  composer.give_jobs({item.key, text, expanded.of_this_node, same, item.value.origin});
  if (!composer.boot().outputs.contains("nccl.conf")) return {};
  Setting setting;
  setting.address = {cat("nccl.conf:", item.key)};
  setting.want = text;
  setting.optional = optional;
  setting.same_on_all_nodes = same;
  setting.origin = item.value.origin;
  return composer.add(std::move(setting));
}

Result<> compose_env(profile::Composer& composer) {
  TRY(compose_outputs(composer));
  for (const profile::Item* const item : composer.merged().with_prefix("env:")) {
    if (item->key != "outputs") composer.mistakes().take(compose_variable(composer, *item));
  }
  for (const profile::Item* const item : composer.merged().with_prefix("env-service:")) {
    std::string name = item->id.substr(item->id.find(':') + 1);
    composer.show(*item, name);
    composer.boot().env_services.push_back(std::move(name));
  }
  return {};
}

constexpr std::string_view kValue = "^[^\\u0000-\\u001f\\u007f]+$";

constexpr auto kEnvRules = std::to_array<profile::Rule>({
    {"profile/env", profile::kTable, "Environment variables of jobs"},
    {"profile/env/outputs", profile::kStrings, "Where to write them; the first three by default",
     "nccl.conf profile.d env-file systemd slurm k8s json"},
    {"profile/env/services", profile::kStrings, "systemd services that get them too"},
    {"profile/env/*",
     profile::kString | profile::kInteger | profile::kTable,
     "NAME: A variable that jobs get",
     {},
     false,
     {.pattern = kValue, .keys = "^[A-Za-z_][A-Za-z0-9_]*$"}},
    {"profile/env/*/value",
     profile::kString | profile::kInteger,
     "The value",
     {},
     true,
     {.pattern = kValue}},
    {"profile/env/*/optional", profile::kBoolean, "Leave it out if its device set is empty"},
    {"profile/env/*/same_on_all_nodes", profile::kBoolean, "Must be equal on all nodes of a job"},
});

Result<> collect_env(profile::ItemCollector& out, const profile::Section&,
                     const toml::Node& table) {
  for (const auto& [name, value] : table.entries) {
    if (name == "services") {
      TRY(out.add_services(value, "env-service:", "env", "profile/env/services"));
      continue;
    }
    const bool outputs = name == "outputs";
    if (!outputs) TRY(profile::located(value.origin, conf::check_variable_name(name)));
    TRY(out.add(cat("env:", name), "env", name, outputs ? "profile/env/outputs" : "profile/env/*",
                value));
  }
  return {};
}

}  // namespace

constinit const profile::Section kEnvSection = {.name = "env",
                                                .rules = kEnvRules,
                                                .collect = nccl_conf::collect_env,
                                                .compose = nccl_conf::compose_env};

}  // namespace nettune::kinds::nccl_conf
