// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "conf/files.hpp"
#include "conf/ini.hpp"
#include "intake/account.hpp"
#include "intake/tuned_plugins.hpp"
#include "toml/guard.hpp"

namespace nettune::intake {
namespace {

constexpr std::size_t kMostFiles = 64;

/// Where TuneD looks for a profile, in its newer and older layout; /etc hides /usr.
constexpr auto kDirectories = std::to_array<std::string_view>(
    {"/etc/tuned/profiles", "/etc/tuned", "/usr/lib/tuned/profiles", "/usr/lib/tuned"});

/// Options of a unit that are not for its plugin (tuned/profiles/unit.py).
constexpr auto kConditions =
    std::to_array<std::string_view>({"uname_regex", "cpuinfo_regex", "devices_udev_regex"});

struct Statement {
  LineId id;
  std::string unit;
  std::string key;
  std::string value;
};

struct Unit {
  std::string plugin;
  std::string devices = "*";
  std::string condition;  ///< why it applies to some nodes only
  std::string off;        ///< why it applies to none
};

bool is_yes(std::string_view text) { return text == "1" || text == "True" || text == "true"; }

/// '#' begins a comment behind a blank (inline_comment_prefixes in tuned/profiles/loader.py).
std::string without_comment(std::string_view value) {
  for (std::size_t at = 0; (at = value.find('#', at)) != value.npos; ++at)
    if (at == 0 || value[at - 1] == ' ' || value[at - 1] == '\t')
      return std::string(trim(value.substr(0, at)));
  return std::string(value);
}

class TunedReader {
 public:
  TunedReader(node::Context& context, const ImportRequest& request, Account& account)
      : context_(context), request_(request), account_(account), plugins_(account) {}

  Result<> run(std::string& summary) {
    for (const std::string& named : request_.files) {
      std::string file = node::absolute_path(named);
      if (const auto info = context_.disk().info(file);
          info && *info && (*info)->kind == FileInfo::Kind::directory)
        file += "/tuned.conf";
      TRY_ASSIGN(const std::string text,
                 node::read_named_file(context_.disk(), file, toml::kMaxFileBytes));
      named_.insert(file);
      load(file, text);
    }
    collect_variables();
    collect_units();
    for (std::size_t i = 0; i < statements_.size(); ++i) translate(i);
    finish_variables();
    summary = summary_;
    return {};
  }

 private:
  // Files and what they include.

  void load(const std::string& file, const std::string& text) {
    if (!seen_.insert(file).second) return;
    const std::vector<conf::IniLine> lines =
        conf::read_ini(text, conf::Joining::indented, conf::Others::kept);
    std::map<int, std::string> missing;
    for (const conf::IniLine& line : lines)
      if (line.section == "main" && line.key == "include")
        missing[line.line] = include(file, without_comment(line.value));
    const std::string directory = parent_path(file);
    for (const conf::IniLine& line : lines) {
      std::string value = without_comment(line.value);
      constexpr std::string_view kDirectory = "${i:PROFILE_DIR}";
      if (const std::size_t at = value.find(kDirectory); at != value.npos)
        value.replace(at, kDirectory.size(), directory);
      const LineId id = account_.add(
          file, line.line, line.key.empty() ? line.value : cat(line.key, "=", line.value));
      if (line.key.empty()) {
        account_.refuse(id, "neither a section nor KEY=VALUE");
      } else if (line.section == "main") {
        main_line(id, line.key, value, missing[line.line], file);
      } else {
        statements_.push_back({id, line.section, line.key, std::move(value)});
      }
    }
  }

  /// What is missing of the profiles that `value` names; "" if nothing is.
  std::string include(const std::string& from, const std::string& value) {
    if (value.find("${") != value.npos) {
      account_.incomplete = true;
      return cat("only TuneD on its node knows which profile this is");
    }
    std::vector<std::string> missing;
    for (const std::string& named : names_in_list(value)) {
      // A "-" in front: it may be missing (tuned/profiles/locator.py).
      const bool may_miss = named.starts_with('-');
      const std::string name = named.substr(may_miss ? 1 : 0);
      if (!include_one(from, name) && !may_miss) missing.push_back(name);
    }
    if (missing.empty()) return {};
    account_.incomplete = true;
    return cat("there is no profile ", join(missing, ", "), " beside it, and none below ",
               request_.root, "/etc/tuned and ", request_.root,
               "/usr/lib/tuned; --tree names another tree");
  }

