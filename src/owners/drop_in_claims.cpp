// SPDX-License-Identifier: Apache-2.0
#include "owners/drop_in_claims.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "conf/units.hpp"
#include "kinds/unit/kind.hpp"
#include "kinds/unit/value.hpp"

namespace nettune::owners {
namespace {

constexpr std::string_view kDropInRoot = "/etc/systemd/system/";

/// The line that counts instead of nettune's, and what it does.
struct Overrule {
  std::string file;
  int line = 0;
  std::string value;
  std::string does;  ///< "sets LimitMEMLOCK = 8M"
};

/// One side of a limit. Memory and stack take a suffix of base 1024 (rlimit_parse_one() in
/// src/basic/rlimit-util.c).
std::optional<std::string> limit_side(std::string_view text, bool is_size) {
  text = trim(text);
  if (text == "infinity") return std::string(text);
  std::int64_t unit = 1;
  constexpr std::string_view kSizes = "BKMGTPE";
  if (const std::size_t at = text.empty() ? text.npos : kSizes.find(text.back());
      is_size && at != text.npos) {
    for (std::size_t i = 0; i < at; ++i) unit *= 1024;
    text = trim(text.substr(0, text.size() - 1));
  }
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number > std::numeric_limits<std::int64_t>::max() / unit)
    return std::nullopt;
  return cat(*number * unit);
}

/// "SOFT:HARD" in one spelling. Nothing for a value that systemd ignores, such as an empty one
/// (config_parse_rlimit()).
std::optional<std::string> limit_value(const conf::UnitLine& line) {
  const bool is_size = line.key != "LimitNOFILE" && line.key != "LimitNPROC";
  const std::size_t colon = line.value.find(':');
  const auto soft = limit_side(std::string_view(line.value).substr(0, colon), is_size);
  const auto hard = colon == line.value.npos
                        ? soft
                        : limit_side(std::string_view(line.value).substr(colon + 1), is_size);
  if (!soft || !hard) return std::nullopt;
  const bool ordered =
      *hard == "infinity" || (*soft != "infinity" && compare_integers(*soft, *hard) <= 0);
  return ordered ? std::optional(cat(*soft, ':', *hard)) : std::nullopt;
}

class Judge {
 public:
  Judge(const conf::Files& files, const std::vector<conf::UnitLine>& lines, const std::string& ours)
      : files_(files), lines_(lines), ours_(ours) {}

  /// The directives of [units] in the drop-in of `unit`.
  std::vector<Overrule> run_for(const std::string& unit) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].file != ours_) continue;
      const auto row =
          kinds::unit::find_directive(unit, cat(lines_[i].section, ".", lines_[i].key));
      if (row) directive(i, **row);
    }
    return std::move(found_);
  }

  std::vector<Overrule> run() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const conf::UnitLine& line = lines_[i];
      if (line.file != ours_ || line.section != "Service") continue;
      if (line.key.starts_with("Limit")) limit(i);
      if (line.key == "Environment")
        for (const std::string& word : conf::unit_words(line.value)) variable(i, word);
      if (line.key.starts_with("Exec")) command(i);
    }
    return std::move(found_);
  }

 private:
  void add(const conf::UnitLine& line, std::string value, std::string does) {
    const auto same = [&](const Overrule& one) {
      return one.file == line.file && one.line == line.line;
    };
    if (std::ranges::none_of(found_, same))
      found_.push_back({line.file, line.line, std::move(value), std::move(does)});
  }

  /// The lines of [Service] with that key that are read after `index`.
  template <class Each>
  void later(std::size_t index, std::string_view key, Each each) const {
    for (std::size_t i = index + 1; i < lines_.size(); ++i)
      if (lines_[i].section == "Service" && lines_[i].key == key && lines_[i].file != ours_)
        each(lines_[i]);
  }

  /// An empty assignment ends what cgroups are told (config_parse_memory_limit() and the others in
  /// src/core/load-fragment.c); elsewhere systemd ignores it.
  void directive(std::size_t index, const kinds::unit::Directive& row) {
    if (row.form == kinds::unit::Form::units) return;  // lists add up
    const conf::UnitLine* last = nullptr;
    for (std::size_t i = index + 1; i < lines_.size(); ++i) {
      const conf::UnitLine& line = lines_[i];
      if (line.section != lines_[index].section || line.key != row.name || line.file == ours_)
        continue;
      const bool resets = line.value.empty() && row.shown == kinds::unit::Shown::cgroup;
      if (resets || kinds::unit::one_spelling(row, line.value)) last = &line;
    }
    if (last && kinds::unit::one_spelling(row, last->value) !=
                    kinds::unit::one_spelling(row, lines_[index].value))
      add(*last, last->value,
          last->value.empty() ? cat("resets ", row.name)
                              : cat("sets ", row.name, " = ", printable(last->value)));
  }

  void limit(std::size_t index) {
    const conf::UnitLine* last = nullptr;
    later(index, lines_[index].key, [&](const conf::UnitLine& line) {
      if (limit_value(line)) last = &line;
    });
    if (last && limit_value(*last) != limit_value(lines_[index]))
      add(*last, last->value, cat("sets ", last->key, " = ", printable(last->value)));
  }

  /// Environment= merges by variable and an empty one clears the list; EnvironmentFile= counts
  /// more, wherever it is; UnsetEnvironment= comes last (exec_child() in src/core/execute.c).
  void variable(std::size_t index, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    const conf::UnitLine* last = nullptr;
    std::string value;
    later(index, "Environment", [&](const conf::UnitLine& line) {
      const auto set = [&](const std::string& other) {
        if (!other.starts_with(cat(name, '='))) return;
        last = &line;
        value = other;
      };
      if (line.value.empty()) set(cat(name, '='));
      std::ranges::for_each(conf::unit_words(line.value), set);
    });
    if (last && value != word) {
      add(*last, value.substr(name.size() + 1),
          last->value.empty() ? std::string("clears all variables of Environment=")
                              : cat("sets ", printable(value)));
    }
    from_files(name, word);
    unset(name, word);
  }

  void from_files(const std::string& name, const std::string& word) {
    std::vector<std::string> paths;
    for (const conf::UnitLine& line : lines_) {
      if (line.section != "Service" || line.key != "EnvironmentFile") continue;
      if (line.value.empty()) paths.clear();
      const std::string path = line.value.substr(line.value.starts_with('-') ? 1 : 0);
      if (!path.empty()) paths.push_back(path);
    }
    std::optional<conf::UnitLine> last;
    for (const std::string& path : paths) {
      const auto file = files_.read(path);
      if (!file) continue;
      for (conf::IniLine& line : conf::read_ini(file->text, conf::Joining::backslash))
        if (line.key == name) last = conf::UnitLine{std::move(line), path};
    }
    if (!last) return;
    const std::string value = join(conf::unit_words(last->value), " ");
    if (cat(name, '=', value) != word) add(*last, value, cat("sets ", name, '=', printable(value)));
  }

  void unset(const std::string& name, const std::string& word) {
    const conf::UnitLine* last = nullptr;
    for (const conf::UnitLine& line : lines_) {
      if (line.section != "Service" || line.key != "UnsetEnvironment") continue;
      if (line.value.empty()) last = nullptr;
      for (const std::string& gone : conf::unit_words(line.value))
        if (gone == name || gone == word) last = &line;
    }
    if (last) add(*last, "", cat("removes ", name));
  }

  /// Commands add up, and an empty assignment clears the list.
  void command(std::size_t index) {
    const std::string& key = lines_[index].key;
    later(index, key, [&](const conf::UnitLine& line) {
      if (line.value.empty()) add(line, "", cat("clears ", key, "="));
    });
  }

  const conf::Files& files_;
  const std::vector<conf::UnitLine>& lines_;
  const std::string& ours_;
  std::vector<Overrule> found_;
};

