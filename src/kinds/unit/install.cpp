// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/install.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "conf/units.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::kinds::unit {
namespace {

constexpr std::string_view kEtc = "/etc/systemd/system";
constexpr std::string_view kNull = "/dev/null";

/// Where unit files are besides /etc, the strongest first (lookup_paths_init() in
/// src/basic/path-lookup.c); in those of `why` nettune enables nothing.
struct Place {
  std::string_view directory;
  std::string_view why = {};
};
constexpr auto kPlaces = std::to_array<Place>({
    {"/run/systemd/transient", "it is transient"},
    {"/run/systemd/generator.early", "it is generated"},
    {"/run/systemd/system", "it is there only until the next boot"},
    {"/run/systemd/generator", "it is generated"},
    {"/usr/local/lib/systemd/system"},
    {"/usr/lib/systemd/system"},
    {"/lib/systemd/system"},
    {"/run/systemd/generator.late", "it is generated"},
});

/// The keys of [Install], and the directories of their links (install_info_symlink_wants() in
/// src/shared/install.c, systemd 252 and 257).
constexpr auto kLinkKeys = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"WantedBy", ".wants/"}, {"RequiredBy", ".requires/"}, {"UpheldBy", ".upholds/"}});

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// "getty@.service" of "getty@tty1.service"; the name itself of others.
std::string template_of(const std::string& unit) {
  const std::size_t at = unit.find('@');
  return at == unit.npos ? unit : cat(unit.substr(0, at + 1), unit.substr(unit.rfind('.')));
}

class Reader {
 public:
  Reader(const kernel::Directory& root, const std::string& unit)
      : root_(root), unit_(unit), file_name_(template_of(unit)) {}

  void find_file() {
    see_etc(unit_);
    if (file_name_ != unit_ && out_.file.empty() && !out_.masked) see_etc(file_name_);
    for (const Place& place : kPlaces)
      for (const std::string& name : {unit_, file_name_}) see(place, name);
  }

  void find_links() {
    find_links_in("");
    for (const std::string& entry : root_.list(std::string(kEtc)))
      if (is_link_directory(entry)) find_links_in(cat(entry, "/"));
    for (const Place& place : kPlaces)
      for (const std::string& entry : root_.list(std::string(place.directory)))
        if (is_link_directory(entry) && root_.exists(cat(place.directory, '/', entry, '/', unit_)))
          note(out_.not_enabled, cat("it is started by ", place.directory, '/', entry, '/', unit_,
                                     ", which is not of /etc; mask it instead"));
  }

  Installed take() { return std::move(out_); }

 private:
  static void note(std::string& into, std::string why) {
    if (into.empty()) into = std::move(why);
  }
  static bool is_link_directory(std::string_view entry) {
    return entry.ends_with(".wants") || entry.ends_with(".requires") || entry.ends_with(".upholds");
  }

  /// What is in /etc: a mask, a file, an alias, or a link to a file elsewhere.
  void see_etc(const std::string& name) {
    const std::string path = cat(kEtc, '/', name);
    const auto target = root_.link(path);
    if (!target) {
      if (!root_.exists(path)) return;
      out_.file = path;
      out_.file_in_etc = name == unit_;
    } else if (*target == kNull) {
      out_.masked = true;
    } else if (base_name(*target) != name) {
      note(out_.unusual,
           cat("it is an alias of ", printable(base_name(*target)), "; use that name"));
    } else {
      note(out_.unusual, cat("it is linked from ", printable(*target)));
    }
  }

  void see(const Place& place, const std::string& name) {
    const std::string path = cat(place.directory, '/', name);
    if (!out_.file.empty() || !root_.exists(path)) return;
    const auto target = root_.link(path);
    if (target && *target == kNull) {
      note(out_.unusual, cat("it is masked by ", path));
    } else if (target && base_name(*target) != name) {
      note(out_.unusual,
           cat("it is an alias of ", printable(base_name(*target)), "; use that name"));
    } else {
      out_.file = path;
      if (!place.why.empty()) note(out_.unusual, std::string(place.why));
    }
  }

  /// Links of that name, and those that lead to the unit under another one
  /// (remove_marked_symlinks_fd() in src/shared/install.c).
  void find_links_in(const std::string& below) {
    for (const std::string& entry : root_.list(cat(kEtc, '/', below))) {
      const auto target = root_.link(cat(kEtc, '/', below, entry));
      if (!target || *target == kNull || (below.empty() && entry == unit_)) continue;
      const bool leads_here = entry == unit_ || base_name(*target) == unit_;
      if (leads_here) out_.links.emplace(below + entry, *target);
    }
  }

  const kernel::Directory& root_;
  const std::string& unit_;
  std::string file_name_;
  Installed out_;
};

/// Adds what one line of [Install] says.
void add_install(const conf::IniLine& line, const std::string& unit, Installed& out) {
  const auto refuse = [&](std::string why) {
    if (out.not_enabled.empty()) out.not_enabled = std::move(why);
  };
  if (line.section != "Install" || line.value.empty()) return;
  if (line.value.find('%') != line.value.npos)
    return refuse(cat("its [Install] has a specifier (", printable(line.value), ')'));
  if (line.key == "Also") return refuse(cat("its [Install] also enables ", printable(line.value)));
  for (const std::string_view word : words(line.value)) {
    if (line.key == "Alias") out.wanted.insert(std::string(word));
    for (const auto& [key, suffix] : kLinkKeys)
      if (line.key == key) out.wanted.insert(cat(word, suffix, unit));
  }
}

}  // namespace

bool Installed::is_enabled() const {
  return links.size() == wanted.size() &&
         std::ranges::all_of(links, [&](const auto& link) { return wanted.contains(link.first); });
}

Result<Installed> read_installed(Disk& disk, const std::string& root, const std::string& unit) {
  TRY_ASSIGN(const kernel::Directory directory, kernel::Directory::open(root + "/"));
  Reader reader(directory, unit);
  reader.find_file();
  reader.find_links();
  Installed out = reader.take();
  if (out.file.empty()) return out;
  const conf::Files files(disk, root);
  if (const auto file = files.read(out.file))
    for (const conf::IniLine& line : conf::read_ini(file->text, conf::Joining::backslash))
      add_install(line, unit, out);
  // Those of drop-ins; the file itself is not read where it is masked.
  for (const conf::UnitLine& line : conf::Units(files).lines(unit))
    if (base_name(line.file) != unit && line.file != out.file) add_install(line, unit, out);
  if (out.wanted.empty() && out.not_enabled.empty())
    out.not_enabled = "it is static: its [Install] names nothing that starts it";
  return out;
}

}  // namespace nettune::kinds::unit