  bool include_one(const std::string& from, const std::string& name) {
    if (seen_.size() >= kMostFiles || !is_plain_word(name) || name.find(':') != name.npos ||
        name.starts_with('.'))
      return false;
    std::vector<std::string> places = {cat(parent_path(parent_path(from)), "/", name)};
    for (const std::string_view directory : kDirectories)
      places.push_back(cat(request_.root, directory, "/", name));
    for (const std::string& place : places) {
      const std::string file = cat(place, "/tuned.conf");
      const auto text = context_.disk().read(file, toml::kMaxFileBytes);
      if (!text || !*text) continue;
      load(file, **text);
      return true;
    }
    return false;
  }

  void main_line(LineId id, const std::string& key, const std::string& value,
                 const std::string& missing, const std::string& file) {
    if (key == "include") {
      if (missing.empty())
        account_.accept(id, "its lines are above");
      else
        account_.refuse(id, missing);
    } else if (key == "summary" && named_.contains(file)) {
      account_.accept(id, "the summary");
      summary_ = value;
    } else {
      account_.refuse(id, "a text about the profile");
    }
  }

  // Variables.

  /// A later line for a name counts at the place of the first one, and each sees those before it
  /// (_merge_two() in tuned/profiles/merger.py, tuned/profiles/variables.py).
  void collect_variables() {
    std::vector<const Statement*> lines;
    for (const Statement& each : statements_) {
      if (each.unit != "variables") continue;
      const auto before = std::ranges::find(lines, each.key, &Statement::key);
      if (before == lines.end()) {
        lines.push_back(&each);
        continue;
      }
      account_.overridden((*before)->id, each.id);
      *before = &each;
    }
    for (const Statement* const line : lines) {
      if (line->key == "include")
        include_variables(*line);
      else
        define(line->id, line->key, line->value);
    }
  }

  /// It may be made of an earlier one with this name, of a file.
  void define(LineId id, const std::string& name, const std::string& typed) {
    const auto value = expand(typed);
    Variable variable{id, value.value_or(""), value ? "" : value.error().text};
    if (const auto before = variables_.find(name); before != variables_.end()) {
      if (used_.erase(name) > 0)
        account_.accept(before->second.id, "a variable, put in where it is used");
      else
        account_.overridden(before->second.id, id);
    }
    variables_[name] = std::move(variable);
  }

  void include_variables(const Statement& statement) {
    const std::string file = cat(request_.root, statement.value);
    const auto text = context_.disk().read(file, toml::kMaxFileBytes);
    if (!text || !*text) {
      account_.incomplete = true;
      return account_.refuse(statement.id, cat("there is no file ", file));
    }
    account_.accept(statement.id, "its variables are below");
    for (const conf::IniLine& line :
         conf::read_ini(**text, conf::Joining::indented, conf::Others::kept)) {
      const LineId id = account_.add(
          file, line.line, line.key.empty() ? line.value : cat(line.key, "=", line.value));
      if (line.key.empty())
        account_.refuse(id, "not NAME=VALUE");
      else
        define(id, line.key, without_comment(line.value));
    }
  }

  /// The value with its variables; an error says why it is not known.
  Result<std::string> expand(const std::string& value) {
    std::string out;
    for (std::size_t at = 0; at < value.size();) {
      if (value.compare(at, 3, "\\${") == 0) {
        out += "${";
        at += 3;
        continue;
      }
      if (value.compare(at, 2, "${") != 0) {
        out += value[at++];
        continue;
      }
      if (value.compare(at, 4, "${f:") == 0)
        return fail(Errc::invalid, "a function: only TuneD on its node knows the value");
      const std::size_t end = value.find('}', at);
      const std::string name = value.substr(at + 2, end == value.npos ? end : end - at - 2);
      const auto found = variables_.find(name);
      if (end == value.npos || found == variables_.end())
        return fail(Errc::invalid, cat("the variable ", name, " is not set"));
      used_.insert(name);
      if (!found->second.why.empty())
        return fail(Errc::invalid, cat("the variable ", name, ": ", found->second.why));
      constexpr std::size_t kMost = 64U << 10;
      if (out.size() + found->second.value.size() > kMost)
        return fail(Errc::invalid, "too long with its variables");
      out += found->second.value;
      at = end + 1;
    }
    return out;
  }

  void finish_variables() {
    for (const auto& [name, variable] : variables_) {
      if (!variable.why.empty())
        account_.refuse(variable.id, variable.why);
      else if (used_.contains(name))
        account_.accept(variable.id, "a variable, put in where it is used");
      else
        account_.refuse(variable.id, "a variable that nothing uses");
    }
  }

