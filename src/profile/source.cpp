// SPDX-License-Identifier: Apache-2.0
#include "profile/source.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "base/image_root.hpp"
#include "base/text.hpp"
#include "base/walk.hpp"
#include "profile/schema.hpp"
#include "toml/guard.hpp"
#include "toml/load.hpp"

namespace nettune::profile {
namespace {

constexpr std::string_view kSuffix = ".toml";
constexpr std::size_t kMaxNameBytes = 64;

Failure refuse(const std::string& path, std::string text) {
  return toml::fail_at({path, 0}, std::move(text), Errc::denied);
}

/// Whoever can write a profile, or can put another one in its place, can set any sysctl at the next
/// apply. So no directory above it, from the root on, may be a link or writable by others.
Result<> check_way(Disk& disk, const std::string& path, std::uint32_t trusted_uid) {
  const std::string last = parent_path(path);
  for (std::size_t end = 0;; end = last.find('/', end + 1)) {
    const std::string directory = end == 0 ? "/" : last.substr(0, end);
    TRY_ASSIGN(const auto info, disk.info(directory));
    if (!info || info->kind != FileInfo::Kind::directory)
      return refuse(directory,
                    cat(outside_path(directory), " is not a directory (a symbolic link?)"));
    if (auto checked = check_directory(*info, directory, trusted_uid, directory != last); !checked)
      return refuse(directory, std::move(checked).error().text);
    if (directory == last) return {};
  }
}

Result<> check_trust(Disk& disk, const FileInfo& info, const std::string& inside,
                     std::uint32_t trusted_uid) {
  TRY(check_way(disk, inside, trusted_uid));
  const std::string path = outside_path(inside);
  if (info.kind == FileInfo::Kind::symlink) {
    return refuse(path, cat(path, " is a symbolic link; replace it with the file itself"));
  }
  if (info.kind != FileInfo::Kind::regular)
    return refuse(path, cat(path, " is not a regular file"));
  if (info.uid != 0 && info.uid != trusted_uid) {
    return refuse(path,
                  cat(path, " belongs to uid ", info.uid,
                      "; nettune reads only files owned by root: chown root ", shell_word(path)));
  }
  if ((info.mode & 022U) != 0) {
    return refuse(path, cat(path, " is writable by users other than root (mode ",
                            mode_text(info.mode), "): chmod go-w ", shell_word(path)));
  }
  return {};
}

/// Nothing if there is no such file.
Result<std::optional<Document>> read_document(Disk& disk, const Sources& sources,
                                              const std::string& path, std::string_view root_rule) {
  TRY_ASSIGN(const auto info, disk.info(path));
  TRY_ASSIGN(auto text, read_trusted(disk, path, sources.trusted_uid));
  if (!info || !text) return std::nullopt;
  Document document;
  TRY_ASSIGN(document.root, toml::parse_toml(*text, path));
  const toml::Node before = document.root;
  TRY(validate(document.root, root_rule, document.mistakes));
  // Without these what else is wrong would only be a consequence.
  for (const std::string_view key : {"name", "summary", "extends", "remove", "vars", "devices"}) {
    const toml::Node* const was = before.find(key);
    const toml::Node* const is = document.root.find(key);
    if (!is ? was != nullptr || key == "name" || key == "summary" : !was->same_value(*is))
      TRY(document.mistakes.result());
  }
  document.source = {path, sha256_hex(*text), text->size(), info->mtime_ns};
  return document;
}

Result<> check_header(const Document& document, const std::string& name) {
  const toml::Node& given = *document.root.find("name");
  if (given.text != name) {
    return toml::fail_at(
        given.origin, cat("name is \"", printable(given.text), "\", but the file is named ", name,
                          kSuffix, "; use the same name"));
  }
  const toml::Node& summary = *document.root.find("summary");
  if (has_control_characters(summary.text)) {
    return toml::fail_at(summary.origin, "summary must be one line without control characters");
  }
  return {};
}

Failure no_such_profile(Disk& disk, const Sources& sources, const std::string& name) {
  std::vector<std::string> names;
  for (const Found& found : find_profiles(disk, sources)) names.push_back(found.name);
  return fail(
      Errc::not_found,
      cat("there is no profile \"", name, "\"", toml::did_you_mean(name, names), "; looked in ",
          join(sources.directories, ", "), "; 'nettune list' shows all profiles"));
}

}  // namespace

Result<> check_name(std::string_view name) {
  const auto refuse_name = [&](std::string_view why) {
    return fail(Errc::invalid,
                cat("the profile name \"", printable(name.substr(0, 80)), "\" ", why));
  };
  if (name.empty()) return refuse_name("is empty");
  if (name.size() > kMaxNameBytes)
    return refuse_name(cat("is longer than ", kMaxNameBytes, " bytes"));
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool known = std::ranges::all_of(
      name, [&](char c) { return plain(c) || c == '-' || c == '_' || c == '.'; });
  if (!known)
    return refuse_name(
        cat("may hold only lower-case letters, digits, '-', '_' and '.'",
            name.find('/') == name.npos
                ? ""
                : "; for a file, --profiles takes its folder, and NAME is the name of "
                  "the file without .toml"));
  if (!plain(name.front())) return refuse_name("must start with a letter or digit");
  if (name.find("..") != std::string_view::npos) return refuse_name("must not contain \"..\"");
  return {};
}

Result<std::string> name_of_file(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  if (!name.ends_with(kSuffix))
    return fail(Errc::invalid, cat(printable(path), " does not end in ", kSuffix));
  name.resize(name.size() - kSuffix.size());
  TRY(check_name(name));
  return name;
}

Result<std::optional<std::string>> read_trusted(Disk& disk, const std::string& path,
                                                std::uint32_t trusted_uid) {
  TRY_ASSIGN(const auto info, disk.info(path));
  if (!info) return std::nullopt;
  TRY(check_trust(disk, *info, path, trusted_uid));
  if (info->size > toml::kMaxFileBytes) {
    return toml::fail_at(
        {path, 0}, cat(path, " has ", info->size, " bytes; the limit is ", toml::kMaxFileBytes));
  }
  return disk.read(path, toml::kMaxFileBytes);
}

Result<Document> read_profile(Disk& disk, const Sources& sources, const std::string& name) {
  TRY(check_name(name));
  for (const std::string& directory : sources.directories) {
    const std::string path = cat(directory, '/', name, kSuffix);
    TRY_ASSIGN(auto document, read_document(disk, sources, path, "profile"));
    if (!document) continue;
    TRY(check_header(*document, name));
    return std::move(*document);
  }
  return no_such_profile(disk, sources, name);
}

Result<Site> read_site(Disk& disk, const Sources& sources) {
  Site site;
  if (sources.site_file.empty()) return site;
  TRY_ASSIGN(auto document, read_document(disk, sources, sources.site_file, "site"));
  if (!document) return site;
  TRY(document->mistakes.result());
  site.source = document->source;
  if (const toml::Node* const vars = document->root.find("vars")) site.vars = *vars;
  if (const toml::Node* const doctor = document->root.find("doctor")) site.doctor = *doctor;
  if (const toml::Node* const slurm = document->root.find("slurm")) site.slurm = *slurm;
  const toml::Node* const protect = document->root.find("protect");
  if (const toml::Node* const devices = protect != nullptr ? protect->find("devices") : nullptr) {
    for (const toml::Node& device : devices->items) site.protected_devices.push_back(device.text);
  }
  const toml::Node* const boot = document->root.find("boot");
  if (const toml::Node* const probes = boot != nullptr ? boot->find("probes") : nullptr)
    for (const toml::Node& probe : probes->items) site.boot_probes.push_back(probe.text);
  if (const toml::Node* const names = boot != nullptr ? boot->find("arguments") : nullptr)
    for (const toml::Node& name : names->items) site.kernel_arguments.push_back(name.text);
  site.announces_reboot = boot != nullptr && boot->flag("announce");
  site.acs_with_guests = boot != nullptr && boot->flag("acs_with_guests");
  const toml::Node* const history = document->root.find("history");
  if (const toml::Node* const keep = history != nullptr ? history->find("keep") : nullptr) {
    if (keep->integer < 1) {
      return toml::fail_at(keep->origin,
                           cat("history.keep is ", keep->integer, "; the minimum is 1"));
    }
    site.kept_transactions = static_cast<std::size_t>(keep->integer);
  }
  return site;
}

Result<std::vector<std::string>> protected_devices(Disk& disk, const Sources& sources) {
  TRY_ASSIGN(Site site, read_site(disk, sources));
  return std::move(site.protected_devices);
}

Result<std::size_t> kept_transactions(Disk& disk, const Sources& sources) {
  TRY_ASSIGN(const Site site, read_site(disk, sources));
  return site.kept_transactions;
}

std::vector<Found> find_profiles(Disk& disk, const Sources& sources,
                                 std::vector<Error>* unreadable) {
  std::vector<Found> all;
  for (const std::string& directory : sources.directories) {
    const auto names = disk.list(directory);
    if (!names) {
      if (unreadable != nullptr) unreadable->push_back(names.error());
      continue;
    }
    for (const std::string& file : *names) {
      if (!file.ends_with(kSuffix)) continue;
      const std::string name = file.substr(0, file.size() - kSuffix.size());
      if (!check_name(name)) continue;
      const std::string path = cat(directory, '/', file);
      const auto known = std::ranges::find(all, name, &Found::name);
      if (known == all.end()) {
        all.push_back({name, path, ""});
      } else if (known->shadows.empty()) {
        known->shadows = path;
      }
    }
  }
  std::ranges::sort(all, {}, &Found::name);
  return all;
}

}  // namespace nettune::profile
