// SPDX-License-Identifier: Apache-2.0
// What a task of Slurm gets from a TaskProlog: the rules of _run_script_and_set_env() and
// _proc_stdout() (src/slurmd/slurmstepd/task.c), said in other words. Runs the script with this
// process's environment and prints as NAME=VALUE lines what a task would then have.
//
//     env -i [NAME=VALUE...] task_prolog SCRIPT
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void take(char* line) {
  char* end = strchr(line, '\n');
  if (end) *end = '\0';
  if (strncmp(line, "unset ", 6) == 0) {
    char* name = line + 6;
    while (isspace((unsigned char)*name)) ++name;
    unsetenv(name);
    return;
  }
  if (strncmp(line, "export ", 7) != 0) return;
  char* name = line + 7;
  while (isspace((unsigned char)*name)) ++name;
  char* equals = strchr(name, '=');
  if (!equals) return;
  char* last = equals;
  while (last > name && isspace((unsigned char)last[-1])) --last;
  *last = '\0';
  setenv(name, equals + 1, 1);  // everything behind the first '=', blanks and quotes included
}

int main(int argc, char** argv) {
  // slurmstepd only logs that it may not run it; the task starts without the variables.
  if (argc != 2 || access(argv[1], R_OK | X_OK) != 0) return 1;
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    close(2);
    close(0);
    close(ends[0]);
    close(ends[1]);
    char* const words[] = {argv[1], NULL};
    execve(argv[1], words, environ);
    _exit(127);
  }
  close(ends[1]);
  FILE* said = fdopen(ends[0], "r");
  char buffer[4096];
  // A longer line is cut in two, and its rest read as a line of its own.
  while (said && fgets(buffer, sizeof buffer - 1, said)) take(buffer);
  int status = 0;
  waitpid(child, &status, 0);
  for (char** entry = environ; *entry; ++entry) puts(*entry);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
