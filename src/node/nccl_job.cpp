// SPDX-License-Identifier: Apache-2.0
#include "node/nccl_job.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "nccl/library.hpp"

namespace nettune::node {

namespace {

constexpr std::uint64_t kMaxCatalogBytes = std::uint64_t{1} << 20;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::vector<nccl::Library> libraries(const std::string& rootfs) {
  nccl::Places places{rootfs};
  if (rootfs.empty()) {
    for (const std::string_view directory : split(environment("LD_LIBRARY_PATH"), ':'))
      if (directory.starts_with('/')) places.first.emplace_back(directory);
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
      if (std::string prefix = environment(name); prefix.starts_with('/'))
        places.prefixes.push_back(std::move(prefix));
  }
  return nccl::find_libraries(places);
}

}  // namespace

Result<nccl::Catalog> read_catalog(Disk& disk, const std::string& given) {
  const std::string file = given.empty() ? NETTUNE_DATADIR "/catalog/nccl.toml" : given;
  TRY_ASSIGN(const std::string text, read_named_file(disk, file, kMaxCatalogBytes));
  return nccl::parse_catalog(text, file);
}

Result<ChosenVersion> choose_version(const Context& context, const std::string& given,
                                     const std::string& rootfs, const nccl::Catalog& catalog) {
  ChosenVersion chosen;
  const nccl::Version newest = catalog.releases.back();
  if (given.find('/') != std::string::npos) {
    TRY_ASSIGN(chosen.version, nccl::library_version(given));
    chosen.from = given;
  } else if (!given.empty()) {
    const auto version = nccl::parse_version(given);
    if (!version)
      return fail(Errc::invalid,
                  cat("--nccl takes a release such as ", newest.text(),
                      ", or the path of a libnccl.so.2, not \"", printable(given), "\""));
    chosen.version = *version;
    chosen.from = "--nccl";
  } else if (const auto found =
                 context.recorded() ? std::vector<nccl::Library>() : libraries(rootfs);
             !found.empty()) {
    chosen.version = found[0].version;
    chosen.from = found[0].path;
    for (const nccl::Library& other : found)
      if (other.version != found[0].version)
        chosen.notes.push_back(cat(other.path, " is ", other.version.text(),
                                   ": a job that loads it needs --nccl ", other.version.text()));
  } else {
    chosen.version = newest;
    chosen.from =
        "no libnccl.so.2 was found, so the newest known release; use --nccl X.Y.Z for another";
  }
  if (chosen.version > newest)
    chosen.notes.push_back(
        cat("the catalogue ends with ", newest.text(), ": later releases are unknown"));
  if (chosen.version < catalog.releases.front())
    chosen.notes.push_back(cat("the catalogue begins with ", catalog.releases.front().text()));
  return chosen;
}

}  // namespace nettune::node
