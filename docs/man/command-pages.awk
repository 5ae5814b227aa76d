# SPDX-License-Identifier: Apache-2.0
# Makes a manual page of every command, nettune-apply.8 and so on, out of what nettune.8 says about it.
#
#     awk -v out=DIRECTORY -f command-pages.awk src/cli/commands/command_table.cpp src/cli/programs.cpp docs/man/nettune.8
#
# From the two tables comes the line that `nettune --help` shows for a command.

# CommandSpec{"apply", "apply a ...", kSettings, ...} and ProgramSpec{"nccl", "nettune-nccl", "lint ...", kJobs}; a long text may be
# cut into several literals.
FILENAME ~ /\.cpp$/ {
  source = source $0
  next
}

FNR == 1 {
  read_summaries("CommandSpec[{]", 4)
  read_summaries("ProgramSpec[{]", 6)
}

/^\.Dd / { date = $0 }
/^\.Sh / { section = substr($0, 5); entry = ""; names = ""; next }

# In a page of its own .Nm alone would say nettune-apply.
{ line = $0 == ".Nm" ? ".Nm nettune" : $0 }

# One line .Nm for each form of the command line, then .Cm and its name.
section == "SYNOPSIS" && $0 == ".Nm" { entry = line "\n"; next }
section == "SYNOPSIS" && entry != "" { command = $2 }
section == "SYNOPSIS" {
  synopsis[command] = synopsis[command] entry line "\n"
  entry = ""
}

# Items of the outermost list; one may be of several commands: ".It Cm hold , release".
section == "COMMANDS" {
  if ($1 == ".Bl" && depth++ == 0) next
  if ($1 == ".El" && --depth == 0) next
  if (depth == 1 && $1 == ".It") {
    count = split($0, words, " ")
    names = ""
    for (i = 3; i <= count && words[i] !~ /^(Ar|Op|Fl)$/; i++) if (words[i] != ",") {
      if (words[i] in text) text[words[i]] = text[words[i]] ".Pp\n"  # a second item of this command
      names = names " " words[i]
    }
    next
  }
  count = split(names, words, " ")
  for (i = 1; i <= count; i++) text[words[i]] = text[words[i]] line "\n"
}

section == "OPTIONS" { options = options line "\n" }
section == "EXIT STATUS" { status = status line "\n" }

END {
  for (name in text) {
    page = out "/nettune-" name ".8"
    print ".\\\" Made from nettune.8 by command-pages.awk." > page
    print date > page
    print ".Dt NETTUNE-" toupper(name) " 8\n.Os\n.Sh NAME\n.Nm nettune-" name > page
    print ".Nd " (name in summary ? summary[name] : "a command of nettune") > page
    printf ".Sh SYNOPSIS\n%s", synopsis[name] > page
    printf ".Sh DESCRIPTION\n%s", text[name] > page
    printf ".Sh OPTIONS\n%s", options > page
    printf ".Sh EXIT STATUS\n%s", status > page
    print ".Sh SEE ALSO\n.Xr nettune-profile 5 ,\n.Xr nettune 8" > page
    close(page)
  }
}

# The summary of a row begins with its literal number first / 2.
function read_summaries(row, first,    count, parts, i, end, words, fields, j) {
  count = split(source, parts, row)
  for (i = 2; i <= count; i++) {
    end = index(parts[i], "}")
    fields = split(substr(parts[i], 1, end - 1), words, "\"")
    for (j = first; j <= fields; j += 2) summary[words[2]] = summary[words[2]] words[j]
  }
}
