// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "node/context.hpp"
#include "tools/render/template.hpp"

namespace nettune::tools::render::program {

/// The directories of templates. Earlier ones hide files of the same name in later ones.
struct TemplateSources {
  std::vector<std::string> directories;
  std::uint32_t trusted_uid = 0;  ///< an owner that is trusted besides root
};

/// `named` (--templates) come first, and their owner is trusted, because the user chose them.
TemplateSources template_sources(const std::vector<std::string>& named);

/// The available kinds, sorted.
std::vector<std::string> template_kinds(Disk& disk, const TemplateSources& sources);

/// Reads and checks the template of a kind. Errors: no such kind, with the nearest one; a file that
/// others than root can write; a mistake in it, with file and line.
Result<Template> read_template(Disk& disk, const TemplateSources& sources, const std::string& kind);

}  // namespace nettune::tools::render::program
