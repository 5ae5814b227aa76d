// SPDX-License-Identifier: Apache-2.0
#include "tools/render/render.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/render/template.hpp"

namespace nettune::tools::render {
namespace {

Result<TemplateFile> no_part(const std::string& name) {
  return fail(Errc::not_found, cat("there is no part \"", name, "\""));
}

Result<Template> parsed(const std::string& text) {
  return parse_template({"t.tmpl", text}, no_part);
}

/// "LINE: TEXT" of the mistake; "" when there is none.
std::string mistake(const std::string& text) {
  const auto form = parsed(text);
  return form ? "" : cat(form.error().line, ": ", form.error().text);
}

Value word(std::string text) { return {std::move(text), "a test", false}; }

Inputs hostile() {
  Inputs inputs;
  inputs.values["job"] = word("a'b \"$(id)\" `id`\n# x");
  inputs.values["gpus"] = {"8", "a test", true};
  inputs.values["image"] = word("");
  inputs.lists["program"] = {{{"word", word("one")}}, {{"word", word("two words")}}};
  inputs.lists["set"] = {};
  return inputs;
}

std::string rendered(const std::string& text) {
  const auto form = parsed(text);
  if (!form) return cat("error ", form.error().text);
  const auto made = render(*form, hostile());
  return made ? made->text : cat("error ", made.error().line, ": ", made.error().text);
}

TEST(RenderTemplate, ValuesAreWordsOfTheShell) {
  EXPECT_EQ(rendered("{{template shell}}\nrun --name={{job}} -n {{gpus}}\n"),
            "run --name='a'\\''b \"$(id)\" `id`\n# x' -n 8\n");
}

TEST(RenderTemplate, AValueInAnExpansionIsTheNameOfAVariable) {
  constexpr const char* kText = "{{template shell}}\n[ -n \"${{{image}}+x}\" ] || {{image}}=1\n";
  const auto with = [&](const std::string& name) {
    Inputs inputs;
    inputs.values["image"] = word(name);
    const auto made = render(*parsed(kText), inputs);
    return made ? made->text : cat("error ", made.error().text);
  };
  EXPECT_EQ(with("NCCL_ALGO"), "[ -n \"${NCCL_ALGO+x}\" ] || NCCL_ALGO=1\n");
  for (const char* const bad : {"", "1A", "A B", "A[$(id)]", "A}$(id)", "@", "A\nB"})
    EXPECT_NE(with(bad).find("is not the name of a variable"), std::string::npos) << bad;
  EXPECT_NE(mistake("{{template shell}}\necho ${x{{image}}}\n"), "");
  EXPECT_NE(mistake("{{template shell}}\necho ${#{{image}}}\n"), "");
}

TEST(RenderTemplate, BranchesAndLists) {
  EXPECT_EQ(rendered("{{template shell}}\nrun{{each program}} {{program.word}}{{end}}\n"),
            "run one 'two words'\n");
  EXPECT_EQ(rendered("{{template shell}}\n{{if image}}a{{else}}b{{end}}{{unless set}}c{{end}}"),
            "bc");
  EXPECT_EQ(rendered("{{template shell}}\n{{if gpus}}\na\n{{else}}\nb\n{{end}}\nc\n"), "a\nc\n");
}

TEST(RenderTemplate, TagsAloneTakeTheirLine) {
  EXPECT_EQ(rendered("{{template shell}}\n{{summary s}}\na\n  {{each program}}\n  b\n  "
                     "{{end}}\n{{# no}}\nc\n"),
            "a\n  b\n  b\nc\n");
  EXPECT_EQ(parsed("{{template shell}}\n{{summary  two words }}\n")->summary, "two words");
}

TEST(RenderTemplate, QuotesNest) {
  EXPECT_EQ(rendered("{{template shell}}\nbash -c {{quote shell}}run {{program}}{{end}}"),
            "error program is a list; use {{each program}}");
  EXPECT_EQ(rendered("{{template shell}}\nbash -c {{quote shell}}\nrun{{each program}} "
                     "{{program.word}}{{end}}\n{{end}} x\n"),
            "bash -c 'run one '\\''two words'\\''\n' x\n");
  EXPECT_EQ(rendered("{{template yaml}}\na: {{quote text}}{{gpus}}-{{gpus}}{{end}}\n"),
            "a: \"8-8\"\n");
}

TEST(RenderTemplate, YamlScalars) {
  EXPECT_EQ(rendered("{{template yaml}}\nname: {{job}}\nn: {{gpus}}\n"),
            "name: |-\n  a'b \"$(id)\" `id`\n  # x\nn: 8\n");
  EXPECT_EQ(rendered("{{template yaml}}\nargs:\n  - {{quote shell}}\na\n\nb\n{{end}}\n  - x\n"),
            "args:\n  - |\n      a\n\n      b\n  - x\n");
  EXPECT_EQ(rendered("{{template yaml}}\nargs: [{{gpus}}, {{quote text}}x{{end}}]\n"),
            "args: [8, \"x\"]\n");
}

/// What Kubernetes makes of a command or the value of a variable: $$ is $, $(NAME) a reference,
/// which stays as it is for an unknown name. The rule is that of its Expand().
std::string expanded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("$$")) {
      out += '$';
      ++i;
    } else if (rest.starts_with("$(") && rest.find(')') != rest.npos) {
      out += "REFERENCE";
      i += rest.find(')');
    } else {
      out += text[i];
    }
  }
  return out;
}

