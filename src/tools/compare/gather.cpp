// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/compare/fleet.hpp"

namespace nettune::tools::compare {

namespace {

constexpr const char* kNameless[] = {"name", "id", "address", "device"};

/// "logs/gpu003.facts.json" -> "gpu003"
std::string stem(const std::string& file) {
  const auto slash = file.rfind('/');
  const std::string base = slash == std::string::npos ? file : file.substr(slash + 1);
  return base.substr(0, base.find('.'));
}

std::string machine_of(const Document& document, std::uint32_t root) {
  const std::uint32_t node = document.find(root, "node");
  if (node == 0) return {};
  const std::string_view machine = document.text_of(node, "machine_id");
  const std::string_view boot = document.text_of(node, "boot_id");
  return machine.empty() || boot.empty() ? std::string() : cat(machine, " ", boot);
}

}  // namespace

std::uint32_t unwrapped(const Document& document) {
  const std::uint32_t ansible = document.find(0, "ansible_facts");
  return ansible == 0 ? 0 : document.find(ansible, "nettune");
}

std::string node_name(const Document& document, std::uint32_t root, const std::string& file) {
  const std::uint32_t node = document.find(root, "node");
  std::string_view name;
  if (node != 0)
    name = document.is_scalar(node) ? document.at(node).text : document.text_of(node, "hostname");
  if (name.empty()) name = document.text_of(root, "hostname");
  return name.empty() ? stem(file) : std::string(name);
}

void Gatherer::give_up(std::string why) {
  ++documents_;
  const Document& document = close_early();
  const bool is_object = !document.empty() && document.is(0, Document::Kind::object);
  std::string name = file_ == "-" ? "" : stem(file_);
  if (is_object) name = node_name(document, unwrapped(document), file_ == "-" ? "" : file_);
  fleet_.add_unread(file_, std::move(why), std::move(name));
  reset();
}

void Gatherer::take(const Document& document) {
  ++documents_;
  const std::uint32_t root = document.empty() ? 0 : unwrapped(document);
  if (document.empty() || !document.is(root, Document::Kind::object)) {
    fleet_.add_unread(file_, "is not a JSON object; expected what nettune facts --json prints",
                      stem(file_));
    return;
  }
  document_ = &document;
  const std::string_view kind = document.text_of(root, "kind");
  if (kind == "error") {
    const std::uint32_t error = document.find(root, "error");
    fleet_.add_unread(
        file_,
        cat("holds an error, not facts: ", error != 0 ? document.text_of(error, "text") : ""),
        node_name(document, root, file_));
    return;
  }
  node_ = Node{};
  node_.name = node_name(document, root, file_);
  node_.file = file_;
  node_.kind = kind.empty() ? "facts" : std::string(kind);
  node_.machine = machine_of(document, root);
  shape_.clear();
  std::uint32_t base = node_.kind == "facts" ? 0 : fleet_.child(0, node_.kind);
  if (node_.kind == kTestKind) {
    // Each measurement is one document, of the sending node.
    const std::uint32_t from = document.find(root, "from");
    if (from == 0 || document.text_of(from, "host").empty()) {
      fleet_.add_unread(file_, "is a result of nettune test that does not say who sent");
      return;
    }
    node_.name = document.text_of(from, "host");
    base = fleet_.child(base, cat("[", document.text_of(root, "test"), " ",
                                  document.text_of(from, "interface"), "]"));
  }
  document.members(root, [&](std::string_view name, std::uint32_t value) {
    walk(value, fleet_.child(base, name), root, true);
    end_part();
  });
  if (base == 0)
    if (const std::string id = nccl_host_id(document, root); !id.empty())
      add_scalar(fleet_.child(0, "nccl_host_id"), id, root);
  std::ranges::sort(shape_);
  shape_.erase(std::unique(shape_.begin(), shape_.end()), shape_.end());
  std::string shape;
  for (const auto& [place, value] : shape_)
    shape += cat(shape.empty() ? "" : "; ", fleet_.rules().shape[static_cast<std::size_t>(place)],
                 " ", value);
  node_.shape = fleet_.value_number(shape);
  fleet_.add(std::move(node_));
}

void Gatherer::walk(std::uint32_t index, std::uint32_t path, std::uint32_t object, bool is_top) {
  if (fleet_.schema(path).ignored) return;
  switch (document_->at(index).kind) {
    case Document::Kind::object:
      return walk_object(index, path);
    case Document::Kind::array:
      return walk_array(index, path, object, is_top);
    case Document::Kind::null:
    case Document::Kind::key:
      return;
    default:
      add_scalar(path, document_->at(index).text, object);
  }
}

void Gatherer::walk_object(std::uint32_t index, std::uint32_t path) {
  document_->members(index, [&](std::string_view name, std::uint32_t value) {
    walk(value, fleet_.child(path, name), index, false);
  });
  if (fleet_.schema(path).text != "rdma[].ports[]") return;
  if (const std::string gid = roce_gid_index(*document_, index); !gid.empty())
    add_scalar(fleet_.child(path, "roce_v2_gid_index"), gid, index);
}

void Gatherer::walk_array(std::uint32_t index, std::uint32_t path, std::uint32_t object,
                          bool is_top) {
  add_fact(path, kPresent);
  if (is_top) end_part();
  std::size_t position = 0;
  document_->elements(index, [&](std::uint32_t element) {
    walk_element(element, path, object, position++);
    if (is_top && document_->is(element, Document::Kind::object)) end_part();
  });
}

void Gatherer::walk_element(std::uint32_t index, std::uint32_t path, std::uint32_t object,
                            std::size_t position) {
  const ListRule* const rule = fleet_.schema(path).list;
  if (document_->is_scalar(index)) {
    // Names that must be equal exist or not. Names that may differ need no path for each value.
    const std::uint32_t any = fleet_.child(path, "[]");
    const std::string_view text = document_->at(index).text;
    const PathRule* const of_path = fleet_.schema(any).rule;
    if (fleet_.schema(any).ignored) return;
    if (of_path && of_path->kind != Class::equal) return add_scalar(any, text, object);
    add_scalar(any, text, object);  // it may be part of the shape
    facts_.pop_back();
    return add_fact(fleet_.child(path, cat('[', text, ']')), kPresent);
  }
  if (rule && document_->is(index, Document::Kind::object) && meets(index, rule->skip)) return;
  const std::uint32_t element =
      fleet_.child(path, cat('[', element_key(index, rule, position), ']'));
  const PathRule* const of_element = fleet_.schema(element).rule;
  if (fleet_.schema(element).ignored) return;
  // If a rule ignores the element, only what is below it counts, not its existence.
  if (!of_element || of_element->kind != Class::ignored) add_fact(element, kPresent);
  walk(index, element, object, false);
}

std::string Gatherer::element_key(std::uint32_t index, const ListRule* rule,
                                  std::size_t position) const {
  if (!document_->is(index, Document::Kind::object)) return std::to_string(position);
  if (rule) {
    std::string key;
    for (const std::string& member : rule->key) {
      const std::string_view text = document_->text_of(index, member);
      if (!text.empty()) key += cat(key.empty() ? "" : " ", text);
    }
    if (!key.empty()) return key;
  }
  for (const char* const member : kNameless)
    if (const std::string_view text = document_->text_of(index, member); !text.empty())
      return std::string(text);
  return std::to_string(position);
}

bool Gatherer::meets(std::uint32_t object, const std::vector<Condition>& conditions) const {
  return std::ranges::any_of(conditions, [&](const Condition& condition) {
    const std::string_view text = document_->text_of(object, condition.member);
    return !text.empty() && std::ranges::any_of(condition.values, [&](const std::string& value) {
      return glob_match(value, text);
    });
  });
}

void Gatherer::add_scalar(std::uint32_t path, std::string_view text, std::uint32_t object) {
  const Schema& schema = fleet_.schema(path);
  if (text.empty()) return;
  const PathRule* const rule = schema.rule;
  if (rule) {
    const bool says_nothing = std::ranges::any_of(
        rule->not_values, [&](const std::string& value) { return glob_match(value, text); });
    if (says_nothing || (!rule->unless.empty() && meets(object, rule->unless))) return;
  }
  if (schema.shape >= 0) shape_.emplace_back(schema.shape, text);
  switch (rule ? rule->kind : Class::equal) {
    case Class::equal:
      add_fact(path, text);
      break;
    case Class::differ:
      node_.identities.push_back({path, fleet_.keep(text)});
      break;
    case Class::number: {
      const auto value = read_number(text);
      if (value && std::isfinite(*value))
        node_.measures.push_back({path, *value});
      else if (value)
        add_fact(path, text);  // beyond what can be compared as a number, and a difference
      break;
    }
    case Class::ignored:
      break;
  }
}

void Gatherer::end_part() {
  if (facts_.empty()) return;
  node_.parts.push_back(fleet_.part_number(facts_));
  facts_.clear();
}

}  // namespace nettune::tools::compare
