// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/origin.hpp"
#include "base/result.hpp"

namespace nettune::render {

/// What a template, or a quoted block of it, is written in.
enum class Context { shell, sbatch, yaml, plain, text };

/// Where a value is in it: a word of its own, a word in a line of #SBATCH, in a comment, which ends
/// with the line, or before the colon of YAML.
enum class Where { word, directive, comment, key };

/// A piece of a template.
struct Part {
  enum class Kind { literal, value, condition, each, quote };
  Kind kind = Kind::literal;
  std::string text;                 ///< of a literal; else the name
  bool negated = false;             ///< {{unless}}
  Context context = Context::text;  ///< of a quote: what is inside
  Where where = Where::word;        ///< of a value, and of a quote
  std::vector<Part> parts;          ///< of a condition where it holds, of each and quote
  std::vector<Part> otherwise;      ///< behind {{else}}
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
  std::vector<TemplateFile> files;  ///< all that went in
};

/// Reads the part of a template that {{use NAME}} names.
using ReadPart = std::function<Result<TemplateFile>(const std::string& name)>;

/// Reads a template, and checks all of it: tags, names, and that no value is where it could not be
/// quoted. Errors carry file and line.
Result<Template> parse_template(const TemplateFile& file, const ReadPart& read_part);

}  // namespace nettune::render
