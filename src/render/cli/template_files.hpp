// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "node/context.hpp"
#include "render/template.hpp"

namespace nettune::cli {

/// Where templates are: earlier directories hide files of the same name in later ones.
struct TemplateSources {
  std::vector<std::string> directories;
  std::uint32_t trusted_uid = 0;  ///< beside root, who may own them
};

/// `named` first (--templates), whose owner is trusted: naming it is the decision.
TemplateSources template_sources(const std::vector<std::string>& named);

/// The kinds that there are, sorted.
std::vector<std::string> template_kinds(Disk& disk, const TemplateSources& sources);

/// The template of a kind, read and checked. Errors: no such kind, with the nearest; what others
/// than root could have written; a mistake in it, with file and line.
Result<render::Template> read_template(Disk& disk, const TemplateSources& sources,
                                       const std::string& kind);

}  // namespace nettune::cli
