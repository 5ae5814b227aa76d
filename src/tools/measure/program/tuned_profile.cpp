// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/tuned_profile.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "node/profile_overlay.hpp"
#include "profile/profile.hpp"
#include "profile/source.hpp"
#include "tools/measure/program/ab_options.hpp"

namespace nettune::tools::measure::program {
namespace {

using toml::Node;

constexpr std::size_t kWidth = 100;
/// The kinds of the files that are made of a profile, and of their directories.
constexpr auto kMadeOfIt = std::to_array<std::string_view>({"file", "dir", "nccl.conf"});

/// "# ..." in as many lines as it needs.
std::string comment(const std::string& text) {
  std::string out;
  std::string line = "#";
  for (const std::string_view word : words(text)) {
    if (line.size() > 1 && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line.resize(1);
    }
    line += cat(' ', word);
  }
  return text.empty() ? out : out + line + "\n";
}

/// The parent's rules with another default.
Node definition_with(const Node& parent, const std::string& value) {
  Node out = parent;
  const auto found =
      std::ranges::find(out.entries, "default", &std::pair<std::string, Node>::first);
  Node& entry = found != out.entries.end()
                    ? found->second
                    : out.entries.emplace_back("default", Node::string("", parent.origin)).second;
  const Node* const type = parent.find("type");
  const bool is_string = type != nullptr ? type->text == "string" : entry.is(Node::Kind::string);
  entry = Node::string(value, parent.origin);
  if (is_string) return out;
  const auto number = parse_int(value);
  entry.kind = number ? Node::Kind::integer : Node::Kind::boolean;
  entry.integer = number.value_or(0);
  entry.boolean = value == "true";
  return out;
}

std::string env_value(const Node* parent, const std::string& value) {
  std::string text = toml::toml_text(Node::string(value, {}));
  if (parent == nullptr || !parent->flag("same_on_all_nodes")) return text;
  return cat("{ value = ", text, ", same_on_all_nodes = true }");
}

Result<Given> given(const Result<profile::Resolved>& resolved) {
  if (!resolved) return fail(Errc::invalid, resolved.error().text);
  if (!resolved->misfits.empty()) return fail(Errc::conflict, join(resolved->misfits, "; "));
  Given out;
  for (const Setting& one : resolved->desired.settings)
    if (std::ranges::find(kMadeOfIt, one.address.kind()) == kMadeOfIt.end())
      out.settings[one.address.text] =
          cat(relation_text(one.relation), one.want.value_or("(none)"));
  for (const JobVariable& one : resolved->desired.variables) out.variables[one.name] = one.value;
  return out;
}

/// The first that differs: "NCCL_ALGO is Ring, not Tree"; "" for none.
std::string difference_in(const std::map<std::string, std::string>& written,
                          const std::map<std::string, std::string>& measured) {
  const auto value = [](const std::map<std::string, std::string>& in, const std::string& name) {
    const auto found = in.find(name);
    return found == in.end() ? std::string("not there") : printable(found->second);
  };
  for (const auto* const all : {&written, &measured})
    for (const auto& [name, text] : *all)
      if (value(written, name) != value(measured, name))
        return cat(printable(name), " is ", value(written, name), ", not ", value(measured, name));
  return "";
}

}  // namespace

std::string text_of(const TunedProfile& tuned, const profile::Merged& parent) {
  const auto why = [&](const std::string& name) {
    const auto found = tuned.why.find(name);
    return comment(found == tuned.why.end() ? "" : found->second);
  };
  std::string out = cat("schema  = 1\nname    = \"", tuned.name,
                        "\"\nsummary = ", toml::toml_text(Node::string(tuned.summary, {})),
                        "\nextends = [\"", tuned.arm.profile, "\"]\n");
  if (!tuned.arm.set.empty()) out += "\n[vars]\n";
  for (const auto& [name, value] : tuned.arm.set)
    if (const profile::Item* const item = parent.find(cat("var:", name)))
      out +=
          cat(why(name), name, " = ", toml::toml_text(definition_with(item->value, value)), "\n");
  if (!tuned.arm.env.empty()) out += "\n[env]\n";
  for (const auto& [name, value] : tuned.arm.env) {
    const profile::Item* const item = parent.find(cat("env:", name));
    out += cat(why(cat(kEnv, name)), name, " = ", env_value(item ? &item->value : nullptr, value),
               "\n");
  }
  return out;
}

Result<Given> given_by(node::Context& context, const Arm& arm) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  profile::Sources sources = context.profile_sources();
  sources.set = arm.set;
  TRY_ASSIGN(Given out, given(profile::resolve(context.disk(), sources, arm.profile, *facts)));
  for (const auto& [name, value] : arm.env) out.variables[name] = value;
  return out;
}

Result<> check_tuned(node::Context& context, const TunedProfile& tuned, const std::string& text,
                     const Given& measured) {
  constexpr const char* kDirectory = "/tune";
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  node::ProfileOverlay disk(context.disk(), kDirectory, tuned.name, text);
  profile::Sources sources = context.profile_sources();
  TRY_ASSIGN(const profile::Site site, profile::read_site(context.disk(), sources));
  for (const auto& [name, value] : tuned.arm.set)
    if (site.vars.find(name) != nullptr)
      return fail(Errc::invalid, cat(printable(sources.site_file), " sets ", printable(name),
                                     ", which hides what a profile says; remove it there first"));
  sources.directories.insert(sources.directories.begin(), kDirectory);
  TRY_ASSIGN(const Given written, given(profile::resolve(disk, sources, tuned.name, *facts)));
  if (written == measured) return {};
  std::string what = difference_in(written.settings, measured.settings);
  if (what.empty()) what = difference_in(written.variables, measured.variables);
  return fail(
      Errc::invalid,
      cat("a profile with it would give this node something other than --set does: ", what));
}

}  // namespace nettune::tools::measure::program
