// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "conf/ini.hpp"
#include "intake/account.hpp"
#include "toml/guard.hpp"

namespace nettune::intake {
namespace {

/// Sections of saptune-note(5) that nettune has no kind for.
struct MissingSection {
  std::string_view section;
  std::string_view what;
};
constexpr auto kMissingSections = std::to_array<MissingSection>({
    {"block", "settings of block devices"},
    {"cpu", "the energy policy and idle states of the CPU"},
    {"filesystem", "options of mounts"},
    {"grub", "the kernel command line"},
    {"limits", "limits of one user or group ([limits] are for everybody)"},
    {"login", "limits of systemd's user slices"},
    {"mem", "the size of /dev/shm"},
    {"pagecache", "the limit of the page cache, which only SUSE's kernels have"},
    {"reminder", "a text for people"},
    {"rpm", "versions of packages"},
    {"service", "which services run"},
    {"sys", "files of sysfs"},
    {"vm", "merging of equal pages (KSM)"},
});

/// A comment begins with " #" and another character (saptune-note(5)).
std::string_view without_note_comment(std::string_view value) {
  for (std::size_t at = 0; (at = value.find(" #", at)) != value.npos; ++at)
    if (at + 2 < value.size() && value[at + 2] != '#') return trim(value.substr(0, at));
  return value;
}

class NoteReader {
 public:
  NoteReader(Account& account, std::string& summary) : account_(account), summary_(summary) {}

  void read(const std::string& file, const std::string& text) {
    for (const conf::IniLine& line :
         conf::read_ini(text, conf::Joining::none, conf::Others::kept)) {
      const LineId id = account_.add(
          file, line.line, line.key.empty() ? line.value : cat(line.key, " = ", line.value));
      const std::size_t tags = line.section.find(':');
      const std::string section = line.section.substr(0, tags);
      std::string key = line.key;
      std::string value(unquoted(without_note_comment(line.value)));
      // KEY >= VALUE is split at "=".
      std::string bound;
      if (key.ends_with('>') || key.ends_with('<')) {
        bound = key.back();
        key = trim(std::string_view(key).substr(0, key.size() - 1));
      }
      if (tags != std::string::npos)
        account_.refuse(id, cat("its section is for some nodes only ([", line.section,
                                "]), and a profile has no conditions"));
      else if (section == "version")
        version(id, key, value);
      else
        setting(id, section, key, bound, value);
    }
  }

 private:
  void version(LineId id, const std::string& key, const std::string& value) {
    if (key != "DESCRIPTION") return account_.refuse(id, "a text about the note");
    account_.accept(id, "the summary");
    summary_ = value;
  }

  void setting(LineId id, const std::string& section, const std::string& key,
               const std::string& bound, const std::string& value) {
    if (!key.empty() && value.empty() && (section == "sysctl" || section == "vm"))
      return account_.refuse(id, "has no value, so saptune leaves it alone");
    if (section == "sysctl" && !key.empty()) {
      const Relation relation = bound.empty()  ? Relation::exact
                                : bound == ">" ? Relation::at_least
                                               : Relation::at_most;
      return account_.set_sysctl(id, key, relation, value);
    }
    if (section == "vm" && key == "THP")
      return account_.set(id, {"sysfs:transparent-hugepage"}, value);
    if (section == "cpu" && key == "governor")
      return account_.set(id, {"sysfs:cpu-governor"}, value);
    const auto* const found =
        std::ranges::find(kMissingSections, section, &MissingSection::section);
    if (found != kMissingSections.end())
      account_.refuse(id, cat("no kind for it yet: ", found->what));
    else if (key.empty())
      account_.refuse(id, "neither a section nor KEY = VALUE");
    else
      account_.refuse(id, cat("saptune has no section [", section, "] that nettune knows"));
  }

  Account& account_;
  std::string& summary_;
};

}  // namespace

Result<> read_saptune(node::Context& context, const ImportRequest& request, Account& account,
                      std::string& summary) {
  for (const std::string& file : request.files) {
    TRY_ASSIGN(const std::string text,
               node::read_named_file(context.disk(), file, toml::kMaxFileBytes));
    NoteReader(account, summary).read(file, text);
  }
  return {};
}

}  // namespace nettune::intake