TEST(RenderTemplate, KubernetesReplacesNothing) {
  for (const char* const text :
       {"$", "$$", "$$$", "$(A)", "$$(A)", "$$$(A)", "$((1))$a$(b)", "$($$)", "a$"}) {
    const auto form = parsed("{{template yaml}}\na: {{quote pod}}{{job}}{{end}}\n");
    ASSERT_TRUE(form);
    Inputs inputs;
    inputs.values["job"] = word(text);
    EXPECT_EQ(expanded(render(*form, inputs)->text), cat("a: \"", text, "\"\n"));
  }
  EXPECT_EQ(rendered("{{template yaml}}\na: {{quote shell}}echo $(id){{end}}\n"),
            "a: \"echo $$(id)\"\n");
  EXPECT_EQ(rendered("{{template yaml}}\na: {{quote text}}$(id){{end}}\n"), "a: \"$(id)\"\n");
}

TEST(RenderTemplate, PlainTakesNamesOnly) {
  EXPECT_EQ(rendered("{{template plain}}\nmtu {{gpus}}\n! {{job}}\n"),
            "mtu 8\n! a'b \\\"$(id)\\\" `id`\\n# x\n");
  EXPECT_NE(rendered("{{template plain}}\nx\nname {{job}}\n").find("error 3: job: the value"),
            std::string::npos);
}

TEST(RenderTemplate, DirectivesOfSlurmTakeNamesOnly) {
  EXPECT_EQ(rendered("{{template sbatch}}\n#SBATCH -n {{gpus}}\n# {{job}}\n"),
            "#SBATCH -n 8\n# a'b \\\"$(id)\\\" `id`\\n# x\n");
  EXPECT_NE(
      rendered("{{template sbatch}}\n#SBATCH -J {{job}}\n").find("cannot be in a line of #SBATCH"),
      std::string::npos);
}

TEST(RenderTemplate, MissingValuesSayHowToGiveThem) {
  EXPECT_EQ(rendered("{{template shell}}\n\nx {{count}}\n"),
            "error 0: this job needs count (number of nodes): give --nodes a,b or --count N");
  EXPECT_EQ(rendered("{{template shell}}\n{{if count}}x{{end}}"), "");
}

TEST(RenderTemplate, UnknownNamesAreMistakesInEveryBranch) {
  EXPECT_EQ(mistake("{{template shell}}\n{{if set}}\n{{gpu}}\n{{end}}\n"),
            "3: there is no value gpu; did you mean gpus?");
  EXPECT_EQ(mistake("{{template shell}}\n{{program.word}}"),
            "2: program.word is available only inside {{each program}}");
  EXPECT_EQ(mistake("{{template shell}}\n{{each gpus}}{{end}}"), "2: gpus is not a list");
  EXPECT_EQ(mistake("{{template shell}}\n{{iff gpus}}{{end}}"), "2: there is no tag iff");
}

TEST(RenderTemplate, TagsThatDoNotCloseAreNamed) {
  EXPECT_EQ(mistake("{{template shell}}\na\n{{if gpus}}\nb\n"), "3: has no {{end}}");
  EXPECT_EQ(mistake("{{template shell}}\n{{end}}\n"), "2: {{end}} without a beginning");
  EXPECT_EQ(mistake("{{template shell}}\n{{each program}}{{else}}{{end}}"),
            "2: {{else}} without {{if}}");
  EXPECT_EQ(mistake("{{template shell}}\na {{gpus\n}}"), "2: {{ without }} on its line");
  EXPECT_EQ(mistake("gpus"),
            "1: begins without {{template CONTEXT}}, CONTEXT being shell, sbatch, yaml or plain");
  EXPECT_EQ(mistake("{{template text}}\n"),
            "1: begins without {{template CONTEXT}}, CONTEXT being shell, sbatch, yaml or plain");
}

struct Case {
  const char* text;
  const char* line_and_words;
};

