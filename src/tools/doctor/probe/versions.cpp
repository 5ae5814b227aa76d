// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "nccl/library.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// The value of "NAME = 'value'" or "NAME: Optional[str] = 'value'"; "" for None.
std::string python_text(std::string_view text, std::string_view name) {
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (!line.starts_with(name)) continue;
    const auto rest = line.substr(name.size());
    if (!rest.starts_with(' ') && !rest.starts_with(':') && !rest.starts_with('=')) continue;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '\'' || value.front() == '"'))
      return std::string(value.substr(1, value.size() - 2));
  }
  return {};
}

std::string row(std::string_view kind, std::string_view path, std::string_view version,
                std::string_view cuda) {
  return cat(kind, "\t", path, "\t", version, "\t", cuda, "\n");
}

/// torch/version.py has the build's versions; it is only read, never run.
void look_for_torch(const Directory& root, const std::string& packages, std::string& out) {
  constexpr std::size_t kLargest = 65536;
  const std::string path = cat(packages, "/torch/version.py");
  const auto text = root.read(path, kLargest);
  if (!text) return;
  out += row("torch", cat("/", packages, "/torch"), python_text(*text, "__version__"),
             python_text(*text, "cuda"));
}

/// "9.1.0" from "#define CUDNN_MAJOR 9" and so on: the wheel and the package have the header beside
/// the library.
void look_for_cudnn(const Directory& root, const std::string& include, std::string& out) {
  constexpr std::size_t kLargest = 65536;
  const auto text = root.read(cat(include, "/cudnn_version.h"), kLargest);
  if (!text) return;
  std::string version;
  for (const std::string_view name : {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"})
    for (const std::string_view line : split(*text, '\n')) {
      const auto fields = words(line);
      if (fields.size() < 3 || fields[0] != "#define" || fields[1] != name) continue;
      version += cat(version.empty() ? "" : ".", fields[2]);
      break;
    }
  out += row("cudnn", cat("/", include), version, "");
}

std::vector<std::string> prefixes_of(const Directory& root) {
  std::vector<std::string> prefixes = {"usr", "usr/local"};
  for (const std::string& name : root.list("opt")) prefixes.push_back(cat("opt/", name));
  return prefixes;
}

}  // namespace

std::string find_versions(const Directory& root, const std::string& prefix) {
  std::string out;
  nettune::nccl::Places places;
  places.root = prefix;
  for (const std::string& below : prefixes_of(root)) {
    places.prefixes.push_back(cat("/", below));
    look_for_cudnn(root, cat(below, "/include"), out);
    for (const std::string& name : root.list(cat(below, "/lib"))) {
      if (!name.starts_with("python3")) continue;
      for (const char* const packages : {"site-packages", "dist-packages"}) {
        const std::string path = cat(below, "/lib/", name, "/", packages);
        look_for_torch(root, path, out);
        look_for_cudnn(root, cat(path, "/nvidia/cudnn/include"), out);
      }
    }
  }
  for (const nettune::nccl::Library& library : nettune::nccl::find_libraries(places))
    out += row("nccl", library.path, library.version.text(), "");
  return out;
}

void parse_versions(std::string_view text, Machine& machine) {
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, '\t');
    if (fields.size() != 4) continue;
    Installed found{std::string(fields[1]), std::string(fields[2]), std::string(fields[3])};
    if (fields[0] == "torch")
      machine.torch.push_back(std::move(found));
    else if (fields[0] == "nccl")
      machine.nccl.push_back(std::move(found));
    else if (fields[0] == "cudnn")
      machine.cudnn.push_back(std::move(found));
  }
}

}  // namespace nettune::tools::doctor::probe
