/* SPDX-License-Identifier: Apache-2.0
 *
 * at_syscall N kill|power|run|ERRNO COMMAND...
 *
 * Runs COMMAND and, at the entry of its N-th system call after execve (from 1; "sN": of the N-th
 * that syncs, renames or unlinks, which waiting does not move; "sN+": of the one behind it), kills
 * it with SIGKILL, resets the machine without a sync (power: for virtual machines), runs the shell
 * command in BESIDE while it waits (run), or makes that call fail with ERRNO (a number) without
 * carrying it out. Writes the number of system calls that
 * it saw and the name-less number of the one it hit to file descriptor 9. N = 0 only counts. Exits
 * as COMMAND does; 137 when it was killed. x86-64 and arm64.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__aarch64__) && !defined(NT_ARM_SYSTEM_CALL)
#define NT_ARM_SYSTEM_CALL 0x404
#endif

static void die(const char* what) {
  fprintf(stderr, "at_syscall: %s: %s\n", what, strerror(errno));
  exit(125);
}

/* The number of the system call that is being entered. */
static long entered(pid_t child) {
  struct user_regs_struct registers;
  struct iovec all = {&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &all) < 0) die("reading registers");
#if defined(__x86_64__)
  return (long)registers.orig_rax;
#else
  return (long)registers.regs[8];
#endif
}

/* Makes the kernel skip the call that is being entered. */
static void skip(pid_t child) {
#if defined(__x86_64__)
  struct user_regs_struct registers;
  struct iovec all = {&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &all) < 0) die("reading registers");
  registers.orig_rax = (unsigned long long)-1;
  if (ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &all) < 0) die("writing registers");
#else
  int none = -1;
  struct iovec number = {&none, sizeof none};
  if (ptrace(PTRACE_SETREGSET, child, NT_ARM_SYSTEM_CALL, &number) < 0) die("writing registers");
#endif
}

static void set_result(pid_t child, long result) {
  struct user_regs_struct registers;
  struct iovec all = {&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &all) < 0) die("reading registers");
#if defined(__x86_64__)
  registers.rax = (unsigned long long)result;
#else
  registers.regs[0] = (unsigned long long)result;
#endif
  if (ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &all) < 0) die("writing registers");
}

/* What reached no disk is lost: the reset syncs nothing (sysrq_reset_seq, drivers/tty/sysrq.c). */
static void cut_power(void) {
  const int trigger = open("/proc/sysrq-trigger", O_WRONLY);
  if (trigger < 0 || write(trigger, "b", 1) != 1) die("/proc/sysrq-trigger");
  for (;;) pause();
}

/* Makes something durable or visible. */
static int lasts(long call) {
  switch (call) {
    case SYS_fsync:
    case SYS_fdatasync:
#ifdef SYS_rename
    case SYS_rename:
    case SYS_unlink:
#endif
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_renameat2:
    case SYS_unlinkat:
      return 1;
    default:
      return 0;
  }
}

static void resume(pid_t child, int signal_number) {
  if (ptrace(PTRACE_SYSCALL, child, NULL, (void*)(long)signal_number) < 0 && errno != ESRCH)
    die("resuming");
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: at_syscall N kill|power|run|ERRNO COMMAND...\n");
    return 125;
  }
  const int lasting = argv[1][0] == 's';
  const long wanted = atol(argv[1] + lasting);
  const int behind = lasting && strchr(argv[1], '+') != NULL;
  const int power = strcmp(argv[2], "power") == 0;
  const int run = strcmp(argv[2], "run") == 0;
  const int error = power || run || strcmp(argv[2], "kill") == 0 ? 0 : atoi(argv[2]);
  const pid_t child = fork();
  if (child < 0) die("fork");
  if (child == 0) {
    close(9);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) die("tracing");
    execvp(argv[3], argv + 3);
    die(argv[3]);
  }
  int status = 0;
  if (waitpid(child, &status, 0) < 0) die("waiting");
  ptrace(PTRACE_SETOPTIONS, child, NULL, (void*)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
  long calls = 0;
  long lasted = 0;
  long hit = -1;
  int entering = 1;
  int pending = 0;
  resume(child, 0);
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      resume(child, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
      continue;
    }
    int here = 0;
    if (entering) {
      ++calls;
      if (!lasting) {
        here = calls == wanted;
      } else {
        here = behind && lasted == wanted;
        lasted += lasts(entered(child));
        here = here || (!behind && lasted == wanted);
      }
    }
    if (here && hit < 0) {
      hit = entered(child);
      if (power) cut_power();
      if (run) {
        if (system(getenv("BESIDE")) != 0) die("BESIDE");
      } else if (error == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        break;
      }
      /* brk has no way to say an errno: it answers with an address, and -EIO would be taken for
       * one. */
      if (error != 0 && hit != SYS_brk) {
        skip(child);
        pending = 1;
      }
    } else if (!entering && pending) {
      set_result(child, -error);
      pending = 0;
    }
    entering = !entering;
    resume(child, 0);
  }
  dprintf(9, "%ld %ld\n", calls, hit);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
