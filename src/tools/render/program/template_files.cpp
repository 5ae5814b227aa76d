// SPDX-License-Identifier: Apache-2.0
#include "tools/render/program/template_files.hpp"

#include <algorithm>
#include <set>
#include <sys/stat.h>

#include "base/text.hpp"
#include "profile/source.hpp"

namespace nettune::tools::render::program {

namespace {

constexpr std::string_view kSuffix = ".tmpl";

/// Whether it names a file directly in the directory.
bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Result<std::optional<TemplateFile>> read_file(Disk& disk, const TemplateSources& sources,
                                              const std::string& name) {
  for (const std::string& directory : sources.directories) {
    const std::string path = cat(directory, '/', name, kSuffix);
    TRY_ASSIGN(auto text, profile::read_trusted(disk, path, sources.trusted_uid));
    if (text) return TemplateFile{path, std::move(*text)};
  }
  return std::nullopt;
}

}  // namespace

TemplateSources template_sources(const std::vector<std::string>& named) {
  TemplateSources sources;
  for (const std::string& directory : named)
    sources.directories.push_back(node::absolute_path(directory));
  struct stat status {};
  if (!named.empty() && ::stat(named.front().c_str(), &status) == 0)
    sources.trusted_uid = status.st_uid;
  sources.directories.emplace_back("/etc/nettune/templates");
  sources.directories.emplace_back(NETTUNE_DATADIR "/templates");
  return sources;
}

std::vector<std::string> template_kinds(Disk& disk, const TemplateSources& sources) {
  std::set<std::string> kinds;
  for (const std::string& directory : sources.directories) {
    const auto names = disk.list(directory);
    if (!names) continue;
    for (const std::string& name : *names)
      if (name.ends_with(kSuffix) && is_name(name.substr(0, name.size() - kSuffix.size())))
        kinds.insert(name.substr(0, name.size() - kSuffix.size()));
  }
  return {kinds.begin(), kinds.end()};
}

Result<Template> read_template(Disk& disk, const TemplateSources& sources,
                               const std::string& kind) {
  std::optional<TemplateFile> file;
  if (is_name(kind)) {
    TRY_ASSIGN(file, read_file(disk, sources, kind));
  }
  if (!file) {
    const auto near = nearest(kind, template_kinds(disk, sources));
    return fail(Errc::not_found, cat("there is no template \"", printable(kind), "\"",
                                     near ? cat("; did you mean ", *near, "?") : std::string(),
                                     "; nettune render --list shows them"));
  }
  const ReadPart read_part = [&](const std::string& name) -> Result<TemplateFile> {
    if (is_name(name)) {
      TRY_ASSIGN(auto part, read_file(disk, sources, cat("parts/", name)));
      if (part) return std::move(*part);
    }
    return fail(Errc::not_found, cat("there is no part \"", printable(name), "\""));
  };
  return render::parse_template(*file, read_part);
}

}  // namespace nettune::tools::render::program
