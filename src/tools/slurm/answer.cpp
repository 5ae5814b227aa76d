// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/answer.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace nettune::tools::slurm {

namespace {

using AnswerJson = nlohmann::json;

std::string text_in(const AnswerJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Subject subject_of(const AnswerJson& object) {
  return {text_in(object, "rule"), text_in(object, "device")};
}

bool is_whole(const AnswerJson& document) {
  return document.is_object() && text_in(document, "kind") == "doctor-prolog" &&
         document.contains("drain") && document["drain"].is_boolean() &&
         document.contains("rules") && document["rules"].is_array() && document.contains("notes") &&
         document["notes"].is_array() && document.contains("error");
}

}  // namespace

Result<Answer> parse_answer(std::string_view text) {
  // A library may have written a line in front.
  const auto begin = text.find('{');
  const AnswerJson document = AnswerJson::parse(
      text.substr(begin == text.npos ? text.size() : begin), nullptr, /*allow_exceptions=*/false);
  if (!is_whole(document))
    return fail(Errc::corrupt, cat("nettune doctor --prolog --json gave no answer, but '",
                                   printable(text.substr(0, 200)), "'"));
  if (const std::string error = text_in(document, "error"); !error.empty())
    return fail(Errc::io, error);
  Answer answer;
  for (const AnswerJson& note : document["notes"])
    if (note.is_string()) answer.notes.push_back(note.get<std::string>());
  for (const AnswerJson& rule : document["rules"])
    if (const std::string verdict = text_in(rule, "verdict");
        verdict == "good" || verdict == "ignored")
      answer.good.push_back(subject_of(rule));
  answer.drain = document["drain"].get<bool>();
  if (!answer.drain) return answer;
  answer.fault = subject_of(document.value("finding", AnswerJson::object()));
  answer.text = text_in(document.value("finding", AnswerJson::object()), "seen");
  if (answer.fault.rule.empty() || answer.text.empty())
    return fail(Errc::corrupt, "nettune doctor --prolog --json names no fault that drains");
  return answer;
}

}  // namespace nettune::tools::slurm
