// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/origin.hpp"
#include "base/result.hpp"

namespace nettune::tools::render {

/// The language of a template, or of a quoted block in it.
enum class Context { shell, sbatch, yaml, plain, text, pod };

/// The place of a value: a word, a word in a line of #SBATCH, in a comment, which ends with the
/// line, before the colon of YAML, or the name of a variable: right after "${".
enum class Where { word, directive, comment, key, variable };

/// A piece of a template.
struct Part {
  enum class Kind { literal, value, condition, each, quote };
  Kind kind = Kind::literal;
  std::string text;                 ///< of a literal; otherwise the name
  bool negated = false;             ///< {{unless}}
  Context context = Context::text;  ///< of a quote: the language inside
  Where where = Where::word;        ///< of a value, and of a quote
  std::vector<Part> parts;          ///< of a condition that holds, of each and quote
  std::vector<Part> otherwise;      ///< after {{else}}
  Origin origin;
};

/// The text of a template file, and its path for messages.
struct TemplateFile {
  std::string path;
  std::string text;
};

struct Template {
  Context context = Context::plain;
  std::string summary;
  std::vector<Part> parts;
  std::vector<TemplateFile> files;  ///< all files that it consists of
};

/// Reads the part of a template that {{use NAME}} names.
using ReadPart = std::function<Result<TemplateFile>(const std::string& name)>;

/// Parses a template, and checks tags, names, and that every value can be quoted where it is.
/// Errors have file and line.
Result<Template> parse_template(const TemplateFile& file, const ReadPart& read_part);

}  // namespace nettune::tools::render
