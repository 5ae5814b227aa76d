// SPDX-License-Identifier: Apache-2.0
#include "tools/render/render.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "tools/render/names.hpp"
#include "tools/render/quote.hpp"

namespace nettune::tools::render {
namespace {

class Renderer {
 public:
  explicit Renderer(const Inputs& inputs) : inputs_(inputs) {}

  Result<std::string> block(const std::vector<Part>& parts, Context context) {
    std::string out;
    for (const Part& part : parts) TRY(one(part, context, out));
    return out;
  }
  std::vector<Use> take_uses() { return std::move(uses_); }

 private:
  Result<> one(const Part& part, Context context, std::string& out) {
    switch (part.kind) {
      case Part::Kind::literal:
        out += part.text;
        return {};
      case Part::Kind::value:
        return value(part, context, out);
      case Part::Kind::quote: {
        TRY_ASSIGN(std::string inner, block(part.parts, part.context));
        if (context == Context::yaml && part.context != Context::text)  // a command, or a variable
          inner = kept_from_kubernetes(inner);
        return put(part, {std::move(inner), "", false}, context, out);
      }
      case Part::Kind::condition: {
        const bool holds = is_true(part.text) != part.negated;
        TRY_ASSIGN(const std::string text, block(holds ? part.parts : part.otherwise, context));
        out += text;
        return {};
      }
      case Part::Kind::each:
        return each(part, context, out);
    }
    return {};
  }

  Result<> each(const Part& part, Context context, std::string& out) {
    const auto list = inputs_.lists.find(part.text);
    if (list == inputs_.lists.end()) return missing(part);
    for (const Values& member : list->second) {
      for (const auto& [name, value] : member) bound_[cat(part.text, '.', name)] = value;
      TRY_ASSIGN(const std::string text, block(part.parts, context));
      out += text;
      for (const auto& [name, value] : member) bound_.erase(cat(part.text, '.', name));
    }
    return {};
  }

  Result<> value(const Part& part, Context context, std::string& out) {
    const Value* const found = find(part.text);
    if (found == nullptr) return missing(part);
    TRY(put(part, *found, context, out));
    if (part.text.ends_with("source")) return {};  // said of the value that it belongs to
    if (known_.insert({part.text, found->text, found->source}).second)
      uses_.push_back({part.text, *found});
    return {};
  }

  /// The indentation of a YAML block: more than that of its first line, with space for a "- ".
  static std::size_t indent_behind(const std::string& out) {
    const std::size_t begin = out.rfind('\n') + 1;  // npos + 1 is 0
    const std::size_t first = std::min(out.find_first_not_of(' ', begin), out.size());
    return first - begin + (out.compare(first, 2, "- ") == 0 ? 4 : 2);
  }

  Result<> put(const Part& part, const Value& value, Context context, std::string& out) {
    auto text = quoted(context, value, part.where, indent_behind(out));
    if (!text) return located(part, cat(what(part), text.error().text));
    out += *text;
    return {};
  }

  /// In commands and values of variables Kubernetes replaces $(NAME), and $$ by $.
  static std::string kept_from_kubernetes(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      out += text[i];
      if (text[i] == '$' && (next == '(' || next == '$')) out += '$';
    }
    return out;
  }

  static std::string what(const Part& part) {
    return part.kind == Part::Kind::value ? cat(part.text, ": ") : std::string();
  }

  static Failure located(const Part& part, std::string text) {
    return fail(Error{Errc::invalid, std::move(text), 0, part.origin.file, part.origin.line});
  }

  static Failure missing(const Part& part) {
    const Name* const name = find_name(part.text);
    if (!name->how.empty())  // whoever gave the words cannot do anything about the template
      return fail(Errc::invalid,
                  cat("this job needs ", part.text, " (", name->help, "): ", name->how));
    return located(part,
                   cat("this template needs ", part.text, " (", name->help, "): it was not given"));
  }

  const Value* find(std::string_view name) const {
    if (const auto bound = bound_.find(name); bound != bound_.end()) return &bound->second;
    const auto found = inputs_.values.find(name);
    return found == inputs_.values.end() ? nullptr : &found->second;
  }

  bool is_true(const std::string& name) const {
    if (const auto list = inputs_.lists.find(name); list != inputs_.lists.end())
      return !list->second.empty();
    const Value* const value = find(name);
    return value != nullptr && !value->text.empty() && value->text != "0";
  }

  const Inputs& inputs_;
  Values bound_;
  std::vector<Use> uses_;
  std::set<std::array<std::string, 3>> known_;  ///< of uses_
};

/// Prefixes the length, so that different lists of texts stay different.
void add_to(std::string& all, std::string_view text) { all += cat(text.size(), ':', text); }

void add_to(std::string& all, const Values& values) {
  for (const auto& [name, value] : values) {
    add_to(all, name);
    add_to(all, value.text);
  }
  all += ';';
}

bool uses_any(const std::vector<Part>& parts, const std::vector<std::string>& names) {
  return std::ranges::any_of(parts, [&](const Part& part) {
    return (part.kind != Part::Kind::literal &&
            std::ranges::find(names, part.text) != names.end()) ||
           uses_any(part.parts, names) || uses_any(part.otherwise, names);
  });
}

}  // namespace

std::string digest_of(const Template& form, const Inputs& inputs) {
  std::string all;
  for (const TemplateFile& file : form.files) add_to(all, file.text);
  add_to(all, inputs.values);
  for (const auto& [name, list] : inputs.lists) {
    add_to(all, name);
    for (const Values& member : list) add_to(all, member);
  }
  return sha256_hex(all);
}

Result<Rendered> render(const Template& form, const Inputs& inputs) {
  Renderer renderer(inputs);
  TRY_ASSIGN(std::string text, renderer.block(form.parts, form.context));
  return Rendered{std::move(text), renderer.take_uses()};
}

bool uses_any(const Template& form, const std::vector<std::string>& names) {
  return uses_any(form.parts, names);
}

}  // namespace nettune::tools::render