TEST(RenderTemplate, NoValueWhereItCannotBeQuoted) {
  const Case cases[] = {
      {"shell}}\necho \"{{job}}\"", "2: {{job}} is inside quotes"},
      {"shell}}\necho '\n{{job}}'", "3: {{job}} is inside quotes"},
      {"shell}}\necho \"$(echo \"{{job}}\")\"", "inside quotes"},
      {"shell}}\necho $'{{job}}'", "inside quotes"},
      {"shell}}\necho ${x:-{{job}}}", "inside ${...}"},
      {"shell}}\necho $(( {{job}} + 1 ))", "inside arithmetic"},
      {"shell}}\n(( x = {{job}} ))", "inside arithmetic"},
      {"shell}}\necho \\{{job}}", "after a backslash"},
      {"shell}}\necho ${{job}}", "after a $"},
      {"shell}}\ncat << EOF\n{{job}}\nEOF\n", "2: a here document"},
      {"shell}}\necho `id`", "2: backquotes"},
      {"shell}}\necho \"`id`\"", "2: backquotes"},
      {"shell}}\necho \"\n{{if gpus}}\n\"\n{{end}}\n",
       "3: its two branches end at different places: inside quotes"},
      {"shell}}\n{{each program}}'{{end}}", "2: {{each}} ends inside quotes"},
      {"shell}}\nbash -c {{quote shell}}'{{end}}'", "2: {{quote}} ends while"},
      {"shell}}\necho 'x", "1: ends with an open quote"},
      {"yaml}}\na: \"{{job}}\"", "2: {{job}} is inside quotes"},
      {"yaml}}\na: '{{job}}'", "2: {{job}} is inside quotes"},
      {"yaml}}\na: x-{{job}}", "only a part of a scalar"},
      {"yaml}}\na: {{job}}-x", "only a part of a scalar"},
      {"yaml}}\na: {{job}}{{gpus}}", "only a part of a scalar"},
      {"yaml}}\na: x{{if gpus}} y{{end}}", "elsewhere in a line"},
      {"yaml}}\na: |\n  {{job}}\n", "2: a block scalar"},
      {"yaml}}\n- >-\n  {{job}}\n", "2: a block scalar"},
  };
  for (const Case& one : cases) {
    const std::string found = mistake(cat("{{template ", one.text));
    EXPECT_NE(found.find(one.line_and_words), std::string::npos) << one.text << "\n" << found;
  }
}

TEST(RenderTemplate, ValuesInTheRightPlace) {
  const char* const cases[] = {
      "shell}}\necho \"a\"{{job}}'b'",
      "shell}}\necho \"$(echo {{job}})\"",
      "shell}}\necho \"it's\" {{job}}",
      "shell}}\n# it's \" {{job}}\necho {{job}}",
      "shell}}\nx=${y#\\'} z={{job}}",
      "shell}}\nx=$((1 + 2)) z={{job}}",
      "shell}}\nread -r x <<< {{job}}",
      "shell}}\ncase $x in {{job}}) a ;; *) b ;; esac; y={{job}}",
      "shell}}\na=(x {{job}}) b=${#a[@]} c={{job}}",
      "yaml}}\na: it's\nb: {{job}}",
      "yaml}}\n- {{job}}\n- [{{gpus}}, {{job}}]\n- {a: {{job}}}\n",
      "yaml}}\n{{job}}: 1\n  {{job}}: {{job}}",
      "yaml}}\n# a{{if gpus}} --x {{job}}{{end}} -\nb: {{job}}",
      "yaml}}\n# {{job}}\n# |\n\na: \"x # y\"\nb: {{job}}",
  };
  for (const char* const one : cases) EXPECT_EQ(mistake(cat("{{template ", one)), "") << one;
}

TEST(RenderTemplate, PartsAreOfTheSameContext) {
  const ReadPart read = [](const std::string& name) -> Result<TemplateFile> {
    if (name == "own") return TemplateFile{"own.tmpl", "{{template shell}}\n{{use own}}\n"};
    if (name == "manifest") return TemplateFile{"manifest.tmpl", "{{template yaml}}\nx\n"};
    return TemplateFile{"part.tmpl", "{{template shell}}\n{{summary no}}\nb {{gpus}}\n"};
  };
  const auto whole = parse_template({"t.tmpl", "{{template sbatch}}\na\n{{use part}}\nc\n"}, read);
  ASSERT_TRUE(whole) << whole.error().text;
  EXPECT_EQ(render(*whole, hostile())->text, "a\nb 8\nc\n");
  EXPECT_EQ(whole->files.size(), 2U);
  const auto other = parse_template({"t.tmpl", "{{template shell}}\n{{use manifest}}\n"}, read);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().text, "is for the context yaml, but is used in shell");
  EXPECT_FALSE(parse_template({"t.tmpl", "{{template shell}}\n{{use own}}\n"}, read));
}

TEST(RenderTemplate, DigestCoversTemplateAndValues) {
  const auto one = parsed("{{template shell}}\n{{gpus}}\n");
  const auto other = parsed("{{template shell}}\n {{gpus}}\n");
  Inputs inputs = hostile();
  const std::string digest = digest_of(*one, inputs);
  EXPECT_EQ(digest, digest_of(*one, inputs));
  EXPECT_NE(digest, digest_of(*other, inputs));
  inputs.lists["program"][1]["word"].text = "three";
  EXPECT_NE(digest, digest_of(*one, inputs));
}

TEST(RenderTemplate, UsesAreListedOnce) {
  const auto form =
      parsed("{{template shell}}\n{{gpus}} {{gpus}} {{each program}}{{program.word}} {{end}}");
  const auto made = render(*form, hostile());
  ASSERT_TRUE(made);
  ASSERT_EQ(made->uses.size(), 3U);
  EXPECT_EQ(made->uses[0].name, "gpus");
  EXPECT_EQ(made->uses[2].value.text, "two words");
}

}  // namespace
}  // namespace nettune::tools::render