/// "slurmd.service" of /etc/systemd/system/slurmd.service.d/nettune.conf.
std::string unit_of(std::string_view path) {
  const std::string directory = parent_path(std::string(path));
  return directory.substr(kDropInRoot.size(), directory.size() - kDropInRoot.size() - 2);
}

}  // namespace

std::optional<OurFile> own_drop_in(const Setting& setting) {
  if (!kinds::unit::kDropIn.has(setting.address) || !setting.want) return std::nullopt;
  const auto text = kinds::common::own_text(kinds::unit::kDropInFormat,
                                            {{std::string(setting.address.key()), *setting.want}});
  const std::string path = kinds::unit::drop_in_path(setting.address.object());
  return OurFile{setting.address, {path, path, text.value_or("")}};
}

bool is_drop_in(std::string_view path) {
  return path.starts_with(kDropInRoot) && path.ends_with(".conf") &&
         parent_path(std::string(path)).ends_with(".d");
}

std::vector<Claim> drop_in_claims(const conf::Files& files, std::span<const OurFile> ours) {
  std::vector<Claim> claims;
  conf::Units units(files);
  for (const OurFile& our : ours) {
    if (!is_drop_in(our.file.path)) continue;
    const std::string unit = unit_of(our.file.path);
    const std::string name = our.file.path.substr(our.file.path.rfind('/') + 1);
    const std::vector<conf::UnitLine> lines = units.lines(unit, &our.file);
    const auto add = [&](const Overrule& found, std::string_view why) {
      claims.push_back({our.address, "systemd", found.file, found.line, found.value, true,
                        cat(printable(found.file), found.line > 0 ? cat(':', found.line) : "", ' ',
                            found.does, why)});
    };
    if (std::ranges::find(lines, our.file.path, &conf::UnitLine::file) == lines.end() &&
        !our.file.text.empty()) {
      if (const std::string other = units.shadow(unit, our.file); !other.empty())
        add({other, 0, "", ""},
            cat("replaces ", our.file.path,
                ": systemd reads one drop-in of each name; remove or rename it"));
      continue;
    }
    Judge judge(files, lines, our.file.path);
    const bool of_units = kinds::unit::kDropIn.has(our.address);
    for (const Overrule& found : of_units ? judge.run_for(unit) : judge.run())
      add(found, cat(" for ", unit, ", and systemd lets it override ", name, "; remove the line"));
  }
  return claims;
}

}  // namespace nettune::owners