  // Units.

  void collect_units() {
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      const Statement& each = statements_[i];
      Unit& unit = units_.try_emplace(each.unit, Unit{each.unit, "*", "", ""}).first->second;
      if (each.key == "type") unit.plugin = each.value;
      if (each.key == "devices") {
        const auto devices = expand(each.value);
        if (devices)
          unit.devices = *devices;
        else
          unit.condition = cat("its devices are not known: ", devices.error().text);
      }
      if (each.key == "enabled") {
        if (is_yes(each.value))
          unit.off.clear();
        else
          unit.off = cat("its section is not enabled (", account_[each.id].where(), ")");
      }
      if (std::ranges::find(kConditions, each.key) != kConditions.end())
        unit.condition = cat("its section is for some nodes only (", each.key, ", ",
                             account_[each.id].where(), "), and a profile has no conditions");
      if (each.key == "replace" && is_yes(each.value)) drop_before(i, {});
      if (each.key == "drop") drop_before(i, names_in_list(each.value));
    }
    // A later line for the same key counts, even if it cannot be translated.
    std::map<std::pair<std::string, std::string>, std::size_t> last;
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      if (dropped_.contains(i)) continue;
      const auto [found, fresh] =
          last.emplace(std::pair(statements_[i].unit, statements_[i].key), i);
      if (fresh) continue;
      drop(found->second, i);
      found->second = i;
    }
  }

  void drop(std::size_t index, std::size_t by) {
    if (statements_[index].unit == "variables") return;
    dropped_.insert(index);
    account_.overridden(statements_[index].id, statements_[by].id);
  }

  /// Lines of other files that the unit of this one replaces; of these keys, if there are any.
  void drop_before(std::size_t by, const std::vector<std::string>& keys) {
    const std::string file = account_[statements_[by].id].file;
    for (std::size_t i = 0; i < by; ++i) {
      const Statement& each = statements_[i];
      const bool meant = keys.empty() || std::ranges::find(keys, each.key) != keys.end();
      if (each.unit == statements_[by].unit && account_[each.id].file != file && meant) drop(i, by);
    }
  }

  void translate(std::size_t index) {
    const Statement& each = statements_[index];
    if (each.unit == "variables" || dropped_.contains(index)) return;
    const Unit& unit = units_.at(each.unit);
    if (option_of_unit(each, unit)) return;
    if (!unit.off.empty()) return account_.refuse(each.id, unit.off);
    if (!unit.condition.empty()) return account_.refuse(each.id, unit.condition);
    auto value = expand(each.value);
    if (!value) return account_.refuse(each.id, value.error().text);
    *value = unquoted(*value);
    plugins_.set(each.id, {unit.plugin, unit.devices}, each.key, *value);
  }

  /// What every unit may have.
  bool option_of_unit(const Statement& each, const Unit& unit) {
    const std::string& key = each.key;
    if (key == "type" || key == "enabled" || key == "replace" || key == "prepend" ||
        key == "drop") {
      account_.accept(each.id, "about its section");
    } else if (key == "devices") {
      if (unit.plugin == "net")
        account_.accept(each.id, "a device set");
      else
        account_.refuse(each.id, "nettune sets nothing on these devices");
    } else if (key == "priority") {
      account_.refuse(each.id, "the order of TuneD's sections");
    } else if (std::ranges::find(kConditions, key) != kConditions.end()) {
      account_.refuse(each.id, "a condition; a profile has none");
    } else if (key == "script_pre" || key == "script_post") {
      account_.refuse(each.id, "runs a program");
    } else {
      return false;
    }
    return true;
  }

  struct Variable {
    LineId id = 0;
    std::string value;
    std::string why;  ///< why its value is not known; "" if it is
  };

  node::Context& context_;
  const ImportRequest& request_;
  Account& account_;
  TunedPlugins plugins_;
  std::string summary_;
  std::set<std::string> named_;  ///< by the person
  std::set<std::string> seen_;
  std::vector<Statement> statements_;
  std::map<std::string, Variable> variables_;
  std::set<std::string> used_;
  std::map<std::string, Unit> units_;
  std::set<std::size_t> dropped_;
};

}  // namespace

Result<> read_tuned(node::Context& context, const ImportRequest& request, Account& account,
                    std::string& summary) {
  return TunedReader(context, request, account).run(summary);
}

}  // namespace nettune::intake
